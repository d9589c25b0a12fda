"""TOML in the form that this program writes, read without a parser.

That is one ``key = value`` per line, with plain basic strings and arrays of strings on one line.
The full way is ``tomllib``; both give the same table.
"""

from __future__ import annotations

from git_zdev.fast import OFF

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def read_canonical(block: str) -> dict[str, Any] | None:
    """Read lines in the form that the program writes.

    Args:
        block: Lines without the last line end.

    Returns:
        Strings, integers, booleans and lists of strings by key; None if any line has another form,
        valid TOML or not.
    """
    if OFF:
        return None
    table: dict[str, Any] = {}
    for line in block.split("\n"):
        key, equals, raw = line.partition(" = ")
        if not equals or key in table or not (key.isascii() and key.isidentifier()):
            return None
        first = raw[:1]
        if first == '"':
            inner = raw[1:-1]
            if raw[-1] != '"' or len(raw) < 2 or not is_plain(inner):
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
    """Read a file in the form that the program writes: lines, then tables after blank lines.

    Returns:
        The result of :func:`read_canonical`, with a dictionary for each ``[table]``; None for
        every other form.
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


def is_plain(inner: str) -> bool:
    """Whether a text needs no escapes in a basic string."""
    return '"' not in inner and "\\" not in inner and inner.isprintable()


def _plain_items(inner: str) -> list[str] | None:
    items: list[str] = []
    for part in inner.split(", ") if inner else ():
        if len(part) < 2 or part[0] != '"' or part[-1] != '"' or not is_plain(part[1:-1]):
            return None
        items.append(part[1:-1])
    return items
