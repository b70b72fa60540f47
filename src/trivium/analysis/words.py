"""Text -> terms, on one code path for writing and for asking.

An Analyser is a named way to make terms; equal text gives equal terms on every machine.
Its words come in the order of the text; whole identifiers and single Han characters are
kept apart from them, so that the words of a phrase stay neighbours. Called by backends
when they write and ask.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from trivium.analysis import cjk, dictionaries, identifiers, runs
from trivium.analysis.dictionaries import Dictionary, Unit
from trivium.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trivium.types import View

# Function words of questions and prose. Words that are also keywords or common
# names in code (for, if, not, is, has, can, do, all, no, in, from, with, as, this, new)
# are spared: in code they carry meaning.
STOP_WORDS = frozenset(
    """a about am an and are at be been being but by could did does doing had having he her
    hers him his how i into it its me might my of on onto or our ours she should so such
    than that the their theirs them then there these they those to us was we were what when
    where which who whom whose why will would you your yours""".split()  # noqa: SIM905 - a list of words reads best as words
)

# The stop-words of seed 003 as far as its cases state them: articles, pronouns and
# prepositions, "by" among them; for, if, not, is, has, can, do, all, no are kept.
GRAPH_STOP_WORDS = frozenset(
    """a an and are as at be been but by from had have he her him his i in it its me my of on
    or our she so that the their them then these they this those to us was we were what when
    which who will with would you your""".split()  # noqa: SIM905 - as above
)

# A word of Thai or of an Indic script goes on over its vowel signs, which \w leaves out.
_SIGNS = (
    "\u08e3-\u0963\u0981-\u09e3\u09fe-\u0a75\u0a81-\u0ae3\u0afa-\u0b63\u0b82-\u0bd7\u0c00-\u0c63"
    "\u0c81-\u0c83\u0cbc-\u0d4d\u0d57-\u0d63\u0d81-\u0df3\u0e31-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ecd"
    "\u0f71-\u0f84\u0f8d-\u0fbc\u102b-\u103e\u1056-\u109d\u17b4-\u17d3\u3099\u309a"
)
_ASCII_TOKEN = re.compile(r"\w+", re.ASCII)
_TOKEN = re.compile(rf"\w[\w{_SIGNS}]*")
# What a writer may leave out without changing the word: accents, Hebrew and Arabic points
# and the Arabic stretch, soft hyphens, joiners, and what picks the look of an emoji.
_OPTIONAL = re.compile(
    "[\u00ad\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a"
    "\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u1ab0-\u1aff"
    "\u1dc0-\u1dff\u200c\u200d\u2060\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f\ufeff]+"
)
# Latin letters that Unicode does not take apart, as people without the key type them.
_TYPED_AS = str.maketrans(
    {"\u0131": "i", "\u00e6": "ae", "\u0153": "oe", "\u00f8": "o", "\u0111": "d", "\u0142": "l"}
)
_SIMPLE = re.compile(r"[^\W_]+")
_LONGEST_TERM = 64
_LONGEST_SIMPLE = 40
_SHORTEST_STEMMED = 3
_CACHE_SIZE = 200_000
_LONGEST_CACHED = 128
_TAKE_DICTIONARIES = ("standard", "simple")

# What may follow the letters typed so far of an English word and goes with its stem.
_ENDINGS = tuple(
    """e s es d ed g ng ing ings r er ers or y ly n on ion ions ation ations tion ication cation
    t nt ent ment ments ity ty ies ble able ness ful al ally ous ive ve ance ence ist ism ize
    ise ized ised izing ising ization isation""".split()  # noqa: SIM905 - as above
)

_START_ENDINGS = "aeiouys"

Split = Callable[[str], tuple[list[str], list[str]]]


@dataclass(frozen=True, slots=True)
class Start:
    """How terms of words that start with a text look: they start with `letters` or are a stem.

    In text without spaces there are no words to start: `run` are terms side by side.
    """

    letters: str
    stems: tuple[str, ...] = ()
    run: tuple[str, ...] = ()


# One object for each name: they are told apart, and looked up, as such.
@dataclass(frozen=True, slots=True, eq=False)
class Analyser:
    """A named way to turn text into terms: `split` gives words and whole identifiers.

    `fold` makes the start of a word look like the start of a term, for prefixes. `units`
    says where the words of a dictionary stand in a run without spaces; None: it has none.
    `stem` is what one word of lower-case letters becomes.
    """

    name: str
    split: Split
    fold: Callable[[str], str] = str.lower
    units: Callable[[str], list[Unit]] | None = None
    stem: Callable[[str], str] = str

    def terms(self, text: str) -> list[str]:
        """Return all terms of `text`."""
        words, wholes = self.split(text)
        return words + wholes

    def words(self, text: str) -> list[str]:
        """Return the terms that stand side by side in `text`, for phrases."""
        return self.split(text)[0]

    def start(self, text: str) -> Start:
        """Return what the terms of words that start with `text` look like.

        Stems are shorter than words: one that starts with validat has the term valid.
        """
        letters = self.fold(text)
        if not letters.isascii() and len(text) <= _LONGEST_TERM and cjk.has_cjk(text):
            run = self.words(text)
            return Start(letters, run=tuple(run) if len(run) > 1 else ())
        if not _SHORTEST_STEMMED < len(letters) <= _LONGEST_TERM or not letters.isalpha():
            return Start(letters)
        stems = {self.stem(letters), *(self.stem(letters + ending) for ending in _ENDINGS)}
        # One letter behind a stem starts an ending if it is a vowel or s: opene, not openm.
        longest = len(letters) - (1 if letters[-1] in _START_ENDINGS else 2)
        return Start(letters, tuple(sorted(one for one in stems if len(one) <= longest)))


@dataclass(frozen=True, slots=True)
class _Made:
    """What one token became."""

    words: tuple[str, ...]
    wholes: tuple[str, ...]


class _Standard:
    """Identifiers split and whole, stop words dropped, English stemmed, CJK as `run` cuts it."""

    def __init__(self, run: Split) -> None:
        # The terms of a token never change, and a corpus repeats its tokens: the cache
        # makes analysis a dictionary look-up per word.
        self._known: dict[str, _Made] = {}
        self._run = run
        self._stem: Callable[[str], str] | None = None

    def split(self, text: str) -> tuple[list[str], list[str]]:
        known = self._known
        if len(known) > _CACHE_SIZE:
            known.clear()
        words: list[str] = []
        wholes: list[str] = []
        for token in _tokens(text):
            made = known.get(token)
            if made is None:
                made = self._make(token)
                if len(token) <= _LONGEST_CACHED:
                    known[token] = made
            words += made.words
            wholes += made.wholes
        return words, wholes

    def _make(self, token: str) -> _Made:
        words: list[str] = []
        wholes: list[str] = []
        for piece in (token,) if token.isascii() else cjk.pieces(token):
            if cjk.RUN.match(piece):
                inside, beside = self._run(piece)
                words += inside
                wholes += beside
                continue
            parts = [_lower(part) for part in identifiers.split(piece)]
            words += self._kept(parts)
            whole = _lower(piece.replace("_", ""))
            if len(parts) > 1 and len(whole) <= _LONGEST_TERM:
                # Stemmed as a word of its own would be, so that typing it in lower case finds it.
                wholes.append(self.stem(whole))
        return _Made(tuple(words), tuple(wholes))

    def _kept(self, parts: list[str]) -> list[str]:
        is_compound = len(parts) > 1
        return [
            self.stem(part)
            for part in parts
            if part not in STOP_WORDS
            and len(part) <= _LONGEST_TERM
            # A lone digit inside an identifier says nothing; a number of its own does.
            and not (is_compound and len(part) == 1 and part.isdigit())
        ]

    def stem(self, word: str) -> str:
        """Return the stem of a lower-case word; one of other than English letters is its own."""
        if len(word) < _SHORTEST_STEMMED or not word.isalpha() or not word.isascii():
            return word
        if self._stem is None:
            self._stem = _english_stemmer()
        return self._stem(word)


@cache
def _english_stemmer() -> Callable[[str], str]:
    import Stemmer

    stem: Callable[[str], str] = Stemmer.Stemmer("english", 0).stemWord
    return stem


def _tokens(text: str) -> list[str]:
    return _ASCII_TOKEN.findall(text) if text.isascii() else _TOKEN.findall(_fold(text))


def _fold(text: str) -> str:
    """Fold compatibility forms and leave out what is optional; case is kept.

    It comes before the text is cut into tokens: folding can make spaces, and an accent
    written as a character of its own would end the word.
    """
    decomposed = unicodedata.normalize("NFKD", text)
    return unicodedata.normalize("NFKC", _OPTIONAL.sub("", decomposed))


def _lower(part: str) -> str:
    if part.isascii():
        return part.lower()
    # Only casefold knows that SS is the capital of a sharp s, but it makes Cherokee capital.
    return part.casefold().lower().translate(_TYPED_AS)


def _fold_prefix(text: str) -> str:
    return _lower((text if text.isascii() else _fold(text)).replace("_", ""))


def simple_terms(text: str) -> list[str]:
    """Seed 004: runs of letters and digits, lower case, nothing longer than 40 characters."""
    return [word.lower() for word in _SIMPLE.findall(text) if len(word) <= _LONGEST_SIMPLE]


def graph_terms(text: str, *, stop_words: Iterable[str] = GRAPH_STOP_WORDS) -> list[str]:
    """Seed 003: identifiers split, acronyms whole, minimal stop words; CJK runs in pairs."""
    stopped = frozenset(stop_words)
    terms: list[str] = []
    for token in _TOKEN.findall(unicodedata.normalize("NFC", text)):
        for word in identifiers.split_cased(token):
            for piece in cjk.pieces(word) if not word.isascii() else (word,):
                folded = piece.lower()
                terms += cjk.pairs(folded) if cjk.RUN.match(folded) else [folded]
    return [term for term in terms if term not in stopped]


def code_terms(text: str) -> tuple[list[str], list[str]]:
    """Seed 001's code: identifiers split, no word dropped or stemmed; acronyms stay whole."""
    words: list[str] = []
    wholes: list[str] = []
    for token in _tokens(text):
        for piece in (token,) if token.isascii() else cjk.pieces(token):
            if cjk.RUN.match(piece):
                words += cjk.pairs(piece)
                continue
            parts = [_lower(part) for part in identifiers.split_cased(piece)]
            words += [part for part in parts if len(part) <= _LONGEST_TERM]
            whole = _lower(piece.replace("_", ""))
            if len(parts) > 1 and len(whole) <= _LONGEST_TERM:
                wholes.append(whole)
    return words, wholes


def prose_terms(text: str) -> tuple[list[str], list[str]]:
    """Seed 001's prose: as code, without function words, and each word's stem beside it."""
    words, wholes = code_terms(text)
    kept = [word for word in words if word not in STOP_WORDS]
    stem = _english_stemmer()
    stems = [stem(word) for word in kept if word.isascii() and word.isalpha()]
    return kept, [*wholes, *(one for one in stems if one not in kept)]


class _SimpleLookedUp:
    """Terms as simple_terms makes them, but for runs of a dictionary's script, of any length."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        self._known: dict[str, tuple[list[str], list[str]]] = {}

    def split(self, text: str) -> tuple[list[str], list[str]]:
        if text.isascii():
            return simple_terms(text), []
        script = self._dictionary.script
        words: list[str] = []
        wholes: list[str] = []
        # A dictionary knows a syllable or voiced kana as one character, files may have two.
        for token in _SIMPLE.findall(unicodedata.normalize("NFC", text)):
            for piece in cjk.pieces(token, script):
                if script.match(piece):
                    inside, beside = self._looked_up(piece)
                    words += inside
                    wholes += beside
                elif len(piece) <= _LONGEST_SIMPLE:
                    words.append(piece.lower())
        return words, wholes

    def _looked_up(self, run: str) -> tuple[list[str], list[str]]:
        made = self._known.get(run)
        if made is None:
            made = self._dictionary.split(run)
            if len(self._known) > _CACHE_SIZE:
                self._known.clear()
            if len(run) <= _LONGEST_CACHED:
                self._known[run] = made
        return made


@cache
def analyser(name: str) -> Analyser:
    """Return the analyser called `name`: standard, simple, graph, graph-all, code or prose.

    The first two may have a dictionary, as in standard+japanese. Raises MissingExtra if that
    is not installed.
    """
    base, _, language = name.partition("+")
    if language and base in _TAKE_DICTIONARIES:
        return _with_dictionary(base, language)
    if name not in _ANALYSERS:
        raise ConfigError(f"Unknown analyser {name!r}. Use {', '.join(_ANALYSERS)}.")
    return _ANALYSERS[name](name)


_ANALYSERS: Mapping[str, Callable[[str], Analyser]] = {
    "standard": lambda name: _standard(name, runs.split),
    "simple": lambda name: Analyser(name, lambda text: (simple_terms(text), [])),
    "graph": lambda name: Analyser(name, lambda text: (graph_terms(text), [])),
    "graph-all": lambda name: Analyser(name, lambda text: (graph_terms(text, stop_words=()), [])),
    "code": lambda name: Analyser(name, code_terms, _fold_prefix),
    "prose": lambda name: Analyser(name, prose_terms, _fold_prefix),
}


def _with_dictionary(base: str, language: str) -> Analyser:
    dictionary = dictionaries.dictionary(language)
    name = f"{base}+{language}"
    if base == "standard":
        return replace(_standard(name, dictionary.split), units=dictionary.units)
    split = _SimpleLookedUp(dictionary).split
    return Analyser(name, split, analyser(base).fold, dictionary.units)


def _standard(name: str, run: Split) -> Analyser:
    made = _Standard(run)
    return Analyser(name, made.split, _fold_prefix, stem=made.stem)


def with_tokenizer(view: View, tokenizer: str) -> View:
    """Return the view with the dictionary of a language for its runs, if it can have one.

    `tokenizer` is the setting text.tokenizer. Loads nothing: that is analyser's to do.
    """
    if tokenizer == "default" or view.analyser not in _TAKE_DICTIONARIES:
        return view
    return replace(view, analyser=f"{view.analyser}+{tokenizer}")


def edition(name: str) -> tuple[str, ...]:
    """Return what, beside its name, the terms of an analyser depend on: its dictionary's version.

    Nothing without a dictionary, or where it is not installed.
    """
    language = name.partition("+")[2]
    return dictionaries.edition(language) if language in dictionaries.NAMES else ()
