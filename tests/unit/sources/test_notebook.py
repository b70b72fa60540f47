from __future__ import annotations

import json

import pytest

from trivium.sources.convert import convert
from trivium.sources.notebook import notebook


def a_notebook(*cells: dict[str, object], **more: object) -> str:
    return json.dumps({"nbformat": 4, "metadata": {}, "cells": [*cells], **more})


def code(source: object, *outputs: dict[str, object]) -> dict[str, object]:
    return {"cell_type": "code", "source": source, "outputs": [*outputs]}


def prose(source: object) -> dict[str, object]:
    return {"cell_type": "markdown", "source": source}


def test_cells_become_markdown_in_order() -> None:
    text = a_notebook(
        prose(["# Title\n", "Some *words*."]),
        code("x = 1\nprint(x)", {"output_type": "stream", "text": ["1\n"]}),
        prose(""),
        {"cell_type": "raw", "source": "raw text"},
    )

    assert notebook(text) == (
        "# Title\nSome *words*.\n\n```python\nx = 1\nprint(x)\n```\n\n"
        "```output\n1\n```\n\nraw text\n"
    )


@pytest.mark.parametrize(
    ("metadata", "language"),
    [
        ({"language_info": {"name": "R"}}, "r"),
        ({"kernelspec": {"language": "julia"}}, "julia"),
        ({"language_info": {"name": "a b"}}, "python"),
        ({"language_info": 3}, "python"),
        ({}, "python"),
    ],
)
def test_code_is_in_the_language_of_the_kernel(metadata: object, language: str) -> None:
    assert notebook(a_notebook(code("x"), metadata=metadata)) == f"```{language}\nx\n```\n"


def test_a_cell_may_say_that_it_is_in_another_language() -> None:
    assert notebook(a_notebook(code("%%bash\nls"))) == "```bash\n%%bash\nls\n```\n"
    assert notebook(a_notebook(code("%timeit x"))) == "```python\n%timeit x\n```\n"


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ({"output_type": "execute_result", "data": {"text/plain": ["a\n", "b"]}}, "a\nb"),
        ({"output_type": "error", "ename": "ValueError", "evalue": "no"}, "ValueError: no"),
        ({"output_type": "stream", "text": "\x1b[31mred\x1b[0m"}, "red"),
        ({"output_type": "display_data", "data": {"image/png": "AAAA"}}, None),
        ({"output_type": "display_data", "data": {"text/html": "<b>x</b>"}}, None),
        ({"output_type": "stream", "text": 3}, None),
    ],
)
def test_what_a_cell_printed_is_kept_without_its_pictures(
    output: dict[str, object], said: str | None
) -> None:
    expected = "```python\nx\n```\n" + (f"\n```output\n{said}\n```\n" if said else "")

    assert notebook(a_notebook(code("x", output))) == expected


def test_outputs_are_cut_short() -> None:
    stream: dict[str, object] = {"output_type": "stream", "text": "z" * 1500}
    text = notebook(a_notebook(code("x", stream, stream)))

    assert text is not None
    assert text.count("z") == 2000 - len("\n…")
    assert text.endswith("…\n```\n")


def test_code_that_holds_ticks_stays_in_its_fence() -> None:
    assert notebook(a_notebook(code("a = '''\n```\n'''"))) == (
        "````python\na = '''\n```\n'''\n````\n"
    )


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("```py\nx", "```py\nx\n```\n"),
        ("~~~~\n```\nx", "~~~~\n```\nx\n~~~~\n"),
        ("```py\nx\n```", "```py\nx\n```\n"),
        ("```\n```py\n```", "```\n```py\n```\n"),
    ],
)
def test_a_fence_left_open_does_not_hide_the_next_cell(source: str, expected: str) -> None:
    assert notebook(a_notebook(prose(source))) == expected


def test_format_3_is_read() -> None:
    text = json.dumps(
        {
            "nbformat": 3,
            "worksheets": [
                {
                    "cells": [
                        {"cell_type": "heading", "level": 2, "source": ["Sub\n", "title"]},
                        {
                            "cell_type": "code",
                            "input": "x",
                            "language": "ruby",
                            "outputs": [{"output_type": "pyout", "text": ["1"]}],
                        },
                        {"cell_type": "heading", "level": 99, "source": "Top"},
                    ]
                },
                "broken",
            ],
        }
    )

    assert notebook(text) == ("## Sub title\n\n```ruby\nx\n```\n\n```output\n1\n```\n\n# Top\n")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no json",
        "[]",
        "3",
        '{"cells": 3, "nbformat": 4}',
        '{"cells": []}',
        '{"a": 1}',
        "[" * 100_000,
        '{"a":' * 100_000,
        '{"nbformat": ' + "9" * 5000 + ', "cells": []}',
    ],
)
def test_what_is_no_notebook_stays_as_it_is(text: str) -> None:
    converted = convert("a.ipynb", text.encode())

    assert notebook(text) is None
    assert converted is not None
    assert converted.text == text


def test_odd_cells_are_passed_over() -> None:
    text = a_notebook(code(None), prose(3), code(["x", 4]), {"cell_type": 5, "source": " "})

    assert notebook(text) == "```python\nx\n```\n"


def test_an_empty_notebook_is_an_empty_text() -> None:
    assert notebook(a_notebook()) == ""


def test_half_characters_and_zeros_do_not_reach_the_text() -> None:
    converted = convert("a.ipynb", a_notebook(prose("a\ud800b\0c")).encode())

    assert converted is not None
    assert converted.text == "a�b�c\n"
