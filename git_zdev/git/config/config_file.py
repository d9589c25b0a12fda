r"""One Git configuration file (git-config(1), "Syntax"), and the types of its values ("Values").

``[section "subsection"]`` headers, ``name = value`` lines, ``#`` and ``;`` comments, quoted
parts, the escapes ``\\ \" \n \t \b`` and a backslash before the line end that continues a value.
Section and variable names have no letter case and are given in lower case; subsections keep theirs.
A name above the first header has no section.
Bytes that are not valid UTF-8 are kept as surrogate escapes.
"""

from __future__ import annotations

from git_zdev.git.read import files
from git_zdev.ground.errors import ZdevError

_ESCAPES = {"\\": "\\", '"': '"', "n": "\n", "t": "\t", "b": "\b"}
_BLANK = " \t\r"
_SPACES = str.maketrans("\t\r", "  ")
"""What blanks inside of a value become outside of quotes, up to Git 2.44."""


def parse(content: bytes, origin: str) -> list[tuple[str, str | None]]:
    """Read a configuration file.

    Args:
        content: The bytes of the file.
        origin: How errors name the file.

    Returns:
        Key (``section.name`` or ``section.subsection.name``) and value, in file order. A name
        without ``=`` has the value None, which Git reads as true.

    Raises:
        ZdevError: ``invalid-git-config``, with the file and the line.
    """
    text = content.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
    return _Scanner(text.replace("\r\n", "\n"), origin).entries()


def read(path: str) -> list[tuple[str, str | None]]:
    """Read the file at ``path`` as :func:`parse` does; a file that is not there is empty.

    Raises:
        ZdevError: ``unreadable-git-config``, or ``invalid-git-config`` as :func:`parse` raises it.
    """
    try:
        content = files.read(path)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise ZdevError(
            "unreadable-git-config", f"{path} cannot be read: {error.strerror}", "Make it readable"
        ) from error
    known = _parsed.get(path)
    if known is None or known[0] != content:
        known = _parsed[path] = content, parse(content, path)
    return known[1]


_parsed: dict[str, tuple[bytes, list[tuple[str, str | None]]]] = {}
"""Files with the bytes that were read and what they say: a run reads some of them several times."""


def read_settings(path: str) -> dict[str, str | None]:
    """The last value of each key in the file at ``path`` alone, without what it includes."""
    return dict(read(path))


def canonical_key(key: str) -> str | None:
    """The key with its section and variable name in lower case; None if it is not a key."""
    section, dot, rest = key.partition(".")
    subsection, inner, name = rest.rpartition(".")
    if not dot or not _is_section(section) or not _is_name(name) or "\n" in subsection:
        return None
    return f"{section.lower()}.{subsection}{inner}{name.lower()}"


def _is_section(text: str) -> bool:
    return text.isascii() and text.replace("-", "a").isalnum()


def _is_name(text: str) -> bool:
    return _is_section(text) and text[0].isalpha()


class _Scanner:
    """Walks through the text once; ``at`` is the offset of the next character."""

    def __init__(self, text: str, origin: str) -> None:
        self.text = text if text.endswith("\n") else text + "\n"
        self.origin = origin
        self.at = 0

    def entries(self) -> list[tuple[str, str | None]]:
        text, found, section = self.text, list[tuple[str, str | None]](), ""
        while self.at < len(text):
            char = text[self.at]
            if char == "\n" or char in _BLANK:
                self.at += 1
            elif char in "#;":
                self.at = text.index("\n", self.at)
            elif char == "[":
                section = self.header()
            else:
                found.append(self.variable(section))
        return found

    def header(self) -> str:
        """A section header, up to its bracket; gives the prefix of the keys that follow."""
        start = self.at + 1
        end = start
        while self.text[end].isalnum() or self.text[end] in "-.":
            end += 1
        name = self.text[start:end].lower()
        self.at = end
        if not name or not name.isascii():
            raise self.fault()
        if self.text[end] == "]":
            self.at += 1
            return name
        while self.text[self.at] in _BLANK:
            self.at += 1
        if self.text[self.at] != '"' or self.at == end:
            raise self.fault()
        return f"{name}.{self.subsection()}"

    def subsection(self) -> str:
        """The quoted part of a header, from its opening quote to the end of the bracket."""
        parts: list[str] = []
        self.at += 1
        while (char := self.text[self.at]) != '"':
            if char == "\\":
                self.at += 1
                char = self.text[self.at]
            if char == "\n":
                raise self.fault()
            parts.append(char)
            self.at += 1
        if self.text[self.at + 1] != "]":
            raise self.fault()
        self.at += 2
        return "".join(parts)

    def variable(self, section: str) -> tuple[str, str | None]:
        start = self.at
        while self.text[self.at].isalnum() or self.text[self.at] == "-":
            self.at += 1
        name = self.text[start : self.at]
        if not name or not _is_name(name):
            raise self.fault()
        while self.text[self.at] in _BLANK:
            self.at += 1
        key = f"{section}.{name.lower()}" if section else name.lower()
        if self.text[self.at] == "\n":
            return key, None
        if self.text[self.at] != "=":
            raise self.fault()
        self.at += 1
        return key, self.value()

    def value(self) -> str:
        end = self.text.index("\n", self.at)
        plain = self.text[self.at : end]
        if not any(char in plain for char in '"\\#;\0'):
            self.at = end
            return plain.strip(_BLANK).translate(_SPACES)
        return self.marked_value()

    def marked_value(self) -> str:
        """A value with quotes, escapes, continued lines or a comment after it."""
        parts: list[str] = []
        kept, quoted = 0, False  # parts[:kept] ends with something that is not trimmed
        while (char := self.text[self.at]) != "\n":
            self.at += 1
            if char == '"':
                quoted = not quoted
                kept = len(parts)
            elif char == "\\":
                char = self.text[self.at]
                if char != "\n" and char not in _ESCAPES:
                    raise self.fault()
                self.at += 1
                if char == "\n":
                    if self.at == len(self.text):
                        break
                    continue
                parts.append(_ESCAPES[char])
                kept = len(parts)
            elif char in "#;" and not quoted:
                self.at = self.text.index("\n", self.at)
                break
            elif quoted or char not in _BLANK:
                parts.append(char)
                kept = len(parts)
            elif parts:
                parts.append(" ")
        if quoted:
            raise self.fault()
        return "".join(parts[:kept]).partition("\0")[0]  # Git reads it as C does

    def fault(self) -> ZdevError:
        line = self.text.count("\n", 0, self.at) + 1
        return ZdevError(
            "invalid-git-config",
            f"{self.origin}:{line}: this line is not Git configuration",
            "Correct the line, `git config --list` must be able to read the file",
        )


_TRUE = frozenset({"true", "yes", "on"})
_FALSE = frozenset({"false", "no", "off", ""})
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}

_VALUE_ESCAPES = {
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
    """Git's integer: decimal, ``0x`` or octal with a leading 0, and a final ``k``, ``m`` or ``g``.

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
    """What C-style quotes at the start hold, and what follows; None if they are not closed."""
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
                byte = _VALUE_ESCAPES.get(byte, byte)
        out.append(byte)
        at += 1
    return None
