from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trivium.sources.webpage import code_span, fence_for, readable

PIECES = st.sampled_from(
    ["<p>", "</p>", "<h1>", "</h1>", "<h2>", "<pre>", "</pre>", "<code>", "</code>", "<a href='x'>",
     "</a>", "<li>", "<td>", "<tr>", "<nav>", "</nav>", "<script>", "</script>", "<title>", "<br>",
     "</title>", "<!--", "-->", "<div hidden>", "</div>", "<img alt='a'>", "<svg/>", "<", ">", "'",
     '"', "&amp;", "&#10;", "&#99999999999;", "&nbsp;", "text", "# x", "```", "\n", "\n\n", " ",
     "=", "<a b=\"", "<?", "<![CDATA[", "</", "<a\n", "é"]
)  # fmt: skip


def lines(source: str) -> list[str]:
    return readable(source).split("\n")


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<p>a <b>b</b>\t c</p>", "a b c"),
        ("a &lt;b&gt; &eacute; &#233; &#xe9; &nosuch; & b", "a <b> é é é &nosuch; & b"),
        ("a&#10;b&#x2028;c&#0;", "a b c�"),
        ("<p>a</p><p>b</p>", "a b"),
        ("a<br>b", "a b"),
        ('<a href="b.html#c">the <i>text</i></a>', "[the text](b.html#c)"),
        ('see<a href="b"> x </a>y', "see [x](b) y"),
        ("<a href='b c(1).html'>x</a>", "[x](<b c(1).html>)"),
        ("<a href='a>b'>x</a>", "[x](a%3Eb)"),
        ("<a>x</a> <a href=''>y</a>", "x y"),
        ("<a href='javascript:x()'>x</a>", "x"),
        ("<a href=b>x</a>", "[x](b)"),
        ("<a href='#x'>¶</a>x", "x"),
        ("<a href='x'><img alt='logo'></a>", "[logo](x)"),
        ("<img alt='a &amp; b' src='x'>", "a & b"),
        ("use <code>a.b()</code>, <kbd>x</kbd>", "use `a.b()`, `x`"),
        ("<code>a`b</code>", "`` a`b ``"),
        ("<code><a href='x'>A</a></code>", "`A`"),
        ("<a href='x'><code>A</code></a>", "[`A`](x)"),
        ("<pre>one line</pre>", "`one line`"),
        ("<ul><li>a</li><li><p>b</p></li></ul>", "- a - b"),
        ("<table><tr><td>a</td><td>b</td></tr></table>", "a | b"),
        ("<!-- x > y --><p>a</p>", "a"),
        ("<!DOCTYPE html><?xml x?>a", "a"),
        ("<script>x<b>y</script>a<style>z</style>", "a"),
        ("<SCRIPT>x</Script>a", "a"),
        ("<nav>x <nav>y</nav> z</nav>a<footer>b</footer>", "a"),
        ("<nav>never closed <p>a", "never closed a"),
        ("<nav>x<nav>y</nav>a", "a"),
        ("<div hidden>x</div><span aria-hidden='true'>y</span><ul role='navigation'>z</ul>a", "a"),
        ("<div style='display: none'>x</div>a", "a"),
        ("<p title='hidden'>a</p>", "a"),
        ("<svg><title>x</title></svg>a", "a"),
        ("<p title='a > b'>x</p>", "x"),
        ("<p title=it's>x</p>", "x"),
        ("a < b and c > d", "a < b and c > d"),
        ("a <- b <3", "a <- b <3"),
        ("<p", "<p"),
        ("</p>a</ >b", "ab"),
        ("# no heading", "\\# no heading"),
        ("```", "\\```"),
        ("#1 is first", "#1 is first"),
    ],
)
def test_tags_become_text(source: str, text: str) -> None:
    assert readable(source).strip() == text


def test_every_line_stays_where_it_was() -> None:
    source = (
        "<html>\n<head><title>T</title>\n<style>\na {}\n</style></head>\n<body>\n"
        "<h1\n id='x'>The\n <em>page</em></h1>\n<p>One\ntwo <b>three\nfour</b></p>\n</body>\n"
    )

    assert lines(source) == [
        "", "T", "", "", "", "", "# The page", "", "", "One", "two three", "four", "", ""
    ]  # fmt: skip


def test_a_heading_has_a_line_of_its_own_and_what_follows_moves_down() -> None:
    assert lines("<h1>A</h1><p>b</p>\n\n<p>c</p>") == ["# A", "b", "c"]
    assert lines("<p>a</p><h2>B</h2>c\n\n<p>d</p>\n") == ["a", "## B", "c d", ""]


def test_a_page_on_one_line_gets_the_lines_its_headings_need() -> None:
    assert readable("<p>a</p><h2>B</h2><p>c</p>") == "a\n## B\nc"
    assert readable("<h1>A</h1><p>b</p><h2>C</h2><p>d</p>") == "# A\nb\n## C\nd"


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("<h3><a href='#x'>Use</a></h3>", "### Use"),
        ("<h3><a href='y.html'>Use</a></h3>", "### [Use](y.html)"),
        ("<h3>Use<a class='headerlink' href='#x'>¶</a></h3>", "### Use"),
        ("<h3>C#</h3>", "### C#"),
        ("<a href='y'><h3>Card</h3></a>", "### [Card](y)"),
        ("<h3>Use <code>x</code></h3>", "### Use `x`"),
        ("<h3>Use<p>text", "### Use"),
        ("<h3>Use", "### Use"),
        ("<h3></h3>", ""),
    ],
)
def test_headings_are_read(source: str, line: str) -> None:
    assert lines(source + "\n")[0] == line


def test_the_title_is_the_heading_of_a_page_that_has_no_other() -> None:
    assert lines("<title>T &amp; U</title>\n<h2>A</h2>\n") == ["# T & U", "## A", ""]
    assert lines("<title>T</title>\n<h1>A</h1>\n") == ["T", "# A", ""]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<pre>\na\n b\n</pre>\nx", ["```", "a", " b", "```", "x"]),
        (
            "\n<pre><code class='language-py'>a\nb\n</code></pre>\nx",
            ["```py", "a", "b", "```", "x"],
        ),
        ("\n<pre class='lang-js'>a\nb</pre>\n\nx", ["```js", "a", "b", "```", "x"]),
        (
            "<div class='highlight-python x'><pre>\n<span>a</span>\nb\n</pre></div>",
            ["```python", "a", "b", "```"],
        ),
        ("text<pre>a\nb</pre>\n\n\nx", ["text", "```", "a", "b", "```", "x"]),
        ("\n<pre>a\n```\n</pre>\n", ["````", "a", "```", "````", ""]),
        ("\n<pre># a\n&lt;b&gt;\n</pre>\n", ["```", "# a", "<b>", "```", ""]),
        ("\n<pre>a\nb</pre>", ["```", "a", "b", "```"]),
    ],
)
def test_code_becomes_a_fence_where_there_is_room(source: str, expected: list[str]) -> None:
    assert lines(source) == expected


def test_the_cells_of_a_row_may_stand_on_lines_of_their_own() -> None:
    assert lines("<tr>\n<td>a</td>\n<td>b</td>\n</tr>\n<tr><td>c</td></tr>") == [
        "", "a", "| b", "", "c"
    ]  # fmt: skip


@settings(max_examples=500)
@given(st.lists(PIECES, max_size=40).map("".join) | st.text(max_size=200))
def test_any_text_keeps_its_number_of_lines(source: str) -> None:
    assert readable(source).count("\n") >= source.count("\n")


NEED_ROOM = ("<h1>", "<h2>", "<pre>", "<title>")


@given(st.lists(PIECES.filter(lambda piece: piece not in NEED_ROOM), max_size=40).map("".join))
def test_without_headings_and_fences_a_page_keeps_exactly_its_lines(source: str) -> None:
    assert readable(source).count("\n") == source.count("\n")


WORDS = [f"word{number}" for number in range(10, 40)]
SHOWN = ["<p>", "</p>", "<h1>", "</h1>", "<h2>", "</h2>", "<pre>", "</pre>", "<code>", "</code>"]
SHOWN += ["<a href='x'>", "</a>", "<li>", "<tr>", "<td>", "<br>", "<div>", "<b>", "\n", " ", "\n\n"]


@settings(max_examples=500)
@given(st.lists(st.sampled_from([*WORDS, *SHOWN]), max_size=40))
def test_no_word_of_a_page_is_lost(pieces: list[str]) -> None:
    text = readable("".join(pieces))

    assert [piece for piece in pieces if piece in WORDS and piece not in text] == []


# What takes the square of the length takes minutes for this, and a second where it does not.
@pytest.mark.timeout(30)
@pytest.mark.parametrize(
    "piece",
    [
        *("<", "<a ", "<!--", "</", "<a ='", '<a ="', "<![", "&#", "<a>", "<li>", "<nav>"),
        *("<title>", "<h1>a</h1>", "<pre>\n", "<br>", "<td>", "<code>`", "<div hidden>"),
        *("<p>&#32;", "a\n", "'"),
    ],
)
@pytest.mark.parametrize("before", ["", "<a href='x'>", "<h1>"])
def test_a_long_run_of_one_piece_does_no_harm(piece: str, before: str) -> None:
    source = before + piece * (300_000 // len(piece)) + "</nav></title></div></a></h1>>"

    assert readable(source).count("\n") >= source.count("\n")


def test_a_fence_is_longer_than_any_run_of_ticks_in_it() -> None:
    assert fence_for(["a", "````"]) == "`" * 5
    assert fence_for([]) == "```"
    assert code_span(" ") == ""
