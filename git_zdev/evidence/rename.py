"""Rename detection: which deletion and which creation are the same file, moved.

Git's order (gitdiffcore(7), "diffcore-rename"): identical content first; then files whose base
name is unique among the deletions and among the creations, at 75 % similarity; then all remaining
pairs, the most similar first, at 50 %, unless there are more than 1,000 × 1,000. Only regular files
are compared by similarity.

*Similarity.* A file is cut into chunks that end at a line feed or after 64 bytes; each chunk is
hashed into one of 107,927 numbers, and the bytes of both files are counted by number. What both
have in common, over the larger size, is the similarity. Different chunks may share a number, and
the percentages that Git prints depend on it, so the same numbers are computed here. An unterminated
last chunk is left out, as by Git up to 2.43; later versions count it.
"""

from __future__ import annotations

from git_zdev.evidence.filespec import FilePair, FileSpec
from git_zdev.ground.values import Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

MAX_SCORE = 60000
MINIMUM_SCORE = MAX_SCORE // 2
BASENAME_SCORE = MAX_SCORE * 3 // 4
RENAME_LIMIT = 1000
_CANDIDATES = 4
"""How many sources are kept for one destination of the similarity matrix."""
_IDENTICAL = 100
"""How many identical sources are considered for one destination."""
_CHUNK = 64
_BUCKETS = 107927
_WORD = 0xFFFFFFFF


class Contents(Protocol):
    """What rename detection needs to know about a file's content."""

    def id(self, spec: FileSpec) -> str:
        """The object id of the content."""

    def data(self, spec: FileSpec) -> bytes:
        """The content as Git compares it."""

    def size(self, spec: FileSpec) -> int:
        """The size of the content in bytes."""

    def look_at(self, spec: FileSpec) -> None:
        """Note that Git has read the content."""

    def is_binary(self, spec: FileSpec) -> bool:
        """Whether Git takes the content for binary."""


def detect_renames(pairs: Sequence[FilePair], contents: Contents) -> list[FilePair]:
    """Join deletions and creations that are renames; a rename takes the place of its creation.

    Args:
        pairs: The changes in path order.
        contents: Access to both sides' content.
    """
    sources = [pair.old for pair in pairs if pair.is_deletion and not pair.unmerged]
    targets = [pair.new for pair in pairs if pair.is_creation]
    if not sources or not targets:
        return list(pairs)
    found = _Detection(sources, targets, contents).run()
    moved_away = {source.path for source, _ in found.values()}
    result = []
    for pair in pairs:
        if pair.is_creation and pair.new.path in found:
            source, score = found[pair.new.path]
            result.append(FilePair(source, pair.new, score, pair.unmerged))
        elif not (pair.is_deletion and pair.old.path in moved_away):
            result.append(pair)
    return result


class _Detection:
    """One run: the sources and targets that are left, and the renames found so far."""

    def __init__(
        self, sources: list[FileSpec], targets: list[FileSpec], contents: Contents
    ) -> None:
        self._sources = sources
        self._targets = targets
        self._contents = contents
        self._meter = Meter()
        self._chunks: dict[bytes, Chunks] = {}
        self._found: dict[bytes, tuple[FileSpec, int]] = {}
        self._used: set[bytes] = set()

    def run(self) -> dict[bytes, tuple[FileSpec, int]]:
        """The source and the score for each renamed target's path."""
        self._find_identical()
        self._find_by_basename()
        self._find_similar()
        return self._found

    def _record(self, source: FileSpec, target: FileSpec, score: int) -> None:
        self._found[target.path] = (source, score)
        self._used.add(source.path)

    def _left_sources(self) -> list[FileSpec]:
        return [source for source in self._sources if source.path not in self._used]

    def _left_targets(self) -> list[FileSpec]:
        return [target for target in self._targets if target.path not in self._found]

    def _find_identical(self) -> None:
        by_id: dict[str, list[FileSpec]] = {}
        for source in self._sources:
            by_id.setdefault(self._contents.id(source), []).append(source)
        for target in self._targets:
            same = by_id.get(self._contents.id(target), ())
            best = self._best_identical(same, target)
            if best is not None:
                self._record(best, target, MAX_SCORE)

    def _best_identical(self, same: Iterable[FileSpec], target: FileSpec) -> FileSpec | None:
        """The first unused source of the same content, one with the same base name preferred."""
        best = None
        looked_at = 0
        for source in same:
            if source.path in self._used or not _kinds_agree(source, target):
                continue
            if _basename(source.path) == _basename(target.path):
                return source
            best = best or source
            looked_at += 1
            if looked_at == _IDENTICAL:
                break
        return best

    def _find_by_basename(self) -> None:
        sources = _unique_basenames(self._left_sources())
        targets = _unique_basenames(self._left_targets())
        for name, source in sources.items():
            target = targets.get(name)
            if source is None or target is None:
                continue
            score = self._similarity(source, target, BASENAME_SCORE)
            if score >= BASENAME_SCORE:
                self._record(source, target, score)

    def _find_similar(self) -> None:
        sources, targets = self._left_sources(), self._left_targets()
        if not sources or len(sources) * len(targets) > RENAME_LIMIT * RENAME_LIMIT:
            # Git still has what it read in search of identical content.
            for target in targets:
                if target.in_work_tree:
                    self._contents.look_at(target)
            return
        measured = _Measured(sources, targets, self._contents, self._chunks_of, self._meter)
        matrix = [candidate for target in targets for candidate in measured.candidates(target)]
        matrix.sort(key=_rank)
        for score, _, source, target in matrix:
            if score < MINIMUM_SCORE:
                break
            if target.path not in self._found and source.path not in self._used:
                self._record(source, target, score)

    def _similarity(self, source: FileSpec, target: FileSpec, minimum: int) -> int:
        if not (source.is_regular and target.is_regular):
            return 0
        sizes = self._contents.size(source), self._contents.size(target)
        if sizes_rule_out(*sizes, minimum):
            return 0
        return self._meter.score(self._chunks_of(source), self._chunks_of(target), max(sizes))

    def _chunks_of(self, spec: FileSpec) -> Chunks:
        found = self._chunks.get(spec.path)
        if found is None:
            self._contents.look_at(spec)
            text = not self._contents.is_binary(spec)
            found = self._chunks[spec.path] = chunks(self._contents.data(spec), text=text)
        return found


class _Measured:
    """The similarities of many sources to many targets, without comparing every pair."""

    def __init__(
        self,
        sources: list[FileSpec],
        targets: list[FileSpec],
        contents: Contents,
        chunks_of: Callable[[FileSpec], Chunks],
        meter: Meter,
    ) -> None:
        self._sources = sources
        self._contents = contents
        self._chunks_of = chunks_of
        self._source_sizes = self._sizes(sources)
        self._namesakes: dict[bytes, set[int]] = {}
        self._inventory = Inventory(meter)
        target_sizes = self._sizes(targets)
        for position, source in enumerate(sources):
            self._namesakes.setdefault(_basename(source.path), set()).add(position)
            if source.is_regular and self._is_near(contents.size(source), target_sizes):
                self._inventory.add(position, chunks_of(source))

    def candidates(self, target: FileSpec) -> list[_Candidate]:
        """At most four sources, each in its slot.

        A better candidate replaces the first of the worst ones, so the order among equal ones,
        which decides between them later, is not the order of the sources. Beyond the first four, a
        source that shares nothing can only get in by its base name.
        """
        slots: list[_Candidate] = []
        scores = self._scores(target)
        namesakes = self._namesakes.get(_basename(target.path), set())
        first = range(min(_CANDIDATES, len(self._sources)))
        for position in sorted(namesakes.union(first, scores)):
            source = self._sources[position]
            candidate = (scores.get(position, 0), position in namesakes, source, target)
            if len(slots) < _CANDIDATES:
                slots.append(candidate)
                continue
            worst = max(range(_CANDIDATES), key=lambda slot: _rank(slots[slot]))
            if _rank(candidate) < _rank(slots[worst]):
                slots[worst] = candidate
        return slots

    def _scores(self, target: FileSpec) -> dict[int, int]:
        """The scores of the sources (by position) that have anything in common with a target."""
        if not target.is_regular:
            return {}
        size = self._contents.size(target)
        if not self._is_near(size, self._source_sizes):
            return {}
        shared = self._inventory.copied(self._chunks_of(target))
        sizes = ((position, self._contents.size(self._sources[position])) for position in shared)
        return {
            position: score_of(shared[position], max(other, size))
            for position, other in sizes
            if not sizes_rule_out(other, size, MINIMUM_SCORE)
        }

    def _sizes(self, specs: list[FileSpec]) -> frozenset[int]:
        return frozenset(self._contents.size(spec) for spec in specs if spec.is_regular)

    @staticmethod
    def _is_near(size: int, sizes: frozenset[int]) -> bool:
        return any(not sizes_rule_out(size, other, MINIMUM_SCORE) for other in sizes)


_Candidate = tuple[int, bool, FileSpec, FileSpec]
"""Score, whether the base names agree, source and target."""


def _rank(candidate: _Candidate) -> tuple[int, bool]:
    """Sort key: better candidates come first."""
    return -candidate[0], not candidate[1]


def _kinds_agree(source: FileSpec, target: FileSpec) -> bool:
    return (source.is_regular and target.is_regular) or source.mode == target.mode


def _basename(path: bytes) -> bytes:
    return path[path.rfind(b"/") + 1 :]


def _unique_basenames(specs: Iterable[FileSpec]) -> dict[bytes, FileSpec | None]:
    """The file with each base name; None for a name that occurs more than once."""
    names: dict[bytes, FileSpec | None] = {}
    for spec in specs:
        name = _basename(spec.path)
        names[name] = None if name in names else spec
    return names


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
    """Count a line of any length, given without its line feed."""
    start = 0
    while len(line) - start >= _CHUNK:
        chunk = line[start : start + _CHUNK]
        counts[chunk] = counts.get(chunk, 0) + _CHUNK
        start += _CHUNK
    if line.endswith(b"\n") and start < len(line):
        rest = line[start:-1]
        counts[rest] = counts.get(rest, 0) + len(rest) + 1


def score_of(copied: int, larger: int) -> int:
    """The similarity, from 0 to 60000, of two files that share that many bytes."""
    return int(copied * float(MAX_SCORE) / larger) if larger else 0


class Meter:
    """Measures similarities, and keeps the numbers of the chunks that it has seen."""

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}

    def score(self, old: Chunks, new: Chunks, larger: int) -> int:
        """The similarity of two files; ``larger`` is the size of the larger one in bytes."""
        return score_of(self._copied(old, new), larger)

    def numbers(self, found: Chunks) -> dict[int, int]:
        """The number of bytes of a file for each chunk number."""
        counts: dict[int, int] = {}
        for chunk, count in found.items():
            number = self._number(chunk)
            counts[number] = counts.get(number, 0) + count
        return counts

    def _copied(self, old: Chunks, new: Chunks) -> int:
        """The number of bytes of the old content that the new content has as well.

        Chunks that both have cancel out before anything is hashed; only the rest can collide with a
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

    For one file it visits only the files that share a number with it, which are few even among
    thousands.
    """

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._holders: dict[int, list[tuple[int, int]]] = {}

    def add(self, position: int, found: Chunks) -> None:
        """Add a file under a number of the caller's choice."""
        for number, count in self._meter.numbers(found).items():
            self._holders.setdefault(number, []).append((position, count))

    def copied(self, found: Chunks) -> dict[int, int]:
        """For each file that shares anything, how many of its bytes this file has as well."""
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
