// The profiles and collections of a server -> the two choices of the head.

import { byId, el, fill } from "/assets/element.js";
import { ALL, state } from "/assets/state.js";

export function showChoices(profiles, collections) {
  const place = byId("profile");
  const now = state().profile || profiles.default;
  fill(
    place,
    profiles.profiles.map((one) =>
      el("option", { value: one.name, title: one.description, selected: one.name === now }, one.name),
    ),
  );
  place.value = now;
  byId("collections").hidden = collections.length < 2;
  fill(
    byId("collection"),
    collections.map((one) => el("option", { value: one.isDefault ? "" : one.name }, one.name)),
    el("option", { value: ALL }, "all"),
  );
  byId("collection").value = state().collection;
}
