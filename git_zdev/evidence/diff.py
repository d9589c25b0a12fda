"""``git diff`` in its usual form: headers, hunks, binary files.

git-diff(1), "Generating patch text": ``a/`` and ``b/`` prefixes, three lines of context,
abbreviated ids. A change of type is a deletion and a creation. The ``--binary`` form differs only
for binary files, with full ids and the content itself.

libgit2 finds the hunks (Myers, indent heuristic, three lines of context). The text after the second
``@@`` is the nearest earlier line that starts a function, cut at 80 bytes and at the first byte
that is not UTF-8.
"""

from __future__ import annotations

from git_zdev.evidence.filespec import FilePair, FileSpec, absent
from git_zdev.evidence.status import quote
from git_zdev.evidence.userdiff import usual_function_line
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.text import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from git_zdev.evidence.contents import Contents
    from git_zdev.evidence.userdiff import FunctionLine
    from git_zdev.git.model import IndexEntry
    from git_zdev.git.read.worktree import WorkTree

_NOWHERE = b"/dev/null"
_COMPRESSION = ("core.looseCompression", "core.compression")
_FASTEST, _SLOWEST = 1, 9


class DiffWriter:
    """Writes the patch text of file pairs.

    Args:
        tree: The work tree, for libgit2's hunks.
        contents: Both sides' contents.
        abbreviate: Shortens a full id.
        binary: Whether to write the ``--binary`` form.
    """

    def __init__(
        self,
        tree: WorkTree,
        contents: Contents,
        abbreviate: Callable[[str], bytes],
        *,
        binary: bool,
    ) -> None:
        self._tree = tree
        self._contents = contents
        self._abbreviate = abbreviate
        self._binary = binary

    def write(self, pair: FilePair) -> bytes:
        """The text for one pair; empty if there is nothing to show."""
        if pair.unmerged:
            return b"* Unmerged path " + pair.old.path + b"\n"
        if pair.changes_type:
            gone = FilePair(pair.old, absent(pair.new.path))
            come = FilePair(absent(pair.old.path), pair.new)
            return self._write_one(gone) + self._write_one(come)
        return self._write_one(pair)

    def write_conflict(self, spec: FileSpec, stages: Mapping[int, IndexEntry]) -> bytes:
        """The combined diff of a path in conflict.

        Args:
            spec: The path as it is in the work tree; one without a mode whose id is not known
                is a folder, which counts as empty.
            stages: Its entries; 2 and 3 are there.
        """
        from git_zdev.evidence.combined import Conflict, Side, combined_diff

        sides = [FileSpec(spec.path, stages[number].mode, stages[number].blob) for number in (2, 3)]
        data = [self._contents.data(side) for side in sides]
        result = None if spec.id else self._contents.data(spec)
        binary = self._contents.path_is_binary(spec.path, [result or b"", *data])
        conflict = Conflict(
            spec.path,
            (Side(sides[0].id, sides[0].mode, data[0]), Side(sides[1].id, sides[1].mode, data[1])),
            spec.mode,
            result,
            binary,
        )
        return combined_diff(
            conflict, self._abbreviate, lambda *two: self._tree.hunks(*two, context=0)
        )

    def _write_one(self, pair: FilePair) -> bytes:
        binary = self._contents.pair_is_binary(pair)
        body = self._binary_body(pair) if binary else self._text_body(pair)
        modes = _mode_lines(pair)
        if not body and not modes and not pair.is_rename:
            return b""
        first = quote(pair.old.path, b"a/"), quote(pair.new.path, b"b/")
        header = b"diff --git %s %s\n" % first + modes + _rename_lines(pair)
        return header + self._index_line(pair, full=binary and self._binary) + body

    def _index_line(self, pair: FilePair, *, full: bool) -> bytes:
        ids = self._contents.id(pair.old), self._contents.id(pair.new)
        if ids[0] == ids[1]:
            return b""
        short = [one.encode("ascii") if full else self._abbreviate(one) for one in ids]
        mode = b" %06o" % pair.old.mode if pair.old.mode == pair.new.mode else b""
        return b"index " + short[0] + b".." + short[1] + mode + b"\n"

    def _text_body(self, pair: FilePair) -> bytes:
        old, new = self._contents.data(pair.old), self._contents.data(pair.new)
        if old == new:
            return b""
        test = (
            self._contents.driver(pair.old).function_line
            or self._contents.driver(pair.new).function_line
        )
        hunks = with_functions(self._tree.hunks(old, new, context=_CONTEXT), old, test)
        labels = [name + (b"\t" if b" " in name else b"") for name in _labels(pair)]
        return b"--- %s\n+++ %s\n" % (labels[0], labels[1]) + hunks

    def _binary_body(self, pair: FilePair) -> bytes:
        old, new = self._contents.data(pair.old), self._contents.data(pair.new)
        if old == new or self._is_same_unread(pair):
            return b""
        if not self._binary:
            return b"Binary files %s and %s differ\n" % _labels(pair)
        from git_zdev.evidence.binary import LARGEST, binary_body

        if old and new and max(len(old), len(new)) > LARGEST:
            raise _too_large(pair.new.path)
        return binary_body(old, new, self._compression())

    def _is_same_unread(self, pair: FilePair) -> bool:
        """Whether Git compares only ids, although one of them is that of a replaced object."""
        sides = (pair.old, pair.new)
        return (
            not self._binary
            and all(side.is_regular and not self._contents.has_looked_at(side) for side in sides)
            and self._contents.id(pair.old) == self._contents.id(pair.new)
        )

    def _compression(self) -> int:
        """``core.looseCompression``, otherwise ``core.compression``, otherwise the fastest level.

        Raises:
            ZdevError: ``invalid-git-config``.
        """
        config = self._tree.config
        key = next((key for key in _COMPRESSION if config.get(key) is not None), None)
        level = _FASTEST if key is None else config.get_int(key, default=_FASTEST)
        if not -1 <= level <= _SLOWEST:
            raise ZdevError(
                "invalid-git-config",
                f"{key} is {level}, but must be a level from -1 to {_SLOWEST}",
                f"Correct it with `git config {key} <level>`",
            )
        return level


def _labels(pair: FilePair) -> tuple[bytes, bytes]:
    return _label(pair.old, b"a/"), _label(pair.new, b"b/")


def _label(spec: FileSpec, prefix: bytes) -> bytes:
    return quote(spec.path, prefix) if spec.exists else _NOWHERE


def _mode_lines(pair: FilePair) -> bytes:
    if pair.is_creation:
        return b"new file mode %06o\n" % pair.new.mode
    if pair.is_deletion:
        return b"deleted file mode %06o\n" % pair.old.mode
    if pair.old.mode != pair.new.mode:
        return b"old mode %06o\nnew mode %06o\n" % (pair.old.mode, pair.new.mode)
    return b""


def _rename_lines(pair: FilePair) -> bytes:
    if not pair.is_rename:
        return b""
    from git_zdev.evidence.rename import MAX_SCORE

    names = quote(pair.old.path), quote(pair.new.path)
    percent = pair.score * 100 // MAX_SCORE
    return b"similarity index %d%%\nrename from %s\nrename to %s\n" % (percent, *names)


def _too_large(path: bytes) -> ZdevError:
    name = printable(path)
    return ZdevError(
        "binary-change-too-large",
        f"{name} is too large for a binary patch of its change",
        "Commit the change in the nested repository, or ignore that one",
        details={"path": name},
    )


_HEADER_BUFFER = 128
_CONTEXT = 3


def with_functions(patch: bytes, old: bytes, function_line: FunctionLine | None) -> bytes:
    """The hunks of libgit2's patch, each header with Git's function text.

    Args:
        patch: libgit2's patch, its file header included.
        old: The content before, in which functions are searched.
        function_line: The driver's test; None for the usual one.
    """
    test = function_line or usual_function_line
    lines = old.splitlines(keepends=True) if b"\r" not in old else _lines(old)
    function = b""
    searched = 0
    out = []
    for ranges, start, body in _hunks(patch):
        for position in range(start - 1, searched - 1, -1):
            found = test(lines[position])
            if found is not None:
                function = found
                break
        searched = max(searched, start)
        out += [_hunk_header(ranges, function), body]
    return b"".join(out)


def _hunks(patch: bytes) -> Iterator[tuple[bytes, int, bytes]]:
    """For each hunk ``@@ … @@``, the number of old lines before it, and its lines."""
    for hunk in (b"\n" + patch).split(b"\n@@ -")[1:]:
        header, _, body = hunk.partition(b"\n")
        ranges = header[: header.index(b" @@")]
        first, _, count = ranges[: ranges.index(b" ")].partition(b",")
        before = int(first) - (count != b"0")
        yield b"@@ -" + ranges + b" @@", before, body if body.endswith(b"\n") else body + b"\n"


def _hunk_header(ranges: bytes, function: bytes) -> bytes:
    if not function:
        return ranges + b"\n"
    text = function[: _HEADER_BUFFER - len(ranges) - 2]
    return ranges + b" " + valid_prefix(text) + b"\n"


def valid_prefix(text: bytes) -> bytes:
    """The text before the first byte that is not valid UTF-8, or before a noncharacter."""
    if text.isascii():
        return text
    try:
        decoded = text.decode("utf-8")
    except UnicodeDecodeError as error:
        decoded = text[: error.start].decode("utf-8")
    for noncharacter in ("\ufffe", "\uffff"):
        decoded = decoded.partition(noncharacter)[0]
    return decoded.encode("utf-8")


def _lines(data: bytes) -> list[bytes]:
    lines = [line + b"\n" for line in data.split(b"\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines
