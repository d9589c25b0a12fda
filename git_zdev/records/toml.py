"""TOML as the record files use it: strict reading, a fast way for what the writers write.

Front matter in the form that this program writes (one ``key = value`` a line, plain basic
strings, one-line arrays of strings) is read without a parser; everything else goes to
``tomllib``. Both give the same table.
"""

from __future__ import annotations

from git_zdev.errors import Problem
from git_zdev.records.fields import PROBLEM_LIMIT
from git_zdev.records.names import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

SIZE_LIMIT = 1024 * 1024
"""Most characters of TOML in one file: parsing cost may grow faster than the text."""


def read_canonical(block: str) -> dict[str, Any] | None:
    """Read lines in the form that the writers give them.

    Args:
        block: Lines without the last line end.

    Returns:
        Strings, integers, booleans and lists of strings by key; None when any line has another
        form, valid TOML or not.
    """
    table: dict[str, Any] = {}
    for line in block.split("\n"):
        key, equals, raw = line.partition(" = ")
        if not equals or key in table or not (key.isascii() and key.isidentifier()):
            return None
        first = raw[:1]
        if first == '"':
            inner = raw[1:-1]
            if raw[-1] != '"' or len(raw) < 2 or not _is_plain(inner):
                return None
            table[key] = inner
        elif raw in _WORDS:
            table[key] = _WORDS[raw]
        elif first == "[" and raw[-1] == "]":
            items = _plain_items(raw[1:-1])
            if items is None:
                return None
            table[key] = items
        elif raw.isascii() and raw.isdigit() and len(raw) < 10 and (first != "0" or raw == "0"):
            table[key] = int(raw)
        else:
            return None
    return table


def read_canonical_file(text: str) -> dict[str, Any] | None:
    """Read a file in the form that the writers give it: lines, then tables below blank lines.

    Returns:
        What :func:`read_canonical` gives, with a dictionary for each ``[table]``; None for every
        other form.
    """
    table: dict[str, Any] = {}
    for number, block in enumerate(text.removesuffix("\n").split("\n\n")):
        header, _, lines = block.partition("\n") if block.startswith("[") else ("", "", block)
        values = read_canonical(lines)
        name = header[1:-1]
        if values is None or (number > 0) != bool(header):
            return None
        if not header:
            table = values
        elif header[-1] == "]" and name.isascii() and name.isidentifier() and name not in table:
            table[name] = values
        else:
            return None
    return table


_WORDS = {"true": True, "false": False}


def _is_plain(inner: str) -> bool:
    return '"' not in inner and "\\" not in inner and inner.isprintable()


def _plain_items(inner: str) -> list[str] | None:
    items: list[str] = []
    for part in inner.split(", ") if inner else ():
        if len(part) < 2 or part[0] != '"' or part[-1] != '"' or not _is_plain(part[1:-1]):
            return None
        items.append(part[1:-1])
    return items


def read(block: str, path: str, first_line: int, problems: list[Problem]) -> dict[str, Any] | None:
    """Read a TOML document.

    Args:
        block: The document.
        path: The file that holds it, for problems.
        first_line: Line of the file on which the document starts.
        problems: Receives ``invalid-toml`` and ``duplicate-key``, with their lines.

    Returns:
        The table; None when it cannot be read. After duplicate keys the table holds the first of
        each, so that what else is wrong can be told too.
    """
    import tomllib

    if len(block) > SIZE_LIMIT:
        message = f"the TOML has {len(block)} characters, more than the limit of {SIZE_LIMIT}"
        problems.append(Problem("invalid-toml", message, path, first_line))
        return None
    try:
        return tomllib.loads(block)
    except RecursionError:
        problems.append(Problem("invalid-toml", "the TOML is nested too deeply", path, first_line))
        return None
    except ValueError as error:  # TOMLDecodeError, or a number or date beyond Python's limits
        reason = str(error)
    from git_zdev.records import toml_edit

    unique, repeated = toml_edit.without_duplicates(block)
    for key, line, earlier in repeated[:PROBLEM_LIMIT]:
        message = f"the key {quoted(key)} stands twice, first on line {first_line + earlier - 1}"
        problems.append(Problem("duplicate-key", message, path, first_line + line - 1))
    if not repeated:
        line, message = _located(reason, block)
        problems.append(Problem("invalid-toml", message, path, first_line + line - 1))
        return None
    return read(unique, path, first_line, problems)


def _located(reason: str, block: str) -> tuple[int, str]:
    """The line that a tomllib message names (the first when it names none), and its sentence."""
    message, _, place = reason.partition(" (at ")
    if place.startswith("end of document"):
        return block.count("\n") + 1, message
    digits = place.removeprefix("line ").partition(",")[0]
    return (int(digits) if digits.isdigit() else 1), message


def basic_string(value: str) -> str:
    """A value as a TOML basic string."""
    if _is_plain(value):
        return f'"{value}"'
    return '"' + "".join(map(_escaped, value)) + '"'


def array(values: Sequence[str]) -> str:
    """Strings as a TOML array on one line."""
    return "[" + ", ".join(map(basic_string, values)) + "]"


def _escaped(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    return f"\\u{ord(character):04x}" if character < " " or character == "\x7f" else character
