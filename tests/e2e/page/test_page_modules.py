"""The page's pure modules, run where they live: what is shown is what was in the text."""

from __future__ import annotations

from typing import Any

import pytest

SHOWN = """async ([text, language, marks, isProse]) => {
  const { lines } = await import("/assets/text.js");
  const rows = lines(text, { language, marks, isProse });
  const place = document.createElement("div");
  return rows.map(row => { place.replaceChildren(...row); return place.textContent; }).join("\\n");
}"""
MARKED = """async ([text, marks]) => {
  const { lines } = await import("/assets/text.js");
  const place = document.createElement("div");
  place.append(...lines(text, { language: "python", marks }).flat());
  return [...place.querySelectorAll("mark")].map(one => one.textContent);
}"""
TOKENS = """async ([text, language]) => {
  const { tokens } = await import("/assets/syntax.js");
  return tokens(text, language);
}"""
READ = """async text => {
  const { rendered } = await import("/assets/markdown.js");
  const made = rendered(text);
  return [made.textContent, [...made.querySelectorAll("*")].map(one => one.localName)];
}"""

LANGUAGES = ["python", "typescript", "rust", "sql", "html", "markdown", "toml", "haskell", "", "x"]
TEXTS = [
    "",
    "\n\n",
    'def f():\n    """a\n    b"""\n    return "x" # c',
    "/* never closed",
    "'never closed\nnext",
    "`${a} \\` b`",
    "fn f<'a>(x: &'a str) -> char { '\\n' }",
    "\U0001f992 = '\U0001f992' # \U0001f992",
    "SELECT 'it''s' -- note\nFROM t",
    '<!-- a --> <p class="x">&amp;</p>',
    "# a\n```\ncode\n```\n`b`",
    '"' * 5000 + "\\" * 5000 + "(" * 5000 + "/*" * 2500,
]


@pytest.fixture
def blank(page: Any) -> Any:
    page.goto("/")
    page.wait_for_selector(".start")
    return page


@pytest.mark.parametrize("language", LANGUAGES)
def test_colour_changes_no_letter(blank: Any, language: str) -> None:
    for text in TEXTS:
        assert blank.evaluate(SHOWN, [text, language, [[1, 2]], False]) == text


@pytest.mark.parametrize("language", LANGUAGES)
def test_ranges_to_colour_are_in_order_and_apart(blank: Any, language: str) -> None:
    for text in TEXTS:
        at = 0
        for start, end, sort in blank.evaluate(TOKENS, [text, language]):
            assert at <= start < end
            assert sort
            at = end


def test_prose_loses_its_signs_and_nothing_else(blank: Any) -> None:
    text = "- **`any` where:** see [the guide](a.md) and `co**de`"

    shown = blank.evaluate(SHOWN, [text, "markdown", [], True])

    assert shown == "any where: see the guide and co**de"


def test_marks_are_counted_in_code_points(blank: Any) -> None:
    text = "\U0001f992\U0001f992 giraffe = 'giraffe'"
    second = text.rindex("giraffe")

    marked = blank.evaluate(MARKED, [text, [[3, 10], [second, second + 7]]])

    assert marked == ["giraffe", "giraffe"]


def test_markdown_makes_no_other_elements_than_its_own(blank: Any) -> None:
    hostile = (
        "# <script>x</script>\n\n<img src=x onerror=y>\n\n[a](javascript:alert(1)) "
        "[b](https://example.org/?q=1) ![c](data:text/html,x)\n\n- <b>d</b>\n\n"
        "| <i>e</i> | f |\n|---|---|\n| g | h |\n\n```\n<u>i</u>\n```\n"
    )

    text, elements = blank.evaluate(READ, hostile)

    assert set(elements) <= {
        "h3",
        "p",
        "a",
        "span",
        "ul",
        "li",
        "div",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "pre",
        "code",
        "bdi",
    }
    assert elements.count("a") == 1
    for one in ("<script>x</script>", "<img src=x onerror=y>", "<b>d</b>", "<u>i</u>"):
        assert one in text


def test_the_address_holds_the_whole_state(blank: Any) -> None:
    address = (
        "/?q=a%26b&profile=rag&hit=code%3Aa%23b&pane=graph&hops=2"
        "&kind=doc&kind=code&edge=calls&pages=2"
    )
    blank.goto(address)

    again = blank.evaluate(
        """async () => {
          const { addressOf, state } = await import("/assets/state.js");
          return addressOf(state());
        }"""
    )

    assert sorted(again.removeprefix("/?").split("&")) == sorted(
        address.removeprefix("/?").split("&")
    )
