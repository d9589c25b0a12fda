"""The types of configuration values (git-config(1), "Values")."""

from __future__ import annotations

_TRUE = frozenset({"true", "yes", "on"})
_FALSE = frozenset({"false", "no", "off", ""})
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


def parse_bool(value: str | None) -> bool | None:
    """Git's boolean: None (a name without a value) is true; the answer None means malformed."""
    if value is None:
        return True
    word = value.lower()
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    number = parse_int(value)
    return None if number is None else number != 0


def parse_int(value: str) -> int | None:
    """Git's integer: decimal, ``0x`` or octal with a leading 0, and ``k``, ``m`` or ``g`` behind.

    None means malformed.
    """
    text = value.lstrip(" \t\n\v\f\r")
    unit = text[-1:].lower()
    digits = text[:-1] if unit in ("k", "m", "g") else text
    sign = -1 if digits.startswith("-") else 1
    digits = digits[1:] if digits[:1] in ("+", "-") else digits
    base = 16 if digits[:2].lower() == "0x" else 8 if digits[:1] == "0" and digits != "0" else 10
    try:
        number = int(digits, base) if digits[:1].isdigit() and digits.isalnum() else None
    except ValueError:
        return None
    return None if number is None else sign * number * _UNITS[unit if unit in _UNITS else ""]


def expand_home(path: str, home: str | None) -> str:
    """A path name with ``~/`` or ``~user/`` at its start expanded; ``home`` is ``$HOME``.

    A home that is not known leaves the path as it is.
    """
    if not path.startswith("~"):
        return path
    user, slash, rest = path[1:].partition("/")
    if user:
        import pwd

        try:
            home = pwd.getpwnam(user).pw_dir
        except KeyError:
            return path
    return path if home is None else f"{home}{slash}{rest}"
