"""Binary patches, as ``git diff --binary`` writes them.

Both directions, each as the whole content or as a delta to the other one, whichever is smaller once
deflated. A delta longer than the deflated content is not considered.

The form of a delta is that of packs (gitformat-pack(5), "Deltified representation"): copies out of
the old content, and bytes that are inserted. Which copies are found depends on the search: every
sixteenth place of the old content is remembered by a hash of the bytes that end there, and a hash
rolls over the new content. libgit2 searches in the same way, but gives up a delta that is longer
than the deflated content, and deflates at a level of its own; here it is given where Git has one.
"""

from __future__ import annotations

import zlib
from base64 import b85encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LARGEST = 32 << 20
"""Bytes of a content up to which deltas are searched for, which takes about a second for two
million of them."""

_BYTES_A_LINE = 52
_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_STORED = b"\x78\x01"
_LONGEST_STORED = 0xFFFF


def binary_body(old: bytes, new: bytes, level: int) -> bytes:
    """The text after the index line.

    Args:
        old: The content before.
        new: The content after.
        level: How hard to compress, 0 to 9; -1 leaves it to zlib.
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
    """The zlib stream (RFC 1950); where nothing is compressed, in the largest possible blocks.

    zlib itself cuts those by the room that it is given, and Git gives it enough.
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
    """Lines of base85, each led by a letter for the number of bytes in it."""
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
"""Places that are remembered of those whose hashes end alike."""

_SHORTEST, _GOOD_ENOUGH = 4, 4096
"""Bytes from which a copy is made, and from which no longer one is looked for."""

_LONGEST_COPY, _LONGEST_INSERT = 0x10000, 0x7F


def delta(old: bytes, new: bytes, limit: int) -> bytes | None:
    """The delta that makes ``new`` of ``old``, neither of them empty.

    Returns:
        None where it would take more than ``limit`` bytes at any moment of its making.
    """
    index = _Index(old)
    writer = _Writer(new, bytes([*_number(len(old)), *_number(len(new))]))
    at = writer.insert(min(_WINDOW, len(new)))
    rolled = _hash(new[:at])
    size = start = 0
    while at < len(new):
        # `size` is what is left of a copy that was longer than one instruction can hold.
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
            if size < _GOOD_ENOUGH:  # the next byte is searched for: the hash has to catch up
                rolled = _hash(new[at - _WINDOW : at])
        if writer.length > limit:
            break
    return writer.finished() if writer.length <= limit else None


class _Index:
    """Where which bytes end in the old content."""

    def __init__(self, old: bytes) -> None:
        self._old = old
        count = (len(old) - 1) // _WINDOW
        # Git has a table of 2**bits rows and thins each of them, so equal ends share one here too.
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
        """How many bytes there are up to one where a known hash ends, and the hash before that."""
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
        """Length and place of the best copy for what is at ``at``, at least the given one."""
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
    """The instructions, the last insertion still open."""

    def __init__(self, new: bytes, head: bytes) -> None:
        self._new = new
        self._out = bytearray(head)
        self._at = 0
        self._open = 0

    @property
    def length(self) -> int:
        """Bytes that everything so far takes."""
        return len(self._out) + self._open + (self._open > 0)

    def insert(self, count: int) -> int:
        """Go on with the next bytes; give where the new content is then."""
        while count:
            part = min(count, _LONGEST_INSERT - self._open)
            self._at += part
            self._open += part
            count -= part
            if self._open == _LONGEST_INSERT:
                self._close()
        return self._at

    def take_back(self, old: bytes, place: int) -> int:
        """Open bytes that a copy from ``place`` may begin with; they are open no longer."""
        count = 0
        while self._open and place > count and old[place - count - 1] == self._new[self._at - 1]:
            count += 1
            self._at -= 1
            self._open -= 1
        return count

    def copy(self, place: int, count: int) -> int:
        """Copy out of the old content; give where the new content is then."""
        self._close()
        self._at += count
        # A byte that is zero is left out; the first byte has a bit for each of those that follow.
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
    """The hash of one byte where it leaves the window, and of what grew beyond the degree."""

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
    """As many places as are remembered, spread over all of them; the first is always one."""
    # Git's rounding: each place kept owes the surplus, each place passed over pays back 64.
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
    """How many bytes are the same, ``most`` at most."""
    # C compares slices: ever larger ones while they agree, then halves of the one that differs.
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
    """A size, seven bits a byte, the least significant first."""
    while value > 0x7F:
        yield value & 0x7F | 0x80
        value >>= 7
    yield value
