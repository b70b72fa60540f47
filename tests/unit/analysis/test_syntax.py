"""Which words and signs of code are its keywords and operators, and what does not count."""

from __future__ import annotations

import pytest

from trivium.analysis.keywords import KEYWORDS, keywords
from trivium.analysis.syntax import keywords_of, operators, operators_of
from trivium.parsing.detect import PLAIN, languages
from trivium.types import Kind

PARSED = sorted(
    {
        row.file_type.language
        for row in languages()
        if row.file_type.kind is Kind.CODE and row.file_type.parser != PLAIN
    }
)
LITERALS = {"true", "false", "none", "null", "nil", "undefined"}
MEGABYTE = 1_000_000


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a&&b => c::d", "&& => ::"),
        ("f(x)[0]", "( ) [ ]"),
        ("a(()", "( ( )"),
        ("x >>>= 1; y", ">>>= ;"),
        ("=====", "==== ="),
        ("a ?. b ?? c", "?. ??"),
        ("a, b", ","),
        ("src/server/index.js", "/ / ."),
        ('don\'t say "hi" to @me #1 $2 `x` \\n', ""),
        ("", ""),
    ],
)
def test_operators_are_runs_of_up_to_four_signs_and_single_brackets(text: str, found: str) -> None:
    assert operators(text) == found.split()


@pytest.mark.parametrize("text", ["a&&b => c::d", "=====((", "x >>>= {1}; y", "...?.!="])
def test_operators_side_by_side_are_the_same_operators(text: str) -> None:
    assert operators(" ".join(operators(text))) == operators(text)


@pytest.mark.parametrize("language", PARSED)
def test_every_language_that_is_parsed_has_keywords_of_its_own_and_no_literals(
    language: str,
) -> None:
    own = KEYWORDS[language]

    assert {"if", "for"} & own or language == "haskell"
    assert not LITERALS & {word.lower() for word in own}
    assert all(word.isidentifier() for word in own)


@pytest.mark.parametrize("language", ["", "klingon", "cobol"])
def test_a_language_without_a_row_has_the_words_that_many_share(language: str) -> None:
    assert keywords(language) == KEYWORDS[""]
    assert keywords_of("IF x THEN Return y", language=language) == ["if", "then", "return"]


@pytest.mark.parametrize(
    ("language", "code", "found"),
    [
        ("python", "def f(x):\n    return x if x else None", "def return if else"),
        ("python", "for_each = iffy(DEF, Return)", ""),
        ("go", "func f() { defer g(); go h() }", "func defer go"),
        ("rust", "pub fn f(self) -> u8 { match x { _ => 1 } }", "pub fn self match"),
        ("sql", "SELECT a FROM t where b", "select from where"),
        ("php", "<?php If ($class) Return $this;", "if return"),
        ("shell", 'for x in a; do echo "$if"; done', "for in do done"),
        ("c++", "co_await static_cast<int>(x)", "co_await static_cast int"),
        ("typescript", "export interface A extends B {}", "export interface extends"),
    ],
)
def test_keywords_are_whole_words_of_the_language_as_it_writes_them(
    language: str, code: str, found: str
) -> None:
    assert keywords_of(code, language=language) == found.split()


@pytest.mark.parametrize(
    ("language", "code", "words", "signs"),
    [
        ("python", 'x = "if a && b" # for (all)\nreturn', "return", "="),
        ("python", "def f():\n    '''While it -> is.'''\n    pass", "def pass", "( ) :"),
        (
            "python",
            'def f():\n    """If.\n\n    For \\"all\\".\n    """\n    pass',
            "def pass",
            "( ) :",
        ),
        ("python", "x = 'a\\'if' or y", "or", "="),
        (
            "javascript",
            "let a = `if ${b}\nfor` // while (\nreturn /* if\n( */ a",
            "let return",
            "=",
        ),
        ("javascript", "let u = 'http://if/for'; return", "let return", "= ;"),
        ("rust", "fn f<'a>(x: &'a str) { let q = '\"'; return }", "fn let return", None),
        ("c++", "int n = 1'000'000; char c = '\\''; if (n) {}", "int char if", None),
        ("c", "#include <if.h>\nint x; // for\n/* while */ return", "include if int return", None),
        ("haskell", "f x' = case x' of -- if\n  {- let\n -} y -> z", "case of", "= ->"),
        ("lua", "local x = 1 -- if\n--[[ for\nwhile ]] return", "local return", "="),
        ("sql", "select 'from' -- where\n/* join */ limit", "select limit", ""),
        ("shell", 'if [ $# -gt 0 ] # for\nthen echo "while"', "if then", None),
        ("php", "#[If]\nfunction f() {} # for\n// while", "if function", None),
        ("cobol", "// if\n# for\n#include while\n;; let\nreturn", "include while return", ""),
    ],
)
def test_comments_and_strings_do_not_count(
    language: str, code: str, words: str, signs: str | None
) -> None:
    assert keywords_of(code, language=language) == words.split()
    if signs is not None:
        assert operators_of(code, language=language) == signs.split()


@pytest.mark.parametrize(
    ("code", "words"),
    [
        # Of a chunk that begins or ends within a string or a comment.
        ('the end of it.\n    """\n    return x', ["return"]),
        ("x = 'not closed\nreturn x", ["return"]),
        ('def f():\n    """It begins\n    return', ["def", "return"]),
    ],
)
def test_a_string_that_is_cut_hides_no_code_behind_its_line(code: str, words: list[str]) -> None:
    assert keywords_of(code, language="python") == words


def test_a_comment_that_does_not_end_hides_the_rest() -> None:
    assert keywords_of("int x; /* if\nfor (", language="c") == ["int"]


# One of each way to write comments and strings.
@pytest.mark.parametrize("language", ["go", "haskell", "lua", "python", "rust", "shell", ""])
@pytest.mark.parametrize(
    "piece",
    [
        *("(", "&", "/*", '"', '\\"', "\"\\'", "'", "'a", "`", "\\`", "--[[", "{-", "#", ";", "\t"),
        *('"""', '"""\\', "'''x", "\n;", "\n\t#x", "if "),
    ],
)
def test_a_megabyte_of_one_sign_is_read_once(language: str, piece: str) -> None:
    code = piece * (MEGABYTE // len(piece))

    signs, words = operators_of(code, language=language), keywords_of(code, language=language)

    assert sum(map(len, signs)) <= len(code)
    assert len(words) <= len(code) // len("if ")
    if piece == "(":
        assert signs == ["("] * MEGABYTE
    if piece == "if " and "if" in keywords(language):
        assert words == ["if"] * (MEGABYTE // len(piece))
