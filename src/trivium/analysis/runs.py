"""A run of text written without spaces -> its terms, function words left out.

Pairs of characters, as analysis.cjk cuts them, less those that only hold a sentence together;
beside them single Han characters and whole words of Katakana. What becomes of a pair is said by
the pair alone, so that a phrase has the same words wherever it stands; but a Korean word loses
its particle or ending first. Called by analysis.words.
"""

from __future__ import annotations

import re

from trivium.analysis import cjk

_LONGEST_TERM = 64
_LONGEST_ENDING = 6
# Shorter words are often nothing without their last syllable or long vowel: 정의, コピー.
_SHORTEST_ROOT = 2
_SHORTEST_DRAWN_OUT = 4
_HIRAGANA = "\u3041-\u309f"
_KANA_END = re.compile(f"(?<=[{_HIRAGANA}])(?=[^{_HIRAGANA}ー])")
_HANGUL = cjk.SCRIPTS["korean"]
_KATAKANA = re.compile("[\u30a1-\u30fa][\u30a1-\u30fa\u30fc-\u30ff]*")

# Particles, auxiliaries, forms of する and ある, question words; what they leave of each other
# where they meet (てい, よっ) too.
_JAPANESE = frozenset(
    """か が で と に の は へ も や を ね よ
    です ます した して いる ある から まで など こと もの れる られ とい いう によ よう よっ って
    った てい いた する され なか ない なっ なる ので のは のが のを には にお おい いて では でも
    とも とし とな にな につ つい おけ けれ れた れて この その あの どの これ それ たり たち ため
    だけ でき きる ませ ださ くだ しま しょ ょう うか すか たか たの のに との へと への かり とき
    しか かし また まし ほど より らの どこ だれ いつ なに どん んな ろう だっ だろ なん んで あり
    あっ""".split()  # noqa: SIM905 - a list of words reads best as words
)
_CHINESE = frozenset(
    """什么 么时 么样 哪些 哪个 哪里 哪一 哪年 哪种 多少 几个 为什 为何 怎么 怎样 如何 何时 何种
    何地 是谁 谁是 是什 是哪 有哪 请问""".split()  # noqa: SIM905 - as above
)
_ASKING = frozenset(f"{asks}{chr(kana)}" for asks in "何誰" for kana in range(0x3041, 0x3097))
_PAIRS = _JAPANESE | _CHINESE | _ASKING
# Words of grammar that stand alone; inside a pair they may be part of a name.
_CHARACTERS = "的了是之与及吗呢么哪谁什怎何"
_ALONE = re.compile(f"(?![{_CHARACTERS}])[{cjk.IDEOGRAPHS}]")
_ALONE_NOT_AFTER_KANA = re.compile(f"(?<![{_HIRAGANA}]){_ALONE.pattern}")

_KOREAN = frozenset(
    """있는 있습니다 있다 있으며 없는 없습니다 위한 위해 대한 대해 관한 통해 따라 따른 의해 의한
    같은 같이 다음 이런 이러한 그런 그리고 그러나 하지만 또는 또한 혹은 및 등 수 때 것 것은 것이
    것을 이 그 저 더 모든 여러 무엇 무엇인가 어떻게 왜 어떤 어디 누구 언제 않는 않습니다 우리
    여기 여기서 거기 즉 만약""".split()  # noqa: SIM905 - as above
)
_PARTICLES = """에서는 에서의 에서도 으로서 으로써 으로는 으로의 에게서 이라는 이라고 까지는 까지의
    에서 에게 으로 부터 까지 처럼 보다 라는 라고 이나 이며 이고 하고 마다 조차 밖에 이란 에는 에도
    과의 와의 로서 로써 로는 로의 들은 들을 들이 들의 들에 들도 은 는 이 가 을 를 의 에 로 과 와 도
    만 들"""
# Of 하다, 되다 and 이다, which make verbs of nouns.
_VERBAL = """하였습니다 했습니다 합니다 하세요 했었다 하려면 하거나 하도록 하면서 하지만 됩니다
    되었습니다 되었다 됐습니다 입니다 습니다 하는 하여 해서 했다 한다 하기 하면 하지 하게 하다 되는
    되어 된다 되면 되고 되지 되다 이다 한 할 함 해 된 될 됨"""
_ENDINGS = frozenset(f"{_PARTICLES} {_VERBAL}".split())


def split(run: str) -> tuple[list[str], list[str]]:
    """Return the terms of `run` that stand side by side, and those that overlap them.

    nDCG@10 of BM25 against all pairs and single Han characters: jaquad-ja train, 1,000
    queries, .906 -> .919; cmrc2018-zh dev .984 -> .989; mdn-anchors-ko, 500 queries, .481 -> .495.
    """
    if not _HANGUL.search(run):
        return _others(run)
    words: list[str] = []
    beside: list[str] = []
    for part in cjk.pieces(run, _HANGUL):
        inside, apart = _korean(part) if _HANGUL.match(part) else _others(part)
        words += inside
        beside += apart
    return words, beside


def _others(run: str) -> tuple[list[str], list[str]]:
    if len(run) == 1:
        return ([] if run in _JAPANESE else [run]), []
    words: list[str] = []
    # Cut where kana end: what stands there is the end of a word and the start of another.
    for number, part in enumerate(_KANA_END.split(run)):
        # A Han character keeps its place in phrases: it is a term of its own anyway.
        if number and _ALONE.match(part):
            words.append(part[0])
        if len(part) > 1:
            words += [pair for pair in cjk.pairs(part) if pair not in _PAIRS]
    return words, _ALONE_NOT_AFTER_KANA.findall(run) + _loanwords(run)


def _loanwords(run: str) -> list[str]:
    """Return the words of Katakana that are no pairs; サーバー and サーバ are one word."""
    words = []
    for word in _KATAKANA.findall(run):
        if len(word) >= _SHORTEST_DRAWN_OUT:
            word = word.removesuffix("ー")  # noqa: PLW2901 - the same word
        if len(word) != 2 and len(word) <= _LONGEST_TERM:  # noqa: PLR2004 - two are a pair
            words.append(word)
    return words


def _korean(word: str) -> tuple[list[str], list[str]]:
    """Return the pairs of a word without its ending: 사용자의 and 사용자 are one.

    Beside them the one syllable that is left of a shorter word: 값을 is found by 값.
    """
    if word in _KOREAN or word in _ENDINGS:
        return [], []
    for length in range(min(_LONGEST_ENDING, len(word) - 1), 0, -1):
        if word[-length:] in _ENDINGS:
            if len(word) - length >= _SHORTEST_ROOT:
                return cjk.pairs(word[:-length]), []
            return cjk.pairs(word), [word[0]]
    return cjk.pairs(word), []
