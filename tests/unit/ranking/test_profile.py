from __future__ import annotations

import re

import pytest

from trivium.analysis.fields import PICKED, every_field
from trivium.errors import ConfigError
from trivium.ranking.profile import profile, shipped, text_of
from trivium.ranking.profile_file import read
from trivium.types import View

MINIMAL = """
name = "mine"
description = "My own."
[view]
unit = "chunk"
analyser = "standard"
combine = "repeat"
[view.fields]
body = 1
[retrieve]
depth = 50
[fuse]
method = "rrf"
[fuse.weights]
text = 1
[limit]
default = 10
most = 20
"""


def changed(before: str, after: str) -> str:
    assert MINIMAL.count(before) == 1
    return MINIMAL.replace(before, after)


def test_the_shipped_profiles_can_be_read() -> None:
    assert shipped() == [
        *("best", "contract", "contract-blend", "ember", "graph", "graph-files", "graph-recall"),
        *("rag", "xplor", "xplor-rrf"),
    ]
    assert [profile(name).name for name in shipped()] == shipped()


def test_rag_is_seed_004_to_the_letter() -> None:
    rag = profile("rag")

    assert rag.view == View("rag", "simple", (("title", 1), ("body", 1)), combine="sum")
    assert (rag.retrieval.depth, rag.fusion.method, rag.fusion.k) == (30, "rrf", 60)
    assert rag.fusion.weights == {"text": 1.0, "vectors": 1.0}
    assert (rag.group, rag.snippet, rag.boosts.name) == ("none", "start", 0.0)
    assert (rag.default_limit, rag.most) == (10, 100)


# Seed 001's table of weights, as it stands.
TABLE = """
intent name signature description comment body keyword operator
code   2.0  1.5       1.2         0.6     1.0  0.25    0.05
prose  1.2  0.9       2.1         1.8     1.7  0.2     0.05
path   2.4  1.7       0.9         0.4     0.7  0.2     0.05
url    1.1  0.8       2.0         1.8     1.7  0.2     0.05
mixed  1.8  1.3       1.6         1.2     1.2  0.25    0.05
"""


@pytest.mark.parametrize("name", ["contract", "contract-blend"])
def test_the_weights_of_fields_by_intent_are_those_of_seed_001(name: str) -> None:
    (_, *columns), *rows = (line.split() for line in TABLE.strip().splitlines())
    weights = {intent: tuple(zip(columns, map(float, row), strict=True)) for intent, *row in rows}

    for scope in profile(name).scopes:
        assert scope.intents == weights
        assert scope.view.fields == weights["mixed"]


def test_only_the_profiles_of_seed_001_have_keywords_and_operators() -> None:
    having = {
        name
        for name in shipped()
        for scope in profile(name).scopes
        if set(PICKED) & {field for field, _ in (*every_field(scope.view), *scope.deep)}
    }

    assert having == {"contract", "contract-blend"}


def test_what_is_left_out_has_a_default() -> None:
    mine = read(MINIMAL, origin="mine.toml")

    assert mine.fusion.k == 60
    assert (mine.fusion.name_weights, mine.boosts.name) == ({}, 0.0)
    assert (mine.group, mine.snippet, mine.view.kinds) == ("node", "window", None)


def test_kinds_that_share_statistics_can_be_named() -> None:
    text = changed('combine = "repeat"', 'combine = "sum"\nkinds = ["doc", "note"]')

    assert read(text, origin="mine.toml").view.kinds == ("doc", "note")


@pytest.mark.parametrize(
    ("before", "after", "key", "problem"),
    [
        ('name = "mine"\n', "", "name", "missing"),
        ('name = "mine"', "name = 3", "name", "wrong type"),
        ('name = "mine"', 'name = "mine"\ngroup = "nodes"', "group", "node, none"),
        ('name = "mine"', 'name = "mine"\nsnippet = "all"', "snippet", "window, start"),
        ('name = "mine"', 'name = "mine"\nnmae = "x"', "nmae", "no such key"),
        ('unit = "chunk"', 'unit = "page"', "view.unit", "chunk"),
        ('analyser = "standard"', 'analyser = "german"', "view.analyser", "standard"),
        ('combine = "repeat"', 'combine = "max"', "view.combine", "repeat, sum"),
        ('combine = "repeat"', 'combine = "sum"\nkinds = "doc"', "view.kinds", "list"),
        ('combine = "repeat"', 'combine = "sum"\nkinds = ["docs"]', "view.kinds", "code, doc"),
        ('combine = "repeat"', 'combine = "sum"\nk1 = 2', "view.k1", "1.2"),
        ('combine = "repeat"', 'combine = "sum"\nb = 0.5', "view.b", "0.75"),
        ('combine = "repeat"', 'combine = "sum"\nk2 = 2', "view.k2", "no such key"),
        ("body = 1", "text = 1", "view.fields", "'text'"),
        ("body = 1", "body = 0", "view.fields", "whole number"),
        ("body = 1", "body = 1.5", "view.fields", "whole number"),
        ("body = 1", "[view.fields.page]\nbody = 1", "view.fields.page", "code, doc"),
        ("body = 1", "body = true", "view.fields.body", "wrong type"),
        ("depth = 50", "depth = 0", "retrieve.depth", "at least 1"),
        ("depth = 50", "depth = 50\nwidth = 1", "retrieve.width", "no such key"),
        ("[retrieve]\ndepth = 50", "", "retrieve", "missing"),
        ('method = "rrf"', 'method = "sum"', "fuse.method", "rrf, weighted, blend, zscore"),
        ('method = "rrf"', 'method = "rrf"\nk = 0', "fuse.k", "at least 1"),
        ("text = 1", "txt = 1", "fuse.weights.txt", "text, vectors, instant"),
        (
            "text = 1",
            "text = 1\n[fuse.instant_weights]\ninstant = 1",
            "fuse.instant_weights.instant",
            "its own",
        ),
        ("text = 1", "text = -1", "fuse.weights.text", "from 0 up"),
        ("text = 1", "text = nan", "fuse.weights.text", "from 0 up"),
        ("text = 1", "text = inf", "fuse.weights.text", "from 0 up"),
        ("[limit]", "[boost]\nnames = 1\n[limit]", "boost.names", "no such key"),
        ("[limit]", '[boost]\nname = "much"\n[limit]', "boost.name", "wrong type"),
        ("[limit]", "[boost.kinds]\nsheep = 1\n[limit]", "boost.kinds.sheep", "no such kind"),
        ("[limit]", "[boost.kinds]\nnote = -1\n[limit]", "boost.kinds.note", "from 0 up"),
        ("default = 10", "default = 21", "limit.default", "at most 20"),
        ("most = 20", "most = 20\nleast = 1", "limit.least", "no such key"),
    ],
)
def test_a_mistake_names_the_file_the_key_and_what_is_wrong(
    before: str, after: str, key: str, problem: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        read(changed(before, after), origin="mine.toml")

    assert re.match(rf"mine\.toml(, line \d+)?: {re.escape(key)}: ", str(caught.value))
    assert problem in str(caught.value)


def test_a_file_that_is_not_toml_is_named() -> None:
    with pytest.raises(ConfigError, match=r"^mine\.toml: "):
        read("name = ", origin="mine.toml")


def test_an_unknown_profile_brings_the_nearest_one_to_mind() -> None:
    with pytest.raises(ConfigError, match=r"'rga'.*Did you mean 'rag'\?.*best, contract"):
        profile("rga")


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        ('name = "mine"', "name = 3", 2),
        ("depth = 50", "depth = 0", 11),
        ("depth = 50", "", 10),
        ("text = 1", "txt = 1", 15),
    ],
)
def test_a_mistake_names_the_line_of_the_key_or_of_its_table(
    before: str, after: str, line: int
) -> None:
    with pytest.raises(ConfigError, match=rf"^mine\.toml, line {line}: "):
        read(changed(before, after), origin="mine.toml")


def test_a_profile_may_extend_another_and_say_only_what_differs() -> None:
    text = 'extends = "rag"\nname = "mine"\n[fuse]\nk = 10\n[limit]\ndefault = 3\n'

    mine, rag = read(text, origin="mine.toml"), profile("rag")

    assert (mine.name, mine.fusion.k, mine.default_limit) == ("mine", 10, 3)
    assert mine.view.fields == rag.view.fields
    assert mine.most == rag.most


def test_fields_of_a_profile_that_extends_another_are_all_its_fields() -> None:
    text = 'extends = "rag"\nname = "mine"\n[view.fields]\nbody = 1\n'

    assert read(text, origin="mine.toml").view.fields == (("body", 1),)


def test_fields_of_its_own_count_for_every_intent() -> None:
    text = 'extends = "contract"\nname = "mine"\n[view.fields]\nbody = 1\n'

    for scope in read(text, origin="mine.toml").scopes:
        assert scope.asked(deep=False, intent="code").fields == (("body", 1),)


def test_the_fields_of_one_intent_are_replaced_and_those_of_others_stay() -> None:
    text = 'extends = "contract"\nname = "mine"\n[view.intents.path]\nname = 5\n'
    mine, contract = read(text, origin="mine.toml").scopes[0], profile("contract").scopes[0]

    assert mine.asked(deep=False, intent="path").fields == (("name", 5),)
    for intent in ("code", "prose", "url", "mixed"):
        theirs = contract.asked(deep=False, intent=intent).fields
        assert mine.asked(deep=False, intent=intent).fields == theirs


@pytest.mark.parametrize("key", ["duplicate", "duplicate_at"])
def test_a_share_is_at_most_1(key: str) -> None:
    text = f'extends = "rag"\nname = "mine"\n[boost]\n{key} = 1.5\n'

    with pytest.raises(ConfigError, match=rf"^mine\.toml, line 4: boost\.{key}: .* at most 1"):
        read(text, origin="mine.toml")


@pytest.mark.parametrize("base", ["mine", "xplr"])
def test_a_profile_cannot_extend_itself_or_what_does_not_exist(base: str) -> None:
    text = f'extends = "{base}"\nname = "mine"\n'

    def text_of(name: str) -> str:
        if name != "mine":
            raise FileNotFoundError(name)
        return text

    with pytest.raises(ConfigError, match=r"^mine\.toml, line 1: extends: "):
        read(text, origin="mine.toml", text_of=text_of)


def test_scopes_have_what_the_view_says_and_what_differs() -> None:
    graph = profile("graph")
    code, doc = graph.scopes[:2]

    assert (code.view.kinds, code.min_score) == (("code",), 0.3)
    assert code.view.most == (("content", 2000),)
    assert (doc.view.kinds, doc.min_score, doc.view.fields) == (
        ("doc",),
        0.5,
        (("name", 1), ("body", 1)),
    )
    assert code.expansion is not None
    assert doc.expansion is None


@pytest.mark.parametrize("name", ["../evil", "a/b", "a\\u0000b", "x" * 61, "", "-a", "ä"])
def test_a_name_is_one_that_a_folder_can_have(name: str) -> None:
    with pytest.raises(ConfigError, match="name"):
        read(changed('name = "mine"', f'name = "{name}"'), origin="mine.toml")


@pytest.mark.parametrize(
    ("text", "key", "problem"),
    [
        ("[retrieve]\ndepth = 1000000000", "retrieve.depth", "at most"),
        ("[fuse.weights]\ntext = 0\nvectors = 0", "fuse.weights", "above 0"),
        ("[view.deep]\nbody = 1.5", "view.deep", "whole number"),
        ('[scopes."a/b"]\nkinds = ["doc"]', "scopes.a/b", "letters"),
        (
            '[scopes.a]\nkinds = ["doc"]\n[scopes.b]\nkinds = ["doc", "code"]',
            "scopes.b",
            "doc is in",
        ),
        ('[scopes.a]\nkinds = ["doc"]\n[scopes.b]\nweight = 2', "scopes.b", "its kinds"),
        ("[learned.weights]\nbogus = 1", "learned.weights.bogus", "no such sign: stem"),
        ("[learned.weights]\nstem = -1", "learned.weights.stem", "from 0 up"),
        ("[learned.pages]\npage = 1000", "learned.pages.page", "at most 100"),
        ("[learned]\nslower = -1", "learned.slower", "from 0 up"),
        ('group = "files"', "group", "not one of file, node, none"),
    ],
)
def test_what_would_go_wrong_later_is_refused_at_once(text: str, key: str, problem: str) -> None:
    whole = f'extends = "best"\nname = "mine"\n{text}\n'

    with pytest.raises(ConfigError) as caught:
        read(whole, origin="mine.toml")

    assert f": {key}: " in str(caught.value)
    assert problem in str(caught.value)


def test_a_mistake_in_what_is_extended_is_named_as_its_own() -> None:
    texts = {"base": 'extends = "rag"\nname = "base"\n[boost]\nbogus = 1\n'}

    with pytest.raises(ConfigError, match=r"^base\.toml, line 4: boost\.bogus: "):
        read(
            'extends = "base"\nname = "mine"\n',
            origin="mine.toml",
            text_of=lambda name: texts.get(name) or text_of(name),
        )


def test_toml_too_deep_to_read_is_an_error_of_the_file() -> None:
    with pytest.raises(ConfigError, match=r"^mine\.toml: "):
        read("x = " + "[" * 5000, origin="mine.toml")
