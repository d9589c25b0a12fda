"""What the ``diff`` attribute says about a path: binary or text, and which lines start a function.

gitattributes(5), "Defining a custom hunk-header": a driver's pattern is a list of regular
expressions, one on each line. The first one that matches a line decides; one that starts with ``!``
rejects the line. The text shown is the first group, or the whole match. Without a pattern, lines
that start with a letter, ``_`` or ``$`` count.

A configured pattern is a POSIX expression, and the C library runs it, as for Git. Python's ``re``
would differ if several alternatives match: POSIX takes the longest.
"""

from __future__ import annotations

from git_zdev.git.config.config_file import canonical_key
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ctypes
    from collections.abc import Callable

    from git_zdev.evidence.attributes import Value
    from git_zdev.git.port import Config

    _LineTest = tuple[bool, Callable[[bytes], bytes | None]]
    """Whether a match rejects the line, and the text that is shown for a match."""

    FunctionLine = Callable[[bytes], bytes | None]
    """Returns the text that a hunk header shows for a line (given with its line feed), or None."""

_SHOWN = 80
_SPACE = b" \t\n\r"


@dataclass(frozen=True, slots=True)
class Driver:
    """A diff driver.

    Attributes:
        binary: True or False if the driver decides; None leaves it to the content.
        function_line: The driver's own test for lines that start a function; None for Git's usual
            one.
    """

    binary: bool | None = None
    function_line: FunctionLine | None = None


_TEXT = Driver(binary=False)
_BINARY = Driver(binary=True)


class Drivers:
    """The drivers of one repository, read when they are first needed."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._named: dict[str, Driver | None] = {}

    @property
    def default(self) -> Driver:
        """The driver of paths whose attribute is unspecified or names no driver."""
        return self._find("default") or Driver()

    def of(self, attribute: Value) -> Driver:
        """The driver for a value of the ``diff`` attribute."""
        if isinstance(attribute, str):
            return self._find(attribute) or self.default
        if attribute is None:
            return self.default
        return _TEXT if attribute else _BINARY

    def _find(self, name: str) -> Driver | None:
        if name not in self._named:
            self._named[name] = self._read(name)
        return self._named[name]

    def _read(self, name: str) -> Driver:
        binary = self._configured_binary(name)
        configured = self._configured_tests(name)
        if configured is not None:
            return Driver(binary, _function_line(configured))
        pattern, ignore_case = built_in(name)
        if pattern is None:
            return Driver(binary)
        return Driver(binary, _function_line(lambda: _built_in_tests(pattern, ignore_case)))

    def _configured_tests(self, name: str) -> Callable[[], list[_LineTest]] | None:
        """The pattern that the user gave the driver: ``funcname`` is basic, ``xfuncname`` extended.

        The one that Git reads last counts.
        """
        basic = f"diff.{name}.funcname"
        entry = self._config.last_of(basic, f"diff.{name}.xfuncname")
        if entry is None:
            return None
        if entry.value is None:
            raise ZdevError(
                "invalid-git-config",
                f"{entry.key} has no value in {entry.origin}",
                "Give it a regular expression, or remove it",
            )
        pattern, extended = entry.value, entry.key != canonical_key(basic)
        return lambda: _configured_tests(name, pattern, extended)

    def _configured_binary(self, name: str) -> bool | None:
        value = self._config.get(f"diff.{name}.binary")
        if value is None or value.lower() == "auto":
            return None
        return self._config.get_bool(f"diff.{name}.binary", default=False)


def usual_function_line(line: bytes) -> bytes | None:
    """Git's usual test: a letter, ``_`` or ``$`` at the start."""
    first = line[:1]
    if not first or not (first.isalpha() or first in b"_$"):
        return None
    return line[:_SHOWN].rstrip(_SPACE)


def _function_line(read: Callable[[], list[_LineTest]]) -> FunctionLine:
    """A driver's test; its expressions are compiled when it is first used."""
    tests: list[_LineTest] = []

    def test(line: bytes) -> bytes | None:
        if not tests:
            tests.extend(read())
        text = line.removesuffix(b"\n")
        if len(text) < len(line):
            text = text.removesuffix(b"\r")
        for negated, shown in tests:
            found = shown(text)
            if found is not None:
                return None if negated else found[:_SHOWN].rstrip(_SPACE)
        return None

    return test


def _built_in_tests(pattern: str, ignore_case: bool) -> list[_LineTest]:
    import re

    def compiled(expression: str) -> _LineTest:
        negated = expression.startswith("!")
        flags = re.IGNORECASE if ignore_case else 0
        search = re.compile(expression[negated:].encode("ascii"), flags).search

        def shown(text: bytes) -> bytes | None:
            match = search(text)
            if match is None:
                return None
            group: bytes | None = match.group(1) if match.re.groups else None
            return match.group(0) if group is None else group

        return negated, shown

    return [compiled(expression) for expression in pattern.split("\n")]


def _configured_tests(name: str, pattern: str, extended: bool) -> list[_LineTest]:

    tests: list[_LineTest] = []
    for line in pattern.encode("utf-8", "surrogateescape").split(b"\n"):
        negated = line.startswith(b"!")
        try:
            tests.append((negated, PosixRegex(line[negated:], extended=extended).search))
        except ValueError as error:
            key = f"diff.{name}.{'xfuncname' if extended else 'funcname'}"
            raise ZdevError(
                "invalid-git-config",
                f"{key} is not a regular expression: {line.decode('utf-8', 'replace')}",
                "Correct the expression, or remove it",
            ) from error
    return tests


_EXTENDED = 1
_REGEX_SIZE = 1024
"""More than the size of any C library's ``regex_t``."""


class PosixRegex:
    """A compiled expression.

    Args:
        pattern: The expression.
        extended: Whether it is an extended one.

    Raises:
        ValueError: If it is not an expression.
    """

    def __init__(self, pattern: bytes, *, extended: bool) -> None:
        from ctypes import create_string_buffer

        self._compiled = create_string_buffer(_REGEX_SIZE)
        with _Utf8Locale():
            code = _library().regcomp(self._compiled, pattern, _EXTENDED if extended else 0)
        if code:
            raise ValueError(pattern)

    def __del__(self) -> None:
        _library().regfree(self._compiled)

    def search(self, text: bytes) -> bytes | None:
        """The first group of the leftmost match, or the whole match if there is no such group."""
        offsets = (_offset_type() * 4)(-1, -1, -1, -1)
        text = text.partition(b"\0")[0]
        with _Utf8Locale():
            code = _library().regexec(self._compiled, text, 2, offsets, 0)
        if code:
            return None
        start, end = offsets[2:4] if offsets[2] >= 0 else offsets[0:2]
        return text[start:end]


class _Utf8Locale:
    """A ``with`` block in which this thread's characters are those of UTF-8.

    In the C library the locale decides whether ``.`` matches a byte or a character, and what a
    letter is. Git uses the user's locale, but evidence must not depend on who captures it. If the
    system has no such locale, the bytes of the C locale count.
    """

    def __enter__(self) -> None:
        self._before = _use_locale(_utf8_locale())

    def __exit__(self, *_: object) -> None:
        _use_locale(self._before)


_LC_CTYPE_MASK = 1
"""The mask of ``LC_CTYPE`` in glibc and musl; in the C libraries of BSD and macOS it is 2."""

_locales: list[int | None] = []


def _utf8_locale() -> int | None:
    """The ``locale_t`` of UTF-8, made once; that of the C locale if the system has no such one."""
    if not _locales:
        import sys
        from ctypes import c_void_p

        new = _library().newlocale
        new.restype = c_void_p
        mask = _LC_CTYPE_MASK if sys.platform == "linux" else 2
        names = (b"C.UTF-8", b"C.utf8", b"en_US.UTF-8", b"C")
        made = (new(mask, name, c_void_p(None)) for name in names)
        _locales.append(next((one for one in made if one), None))
    return _locales[0]


def _use_locale(locale: int | None) -> int | None:
    from ctypes import c_void_p

    use = _library().uselocale
    use.restype = c_void_p
    before: int | None = use(c_void_p(locale))
    return before


_loaded: list[ctypes.CDLL] = []


def _library() -> ctypes.CDLL:
    if not _loaded:
        from ctypes import CDLL

        _loaded.append(CDLL(None))
    return _loaded[0]


_offsets: list[type[ctypes.c_int] | type[ctypes.c_longlong]] = []


def _offset_type() -> type[ctypes.c_int] | type[ctypes.c_longlong]:
    """The type of match offsets: ``int`` in glibc, 64 bits wide in others; found by a trial."""
    if not _offsets:
        from ctypes import c_int, c_longlong, create_string_buffer

        compiled = create_string_buffer(_REGEX_SIZE)
        offsets = (c_longlong * 4)()
        _library().regcomp(compiled, b"b", _EXTENDED)
        _library().regexec(compiled, b"ab", 1, offsets, 0)
        _library().regfree(compiled)
        _offsets.append(c_longlong if offsets[0] == 1 else c_int)
    return _offsets[0]


# Below are Git's own drivers, each a list of rules that are tried in turn for each line; the first
# rule that matches decides. "~" before a rule rejects the line. A rule is a Python regular
# expression that must match at the start of a line unless it begins with ".*"; a heading shows the
# first group, or the whole match. "\s" means only spaces and tabs. The rules are written from the
# languages and from what Git 2.39 shows for random lines. Later releases of Git changed csharp,
# java and a few others, and added ini and r.

_IDENTIFIER = r"[A-Za-z_][A-Za-z0-9_]*"
_SHELL_BODY = r"(?:\{|\(\(?|\[\[)"
_CSHARP_MODIFIER = r"internal|new|override|private|protected|public|sealed|static|unsafe|virtual"
_LETTERS = r"\w\x80-\xff"
_CSHARP_TYPE = rf"[][<>@.~{_LETTERS}]+"

_RULES: dict[str, tuple[str, ...]] = {
    "ada": (
        r"~(?:.*\s)?(?:renames|is\s+(?:new|separate))(?:\s|$)",
        r"~\s*with\s",
        r"\s*((?:function|package|procedure|protected|task)\s.*)",
    ),
    "bash": (
        rf"\s*({_IDENTIFIER}\s*\(\s*\))",
        rf"\s*(function\s+{_IDENTIFIER}(?:\s*\(\s*\)\s*|\s+){_SHELL_BODY})",
    ),
    "bibtex": (r""".*?(@[A-Za-z]+\s*\{?\s*[^ \t"@',\\#}{~%]*)""",),
    "cpp": (
        rf"~\s*{_IDENTIFIER}:[ \t\v\f\r]*(?:$|/[/*])",
        r"((?:::[ \t\v\f\r]*)?[A-Za-z_].*)",
    ),
    "csharp": (
        r"~\s*(?:case|catch|do|else|for|if|instanceof|new|return|switch|throw|using|while)",
        (
            rf"\s*((?:(?:async|{_CSHARP_MODIFIER})\s+)*{_CSHARP_TYPE}\s+"
            rf"[<>@.{_LETTERS}]+\s*\(.*\))\s*$"
        ),
        rf"\s*((?:(?:{_CSHARP_MODIFIER})\s+)*{_CSHARP_TYPE}\s+[@.{_LETTERS}]+)\s*$",
        (
            r"\s*((?:(?:abstract|internal|new|partial|private|protected|public|sealed|static|unsafe)\s+)*"
            r"(?:class|enum|interface|record|struct)\s.*)"
        ),
        r"\s*(namespace\s.*)",
    ),
    "css": (
        r"~.*[:;][ \t\v\f\r]*$",
        r"[:[@.#]?[_a-z0-9].*",
    ),
    "dts": (
        r"~.*[;=]",
        r"\s*((?:/\s*\{|&?[A-Za-z_]).*)",
    ),
    "elixir": (r"\s*((?:test|def(?:p|impl|macro|module|protocol)?)\s.*)",),
    "fortran": (
        r"~[C*]",
        r"~\s*!",
        r"~\s*module\s+procedure\s",
        (
            r"\s*((?:end\s+)?(?:program|module|block\s+data"
            r"|(?:[^!'\"\s]+\s+)*(?:subroutine|function))\s+[a-z].*)"
        ),
    ),
    "fountain": (r"(?:\.[^.]|(?:int|ext|est|int\.?/ext|i/e)[. ]).*",),
    "golang": (
        r"\s*(func.*)",
        r"\s*(type\s.*(?:struct|interface)\s*(?:\{\s*)?)",
    ),
    "html": (r"\s*(<[Hh][1-6](?:\s.*)?>.*)",),
    "java": (
        r"~\s*(?:catch|do|for|if|instanceof|new|return|switch|throw|while)",
        r"\s*((?:[a-z]+\s+)*(?:class|enum|interface)\s+[A-Za-z][A-Za-z0-9_$]*\s+.*)",
        rf"\s*((?:[A-Za-z_<>&][][?&<>.,A-Za-z_0-9]*\s+)+{_IDENTIFIER}\s*\([^;]*)$",
    ),
    "kotlin": (r"\s*((?:[a-z]+\s+)*(?:class|fun|interface)\s.*)",),
    "markdown": (r" {0,3}#{1,6}\s.*",),
    "matlab": (
        r"[ \t\v\f\r]*((?:classdef|function)[ \t\v\f\r].*)",
        r"(?:%%%?|##)[ \t\v\f\r].*",
    ),
    "objc": (
        r"~\s*(?:do|else|for|if|return|switch|while)",
        r"\s*([-+]\s*\(\s*[A-Za-z_][A-Za-z_0-9* \t]*\)\s*[A-Za-z_].*)",
        rf"\s*((?:{_IDENTIFIER}\s+)+{_IDENTIFIER}\s*\([^;]*)$",
        r"@(?:implementation|interface|protocol)\s.*",
    ),
    "pascal": (
        (
            r"(?:(?:class\s+)?(?:function|procedure)|constructor|destructor|interface|implementation"
            r"|initialization|finalization).*"
        ),
        r".*=\s*(?:class|record).*",
    ),
    "perl": (
        r"package .*",
        r"sub [A-Za-z0-9_':]+\s*(\([^)]*\)\s*)?(?::[^;#]*)?(?:\{\s*)?(?:#.*)?$",
        r"(AUTOLOAD|BEGIN|CHECK|DESTROY|END|INIT|UNITCHECK)\s*(?:\{\s*)?(?:#.*)?$",
        r"=head[0-9] .*",
    ),
    "php": (
        r"\s*((?:(?:abstract|final|private|protected|public|static)\s+)*function.*)",
        r"\s*((?:(?:(?:abstract|final)\s+)?class|enum|interface|trait).*)",
    ),
    "python": (r"\s*((?:class|(?:async\s+)?def)\s.*)",),
    "ruby": (r"\s*((?:class|def|module)\s.*)",),
    "rust": (
        (
            r"\s*((?:pub(?:\([^)]+\))?\s+)?(?:(?:async|const|unsafe|extern\s+\"[^\"]+\")\s+)?"
            r"(?:enum|fn|impl|macro_rules!|mod|struct|trait|union)[<\s]+[^;]*)$"
        ),
    ),
    "scheme": (
        (
            r"\s*(\((?:def(?:alias|class|ine|method|proto|record|rules|struct|syntax)?[-*/\s]"
            r"|(?:class|library|module|struct)[*+\s]).*)"
        ),
    ),
    "tex": (r"\\(?:(?:sub)*section|chapter|part)\*?\{.*",),
}
_IGNORING_CASE = frozenset({"ada", "css", "fortran", "fountain"})


def built_in(name: str) -> tuple[str | None, bool]:
    """The pattern of a built-in driver (else None), and whether it ignores letter case.

    Returns:
        One Python regular expression on each line, with ``!`` before those that reject a line.
    """
    rules = _RULES.get(name)
    if rules is None:
        return None, False
    return "\n".join(map(_pattern, rules)), name in _IGNORING_CASE


def _pattern(rule: str) -> str:
    against, rule = ("!", rule[1:]) if rule.startswith("~") else ("", rule)
    return f"{against}^{_in_blanks(rule)}"


def _in_blanks(rule: str) -> str:
    r"""Replace ``\s`` by the two blanks, inside a bracket and outside."""
    out = []
    inside = False
    at = 0
    while at < len(rule):
        pair = rule[at : at + 2]
        if pair == r"\s":
            out.append(r" \t" if inside else r"[ \t]")
            at += 2
            continue
        if pair.startswith("\\"):
            out.append(pair)
            at += 2
            continue
        if pair[:1] == "[" and not inside:
            inside = True
        elif pair[:1] == "]" and inside and out[-1] not in ("[", "^"):
            inside = False
        out.append(pair[:1])
        at += 1
    return "".join(out)
