"""The name of a language -> its keywords: the words its grammar keeps for itself.

Those that only some places of a program keep are among them; literals (true, None, nil) are
not, as in seed 001. Every language that is parsed has a row. Called by analysis.syntax.
"""

from __future__ import annotations

from collections.abc import Mapping

# Written in any case by those who program in them.
ANY_CASE = frozenset({"", "php", "sql"})

_C = """auto break case char const continue default do double else enum extern float for goto if
inline int long register restrict return short signed sizeof static struct switch typedef union
unsigned void volatile while define elif endif ifdef ifndef include pragma undef"""

_JAVASCRIPT = """async await break case catch class const continue debugger default delete do else
export extends finally for from function get if import in instanceof let new of return set static
super switch this throw try typeof var void while with yield"""

# For languages without a row: words that several of them share.
_SHARED = """abstract and as async await begin break by case catch class const continue def default
defer defun delete do elif else elsif elseif end enum except export extends extern final finally
for foreach from fun func function if implements import in include inline interface is let loop
match mod module mut namespace new not of or package private proc procedure protected public raise
repeat require return self static struct sub super switch template then this throw trait try type
typedef union unless until use using val var virtual void when where while with yield"""

_ROWS = {
    "": _SHARED,
    "c": _C,
    "c#": """abstract and as async await base bool break byte case catch char checked class const
        continue decimal default delegate do double dynamic else enum event explicit extern finally
        fixed float for foreach get global goto if implicit in init int interface internal is lock
        long nameof namespace new not object operator or out override params partial private
        protected public readonly record ref required return sbyte sealed set short sizeof
        stackalloc static string struct switch this throw try typeof uint ulong unchecked unsafe
        ushort using var virtual void volatile when where while with yield""",
    "c++": f"""{_C} alignas alignof and asm bool catch class co_await co_return co_yield concept
        const_cast consteval constexpr constinit decltype delete dynamic_cast explicit export final
        friend mutable namespace new noexcept not operator or override private protected public
        reinterpret_cast requires static_assert static_cast template this thread_local throw try
        typeid typename using virtual wchar_t xor""",
    "dart": """abstract as assert async await base break case catch class const continue covariant
        default deferred do dynamic else enum export extends extension external factory final
        finally for get hide if implements import in interface is late library mixin new on
        operator part required rethrow return sealed set show static super switch sync this throw
        try typedef var void when while with yield""",
    "elixir": """after alias and case catch cond def defdelegate defexception defguard defguardp
        defimpl defmacro defmacrop defmodule defp defprotocol defstruct do else end fn for if
        import in not or quote raise receive require rescue try unless unquote use when with""",
    "go": """break case chan const continue default defer else fallthrough for func go goto if
        import interface map package range return select struct switch type var""",
    "haskell": """as case class data default deriving do else family forall foreign hiding if
        import in infix infixl infixr instance let mdo module newtype of pattern proc qualified rec
        then type where""",
    "java": """abstract assert boolean break byte case catch char class const continue default do
        double else enum extends final finally float for goto if implements import instanceof int
        interface long native new package permits private protected public record return sealed
        short static strictfp super switch synchronized this throw throws transient try var void
        volatile when while yield""",
    "javascript": _JAVASCRIPT,
    "kotlin": """abstract actual annotation as break by catch class companion const constructor
        continue crossinline data do else enum expect external final finally for fun get if import
        in infix init inline inner interface internal is lateinit noinline object open operator out
        override package private protected public reified return sealed set super suspend tailrec
        this throw try typealias val var vararg when where while""",
    "lua": """and break do else elseif end for function goto if in local not or repeat return then
        until while""",
    "php": """abstract and array as break callable case catch class clone const continue declare
        default do echo else elseif empty enddeclare endfor endforeach endif endswitch endwhile
        enum exit extends final finally fn for foreach function global goto if implements include
        include_once instanceof insteadof interface isset list match namespace new or print private
        protected public readonly require require_once return static switch throw trait try unset
        use var while xor yield""",
    "python": """and as assert async await break case class continue def del elif else except
        finally for from global if import in is lambda match nonlocal not or pass raise return try
        while with yield""",
    "r": "break else for function if in next repeat return while",
    "ruby": """alias and begin break case class def defined do else elsif end ensure for if in
        module next not or redo rescue retry return self super then undef unless until when while
        yield""",
    "rust": """as async await break const continue crate dyn else enum extern fn for if impl in let
        loop macro_rules match mod move mut pub ref return self static struct super trait type
        union unsafe use where while yield""",
    "scala": """abstract case catch class def derives do else end enum export extends extension
        final finally for given if implicit import inline lazy match new object opaque open
        override package private protected return sealed super then this throw trait transparent
        try type using val var while with yield""",
    "shell": """break case continue declare do done elif else esac eval exec exit export fi for
        function if in local readonly return select set shift source then trap typeset unset until
        while""",
    "sql": """add all alter and as asc begin between by call cascade case check column commit
        constraint create cross cursor declare default delete desc distinct drop else end exists
        foreign from full function grant group having if in index inner insert intersect into is
        join key left like limit loop not of offset on or order outer over partition primary
        procedure references replace return returns revoke right rollback row rows select set table
        then to transaction trigger truncate union unique update using values view when where while
        with""",
    "swift": """actor any as associatedtype async await break case catch class continue convenience
        default defer deinit do else enum extension fallthrough fileprivate final for func get
        guard if import in indirect infix init inout internal is lazy let mutating nonisolated open
        operator override postfix precedencegroup prefix private protocol public repeat required
        rethrows return self set some static struct subscript super switch throw throws try
        typealias unowned var weak where while""",
    "typescript": f"""{_JAVASCRIPT} abstract as asserts declare enum implements infer interface is
        keyof namespace override private protected public readonly satisfies type""",
    "zig": """addrspace align allowzero and anyframe anytype asm async await break callconv catch
        comptime const continue defer else enum errdefer error export extern fn for if inline
        linksection noalias nosuspend opaque or orelse packed pub resume return struct suspend
        switch test threadlocal try union unreachable usingnamespace var volatile while""",
}

KEYWORDS: Mapping[str, frozenset[str]] = {
    language: frozenset(words.split()) for language, words in _ROWS.items()
}


def keywords(language: str) -> frozenset[str]:
    """Return the keywords of a language; of one without a row those that many share."""
    return KEYWORDS.get(language, KEYWORDS[""])


def is_any_case(language: str) -> bool:
    """Say whether the keywords of a language are the same in capitals."""
    return (language if language in KEYWORDS else "") in ANY_CASE


def is_programmed_in(language: str) -> bool:
    """Whether a language is one that programs are written in, as far as we read it."""
    return bool(language) and language in KEYWORDS
