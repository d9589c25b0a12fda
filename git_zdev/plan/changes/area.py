"""Areas: their creation, branch, parent, anchor and lifecycle, planned as values.

The rules between areas: no two isolated areas have one branch, all trunk areas have the
trunk, the two never share a branch, and parents make no cycle.
"""

from __future__ import annotations

import os

from git_zdev.ground.changeset import ChangeSet, CommitPlan, FileChange, Place
from git_zdev.ground.errors import InvalidInput, Problem, ZdevError, summary_of
from git_zdev.ground.text import counted, quoted
from git_zdev.ground.values import dataclass, replace
from git_zdev.plan.areas import load_areas, load_project, read_areas
from git_zdev.plan.bases import anchor_for, area_branch, effective_base
from git_zdev.plan.changes.files import edited, require_committed
from git_zdev.plan.records import edit, index_file, render
from git_zdev.plan.records.codec import invalid_records
from git_zdev.plan.records.model import AREA_FIELDS, VERSION
from git_zdev.plan.records.store import PlannedSource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from git_zdev.git.port import Refs, Repository
    from git_zdev.ground.paths import PlanRoot
    from git_zdev.plan.bases import EffectiveBase
    from git_zdev.plan.records.model import Area, Lifecycle, Mode, Project, Task
    from git_zdev.plan.records.store import RecordSource


@dataclass(frozen=True, slots=True)
class Planned:
    """An area as it will be, and the files to write.

    Attributes:
        area: The area after the change.
        branch: The branch it works on: its own, or the trunk.
        change: The files; none if the record is already so.
    """

    area: Area
    branch: str | None
    change: ChangeSet


def areas_by_tag(source: RecordSource) -> dict[str, Area]:
    """Every area, in the order of the tags.

    Their relations are not checked: the planned change may repair them, and :func:`require_sound`
    checks the result.

    Raises:
        InvalidInput: ``invalid-records`` with the problems of every ``area.toml``.
        ZdevError: ``not-initialized``.
    """
    load_project(source)
    problems: list[Problem] = []
    found = read_areas(source, problems)
    if problems:
        raise invalid_records(problems)
    return {tag: area for tag, area in found.items() if area is not None}


def require_sound(source: RecordSource, change: ChangeSet) -> None:
    """Refuse a plan after which the project and its areas would be inconsistent.

    Raises:
        InvalidInput: ``invalid-records`` with what is wrong between them then.
    """
    files = {one.path: one.new for one in change.changes if one.place == Place.PLAN_ROOT}
    load_areas(PlannedSource(source, files))


def require_area(tag: str, areas: Mapping[str, Area]) -> Area:
    """The area of that name.

    Raises:
        ZdevError: ``unknown-area``.
    """
    if tag in areas:
        return areas[tag]
    known = ", ".join(areas) or "none yet"
    raise ZdevError("unknown-area", f"there is no area {quoted(tag)}", f"The areas are: {known}")


def plan_create(
    area: Area,
    *,
    project: Project,
    areas: Mapping[str, Area],
    source: RecordSource,
    refs: Refs,
) -> Planned:
    """Plan a new area; branches are only read.

    Args:
        area: What it will be, without its anchor.
        project: The project.
        areas: The existing areas.
        source: The record files.
        refs: Branches and ancestry.

    Raises:
        InvalidInput: ``invalid-area`` with every value that cannot be written.
        ZdevError: ``area-exists``, ``path-exists``, ``project-trunk-unbound``, ``branch-owned`` or
            ``unrelated-history``.
    """
    _require_values(area)
    if area.tag in areas:
        raise ZdevError("area-exists", f"the area {area.tag} already exists", "Choose another tag")
    if source.names(area.folder):
        raise ZdevError(
            "path-exists",
            f"{area.folder} holds files, but is not an area",
            "Move them away, or choose another tag",
        )
    area, branch = _settled(area, project, areas, refs)
    files = {
        f"{area.folder}/area.toml": render.render_area(area),
        f"{area.folder}/brief.md": render.render_brief(area),
        f"{area.folder}/TASKS.md": index_file.render_index(area.tag, (), {}),
    }
    changes = tuple(FileChange(path, None, data) for path, data in files.items())
    return _sound(Planned(area, branch, ChangeSet("area create", changes)), source)


def plan_bind(
    area: Area,
    branch: str | None,
    *,
    project: Project,
    areas: Mapping[str, Area],
    source: RecordSource,
    refs: Refs,
) -> Planned:
    """Plan another branch for an area, with its anchor.

    Args:
        area: The area as it is.
        branch: Its new branch; None for the trunk.
        project: The project.
        areas: Every area.
        source: The record files.
        refs: Branches and ancestry.

    Raises:
        InvalidInput: ``invalid-area`` for a branch name that Git would not accept.
        ZdevError: ``area-has-parent``, ``project-trunk-unbound``, ``branch-owned`` or
            ``unrelated-history``; ``effective-base-missing`` if an anchor would be lost because
            none can be found.
    """
    if branch is None and area.parent is not None:
        raise ZdevError(
            "area-has-parent",
            f"{area.tag} has the parent {area.parent}, and a trunk area has none",
            f"Run `git zdev area parent {area.tag} --remove` first",
        )
    mode: Mode = "trunk" if branch is None else "isolated"
    wanted = replace(area, mode=mode, branch=branch, base_commit=None)
    _require_values(wanted)
    if mode == "isolated" and area.base_commit is not None:
        _require_base(effective_base(wanted, areas, project), area, refs)
    after, branch = _settled(wanted, project, areas, refs)
    return _sound(Planned(after, branch, _edited("area bind", after, source)), source)


def plan_parent(
    area: Area, parent: str | None, *, areas: Mapping[str, Area], source: RecordSource
) -> Planned:
    """Plan another parent for an area, or none; its anchor stays.

    Raises:
        ZdevError: ``unknown-area``, ``trunk-area-parent`` or ``parent-cycle``.
    """
    if parent is not None:
        require_area(parent, areas)
        if area.mode == "trunk":
            raise ZdevError(
                "trunk-area-parent",
                f"{area.tag} works on the trunk and has no other base",
                f"Run `git zdev area bind {area.tag} <branch>` first",
            )
        _require_no_cycle(area.tag, parent, areas)
    after = replace(area, parent=parent)
    return _sound(Planned(after, area.branch, _edited("area parent", after, source)), source)


def plan_lifecycle(
    area: Area, lifecycle: Lifecycle, *, tasks: Sequence[Task], source: RecordSource
) -> Planned:
    """Plan the closing or reopening of an area.

    Raises:
        ZdevError: ``area-has-open-tasks`` naming them.
    """
    open_tasks = [task.id for task in tasks if task.status == "open"]
    if lifecycle == "closed" and open_tasks:
        raise ZdevError(
            "area-has-open-tasks",
            f"{area.tag} has {counted(len(open_tasks), 'open task')}: {', '.join(open_tasks[:5])}"
            f"{' …' if len(open_tasks) > 5 else ''}",
            "Complete them with `git zdev task done` first",
            details={"open_tasks": open_tasks},
        )
    after = replace(area, lifecycle=lifecycle)
    words = "area close" if lifecycle == "closed" else "area reopen"
    return Planned(after, area.branch, _edited(words, after, source))


def require_open(area: Area) -> None:
    """Refuse a closed area.

    Raises:
        ZdevError: ``area-closed``.
    """
    if area.lifecycle == "closed":
        raise ZdevError(
            "area-closed",
            f"the area {area.tag} is closed",
            f"Run `git zdev area reopen {area.tag}` first",
        )


def _settled(
    area: Area, project: Project, areas: Mapping[str, Area], refs: Refs
) -> tuple[Area, str]:
    """The area with its anchor, and its branch, which no other area claims."""
    branch = area_branch(area, project)
    if branch is None:
        raise ZdevError(
            "project-trunk-unbound",
            "the project has no trunk for the area to work on",
            "Run `git zdev config trunk <branch>` first",
        )
    _require_ownership(area, branch, project, areas)
    if area.mode == "trunk":
        return area, branch
    base = effective_base(area, areas, project)
    return replace(area, base_commit=anchor_for(refs, branch, base)), branch


def _require_base(base: EffectiveBase, area: Area, refs: Refs) -> None:
    """Refuse to take a new anchor from a base branch that is not there."""
    if base.branch is None or refs.branch_tip(base.branch) is not None:
        return
    from git_zdev.plan.bases import missing_base

    head = refs.head()
    unborn = head.branch if head.commit is None else None
    raise ZdevError(
        "effective-base-missing",
        f"the base branch {base.branch} of {area.tag} does not exist, so no anchor can take the "
        "place of the recorded one",
        missing_base(base.kind, base.area, base.branch, unborn),
    )


def _require_values(area: Area) -> None:
    problems = list(_value_problems(area))
    if problems:
        raise InvalidInput(
            "invalid-area",
            f"the area cannot be recorded: {summary_of(problems, placed=False)}",
            problems,
            "Give different values; nothing was recorded",
        )


def _value_problems(area: Area) -> Iterator[Problem]:
    for field in AREA_FIELDS:
        value = None if field is VERSION else getattr(area, field.name)
        fault = None if value is None or field.rule is None else field.rule(value)
        if fault is not None:
            yield Problem(fault.code, f"the {field.name} {fault.message}")


def _require_ownership(
    area: Area, branch: str, project: Project, areas: Mapping[str, Area]
) -> None:
    for other in areas.values():
        shares = area.mode == other.mode == "trunk"
        if other.tag != area.tag and not shares and area_branch(other, project) == branch:
            kind = "trunk area" if other.mode == "trunk" else "area"
            raise ZdevError(
                "branch-owned",
                f"the {kind} {other.tag} works on the branch {branch}, which cannot be shared",
                "Choose another branch",
                details={"area": other.tag, "branch": branch},
            )


def _require_no_cycle(tag: str, parent: str, areas: Mapping[str, Area]) -> None:
    chain = [tag]
    following: str | None = parent
    while following is not None and following not in chain[1:]:
        chain.append(following)
        if following == tag:
            raise ZdevError(
                "parent-cycle",
                f"the parents would make a cycle: {' → '.join(chain)}",
                "Choose a parent outside of it",
            )
        above = areas.get(following)
        following = above.parent if above is not None else None


def _sound(planned: Planned, source: RecordSource) -> Planned:
    require_sound(source, planned.change)
    return planned


def _edited(words: str, area: Area, source: RecordSource) -> ChangeSet:
    path = f"{area.folder}/area.toml"
    return ChangeSet(words, edited(path, source, lambda data: edit.edit_area(data, area)))


def require_tracked(area: Area, root: PlanRoot, repository: Repository) -> None:
    """Refuse to commit the anchor of a record that Git does not track.

    Raises:
        ZdevError: ``record-not-tracked``.
    """
    path = root.git_path(f"{area.folder}/area.toml")
    if path not in repository.head_tree_entries(path):
        raise ZdevError(
            "record-not-tracked",
            f"HEAD does not track {os.fsdecode(path)}",
            "Commit the area first, or run the command without --commit",
        )


def plan_anchor(
    area: Area,
    base_commit: str | None,
    *,
    source: RecordSource,
    commit: tuple[Repository, PlanRoot] | None = None,
) -> ChangeSet:
    """Plan another anchor for an area.

    Args:
        area: The area as it is recorded.
        base_commit: The new anchor.
        source: The record files.
        commit: The repository and where the plan is in the work tree, if the record will be
            committed too.

    Raises:
        ZdevError: ``records-changed`` when ``area.toml`` is to be committed and has other changes.
    """
    path = f"{area.folder}/area.toml"
    after = replace(area, base_commit=base_commit)
    changes = edited(path, source, lambda data: edit.edit_area(data, after))
    if commit is None or not changes:
        return ChangeSet("area rebase", changes)
    repository, root = commit
    name, key = root.in_work_tree(path), root.git_path(path)
    staged = next((entry for entry in repository.entries(key) if entry.path == key), None)
    tracked = repository.head_tree_entries(key).get(key)
    require_committed({name: (tracked, staged, changes[0].old)}, repository)
    message = f"Record the base commit of {area.tag}\n"
    return ChangeSet("area rebase", changes, CommitPlan(message, (name,)))
