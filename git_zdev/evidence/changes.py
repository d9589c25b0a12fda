"""What changed from HEAD to the index and from the index to the work tree, before renames.

libgit2's two walks say which paths to look at; Git's own rules (git-diff-files(1) and
git-diff-index(1)) decide here. Intent-to-add entries exist only in the work tree. Entries that are
assume-unchanged or skip-worktree are not compared. A size that differs from the recorded one is a
change for the status, whatever the content. A submodule is compared only by its commit.
"""

from __future__ import annotations

import stat

from git_zdev.evidence.filespec import NULL_ID, FilePair, FileSpec, absent, unmerged
from git_zdev.evidence.ignore import ignores_of
from git_zdev.evidence.untracked import Listing
from git_zdev.git.model import GITLINK, SYMLINK, tracked_mode
from git_zdev.git.read.index import require_mode
from git_zdev.git.read.walks import Delta, nothing
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.values import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

    from git_zdev.evidence.contents import Contents
    from git_zdev.git.model import IndexEntry, TreeEntry
    from git_zdev.git.read.index import Index
    from git_zdev.git.read.worktree import WorkTree

_SIZE_FIELD = 0xFFFFFFFF


@dataclass(slots=True)
class Special:
    """The index entries that need a rule of their own.

    Attributes:
        stages: For every unmerged path its entries by stage.
        added_later: Intent-to-add entries.
        kept_out: Entries marked skip-worktree.
        gitlinks: Submodules.
    """

    stages: dict[bytes, dict[int, IndexEntry]] = field(default_factory=dict)
    added_later: dict[bytes, IndexEntry] = field(default_factory=dict)
    kept_out: dict[bytes, IndexEntry] = field(default_factory=dict)
    gitlinks: dict[bytes, IndexEntry] = field(default_factory=dict)

    @property
    def has_gitlinks(self) -> bool:
        """Whether a submodule is recorded, even in conflict."""
        in_conflict = (entry for found in self.stages.values() for entry in found.values())
        return bool(self.gitlinks) or any(entry.mode == GITLINK for entry in in_conflict)

    def __contains__(self, path: bytes) -> bool:
        return (
            path in self.stages
            or path in self.added_later
            or path in self.kept_out
            or path in self.gitlinks
        )


def special_entries(index: Index) -> Special:
    """Sort out the entries that need a rule of their own."""
    special = Special()
    for entry in index.special_entries():
        if entry.stage:
            special.stages.setdefault(entry.path, {})[entry.stage] = entry
        elif entry.intent_to_add:
            special.added_later[entry.path] = entry
        elif entry.skip_worktree:
            special.kept_out[entry.path] = entry
        elif entry.mode == GITLINK:
            special.gitlinks[entry.path] = entry
    return special


def staged_changes(look: WorkTree, special: Special, head: str | None) -> list[FilePair]:
    """The changes from a commit (None if there is none yet) to the index, in path order."""
    index, objects = look.index, look.objects
    tree = None if head is None else objects.commit(head).tree
    if look.replacements and tree is not None:
        deltas = _compare_in_full(look, tree)
    else:
        deltas = _compare(look, tree)
    for delta in deltas:
        if delta.new_mode:
            require_mode(delta.path, delta.new_mode)
    if tree is not None and deltas and not look.replacements:
        index.require_agreement(tree, [delta.path for delta in deltas], objects)
    pairs = [
        FilePair(
            _side(delta.path, delta.old_mode, delta.old_id),
            _side(delta.path, delta.new_mode, delta.new_id),
        )
        for delta in deltas
        if delta.path not in special.stages and delta.path not in special.added_later
    ]
    pairs += [unmerged(path) for path in special.stages]
    for path in special.added_later:
        found = _in_tree(look, tree, path)
        if found is not None:
            pairs.append(FilePair(FileSpec(path, found.mode, found.blob), absent(path)))
    return sorted(pairs, key=_path)


def _compare(look: WorkTree, tree: str | None) -> list[Delta]:
    """The differences between a tree, None for an empty one, and the index."""
    try:
        deltas = look.staged(tree)
    except ZdevError as error:
        if tree is None or error.code != "missing-object":
            raise
        return _compare_in_full(look, tree, look.index.trees())
    return deltas + list(_hidden_additions(look, tree, {delta.path for delta in deltas}))


def _hidden_additions(look: WorkTree, tree: str | None, known: Container[bytes]) -> Iterator[Delta]:
    """The added entries that libgit2 leaves out because they are assumed to be unchanged."""
    for entry in look.index.hidden_entries():
        if (
            entry.assume_unchanged
            and not entry.stage
            and entry.path not in known
            and _in_tree(look, tree, entry.path) is None
        ):
            yield Delta(entry.path, 0, entry.mode, NULL_ID, entry.blob)


def _in_tree(look: WorkTree, tree: str | None, path: bytes) -> TreeEntry | None:
    return None if tree is None else look.objects.files(tree, path).get(path)


def _compare_in_full(
    look: WorkTree, tree: str, remembered: Mapping[bytes, str] | None = None
) -> list[Delta]:
    """The differences of every file of the tree.

    libgit2 would miss replaced objects, and reads the trees that Git does without: of the folders
    that the index remembers as they are.
    """
    passed: list[bytes] = []

    def spares(folder: bytes, found: str) -> bool:
        is_known = known.get(folder) == found
        if is_known:
            passed.append(folder)
        return is_known

    known = remembered or {}
    files = look.objects.files(tree, spares=spares)
    before = {path: (entry.mode, entry.blob) for path, entry in files.items()}
    left_out = tuple(passed)
    after = {
        entry.path: (entry.mode, entry.blob)
        for entry in look.index.entries()
        if not entry.stage and not entry.path.startswith(left_out)
    }
    gone = (0, "")
    return [
        Delta(path, old[0], new[0], old[1], new[1])
        for path in sorted(before.keys() | after)
        if (old := before.get(path, gone)) != (new := after.get(path, gone))
    ]


def _side(path: bytes, mode: int, object_id: str) -> FileSpec:
    return FileSpec(path, mode, object_id) if mode else absent(path)


def _path(pair: FilePair) -> bytes:
    return pair.new.path


class WorkTreeChanges:
    """The changes from the index to the work tree, and the untracked paths.

    Attributes:
        pairs: The changes in path order; for an unmerged path its marker, and after it the
            comparison with stage 2.
        conflicts: The unmerged paths that have stages 2 and 3, as they are in the work tree; the
            diff shows them in combined form.
        replaced: Files whose content is what their entry names, while another object replaces it.
            Git compares them again, and the diff, not the status, shows that.
        untracked: Paths that are neither tracked nor ignored; a nested repository ends in a
            slash.
    """

    def __init__(
        self,
        tree: WorkTree,
        special: Special,
        contents: Contents,
        *,
        meanwhile: Callable[[], None] = nothing,
    ) -> None:
        """Look.

        Args:
            tree: The work tree.
            special: The index's special entries.
            contents: Reads and converts files.
            meanwhile: Called while the walk goes on, or before it; see ``index_to_work_tree``.
        """
        self._tree = tree
        self._index = tree.index
        self._special = special
        self._contents = contents
        config = tree.config
        self._sparse = config.get_bool("core.sparseCheckout", default=False) and not (
            config.get_bool("sparse.expectFilesOutsideOfPatterns", default=False)
        )
        self.untracked: list[bytes] = []
        self.pairs: list[FilePair] = []
        self.conflicts: dict[bytes, FileSpec] = {}
        self.replaced: list[FilePair] = []
        self._collect(meanwhile)

    def _collect(self, meanwhile: Callable[[], None]) -> None:
        ignores = ignores_of(self._tree)
        for folder in (b"", *self._index.folders_with(b".gitignore")):
            ignores.read_folder(folder)  # libgit2 would wait for a FIFO in its place
        listing = Listing(self._tree, ignores)
        suspects = walk(self._tree, self._contents, listing, meanwhile)
        found = [self._compare(entry) for entry in self._entries(suspects)]
        self.pairs = [pair for pair in found if pair is not None]
        for path, stages in self._special.stages.items():
            self.pairs.append(self._unmerged(stages[min(stages)]))
            if 2 in stages:
                pair = self._compare(stages[2])
                self.pairs += [] if pair is None else [pair]
            if 2 in stages and 3 in stages:
                self.conflicts[path] = self._in_conflict(path, stages)
        self.pairs.sort(key=_path)
        self.untracked = sorted(set(listing.paths))

    def _entries(self, suspects: Iterable[bytes]) -> Iterable[IndexEntry]:
        for path in suspects:
            entry = None if path in self._special else self._index.find(path)
            if entry is not None:
                yield entry
        yield from self._special.gitlinks.values()
        for entry in (*self._special.added_later.values(), *self._special.kept_out.values()):
            if not entry.skip_worktree or (self._sparse and self._tree.leads_anywhere(entry.path)):
                yield entry

    def _unmerged(self, entry: IndexEntry) -> FilePair:
        """The marker of an unmerged path, of which this is the first stage."""
        found = self._tree.stat(entry.path)
        if found is None or self._is_plain_folder(entry, found):
            return unmerged(entry.path)
        return unmerged(entry.path, self._tree.mode_of(entry.mode, found))

    def _compare(self, entry: IndexEntry) -> FilePair | None:
        """The change of one entry; None if it is unchanged."""
        if entry.assume_unchanged:
            return None
        old = FileSpec(entry.path, entry.mode, entry.blob)
        found = self._tree.stat(entry.path)
        if found is None or self._is_plain_folder(entry, found):
            return FilePair(old, absent(entry.path))
        new = FileSpec(entry.path, self._tree.mode_of(entry.mode, found))
        if entry.intent_to_add:
            return FilePair(absent(entry.path), new)
        if new.mode != old.mode or self._content_differs(old, new, found):
            return FilePair(old, new)
        if old.id in self._tree.replacements and not self._index.has_seen(old.path, found):
            self.replaced.append(FilePair(old, new))
        return None

    def _content_differs(self, old: FileSpec, new: FileSpec, found: os.stat_result) -> bool:
        """Whether the content of an entry changed; a size other than the recorded one decides it.

        A submodule without a commit counts as unchanged.
        """
        if new.is_gitlink:
            return self._tree.commit_at(new.path) not in (None, old.id)
        if self._is_vouched_for(new.path, found):
            return False
        recorded = self._index.recorded_size(new.path)
        if recorded not in (0, found.st_size & _SIZE_FIELD):
            return True
        return self._contents.id(new) != old.id

    def _is_vouched_for(self, path: bytes, found: os.stat_result) -> bool:
        """Whether there is no need to look at the content.

        For a file of the second in which the index was written, which is every file of a small
        checkout, Git would run its filter. The nanoseconds of the file's time decide instead.
        """
        return self._index.vouches_for(path, found) or (
            self._index.vouches_exactly(path, found)
            and self._contents.process_filter(path) is not None
        )

    def _in_conflict(self, path: bytes, stages: Mapping[int, IndexEntry]) -> FileSpec:
        """The work tree's side of a path with both sides, ``core.fileMode`` notwithstanding.

        Git looks at it through symbolic links on the way, unlike anywhere else. A folder that is
        no repository stands for a submodule without a commit where the first stage is one, else
        for nothing. Without ``core.symlinks`` a file stands for a link where both sides are links.
        """
        found = self._tree.lstat(path)
        if found is None:
            return absent(path)
        if stat.S_ISDIR(found.st_mode) and self._tree.commit_at(path) is None:
            return FileSpec(path, GITLINK if stages[min(stages)].mode == GITLINK else 0)
        if not self._tree.has_symlinks and all(stages[side].mode == SYMLINK for side in (2, 3)):
            return FileSpec(path, SYMLINK)
        return FileSpec(path, tracked_mode(found.st_mode))

    def _is_plain_folder(self, entry: IndexEntry, found: os.stat_result) -> bool:
        """Whether a folder is in the place of a file and is not a repository itself."""
        return (
            stat.S_ISDIR(found.st_mode)
            and entry.mode != GITLINK
            and self._tree.commit_at(entry.path) is None
        )


_FILE = b".gitattributes"
_FEW = 16
"""One in this many entries may be looked at without libgit2."""


def walk(
    tree: WorkTree, contents: Contents, listing: Listing, meanwhile: Callable[[], None]
) -> list[bytes]:
    """The tracked paths that may have changed; the untracked ones are listed meanwhile.

    Where times and sizes do not settle whether a file changed, libgit2 compares its content. Its
    conversions are not Git's: it knows no ``working-tree-encoding``, runs no filter, and
    distinguishes text from binary in another way. So libgit2's word does not count for files that
    may be converted:

    - The files below a folder whose own attribute file may convert are all judged here, while they
      are few. Every plan has such a folder.
    - Where more may be converted, or where objects are replaced, every file is judged here whose
      content libgit2 had to read.

    Args:
        tree: The work tree.
        contents: Knows how paths are converted.
        listing: Lists the untracked paths.
        meanwhile: Called while the walk goes on, or before it.
    """

    def both() -> None:
        listing.run()
        meanwhile()

    index = tree.index
    folders = [one for one in index.folders_with(_FILE) if contents.may_convert_below(one)]
    doubting = bool(tree.replacements) or contents.may_convert() or not _are_few(index, folders)
    found = tree.unstaged(doubting=doubting, meanwhile=both)
    listing.look_into(found)
    if doubting:
        return found
    folders += [one for one in listing.attribute_folders if contents.may_convert_below(one)]
    if not _are_few(index, folders):
        return tree.unstaged(doubting=True)
    doubtful = {path for folder in folders for path in index.paths_below(folder)}
    found.extend(doubtful.difference(found))
    return found


def _are_few(index: Index, folders: Sequence[bytes]) -> bool:
    return sum(map(index.count_below, folders)) <= len(index) // _FEW + 1
