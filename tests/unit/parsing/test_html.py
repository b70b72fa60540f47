from __future__ import annotations

import pytest

from trivium.parsing.detect import FileType
from trivium.parsing.html import html
from trivium.sources.webpage import readable
from trivium.types import Document, EdgeType, Kind, Node, Parsed

HTML = FileType(Kind.DOC, "html", "html")


def read(text: str) -> Parsed:
    return html(Document("site/page.html", text), HTML)


def sections(text: str) -> list[str]:
    return [node.id.partition("#")[2] for node in read(text).nodes if node.type == "section"]


def test_a_page_becomes_sections_code_blocks_links_and_mentions() -> None:
    page = (
        "<html><head><title>Shop</title></head>\n<body><nav><a href='/'>Home</a></nav>\n"
        "<h1>Guide</h1>\n<p>All about it.</p>\n<h2>Install</h2>\n"
        "<p>Run <code>Setup.run()</code>, see <a href='use.html#first'>Use</a>. Then stop.</p>\n\n"
        "<pre><code class='language-py'>def go():\n    pass\n</code></pre>\n</body></html>\n"
    )
    text = readable(page)
    parsed = read(text)
    nodes: dict[str, Node] = {node.id.partition("#")[2]: node for node in parsed.nodes}

    assert list(nodes) == ["", "Guide", "Install", "Install/code-1"]
    assert nodes[""].title == "Guide"
    assert nodes["Guide"].description == "All about it."
    assert page.split("\n")[nodes["Install"].source.start_line - 1] == "<h2>Install</h2>"
    assert nodes["Install/code-1"].language == "python"
    assert nodes["Install/code-1"].metadata == {"symbols": ("go",)}
    mention, link = parsed.references
    assert (link.type, link.path, link.name, link.line) == (
        EdgeType.REFERENCES,
        "use.html",
        "first",
        6,
    )
    assert link.context == "Run `Setup.run()`, see [Use](use.html#first)."
    assert (mention.type, mention.path, mention.name) == (EdgeType.MENTIONS, "Setup", "run")


@pytest.mark.parametrize(
    "text",
    [
        "Text\n====\n",
        "Text\n---\n",
        "---\ntitle: x\n---\n",
        "<pre>\nx\n",
        "<!-- x\n",
        "    x\n",
        "[[x]]\n",
        "> ```\n",
        "\\# x\n",
        "\\```\nx\n",
    ],
)
def test_what_the_page_says_is_no_markup(text: str) -> None:
    parsed = read(text + "# Real\n")

    assert [node.id.partition("#")[2] for node in parsed.nodes] == ["", "Real"]
    assert parsed.references == ()
    assert parsed.nodes[0].metadata == {}
