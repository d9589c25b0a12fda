"""The import of a task bundle, with or without a commit, planned as values."""

from __future__ import annotations

from git_zdev.ground.changeset import ChangeSet, CommitPlan, FileChange
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.values import dataclass
from git_zdev.plan import bundle as bundles
from git_zdev.plan.changes.task import index_change
from git_zdev.plan.records.model import CONFIG_PATH, GITATTRIBUTES_PATH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from git_zdev.evidence.survey import ChangedPaths
    from git_zdev.ground.paths import PlanRoot
    from git_zdev.plan.areas import AreaRecords
    from git_zdev.plan.records.model import Bundle
    from git_zdev.plan.records.store import RecordSource

COMMAND = "tasks import"


@dataclass(frozen=True, slots=True)
class Import:
    """A planned import.

    Attributes:
        tasks: The new ids in the order of the drafts.
        ready: The whole ready frontier after the import, in id order.
        change: The files, and the commit if one is requested.
    """

    tasks: tuple[str, ...]
    ready: tuple[str, ...]
    change: ChangeSet


@dataclass(frozen=True, slots=True)
class Tracked:
    """What Git knows about the plan's files.

    Attributes:
        root: Where the plan is in the work tree.
        in_head: Paths of HEAD's tree, relative to the work tree.
        changed: The work tree's changed paths.
    """

    root: PlanRoot
    in_head: Collection[bytes]
    changed: ChangedPaths

    def is_in_head(self, path: str) -> bool:
        """Whether HEAD's tree holds a record file."""
        return self.root.git_path(path) in self.in_head

    def below(self, folder: str, paths: Iterable[bytes]) -> set[str]:
        """Those of some paths of the work tree that lie in a record folder, as record paths."""
        prefix = self.root.git_path(f"{folder}/")
        start = len(self.root.git_path(""))
        return {
            path[start:].decode("utf-8", "backslashreplace")
            for path in paths
            if path.startswith(prefix)
        }


def plan_import(records: AreaRecords, bundle: Bundle) -> Import:
    """Plan the files of an import.

    Raises:
        InvalidInput: ``invalid-bundle`` with everything that does not fit the area.
        ZdevError: ``area-closed``.
    """
    plan = bundles.plan_import(records, bundle)
    files = [FileChange(task.path, None, task.source) for task in plan.tasks]
    files.append(index_change(records, plan.records.graph))
    ids = tuple(task.id for task in plan.tasks)
    return Import(ids, plan.ready, ChangeSet(COMMAND, tuple(files)))


def plan_import_commit(
    records: AreaRecords,
    bundle: Bundle,
    *,
    source: RecordSource,
    tracked: Tracked,
    message: Callable[[str], str],
) -> Import:
    """Plan an import and the commit that holds it.

    The commit takes the new tasks and ``TASKS.md``, the brief if Git tracks it and it was edited,
    and the first time the files on which the area depends. Any other change of the area would be
    left out or swept in, and is refused.

    Args:
        records: The area.
        bundle: The drafts.
        source: The record files.
        tracked: What Git knows of them.
        message: Makes the whole message from the subject.

    Raises:
        InvalidInput: ``invalid-bundle`` with everything that does not fit the area.
        ZdevError: ``area-closed``, ``area-partly-tracked`` with the files that no commit holds
            while others of the area are committed, or ``area-has-changes`` with the paths.
    """
    plan = plan_import(records, bundle)
    _require_whole_area(records, tracked)
    standing = [
        FileChange(path, data, data)
        for path, data in _foundation(records, bundle, source)
        if _belongs(path, records, tracked)
    ]
    managed = {change.path for change in (*standing, *plan.change.changes)}
    _require_no_other_changes(records, tracked, managed)
    files = (*standing, *plan.change.changes)
    commit = CommitPlan(
        message(f"Add tasks to {records.area.tag}"),
        tuple(tracked.root.in_work_tree(change.path) for change in files),
    )
    return Import(plan.tasks, plan.ready, ChangeSet(COMMAND, files, commit))


def _foundation(
    records: AreaRecords, bundle: Bundle, source: RecordSource
) -> list[tuple[str, bytes]]:
    """The files on which new tasks depend, with their bytes, in the order of the result."""
    area = records.area
    keys = sorted({draft.slice for draft in bundle.drafts if draft.slice is not None})
    paths = [
        GITATTRIBUTES_PATH,
        CONFIG_PATH,
        f"{area.folder}/area.toml",
        f"{area.folder}/brief.md",
        *(records.slices[key].path for key in keys if key in records.slices),
    ]
    found = ((path, source.read(path)) for path in paths)
    return [(path, data) for path, data in found if data is not None]


def _belongs(path: str, records: AreaRecords, tracked: Tracked) -> bool:
    """Whether a file on which the tasks depend goes into the commit."""
    if not tracked.is_in_head(path):
        return True
    is_brief = path == f"{records.area.folder}/brief.md"
    return is_brief and tracked.root.git_path(path) in tracked.changed.unstaged


def _require_whole_area(records: AreaRecords, tracked: Tracked) -> None:
    """Refuse an area of whose files only some are committed.

    A file that is missing from HEAD was removed by somebody, who must decide about it.
    """
    folder = records.area.folder
    made_of = [f"{folder}/area.toml", f"{folder}/brief.md", records.index_path]
    missing = [path for path in made_of if not tracked.is_in_head(path)]
    if missing and tracked.below(folder, tracked.in_head):
        raise ZdevError(
            "area-partly-tracked",
            f"{folder} is committed only in part: {', '.join(missing)} "
            f"{'is' if len(missing) == 1 else 'are'} not",
            "Commit the rest of the area first",
            details={"paths": missing},
        )


def _require_no_other_changes(
    records: AreaRecords, tracked: Tracked, managed: Collection[str]
) -> None:
    changed, folder = tracked.changed, records.area.folder
    staged = tracked.below(folder, (*changed.staged, *changed.unmerged))
    unstaged = tracked.below(folder, changed.unstaged)
    other = tracked.below(folder, changed.untracked) | unstaged
    other.difference_update(managed)
    # A managed path may be staged only if it is what the commit will contain: new, as it is.
    other |= {
        path
        for path in staged
        if path not in managed or path in unstaged or tracked.is_in_head(path)
    }
    if other:
        listed = ", ".join(sorted(other))
        raise ZdevError(
            "area-has-changes",
            f"{folder} has other changes than the import: {listed}",
            "Commit or stash them first",
            details={"paths": sorted(other)},
        )
