"""Combined diffs (``--cc``): a file in conflict, compared with both sides at once.

The dense form of git-diff(1), "Combined diff format". Every line of the result has a column for
each side, with ``+`` if that side lacks the line. Lines that the result lost come before it, with
``-`` in the columns of the sides that had them. A hunk is left out if there are only two versions
and the result agrees with one side. The index line has no id for the result, because that is in the
work tree.
"""

from __future__ import annotations

from math import isqrt

from git_zdev.evidence.status import quote
from git_zdev.ground.values import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_SIDES = 2
_EVERY_SIDE = 0b11
_CONTEXT = 3
_SHOWN = 40
_TAIL_BLOCK = 1024
_SPACE = b" \t\n\r"


@dataclass(slots=True)
class _Lost:
    """A line that the result lacks, and the sides (one bit each) that had it."""

    text: bytes
    sides: int


@dataclass(slots=True)
class _Line:
    """A position in the result: one of its lines, or its end.

    Attributes:
        text: The line without its line feed.
        added: The sides (one bit each) that lack the line.
        lost: What the sides had before it, in order.
        numbers: For each side the number of the line at which a hunk would start here.
        shown: Whether it belongs to a hunk.
        hides_lost: Whether the lost lines before it are not shown, because it is only context.
    """

    text: bytes = b""
    added: int = 0
    lost: list[_Lost] = field(default_factory=list)
    numbers: list[int] = field(default_factory=lambda: [0] * _SIDES)
    shown: bool = False
    hides_lost: bool = False

    @property
    def is_interesting(self) -> bool:
        return bool(self.added or self.lost)


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two versions in conflict.

    Attributes:
        id: Its object id.
        mode: Its mode.
        data: Its content.
    """

    id: str
    mode: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Conflict:
    """A path with two versions in conflict.

    Attributes:
        path: The path.
        sides: Ours (stage 2) and theirs (stage 3).
        mode: The mode in the work tree, 0 if the file is gone.
        result: The work tree's content as Git would store it, None if the file is gone.
        binary: Whether any of the contents is binary.
    """

    path: bytes
    sides: tuple[Side, Side]
    mode: int
    result: bytes | None
    binary: bool


def combined_diff(
    conflict: Conflict,
    abbreviate: Callable[[str], bytes],
    bare_hunks: Callable[[bytes, bytes], bytes],
) -> bytes:
    """The combined diff of one path.

    Args:
        conflict: The versions and the result.
        abbreviate: Shortens a full id.
        bare_hunks: Returns the hunks between two contents, without context, after a header.
    """
    header = _header(conflict, abbreviate)
    if conflict.binary:
        return header + b"Binary files differ\n"
    header += b"--- " + quote(conflict.path, b"a/") + b"\n+++ "
    if conflict.mode == 0:
        header += b"/dev/null\n"
    else:
        header += quote(conflict.path, b"b/") + b"\n"
    if conflict.result is None:
        return header
    lines = _compare(conflict.result, conflict.sides, bare_hunks)
    _choose_hunks(lines)
    return header + b"".join(_hunks(lines))


def _header(conflict: Conflict, abbreviate: Callable[[str], bytes]) -> bytes:
    ids = b",".join(abbreviate(side.id) for side in conflict.sides)
    modes = b",".join(b"%06o" % side.mode for side in conflict.sides)
    text = b"diff --cc " + quote(conflict.path) + b"\n"
    text += b"index " + ids + b".." + abbreviate("0" * 40) + b"\n"
    if conflict.mode == 0:
        return text + b"deleted file mode " + modes + b"\n"
    if any(side.mode != conflict.mode for side in conflict.sides):
        text += b"mode " + modes + b"..%06o\n" % conflict.mode
    return text


def _compare(
    result: bytes, sides: Sequence[Side], bare_hunks: Callable[[bytes, bytes], bytes]
) -> list[_Line]:
    """The result's lines and then its end, each with what was added and lost there."""
    texts = result.split(b"\n")
    if texts[-1] == b"":
        texts.pop()
    lines = [_Line(text) for text in texts] + [_Line()]
    if sides[0].id == sides[1].id:
        _compare_with_side(lines, result, sides[0].data, _EVERY_SIDE, bare_hunks)
    else:
        for number, side in enumerate(sides):
            _compare_with_side(lines, result, side.data, 1 << number, bare_hunks)
    for number in range(_SIDES):
        _number_lines(lines, number)
    return lines


def _compare_with_side(
    lines: list[_Line],
    result: bytes,
    data: bytes,
    mask: int,
    bare_hunks: Callable[[bytes, bytes], bytes],
) -> None:
    for start, count, removed in _changes(bare_hunks(*_without_common_tail(data, result))):
        place = start if count == 0 else start - 1  # a hunk without new lines names the one before
        for position in range(place, place + count):
            lines[position].added |= mask
        lost = [_Lost(text, mask) for text in removed]
        lines[place].lost = _coalesced(lines[place].lost, lost, mask)


def _without_common_tail(one: bytes, other: bytes) -> tuple[bytes, bytes]:
    """Both contents without the blocks of 1024 bytes at their ends that are equal.

    The cut part keeps its first line. Git cuts in this way before it compares without context, and
    that can move the place at which a change is seen.
    """
    cut = 0
    while cut + _TAIL_BLOCK <= min(len(one), len(other)):
        blocks = [data[len(data) - cut - _TAIL_BLOCK : len(data) - cut] for data in (one, other)]
        if blocks[0] != blocks[1]:
            break
        cut += _TAIL_BLOCK
    start = len(one) - cut
    line_end = one.find(b"\n", start)
    if line_end < 0:
        return one, other
    cut -= line_end + 1 - start
    return one[: len(one) - cut], other[: len(other) - cut]


def _changes(patch: bytes) -> Iterator[tuple[int, int, list[bytes]]]:
    """For each hunk, start and count of its new lines as its header says, and its old lines."""
    for hunk in (b"\n" + patch).split(b"\n@@ -")[1:]:
        header, _, body = hunk.partition(b"\n")
        start, _, count = header[header.index(b"+") + 1 : header.index(b" @@")].partition(b",")
        removed = [line[1:] for line in body.split(b"\n") if line.startswith(b"-")]
        yield int(start), int(count or b"1"), removed


def _coalesced(base: list[_Lost], new: list[_Lost], mask: int) -> list[_Lost]:
    """Both lists merged; the lines of a longest common subsequence appear once."""
    if not base or not new:
        return base or new
    # The order of the lines depends on which of several longest sequences is taken. Git walks its
    # table from the end; on a tie it takes the new side's line first, which therefore comes last.
    table = _CommonLengths([one.text for one in base], [one.text for one in new])
    merged: list[_Lost] = []
    row, column = len(base), len(new)
    while row or column:
        if row and column and base[row - 1].text == new[column - 1].text:
            row, column = row - 1, column - 1
            merged.append(_Lost(base[row].text, base[row].sides | mask))
        elif row == 0 or (column and not table.grows(row, column)):
            column -= 1
            merged.append(new[column])
        else:
            row -= 1
            merged.append(base[row])
    merged.reverse()
    return merged


_FEW = 32
"""Masks of texts with more places than this are kept; others are cheap to make again."""


class _CommonLengths:
    """The lengths of the longest common subsequences of all prefixes of two lists.

    Only the differences between neighbours matter, and they are 0 or 1. One integer holds a row of
    them: its lowest bit is the first column, and a bit is clear if the length grows there. Each row
    follows from the one before by a few operations on whole integers (Hyyro, "Bit-parallel
    LCS-length computation revisited", 2004). Only every n-th row is kept; the walk back computes
    those between again. With n as the square root of the rows, little memory is needed.

    Args:
        base: The texts of the rows.
        new: The texts of the columns.
    """

    def __init__(self, base: Sequence[bytes], new: Sequence[bytes]) -> None:
        self._base = base
        self._places: dict[bytes, list[int]] = {}
        for column, text in enumerate(new):
            self._places.setdefault(text, []).append(column)
        self._masks: dict[bytes, int] = {}
        self._full = (1 << len(new)) - 1
        self._step = isqrt(len(base)) + 1
        self._kept = [self._full]
        row = self._full
        for number, text in enumerate(base, 1):
            row = self._next(row, text)
            if number % self._step == 0:
                self._kept.append(row)
        self._block, self._rows = -1, list[int]()

    def grows(self, row: int, column: int) -> bool:
        """Whether this column makes the sequence longer; both numbers count from 1."""
        block, offset = divmod(row, self._step)
        if block != self._block:
            self._block = block
            self._rows = [self._kept[block]]
            for text in self._base[block * self._step : (block + 1) * self._step - 1]:
                self._rows.append(self._next(self._rows[-1], text))
        return not self._rows[offset] >> (column - 1) & 1

    def _next(self, row: int, text: bytes) -> int:
        matching = row & self._mask(text)
        return ((row + matching) | (row - matching)) & self._full if matching else row

    def _mask(self, text: bytes) -> int:
        """The columns with this text, one bit each."""
        mask = self._masks.get(text)
        if mask is None:
            places = self._places.get(text, ())
            mask = sum(1 << place for place in places)
            if len(places) > _FEW:
                self._masks[text] = mask
        return mask


def _number_lines(lines: list[_Line], side: int) -> None:
    mask = 1 << side
    number = 1
    for line in lines:
        line.numbers[side] = number
        number += sum(1 for lost in line.lost if lost.sides & mask)
        number += not line.added & mask


def _choose_hunks(lines: list[_Line]) -> None:
    """Mark the lines to show: those about which the versions disagree, and context around them."""
    for line in lines:
        line.shown = line.is_interesting
    position = 0
    while (start := _next(lines, position, shown=True)) < len(lines):
        position = _group_end(lines, start)
        if not _is_in_doubt(lines[start:position]):
            for line in lines[start:position]:
                line.shown = False
    _add_context(lines)


def _next(lines: list[_Line], position: int, *, shown: bool) -> int:
    """The index of the next line with this mark; the number of lines if none has it."""
    while position < len(lines) and lines[position].shown != shown:
        position += 1
    return position


def _tail(lines: list[_Line], start: int, end: int) -> int:
    """The index at which trailing context begins for a group that ends before ``end``.

    If the last line only lost something before it, the line itself is context.
    """
    return end - 1 if start + 1 <= end and not lines[end - 1].added else end


def _group_end(lines: list[_Line], start: int) -> int:
    """The end of the group at ``start``, including gaps that context would close."""
    position = start + 1
    while position < len(lines):
        if not lines[position].shown:
            reach = min(_tail(lines, start, position) + _CONTEXT, len(lines))
            ahead = [at for at in range(reach - 1, position - 1, -1) if lines[at].shown]
            if not ahead:
                break
            position = ahead[0]
        position += 1
    return position


def _is_in_doubt(group: Sequence[_Line]) -> bool:
    """Whether there are more than two versions here, or the result agrees with neither side."""
    differences = {line.added for line in group if line.added}
    differences |= {lost.sides for line in group for lost in line.lost}
    return len(differences) > 1 or differences == {_EVERY_SIDE}


def _add_context(lines: list[_Line]) -> None:
    position = _next(lines, 0, shown=True)
    while position < len(lines):
        for line in lines[max(position - _CONTEXT, 0) : position]:
            line.hides_lost = line.hides_lost or not line.shown
            line.shown = True
        while True:
            end = _next(lines, position, shown=False)
            if end >= len(lines):
                return
            following = _next(lines, end, shown=True)
            end = _tail(lines, position, end)
            if following >= end + _CONTEXT:
                break
            for line in lines[end:following]:
                line.shown = True
            position = following
        for line in lines[end : end + _CONTEXT]:
            line.shown = True
        position = following


def _hunks(lines: list[_Line]) -> Iterator[bytes]:
    last = len(lines) - 1
    position = 0
    while (start := _next(lines, position, shown=True)) <= last:
        function = _function(lines[position:start])
        position = _next(lines, start, shown=False)
        yield _hunk_header(lines, start, position, function)
        for line in lines[start:position]:
            yield from _written(line, is_end=line is lines[last])


def _written(line: _Line, *, is_end: bool) -> Iterator[bytes]:
    if not line.hides_lost:
        for lost in line.lost:
            yield _columns(lost.sides, b"-") + _text(lost.text)
    if not is_end:
        yield _columns(line.added, b"+") + _text(line.text)


def _columns(sides: int, mark: bytes) -> bytes:
    return b"".join(mark if sides >> side & 1 else b" " for side in range(_SIDES))


def _text(text: bytes) -> bytes:
    """The line as Git prints it: up to the first NUL."""
    return text.partition(b"\0")[0] + b"\n"


def _hunk_header(lines: list[_Line], start: int, end: int, function: bytes) -> bytes:
    last = len(lines) - 1
    marks = b"@" * (_SIDES + 1)
    ranges = b""
    for side in range(_SIDES):
        first = lines[start].numbers[side]
        ranges += b" -%d,%d" % (first, _number_at(lines, end, side) - first)
    ranges += b" +%d,%d " % (start + 1, min(end, last) - start)
    return marks + ranges + marks + (b" " + function if function else b"") + b"\n"


def _number_at(lines: list[_Line], position: int, side: int) -> int:
    """A side's line number at a position, which can be after the last line."""
    if position < len(lines):
        return lines[position].numbers[side]
    lost = sum(1 for lost in lines[-1].lost if lost.sides >> side & 1)
    return lines[-1].numbers[side] + lost


def _function(skipped: Sequence[_Line]) -> bytes:
    """The last line between two hunks that looks like the start of a function.

    Git shows its first 40 bytes without trailing blanks, and then drops one more byte.
    """
    for line in reversed(skipped):
        first = line.text[:1]
        if first and (first.isalpha() or first in b"_$"):
            return line.text[:_SHOWN].rstrip(_SPACE)[:-1]
    return b""
