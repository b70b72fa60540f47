"""A command, setting, error, filter or profile without its page fails the build."""

import inspect
import re
from pathlib import Path

import pytest

from trivium import config, errors
from trivium.analysis.fields import FIELDS as FIELDS_OF_VIEWS
from trivium.doors.cli.main import trivium as commands
from trivium.filtering.conditions import FIELDS
from trivium.ranking.profile import profile, shipped

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def page(name: str) -> str:
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(commands.commands))
def test_every_command_has_a_heading_in_the_page_of_the_command_line(name: str) -> None:
    assert re.search(rf"^## trivium {name}\b", page("cli"), re.MULTILINE)


@pytest.mark.parametrize(
    "flag",
    sorted({o for p in commands.commands["search"].params for o in p.opts if o.startswith("--")}),
)
def test_every_flag_of_search_is_on_the_page_of_the_command_line(flag: str) -> None:
    assert flag in page("cli")


@pytest.mark.parametrize(("key", "known"), sorted(config.KNOWN.items()), ids=str)
def test_every_setting_is_on_its_page_with_its_default(key: str, known: object) -> None:
    row = next(line for line in page("settings").splitlines() if line.startswith(f"| `{key}`"))
    default = getattr(known, "default", None)
    may_set = getattr(known, "folder_may_set", None)

    assert default in ("", ()) or f"`{default}`" in row
    assert f"| {'yes' if may_set else 'no'} |" in row


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, one in inspect.getmembers(errors, inspect.isclass)
        if issubclass(one, errors.TriviumError) and one is not errors.TriviumError
    ],
)
def test_every_error_is_on_its_page(name: str) -> None:
    assert f"| `{name}` |" in page("errors")


@pytest.mark.parametrize("name", FIELDS_OF_VIEWS)
def test_every_field_of_profiles_is_on_the_page_of_ranking(name: str) -> None:
    assert f"`{name}`" in page("ranking")


@pytest.mark.parametrize("name", sorted(FIELDS))
def test_every_filter_is_on_its_page(name: str) -> None:
    assert f"`{name}`" in page("filters")


@pytest.mark.parametrize("name", shipped())
def test_every_profile_has_a_heading_and_says_its_own_name(name: str) -> None:
    assert f"\n## {name}\n" in page("ranking")
    assert profile(name).name == name


@pytest.mark.parametrize(
    "file",
    sorted([ROOT / "README.md", ROOT / "ARCHITECTURE.md", *DOCS.rglob("*.md")]),
    ids=lambda file: file.name,
)
def test_every_link_between_pages_leads_somewhere(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        assert (file.parent / target).exists(), target


@pytest.mark.parametrize(
    "file", sorted(ROOT.joinpath("src").rglob("*.py")), ids=lambda file: file.stem
)
def test_every_module_says_what_it_turns_into_what(file: Path) -> None:
    assert file.read_text(encoding="utf-8").startswith(('"""', 'r"""'))


def test_every_place_the_architecture_names_exists() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    places = re.findall(r"`((?:[a-z_]+/)+[a-z_]*(?:\.py)?|[a-z_]+\.py)`", text)

    assert places
    for place in places:
        known = [ROOT / "src" / "trivium" / place, ROOT / place]
        assert any(one.exists() for one in known), place
