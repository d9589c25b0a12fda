"""The types of configuration values (git-config(1), "Values"), and names in quotes."""

from __future__ import annotations

_TRUE = frozenset({"true", "yes", "on"})
_FALSE = frozenset({"false", "no", "off", ""})
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}

_ESCAPES = {
    0x61: 0x07, 0x62: 0x08, 0x74: 0x09, 0x6E: 0x0A, 0x76: 0x0B, 0x66: 0x0C, 0x72: 0x0D,
}  # fmt: skip


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


def unquoted(line: bytes) -> tuple[bytes, bytes] | None:
    """What C-style quotes at the start hold, and what follows; None when they are not closed."""
    out = bytearray()
    at = 1
    while at < len(line):
        byte = line[at]
        if byte == 0x22:
            return bytes(out), line[at + 1 :]
        if byte == 0x5C and at + 1 < len(line):
            at += 1
            byte = line[at]
            if 0x30 <= byte <= 0x33 and line[at : at + 3].isdigit():
                byte = int(line[at : at + 3], 8)
                at += 2
            else:
                byte = _ESCAPES.get(byte, byte)
        out.append(byte)
        at += 1
    return None
