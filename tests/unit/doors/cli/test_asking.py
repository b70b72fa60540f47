"""What a person sees below the hits of a search: little where all went well, all that matters."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from trivium.doors.cli.asking import search
from trivium.retrieval.cursor import AGAIN

HOW = "by words and meaning (static) in 14 files"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a folder with code, pages, a file that is passed over, and a home of its own."""
    monkeypatch.setenv("TRIVIUM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TRIVIUM_CONFIG", str(tmp_path / "none.toml"))
    made = tmp_path / "shop"
    made.mkdir()
    (made / "auth.py").write_text(
        'def hash_password(password):\n    """Passwords are hashed with salt."""\n'
        "    return digest(password)\n\n\ndef check_password(password):\n    return True\n",
        encoding="utf-8",
    )
    for number in range(13):
        (made / f"p{number}.md").write_text(
            f"# Page {number}\n\nHow a password is stored in place {number}.\n", encoding="utf-8"
        )
    (made / "logo.png").write_bytes(b"\x89PNG\x00\x01")
    return made


def asked(folder: Path, query: str, *words: str) -> Result:
    return CliRunner().invoke(search, [query, str(folder), *words], catch_exceptions=False)


def below(done: Result) -> list[str]:
    return done.stderr.splitlines()


def test_an_ordinary_answer_has_at_most_three_lines_below_it(folder: Path) -> None:
    lines = below(asked(folder, "how are passwords hashed", "-n", "2"))

    assert len(lines) <= 3
    assert HOW in lines[0]
    assert lines[0].endswith("; not searched: 1 binary")
    assert lines[-1].startswith("next page: --cursor ")


def test_an_answer_that_is_weak_all_over_says_so(folder: Path) -> None:
    lines = below(asked(folder, "zanzibar lemon tart recipe", "-n", "2"))

    assert len(lines) <= 3
    assert "all of these are weak: there may be no answer here" in lines


def test_nonsense_is_not_counted_as_found(folder: Path) -> None:
    nonsense = below(asked(folder, "xqzzwv blorptastic", "-n", "2"))
    mixed = below(asked(folder, "salt xqzzwv", "-n", "2"))
    data = json.loads(asked(folder, "xqzzwv blorptastic", "--json").stdout)

    assert nonsense[0].startswith("2 of the nearest 14 by meaning (static) in 14 files")
    assert "; none has a word of the query;" in nonsense[0]
    assert "; 13 have no word of the query;" in mixed[0]
    assert (data["total"], data["matching"]) == (14, 0)


def test_an_empty_answer_counts_no_hits_and_says_why(folder: Path) -> None:
    done = asked(folder, "password", "--lang", "go", "--search-mode", "keyword")

    assert (done.stdout, done.exit_code) == ("", 1)
    first, *reasons = below(done)
    assert first == "Nothing found."
    assert [line.split()[0] for line in reasons] == ["lang", "searched", "without"]
    assert reasons[1].endswith("; passed over 1 (1 binary)")


def test_a_correction_takes_one_line_and_with_why_two(folder: Path) -> None:
    lines = below(asked(folder, "pasword hashd", "-n", "2"))
    why = below(asked(folder, "pasword hashd", "-n", "2", "--why"))

    assert lines[1:-1] == ["did you mean: password hashed"]
    assert why[1] == lines[1]
    assert why[2].startswith("looked for near words as well: pasword ~ password")


def test_a_rare_word_that_swaps_two_letters_is_not_what_was_meant(folder: Path) -> None:
    (folder / "slip.md").write_text("# Slip\n\nA passwdr file.\n", encoding="utf-8")

    assert "did you mean: password" in below(asked(folder, "passwrd", "-n", "2"))


def test_facets_are_shown_if_asked_for_a_line_each(folder: Path) -> None:
    plain = below(asked(folder, "password", "-n", "2"))
    lines = below(asked(folder, "password", "-n", "2", "--facets"))

    shown = [line for line in lines if line.split(":")[0] in {"kind", "type", "language"}]
    assert shown[0] == "kind: doc 13, code 1"
    assert len(shown) == len(lines) - len(plain) == 3


def test_a_kind_that_was_typed_is_the_only_one_there_is_to_choose(folder: Path) -> None:
    lines = below(asked(folder, "password kind:code", "--facets"))
    chosen = asked(folder, "password kind:code", "--kind", "code", "--json")
    other = asked(folder, "password kind:code", "--kind", "doc", "--facets")

    assert "kind: code 1" in lines
    assert json.loads(chosen.stdout)["total"] == 1
    assert (other.exit_code, "kind: code 1" in below(other)) == (1, True)


def test_files_that_were_just_saved_do_not_begin_an_answer_again(folder: Path) -> None:
    first = json.loads(asked(folder, "password", "-n", "5", "--json").stdout)
    second = asked(folder, "password", "-n", "5", "--cursor", first["next"], "--json")
    data = json.loads(second.stdout)

    assert AGAIN not in data["notes"]
    shown = [hit["id"] for hit in first["results"] + data["results"]]
    assert len({*shown}) == 10


def test_the_part_that_all_hits_have_alike_says_so_and_one_folder_is_not_deep(
    folder: Path,
) -> None:
    (folder / "src").mkdir()
    (folder / "src" / "store.py").write_text("def store_password():\n    pass\n", encoding="utf-8")
    done = asked(folder, "password", "--why")
    data = json.loads(asked(folder, "password", "--explain", "--json").stdout)

    level = "the same for every hit of this list"
    shown = [line for line in done.stdout.splitlines() if line.endswith(level)]
    assert (len(shown), len({*shown})) == (len(data["results"]), 1)
    parts = {
        one["name"]: one["value"]
        for hit in data["results"]
        if hit["source"]["filePath"] == "src/store.py"
        for one in hit["scoreBreakdown"]["parts"]
    }
    assert parts["folders above its file"] < 0
    assert not any("deep" in name for name in parts)


def test_one_letter_is_not_sure_of_what_is_called_so(folder: Path) -> None:
    (folder / "one.py").write_text("def x():\n    return 1\n", encoding="utf-8")
    begun = json.loads(asked(folder, "x", "--as-you-type", "--json").stdout)
    ended = json.loads(asked(folder, "x ", "--as-you-type", "--json").stdout)

    assert begun["results"][0]["weak"]
    assert not ended["results"][0]["weak"]


def test_what_could_not_be_done_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIVIUM_EMBEDDING__MODEL", "none")
    lines = below(asked(folder, "password", "-n", "2"))

    assert "by words in 14 files" in lines[0]
    assert "vectors: no embedding model is set" in lines
    assert len(lines) == 3


def test_only_hits_go_to_stdout_and_only_json_where_that_is_asked_for(folder: Path) -> None:
    done = asked(folder, "pasword", "-n", "2", "--facets")
    data = json.loads(asked(folder, "pasword", "-n", "2", "--facets", "--json").stdout)

    assert not set(below(done)) & set(done.stdout.splitlines())
    assert done.stdout.startswith("1. ")
    assert (data["didYouMean"], data["coverage"]["skipped"]) == ("password", {"binary": 1})
