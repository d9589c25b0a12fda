"""Hand-written TOML of record files: read with ``tomllib``, edited surgically.

An edit leaves every other byte unchanged. A small scanner locates each key and its value; it does
not validate. A text has been read before it is edited, and the caller reads the result again. In
the writers' canonical form the key precedes the first `` = `` of its line, and no scanner is
needed.
"""

from __future__ import annotations

from git_zdev.fast.toml import is_plain, read_canonical
from git_zdev.ground.errors import Problem, ZdevError
from git_zdev.ground.text import quoted
from git_zdev.ground.values import dataclass
from git_zdev.plan.records.fields import PROBLEM_LIMIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Sequence
    from typing import Any

SIZE_LIMIT = 1024 * 1024
"""Maximum characters of TOML in one file: parsing cost can grow faster than the text."""

KEY_LIMIT = 32
"""Most parts of a dotted key, which ``tomllib`` takes quadratic time for."""

_LARGEST = 1 << 63
"""TOML's integers have 64 bits; larger ones cannot even be shown in decimal digits in time."""


def read(block: str, path: str, first_line: int, problems: list[Problem]) -> dict[str, Any] | None:
    """Read a TOML document.

    Args:
        block: The document.
        path: The file that holds it, for problems.
        first_line: Line of the file on which the document starts.
        problems: Receives ``invalid-toml`` and ``duplicate-key``, with their lines.

    Returns:
        The table, or None if it cannot be read. With duplicate keys the table holds the first of
        each, so that other problems can be reported too.
    """

    def refuse(line: int, message: str) -> None:
        problems.append(Problem("invalid-toml", message, path, first_line + line - 1))

    limit = _limit_passed(block)
    if limit is not None:
        refuse(*limit)
        return None
    import tomllib

    try:
        table = tomllib.loads(block)
    except RecursionError:
        refuse(1, "the TOML is nested too deeply")
        return None
    except ValueError as error:  # TOMLDecodeError, or a number or date beyond Python's limits
        reason = str(error)
    else:
        large = _large_integer(table)
        if large is None:
            return table
        message = f"the value of {quoted('.'.join(large))} has an integer of more than 64 bits"
        lines = key_lines(block)
        refuse(max(lines.get(large[:length], 1) for length in range(1, len(large) + 1)), message)
        return None

    unique, repeated = without_duplicates(block)
    for key, line, earlier in repeated[:PROBLEM_LIMIT]:
        message = f"the key {quoted(key)} appears twice, first on line {first_line + earlier - 1}"
        problems.append(Problem("duplicate-key", message, path, first_line + line - 1))
    if repeated:
        return read(unique, path, first_line, problems)
    line, message = _located(reason, block)
    refuse(line, message)
    return None


def _limit_passed(block: str) -> tuple[int, str] | None:
    """The line and the sentence about a limit that would make parsing too slow."""
    if len(block) > SIZE_LIMIT:
        return 1, f"the TOML has {len(block)} characters, more than the limit of {SIZE_LIMIT}"
    deep = _line_of_deep_key(block)
    return None if deep is None else (deep, f"a key has more than {KEY_LIMIT} parts")


def _line_of_deep_key(block: str) -> int | None:
    """The line on which a dotted key passes the limit."""
    if block.count(".") < KEY_LIMIT:
        return None
    import re

    # Strings and comments are skipped as a whole, unterminated ones up to where they stop.
    tokens = (
        r'"""(?:[^"\\]|\\.|"{1,2}(?!"))*+(?:"{3,5})?'
        r"|'''(?:[^']|'{1,2}(?!'))*+(?:'{3,5})?"
        r'|"(?:[^"\\\n]|\\.)*+"?'
        r"|'[^'\n]*+'?|#[^\n]*|[.\n=,\[\]{}]"
    )
    dots = 0
    for match in re.finditer(tokens, block, re.DOTALL):
        text = match[0]
        if text == ".":
            dots += 1
            if dots >= KEY_LIMIT:
                return block.count("\n", 0, match.start()) + 1
        elif text in _ENDS_OF_KEYS:
            dots = 0
    return None


_ENDS_OF_KEYS = frozenset("\n=,[]{}")


def _large_integer(table: dict[str, Any]) -> tuple[str, ...] | None:
    """The full key of a value with an integer beyond 64 bits in it."""
    waiting: list[tuple[tuple[str, ...], Any]] = [((), table)]
    while waiting:
        key, value = waiting.pop()
        if isinstance(value, dict):
            waiting += [((*key, name), below) for name, below in value.items()]
        elif isinstance(value, list):
            waiting += [(key, item) for item in value]
        elif isinstance(value, int) and not -_LARGEST <= value < _LARGEST:
            return key
    return None


def _located(reason: str, block: str) -> tuple[int, str]:
    """The line that a tomllib message names, by default the first, and the message without it."""
    message, _, place = reason.partition(" (at ")
    if place.startswith("end of document"):
        return block.count("\n") + 1, message
    digits = place.removeprefix("line ").partition(",")[0]
    return (int(digits) if digits.isdigit() else 1), message


@dataclass(frozen=True, slots=True)
class Statement:
    """One ``key = value`` of a TOML text; all offsets count characters.

    Attributes:
        key: The parts of the full key, table names first.
        line: 1-based line of the key.
        start: Start of the key's line.
        value: Start of the value.
        value_end: End of the value.
        end: Start of the line after the statement.
    """

    key: tuple[str, ...]
    line: int
    start: int
    value: int
    value_end: int
    end: int


@dataclass(frozen=True, slots=True)
class _Header:
    """A ``[table]`` line."""

    table: tuple[str, ...]
    line: int
    end: int


class _ScanError(Exception):
    """The text is not TOML."""


def _tokens() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Patterns of strings, key parts and keys; the canonical form needs none of them."""
    import re

    # Possessive quantifiers (*+) prevent catastrophic backtracking on an unclosed string.
    string = (
        r'"""(?:[^"\\]|\\.|"{1,2}(?!"))*+"{3,5}'
        r"|'''(?:[^']|'{1,2}(?!'))*+'{3,5}"
        r'|"(?:[^"\\\n]|\\.)*+"'
        r"|'[^'\n]*+'"
    )
    part = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
    key = rf"{part}(?:[ \t]*\.[ \t]*{part})*+"
    return re.compile(string, re.DOTALL), re.compile(part), re.compile(key)


def scan(block: str) -> list[Statement]:
    """Every statement of a TOML text in order; empty for text that is not TOML."""
    try:
        return [item for item in _items(block) if isinstance(item, Statement)]
    except _ScanError:
        return []


def key_lines(block: str) -> dict[tuple[str, ...], int]:
    """1-based line of every key, and of every table at its first mention.

    For text that is not TOML, only of those before the first mistake.
    """
    lines: dict[tuple[str, ...], int] = {}
    try:
        for item in _items(block):
            full = item.key if isinstance(item, Statement) else item.table
            for length in range(1, len(full) + 1):
                lines.setdefault(full[:length], item.line)
    except _ScanError:
        pass
    return lines


def without_duplicates(block: str) -> tuple[str, list[tuple[str, int, int]]]:
    """Blank every repetition of a key.

    Returns:
        The text with as many lines as before, and for each repetition the key's name, its line
        and the line of the first.
    """
    seen: dict[tuple[str, ...], int] = {}
    repeated: list[tuple[str, int, int]] = []
    kept: list[str] = []
    position = 0
    try:
        for item in _items(block):
            full = item.key if isinstance(item, Statement) else item.table
            if full not in seen:
                seen[full] = item.line
            elif isinstance(item, Statement):
                repeated.append((".".join(full), item.line, seen[full]))
                # Line ends stay, so that later problems keep their line numbers.
                kept += [
                    block[position : item.start],
                    "\n" * block.count("\n", item.start, item.end),
                ]
                position = item.end
    except _ScanError:
        pass
    return "".join([*kept, block[position:]]), repeated


def set_value(block: str, key: tuple[str, ...], value: str, order: Sequence[str]) -> str:
    """Set a key to a string, in place or on a new line.

    Args:
        block: Valid TOML.
        key: Full key.
        value: The string.
        order: Names of the keys of the same table in writing order; a new line goes after the
            nearest predecessor that is present.

    Raises:
        ZdevError: ``unsupported-layout`` when the table is an inline table, which has no place
            for a new line.
    """
    statements = scan(block)
    for statement in statements:
        if statement.key == key:
            rendered = basic_string(value)
            return block[: statement.value] + rendered + block[statement.value_end :]
    return _insert_line(block, key, basic_string(value), order)


def remove(block: str, key: tuple[str, ...]) -> str:
    """Delete the line or lines of a key; text without it is returned unchanged."""
    for statement in scan(block):
        if statement.key == key:
            return block[: statement.start] + block[statement.end :]
    _require_no_inline(scan(block), key)
    return block


def set_array(block: str, key: str, values: Sequence[str], order: Sequence[str]) -> str:
    """Set a top-level key to an array of strings.

    If the new array only appends to the present one, the additions follow its last element in the
    array's own layout; otherwise the whole value is replaced.
    """
    for statement in scan(block):
        if statement.key == (key,):
            written = block[statement.value : statement.value_end]
            extended = _extend(written, values)
            return block[: statement.value] + extended + block[statement.value_end :]
    return _insert_line(block, (key,), array(values), order) if values else block


def _items(block: str) -> Iterator[Statement | _Header]:
    """Statements and table headers, in order.

    Raises:
        _ScanError: If the text is not TOML.
    """
    canonical = read_canonical(block.removesuffix("\n")) is not None
    return _plain_lines(block) if canonical else _scanned(block)


def _plain_lines(block: str) -> Iterator[Statement]:
    start = 0
    for number, line in enumerate(block.removesuffix("\n").split("\n"), 1):
        key = line.partition(" = ")[0]
        end = start + len(line)
        after = min(end + 1, len(block))
        yield Statement((key,), number, start, start + len(key) + 3, end, after)
        start = after


def _scanned(block: str) -> Iterator[Statement | _Header]:
    _, part, key_pattern = _tokens()
    table: tuple[str, ...] = ()
    position, line, size = 0, 1, len(block)
    while position < size:
        start = position
        position = _skip_blanks(block, position)
        if position >= size:
            return
        character = block[position]
        if character == "[":
            # `[[` opens an array of tables, which no record has; its name is read all the same.
            match = key_pattern.match(block, _skip_blanks(block, position + 1, extra="["))
            if match is None:
                raise _ScanError
            table = tuple(_plain_key(text) for text in part.findall(match[0]))
            position = _line_end(block, match.end())
            yield _Header(table, line, position)
        elif character not in "#\n":
            match = key_pattern.match(block, position)
            if match is None:
                raise _ScanError
            equals = _skip_blanks(block, match.end())
            if block[equals : equals + 1] != "=":
                raise _ScanError
            value = _skip_blanks(block, equals + 1)
            value_end = _value_end(block, value)
            position = _line_end(block, value_end)
            key = tuple(_plain_key(text) for text in part.findall(match[0]))
            yield Statement((*table, *key), line, start, value, value_end, position)
        else:
            position = _line_end(block, position)
        line += block.count("\n", start, position)


def _skip_blanks(block: str, position: int, extra: str = "") -> int:
    while position < len(block) and block[position] in " \t" + extra:
        position += 1
    return position


def _line_end(block: str, position: int) -> int:
    """Start of the line after the one that holds ``position``."""
    found = block.find("\n", position)
    return len(block) if found < 0 else found + 1


def _plain_key(text: str) -> str:
    if text[0] not in "\"'":
        return text
    import tomllib  # it decodes the escapes of a quoted key

    try:
        return next(iter(tomllib.loads(f"{text} = 0")))
    except ValueError:
        raise _ScanError from None


def _value_end(block: str, position: int) -> int:
    """End of the value that starts at ``position``, strings and nested brackets included."""
    string, _, _ = _tokens()
    depth, end, size = 0, position, len(block)
    while position < size:
        character = block[position]
        if character in "\"'":
            match = string.match(block, position)
            if match is None:
                raise _ScanError
            position = end = match.end()
            continue
        if character == "#" and depth:  # a comment may hold brackets and quotes
            position = _line_end(block, position)
            continue
        if character in "#\n" and not depth:
            return end
        depth += (character in "[{") - (character in "]}")
        position += 1
        if not character.isspace():  # blanks before a comment are not part of the value
            end = position
    return end


def _insert_line(block: str, key: tuple[str, ...], rendered: str, order: Sequence[str]) -> str:
    *table, name = key
    items: list[Statement | _Header] = list(_items(block))
    statements = [item for item in items if isinstance(item, Statement)]
    _require_no_inline(statements, key)
    siblings = {
        statement.key[-1]: statement
        for statement in statements
        if list(statement.key[:-1]) == table and statement.key[-1] in order
    }
    before = [other for other in order[: order.index(name)] if other in siblings]
    headers = [item for item in items if isinstance(item, _Header) and list(item.table) == table]
    if before:
        at = siblings[before[-1]].end
    elif siblings:
        at = min(statement.start for statement in siblings.values())
    else:
        at = headers[0].end if headers else 0
    # `project.name = "x"` at the top level makes a table without a header of its own.
    dotted = bool(table) and not headers
    line = f"{'.'.join(key) if dotted else name} = {rendered}\n"
    if at and block[at - 1] != "\n":  # the last line has no line end, and the new one gets none
        line = f"\n{line}".removesuffix("\n")
    return block[:at] + line + block[at:]


def _require_no_inline(statements: Sequence[Statement], key: tuple[str, ...]) -> None:
    for statement in statements:  # `project = {…}` is a statement whose key is a prefix of `key`
        if len(statement.key) < len(key) and key[: len(statement.key)] == statement.key:
            name = ".".join(statement.key)
            raise ZdevError(
                "unsupported-layout",
                f"line {statement.line} writes {name} as an inline table, which is not edited",
                f"Write it as a [{name}] table with one key a line",
            )


def _extend(written: str, values: Sequence[str]) -> str:
    """Replace an array with ``values``, keeping its layout if they only append to it."""
    plain = read_canonical(f"v = {written}")  # not None: the layout is that of array()
    present = _strings(written) if plain is None else plain["v"]
    if list(values) == present:
        return written
    continues = list(values[: len(present)]) == present
    if plain is not None or not continues or (not present and "#" not in written):
        return array(values)
    added = [basic_string(value) for value in values[len(present) :]]
    last, comma = _tail(written)
    if "\n" not in written:  # a trailing comma stays at the end
        return written[:last] + "".join(f", {item}" for item in added) + written[last:]
    close = written.rindex("\n") + 1
    indent = _indent(written)
    lines = "".join(f"{indent}{item},\n" for item in added)
    # The comma goes right after the last element, before any comment on its line.
    needs_comma = bool(present) and not comma
    if written[close:].strip() != "]":  # the closing bracket shares a line with an element
        return array(values)
    return (
        written[:last]
        + ("," if needs_comma else "")
        + written[last:close]
        + lines
        + written[close:]
    )


def _strings(written: str) -> list[str]:
    import tomllib

    present: list[str] = tomllib.loads(f"v = {written}")["v"]
    return present


def _tail(written: str) -> tuple[int, bool]:
    """End of the last element (1 for an empty array) and whether a comma follows it."""
    string, _, _ = _tokens()
    position, last, comma = 1, 1, False  # after the opening bracket
    while position < len(written):
        character = written[position]
        match = string.match(written, position) if character in "\"'" else None
        if match is not None:
            position = last = match.end()
            comma = False
            continue
        if character == "#":
            position = _line_end(written, position)
            continue
        comma = comma or character == ","
        position += 1
    return last, comma


def _indent(written: str) -> str:
    """The indentation of the first element that starts a line."""
    for line in written.split("\n")[1:]:
        if line.strip() and line.strip() != "]":
            return line[: len(line) - len(line.lstrip())]
    return "  "


def basic_string(value: str) -> str:
    """A value as a TOML basic string."""
    if is_plain(value):
        return f'"{value}"'
    return '"' + "".join(map(_escaped, value)) + '"'


def literal(value: object) -> str:
    """A record's value as TOML: a string, an integer, a boolean or an array of strings."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return array(value)
    return basic_string(value) if isinstance(value, str) else str(value)


def array(values: Sequence[str]) -> str:
    """Strings as a TOML array on one line."""
    return "[" + ", ".join(map(basic_string, values)) + "]"


def _escaped(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    return f"\\u{ord(character):04x}" if character < " " or character == "\x7f" else character
