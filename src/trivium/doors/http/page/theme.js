// The chosen theme -> the page, before anything is drawn: no flash of the other one.
try {
  const chosen = localStorage.getItem("trivium.theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  /* Storage may be forbidden; then the system's theme holds. */
}
