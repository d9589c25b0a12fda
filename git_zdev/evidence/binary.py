"""Binary patches, as ``git diff --binary`` writes them.

A patch has both directions. Each is the whole content, or a delta against the other content if that
is smaller when deflated. A delta that is longer than the deflated content is not considered.

The form of a delta is that of packs (gitformat-pack(5), "Deltified representation"): copies out of
the old content, and bytes to insert. Which copies are found depends on the search. Every sixteenth
place of the old content is remembered by a hash of the bytes that end there, and the same hash
rolls over the new content. libgit2 searches in the same way, but gives up on a delta that is longer
than the deflated content and deflates at a level of its own. Here the result is the one that Git
has.
"""

from __future__ import annotations

import zlib
from base64 import b85encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LARGEST = 32 << 20
"""Largest content, in bytes, for which a delta is searched; two million take about a second."""

_BYTES_A_LINE = 52
_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_STORED = b"\x78\x01"
_LONGEST_STORED = 0xFFFF


def binary_body(old: bytes, new: bytes, level: int) -> bytes:
    """The text after the index line.

    Args:
        old: The content before.
        new: The content after.
        level: The compression level, 0 to 9; -1 is zlib's default.
    """
    parts = (_direction(old, new, level), _direction(new, old, level))
    return b"GIT binary patch\n" + b"".join(parts)


def _direction(old: bytes, new: bytes, level: int) -> bytes:
    data, head = _deflated(new, level), b"literal %d\n" % len(new)
    found = delta(old, new, len(data)) if old and new else None
    if found is not None:
        smaller = _deflated(found, level)
        if len(smaller) < len(data):
            data, head = smaller, b"delta %d\n" % len(found)
    return head + b"".join(_encoded(data)) + b"\n"


def _deflated(data: bytes, level: int) -> bytes:
    """The zlib stream (RFC 1950); at level 0 it consists of the largest possible blocks.

    zlib sizes such blocks by its output buffer, and Git's buffer is large enough.
    """
    if level:
        return zlib.compress(data, level)
    starts = range(0, max(len(data), 1), _LONGEST_STORED)
    blocks = []
    for start in starts:
        part = data[start : start + _LONGEST_STORED]
        size = len(part).to_bytes(2, "little")
        inverted = (len(part) ^ 0xFFFF).to_bytes(2, "little")
        blocks.append(bytes([start == starts[-1]]) + size + inverted + part)
    return _STORED + b"".join(blocks) + zlib.adler32(data).to_bytes(4, "big")


def _encoded(data: bytes) -> Iterator[bytes]:
    """Lines of base85; each begins with a letter for its number of bytes."""
    for start in range(0, len(data), _BYTES_A_LINE):
        part = data[start : start + _BYTES_A_LINE]
        count = _LETTERS[len(part) - 1 : len(part)]
        yield count + b85encode(part, pad=True) + b"\n"


_WINDOW = 16
_POLYNOMIAL = 0xAB59B4D1
"""The modulus of the hash, a polynomial of degree 31 over the field of two elements."""

_DEGREE = 31
_MASK = (1 << _DEGREE) - 1
_TOP = _DEGREE - 8
_ALIKE = 64
"""How many places with equal hash ends are remembered."""

_SHORTEST, _GOOD_ENOUGH = 4, 4096
"""The shortest copy that is used, and the length from which no longer one is searched for."""

_LONGEST_COPY, _LONGEST_INSERT = 0x10000, 0x7F


def delta(old: bytes, new: bytes, limit: int) -> bytes | None:
    """The delta that makes ``new`` of ``old``, neither of them empty.

    Returns:
        None if it would exceed ``limit`` bytes at any point.
    """
    index = _Index(old)
    writer = _Writer(new, bytes([*_number(len(old)), *_number(len(new))]))
    at = writer.insert(min(_WINDOW, len(new)))
    rolled = _hash(new[:at])
    size = start = 0
    while at < len(new):
        # `size` is the rest of a copy that was too long for one instruction.
        if not size:
            passed, rolled = index.passed(rolled, new, at, at + limit)
            at = writer.insert(passed)
            if at == len(new) or (passed and writer.length > limit):
                break
        if size < _GOOD_ENOUGH:
            rolled = _rolled(rolled, new[at - _WINDOW], new[at])
            size, start = index.best(rolled, new, at, size, start)
        if size < _SHORTEST:
            at = writer.insert(1)
            size = 0
        else:
            # The hash was found only when its window was full; the match may begin before that.
            back = writer.take_back(old, start)
            taken = min(size + back, _LONGEST_COPY)
            at = writer.copy(start - back, taken)
            start += taken - back
            size -= taken - back
            if size < _GOOD_ENOUGH:  # the hash has to catch up before the next search
                rolled = _hash(new[at - _WINDOW : at])
        if writer.length > limit:
            break
    return writer.finished() if writer.length <= limit else None


class _Index:
    """The places of the old content, by the bytes that end there."""

    def __init__(self, old: bytes) -> None:
        self._old = old
        count = (len(old) - 1) // _WINDOW
        # Git thins each row of a table of 2**bits rows, so places with equal ends share a row here
        # too.
        bits = 4
        while 1 << bits < count // 4:
            bits += 1
        alike: dict[int, list[tuple[int, int]]] = {}
        before = -1
        for number in range(count - 1, -1, -1):
            first = number * _WINDOW + 1
            value = _hash(old[first : first + _WINDOW])
            bucket = alike.setdefault(value & (1 << bits) - 1, [])
            if value == before:  # of equal neighbours the first counts
                bucket.pop()
            bucket.append((value, number * _WINDOW + _WINDOW))
            before = value
        self.places: dict[int, list[int]] = {}
        for bucket in alike.values():
            for value, place in _thinned(bucket[::-1]):
                self.places.setdefault(value, []).append(place)

    def passed(self, rolled: int, new: bytes, at: int, end: int) -> tuple[int, int]:
        """The number of bytes up to the next known hash, and the hash before it."""
        places, leaving, reduced = self.places, _tables.leaving, _tables.reduced
        count = 0
        for gone, come in zip(new[at - _WINDOW : end - _WINDOW], new[at:end], strict=False):
            left = rolled ^ leaving[gone]
            following = ((left << 8) & _MASK | come) ^ reduced[left >> _TOP]
            if following in places:
                break
            rolled = following
            count += 1
        return count, rolled

    def best(self, value: int, new: bytes, at: int, size: int, start: int) -> tuple[int, int]:
        """Length and place of the best copy for the bytes at ``at``, at least the given one."""
        old = self._old
        for place in self.places.get(value, ()):
            most = min(len(old) - place, len(new) - at)
            if most <= size:
                break
            found = _common(old, place, new, at, most)
            if found > size:
                size, start = found, place
                if size >= _GOOD_ENOUGH:
                    break
        return size, start


class _Writer:
    """The instructions so far; the last insertion is still open."""

    def __init__(self, new: bytes, head: bytes) -> None:
        self._new = new
        self._out = bytearray(head)
        self._at = 0
        self._open = 0

    @property
    def length(self) -> int:
        """Size of everything so far, in bytes."""
        return len(self._out) + self._open + (self._open > 0)

    def insert(self, count: int) -> int:
        """Insert the next bytes; return the new position in the new content."""
        while count:
            part = min(count, _LONGEST_INSERT - self._open)
            self._at += part
            self._open += part
            count -= part
            if self._open == _LONGEST_INSERT:
                self._close()
        return self._at

    def take_back(self, old: bytes, place: int) -> int:
        """Take back open bytes that a copy from ``place`` can begin with; return their number."""
        count = 0
        while self._open and place > count and old[place - count - 1] == self._new[self._at - 1]:
            count += 1
            self._at -= 1
            self._open -= 1
        return count

    def copy(self, place: int, count: int) -> int:
        """Copy from the old content; return the new position in the new content."""
        self._close()
        self._at += count
        # Zero bytes are left out; the first byte has a bit for each byte that follows.
        given = [*place.to_bytes(4, "little"), *(count & 0xFFFF).to_bytes(2, "little")]
        self._out.append(0x80 | sum(1 << number for number, byte in enumerate(given) if byte))
        self._out += bytes(byte for byte in given if byte)
        return self._at

    def finished(self) -> bytes:
        """All instructions."""
        self._close()
        return bytes(self._out)

    def _close(self) -> None:
        if self._open:
            self._out.append(self._open)
            self._out += self._new[self._at - self._open : self._at]
            self._open = 0


class _Tables:
    """Tables that remove the byte that leaves the window, and that reduce the polynomial."""

    def __init__(self) -> None:
        self.reduced = [_times_x(byte, _DEGREE) for byte in range(256)]
        self.leaving = [_times_x(byte, 8 * (_WINDOW - 1)) for byte in range(256)]


def _times_x(value: int, power: int) -> int:
    """The polynomial times x to a power."""
    for _ in range(power):
        value <<= 1
        if value >> _DEGREE:
            value ^= _POLYNOMIAL
    return value


_tables = _Tables()


def _rolled(value: int, gone: int, come: int) -> int:
    value ^= _tables.leaving[gone]
    return ((value << 8) & _MASK | come) ^ _tables.reduced[value >> _TOP]


def _hash(window: bytes) -> int:
    value, into = 0, _tables.reduced
    for byte in window:
        value = ((value << 8) & _MASK | byte) ^ into[value >> _TOP]
    return value


def _thinned(bucket: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The places to remember, spread over all of them; the first is always among them."""
    # Git's rounding: each place that is kept adds the surplus, each one that is skipped subtracts
    # 64.
    surplus = len(bucket) - _ALIKE
    owed, number = 0, 0
    while number < len(bucket):
        yield bucket[number]
        number += 1
        owed += max(surplus, 0)
        while owed > 0:
            number += 1
            owed -= _ALIKE


def _common(old: bytes, place: int, new: bytes, at: int, most: int) -> int:
    """The number of equal bytes, at most ``most``."""
    # Slices are compared in C: larger ones while they are equal, then halves of the one that
    # differs.
    done, step = 0, _WINDOW
    while (
        done < most and old[place + done : place + done + step] == new[at + done : at + done + step]
    ):
        done, step = done + step, 2 * step
    if done >= most:
        return most
    step = min(step, most - done)
    while step > 1:
        half = step // 2
        if old[place + done : place + done + half] == new[at + done : at + done + half]:
            done, step = done + half, step - half
        else:
            step = half
    return done + (old[place + done] == new[at + done])


def _number(value: int) -> Iterator[int]:
    """A size with seven bits in each byte, the least significant first."""
    while value > 0x7F:
        yield value & 0x7F | 0x80
        value >>= 7
    yield value
