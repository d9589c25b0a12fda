"""How much of one file's content is found in another: the measure behind rename detection.

A file is cut into chunks that end at a line feed or after 64 bytes; each chunk is hashed into one
of 107,927 numbers, and the bytes of both files are counted by number. What both have in common,
over the larger size, is the similarity. Different chunks may share a number, and the percentages
that Git prints depend on it, so the same numbers are computed here. An unterminated last chunk is
left out, as by Git up to 2.43; later versions count it.
"""

from __future__ import annotations

MAX_SCORE = 60000
_CHUNK = 64
_BUCKETS = 107927
_WORD = 0xFFFFFFFF

Chunks = dict[bytes, int]
"""For each distinct chunk, how many bytes of the file consist of it."""


def chunks(data: bytes, *, text: bool) -> Chunks:
    """Cut the content into chunks and count their bytes; text loses the CR of each CR LF."""
    if text and b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    counts: Chunks = {}
    lines = data.split(b"\n")
    unterminated = lines.pop()
    for line in lines:
        if len(line) < _CHUNK:
            counts[line] = counts.get(line, 0) + len(line) + 1
        else:
            _count_long(counts, line + b"\n")
    _count_long(counts, unterminated)
    return counts


def _count_long(counts: Chunks, line: bytes) -> None:
    """Count a line of any length; without its line feed it stands for a chunk that has one."""
    start = 0
    while len(line) - start >= _CHUNK:
        chunk = line[start : start + _CHUNK]
        counts[chunk] = counts.get(chunk, 0) + _CHUNK
        start += _CHUNK
    if line.endswith(b"\n") and start < len(line):
        rest = line[start:-1]
        counts[rest] = counts.get(rest, 0) + len(rest) + 1


def score_of(copied: int, larger: int) -> int:
    """The similarity, from 0 to 60000, of two files that share so many bytes."""
    return int(copied * float(MAX_SCORE) / larger) if larger else 0


class Meter:
    """Measures similarities, and remembers the numbers of the chunks that it met."""

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}

    def score(self, old: Chunks, new: Chunks, larger: int) -> int:
        """The similarity of two files; ``larger`` is the size of the larger one in bytes."""
        return score_of(self._copied(old, new), larger)

    def numbers(self, found: Chunks) -> dict[int, int]:
        """How many bytes of a file stand under each number."""
        counts: dict[int, int] = {}
        for chunk, count in found.items():
            number = self._number(chunk)
            counts[number] = counts.get(number, 0) + count
        return counts

    def _copied(self, old: Chunks, new: Chunks) -> int:
        """The bytes of the old content that the new one holds as well.

        A chunk that both hold cancels out before any hashing; only what is left over can meet a
        different chunk of the same number.
        """
        copied = 0
        left: dict[int, int] = {}
        for chunk, count in old.items():
            common = min(count, new.get(chunk, 0))
            copied += common
            if count > common:
                number = self._number(chunk)
                left[number] = left.get(number, 0) + count - common
        if not left:
            return copied
        surplus: dict[int, int] = {}
        for chunk, count in new.items():
            extra = count - min(count, old.get(chunk, 0))
            if extra and (number := self._number(chunk)) in left:
                surplus[number] = surplus.get(number, 0) + extra
        return copied + sum(min(count, left[number]) for number, count in surplus.items())

    def _number(self, chunk: bytes) -> int:
        number = self._numbers.get(chunk)
        if number is None:
            whole = chunk if len(chunk) == _CHUNK else chunk + b"\n"
            number = self._numbers[chunk] = chunk_number(whole)
        return number


class Inventory:
    """Many files at once, by the numbers of their chunks.

    Asked about a file, it visits only the files that have a number in common with it, which are few
    even among thousands.
    """

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._holders: dict[int, list[tuple[int, int]]] = {}

    def add(self, position: int, found: Chunks) -> None:
        """Take up a file under a number of the caller's."""
        for number, count in self._meter.numbers(found).items():
            self._holders.setdefault(number, []).append((position, count))

    def copied(self, found: Chunks) -> dict[int, int]:
        """For each file that shares anything: how many of its bytes this one holds as well."""
        shared: dict[int, int] = {}
        for number, count in self._meter.numbers(found).items():
            for position, held in self._holders.get(number, ()):
                shared[position] = shared.get(position, 0) + (held if held < count else count)
        return shared


def sizes_rule_out(old_size: int, new_size: int, minimum: int) -> bool:
    """Whether the sizes differ so much that the minimum score cannot be reached."""
    larger, smaller = max(old_size, new_size), min(old_size, new_size)
    return larger * (MAX_SCORE - minimum) < (larger - smaller) * MAX_SCORE


def chunk_number(chunk: bytes) -> int:
    """The number of a chunk, its line feed included.

    Two 32-bit words are rotated left by seven bits, as one, before each byte is added to the
    first of them.
    """
    low = high = 0
    for byte in chunk:
        low, high = (
            ((low << 7 & _WORD | high >> 25) + byte) & _WORD,
            high << 7 & _WORD | low >> 25,
        )
    return (low + high * 0x61 & _WORD) % _BUCKETS
