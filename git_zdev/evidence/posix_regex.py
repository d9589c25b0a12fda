r"""POSIX regular expressions written for Python's ``re``.

``diff.<driver>.xfuncname`` and ``funcname`` hold such: extended and basic syntax (POSIX XBD
chapter 9) with GNU's ``\<``, ``\>``, ``\w``, ``\s``, ``\b`` and their opposites, and in the basic
one ``\|``, ``\+`` and ``\?``. Brackets hold no escapes, but classes such as ``[:alpha:]``. Where
POSIX takes the longest of several alternatives Python takes the first that fits.
"""

from __future__ import annotations

_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": " \\t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@\\[-`{-~",
    "space": " \\t\\n\\v\\f\\r",
    "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}
_GNU = {"<": r"\b(?=\w)", ">": r"\b(?<=\w)", "`": r"\A", "'": r"\Z"}
_SHARED_ESCAPES = frozenset("wWsSbB")
_SPECIAL = frozenset(".^$*+?{}[]\\|()")
_QUANTIFIERS = frozenset("*+?")


def extended_to_python(pattern: str) -> str:
    """An extended regular expression in Python's syntax."""
    out: list[str] = []
    at = 0
    while at < len(pattern):
        char = pattern[at]
        if char == "[":
            text, at = _bracket(pattern, at)
            out.append(text)
        elif char == "\\" and at + 1 < len(pattern):
            out.append(_escape(pattern[at + 1]))
            at += 2
        elif char in _QUANTIFIERS and out and out[-1] in _QUANTIFIERS:
            # Two quantifiers in a row: Python would read the second as "as few as possible".
            out[-1] = char if char == out[-1] else "*"
            at += 1
        elif char == "{" and not pattern[at + 1 : at + 2].isdigit():
            out.append("\\{")
            at += 1
        else:
            out.append(char)
            at += 1
    return "".join(out)


def basic_to_python(pattern: str) -> str:
    """A basic regular expression in Python's syntax."""
    out: list[str] = []
    at = 0
    while at < len(pattern):
        char = pattern[at]
        starts = not out or out[-1] in ("(", "|", "^")
        if char == "[":
            text, at = _bracket(pattern, at)
            out.append(text)
            continue
        if char == "\\" and at + 1 < len(pattern):
            following = pattern[at + 1]
            out.append(following if following in "(){}|+?" else _escape(following))
            at += 2
            continue
        if char == "*":
            out.append("\\*" if starts else "*")
        elif char == "^":
            out.append("^" if not out or out[-1] in ("(", "|") else "\\^")
        elif char == "$":
            ends = at + 1 == len(pattern) or pattern[at + 1 : at + 3] in ("\\)", "\\|")
            out.append("$" if ends else "\\$")
        else:
            out.append("\\" + char if char in "+?{}()|" else char)
        at += 1
    return "".join(out)


def _escape(char: str) -> str:
    if char in _GNU:
        return _GNU[char]
    if char in _SHARED_ESCAPES or char.isdigit():
        return "\\" + char
    return "\\" + char if char in _SPECIAL else char


def _bracket(pattern: str, start: int) -> tuple[str, int]:
    """A bracket expression, and the offset behind it."""
    at = start + 1
    negated = pattern[at : at + 1] == "^"
    at += negated
    out: list[str] = []
    first = at
    while at < len(pattern) and (pattern[at] != "]" or at == first):
        if pattern[at : at + 2] in ("[:", "[.", "[="):
            close = pattern.find(pattern[at + 1] + "]", at + 2)
            if close > 0:
                name = pattern[at + 2 : close]
                out.append(_CLASSES.get(name, "") if pattern[at + 1] == ":" else "\\" + name)
                at = close + 2
                continue
        out.append("\\" + pattern[at] if pattern[at] in "\\[]^&~|" else pattern[at])
        at += 1
    return f"[{'^' if negated else ''}{''.join(out)}]", at + 1
