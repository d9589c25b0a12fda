"""``git diff`` in its usual form: headers, hunks, binary files.

git-diff(1), "Generating patch text": ``a/`` and ``b/`` prefixes, three lines of context,
abbreviated ids. A change of type is a deletion and a creation. The ``--binary`` form differs for
binary files only: full ids and the content itself.
"""

from __future__ import annotations

from git_zdev.evidence.rules.filespec import FilePair, FileSpec, absent
from git_zdev.evidence.write.hunks import with_functions
from git_zdev.evidence.write.quoting import quote
from git_zdev.git.read.worktree import bare_patch, text_patch
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.text import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from git_zdev.evidence.look.contents import Contents
    from git_zdev.git.model import IndexEntry
    from git_zdev.git.read.repository import LibGit2Repository

_NOWHERE = b"/dev/null"
_COMPRESSION = ("core.looseCompression", "core.compression")
_FASTEST, _SLOWEST = 1, 9


class DiffWriter:
    """Writes the patch text of file pairs.

    Args:
        repository: The repository, for libgit2's hunks.
        contents: Both sides' contents.
        abbreviate: Shortens a full id.
        binary: Whether to write the ``--binary`` form.
    """

    def __init__(
        self,
        repository: LibGit2Repository,
        contents: Contents,
        abbreviate: Callable[[str], bytes],
        *,
        binary: bool,
    ) -> None:
        self._repository = repository
        self._contents = contents
        self._abbreviate = abbreviate
        self._binary = binary

    def write(self, pair: FilePair) -> bytes:
        """The text for one pair, empty where nothing has to be shown."""
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
            spec: The path as it stands in the work tree; one without a mode whose id is not known
                is a folder, which counts as empty.
            stages: Its entries; 2 and 3 are there.
        """
        from git_zdev.evidence.write.combined import Conflict, Side, combined_diff

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
            conflict, self._abbreviate, lambda *two: bare_patch(self._repository, *two)
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
        hunks = with_functions(text_patch(self._repository, old, new), old, test)
        labels = [name + (b"\t" if b" " in name else b"") for name in _labels(pair)]
        return b"--- %s\n+++ %s\n" % (labels[0], labels[1]) + hunks

    def _binary_body(self, pair: FilePair) -> bytes:
        old, new = self._contents.data(pair.old), self._contents.data(pair.new)
        if old == new or self._is_same_unread(pair):
            return b""
        if not self._binary:
            return b"Binary files %s and %s differ\n" % _labels(pair)
        from git_zdev.evidence.write.binary import LARGEST, binary_body

        if old and new and max(len(old), len(new)) > LARGEST:
            raise _too_large(pair.new.path)
        return binary_body(old, new, self._compression())

    def _is_same_unread(self, pair: FilePair) -> bool:
        """Whether Git goes by ids alone, though one of them stands for a replaced object."""
        sides = (pair.old, pair.new)
        return (
            not self._binary
            and all(side.is_regular and not self._contents.has_looked_at(side) for side in sides)
            and self._contents.id(pair.old) == self._contents.id(pair.new)
        )

    def _compression(self) -> int:
        """``core.looseCompression``, else ``core.compression``, else as fast as possible.

        Raises:
            ZdevError: ``invalid-git-config``.
        """
        config = self._repository.config
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
    from git_zdev.evidence.write.similarity import MAX_SCORE

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
