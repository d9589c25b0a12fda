"""The project's own record: its creation, its settings and its removal, planned as values."""

from __future__ import annotations

import os

from git_zdev.ground.changeset import ChangeSet, CommitPlan, FileChange, Place
from git_zdev.ground.errors import InvalidInput, Problem, ZdevError
from git_zdev.ground.text import quoted
from git_zdev.ground.values import dataclass, replace
from git_zdev.plan.areas import load_project
from git_zdev.plan.changes.area import require_area, require_sound
from git_zdev.plan.changes.files import edited, require_committed
from git_zdev.plan.records import edit, render
from git_zdev.plan.records.model import (
    CONFIG_PATH,
    GITATTRIBUTES_PATH,
    PROJECT_FIELDS,
    RECORD_ROOT,
    Area,
    Project,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from git_zdev.git.port import Refs, Repository
    from git_zdev.ground.paths import PlanRoot
    from git_zdev.plan.records.model import RecordPolicy
    from git_zdev.plan.records.store import RecordSource

MESSAGE = f"Remove the plan below {RECORD_ROOT}"
EXCLUDE_FILE = "info/exclude"
SETTINGS = tuple(field.name for field in PROJECT_FIELDS)
READ_ONLY = tuple(field.name for field in PROJECT_FIELDS if field.required)


@dataclass(frozen=True, slots=True)
class Initialized:
    """What ``init`` plans.

    Attributes:
        project: The project as it is, or will be.
        exclude: The ignore pattern of a personal record; None for the others.
        change: What is to be written; no files when everything is there.
    """

    project: Project
    exclude: str | None
    change: ChangeSet


@dataclass(frozen=True, slots=True)
class TrunkMove:
    """What another trunk means for the areas that work on it.

    Attributes:
        affected: Tags of the trunk areas, sorted.
        previous: The trunk before; None while unbound.
        old_tip: Its commit; None if the branch does not exist.
        new_tip: The new trunk's commit; None if the branch does not exist.
        old_is_ancestor: Whether the new tip contains the old one; None if it cannot be known.
        override: Whether the move passes only because the caller allows divergence.
    """

    affected: tuple[str, ...]
    previous: str | None
    old_tip: str | None
    new_tip: str | None
    old_is_ancestor: bool | None
    override: bool


@dataclass(frozen=True, slots=True)
class Setting:
    """What changing a setting plans; ``change`` has no files when the value is there already."""

    project: Project
    change: ChangeSet
    move: TrunkMove | None = None


def plan_init(
    source: RecordSource,
    *,
    name: str,
    policy: RecordPolicy,
    trunk: str | None,
    root: PlanRoot,
    excludes: bytes | None,
) -> Initialized:
    """Plan the record tree of a project, or find that it is there.

    Args:
        source: The record files.
        name: What the project is called.
        policy: Who owns the records.
        trunk: The checked-out branch; None if HEAD is detached.
        root: Where the plan is in the work tree.
        excludes: The bytes of the shared ``info/exclude``; None if there is no such file.

    Raises:
        ZdevError: ``record-policy-differs`` when the project has another policy.
        InvalidInput: ``invalid-records``, or ``invalid-project`` for a value that cannot be
            written.
    """
    present = source.read(CONFIG_PATH)
    changes: list[FileChange] = []
    if present is None:
        project = Project(name=name, record=policy, trunk=trunk)
        changes = _new_files(source, project)
    else:
        project = load_project(source)
        _require_policy(project, policy)
    pattern = exclude_pattern(root) if policy == "personal" else None
    if pattern is not None and not _excluded(excludes or b"", pattern):
        new = _with_line(excludes or b"", pattern)
        changes.append(FileChange(EXCLUDE_FILE, excludes, new, Place.COMMON_DIR))
    return Initialized(project, pattern, ChangeSet("init", tuple(changes)))


def exclude_pattern(root: PlanRoot) -> str:
    """The gitignore pattern of the record tree."""
    special = str.maketrans({character: f"\\{character}" for character in "\\*?["})
    return f"/{root.prefix.translate(special)}{RECORD_ROOT}/"


def settings(project: Project) -> dict[str, str]:
    """What is set, by key such as ``project.name``, in writing order."""
    values = {f"project.{name}": getattr(project, name) for name in SETTINGS}
    return {key: value for key, value in values.items() if value is not None}


def require_setting(project: Project, key: str) -> str:
    """One setting.

    Raises:
        ZdevError: ``unknown-config-key`` or ``unset-config-key``.
    """
    setting_name(key)
    value = settings(project).get(key)
    if value is None:
        raise ZdevError(
            "unset-config-key", f"{key} is not set", f"`git zdev config set {key} <value>` sets it"
        )
    return value


def setting_name(key: str) -> str:
    """The field that a key such as ``project.trunk`` names.

    Raises:
        ZdevError: ``unknown-config-key``.
    """
    table, _, name = key.partition(".")
    if table != "project" or name not in SETTINGS:
        known = ", ".join(f"project.{setting}" for setting in SETTINGS)
        raise ZdevError(
            "unknown-config-key", f"there is no setting {quoted(key)}", f"The settings are {known}"
        )
    return name


def plan_setting(
    source: RecordSource,
    key: str,
    value: str | None,
    *,
    areas: Mapping[str, Area],
    refs: Refs,
    allow_divergent: bool = False,
) -> Setting:
    """Plan another value of a setting, or none.

    Args:
        source: The record files.
        key: Such as ``project.trunk``.
        value: The new value; None removes the setting.
        areas: Every area of the project.
        refs: Branches and ancestry.
        allow_divergent: Whether the trunk of trunk areas may move to a branch without its commits.

    Raises:
        ZdevError: ``unknown-config-key``, ``read-only-config-key``, ``unknown-area``,
            ``trunk-in-use``, ``branch-owned`` or ``trunk-diverges``.
        InvalidInput: ``invalid-records``, or ``invalid-project`` for a value that cannot be
            written.
    """
    name = setting_name(key)
    if name in READ_ONLY:
        raise ZdevError(
            "read-only-config-key", f"{key} is settled when the project is made and never changes"
        )
    _require_value(key, name, value)
    before = load_project(source)
    if name == "trunk":
        after = replace(before, trunk=value)
    elif name == "default_area":
        if value is not None:
            require_area(value, areas)
        after = replace(before, default_area=value)
    else:
        after = replace(before, guidance=value)
    changes = edited(CONFIG_PATH, source, lambda data: edit.edit_project(data, after))
    move = None
    if name == "trunk":
        move = _judge_move(before.trunk, value, areas, refs, allow_divergent=allow_divergent)
    change = ChangeSet("config", changes)
    require_sound(source, change)
    return Setting(after, change, move)


def _new_files(source: RecordSource, project: Project) -> list[FileChange]:
    changes = [FileChange(CONFIG_PATH, None, render.render_project(project))]
    if source.read(GITATTRIBUTES_PATH) is None:
        changes.insert(0, FileChange(GITATTRIBUTES_PATH, None, render.GITATTRIBUTES))
    return changes


def _require_policy(project: Project, policy: RecordPolicy) -> None:
    if project.record != policy:
        raise ZdevError(
            "record-policy-differs",
            f"{CONFIG_PATH} says that the record is {project.record}, not {policy}",
            "The policy never changes; keep it, or remove .zdev and begin again",
        )


def _excluded(excludes: bytes, pattern: str) -> bool:
    wanted = {pattern.encode(), pattern.removesuffix("/").encode()}
    return any(line.rstrip(b"\r") in wanted for line in excludes.split(b"\n"))


def _with_line(excludes: bytes, pattern: str) -> bytes:
    lead = b"" if not excludes or excludes.endswith(b"\n") else b"\n"
    return excludes + lead + pattern.encode(errors="surrogateescape") + b"\n"


def _require_value(key: str, name: str, value: str | None) -> None:
    rule = next(field.rule for field in PROJECT_FIELDS if field.name == name)
    fault = rule(value) if rule is not None and value is not None else None
    if fault is not None:
        problem = Problem(fault.code, f"{key} {fault.message}")
        raise InvalidInput("invalid-project", problem.message, [problem])


def _judge_move(
    old: str | None,
    new: str | None,
    areas: Mapping[str, Area],
    refs: Refs,
    *,
    allow_divergent: bool,
) -> TrunkMove | None:
    """What the move means; None if no area works on the trunk."""
    affected = tuple(sorted(area.tag for area in areas.values() if area.mode == "trunk"))
    if not affected:
        return None
    named = ", ".join(affected)
    if new is None:
        raise ZdevError(
            "trunk-in-use",
            f"trunk areas work on the trunk: {named}",
            "Bind them to branches with `git zdev area bind` first",
            details={"affected_areas": list(affected)},
        )
    owner = next((area.tag for area in areas.values() if area.branch == new), None)
    if owner is not None:
        raise ZdevError(
            "branch-owned",
            f"the area {owner} owns the branch {new}, which the trunk areas {named} would share",
            f"Bind {owner} to another branch first",
        )
    old_tip = refs.branch_tip(old) if old is not None else None
    new_tip = refs.branch_tip(new)
    contained = refs.is_ancestor(old_tip, new_tip) if old_tip and new_tip else None
    moves = old != new and not contained
    if moves and not allow_divergent:
        raise _diverges(old, new, contained, named)
    return TrunkMove(affected, old, old_tip, new_tip, contained, override=moves)


def _diverges(old: str | None, new: str, contained: bool | None, named: str) -> ZdevError:
    verdict = "does not contain" if contained is False else "cannot be shown to contain"
    return ZdevError(
        "trunk-diverges",
        f"{new} {verdict} the commits of {old or 'the unbound trunk'}, "
        f"on which the trunk areas {named} work",
        "Bring the commits over first, or pass --allow-divergent",
    )


def plan_squash(
    project: Project, root: PlanRoot, *, source: RecordSource, repository: Repository
) -> ChangeSet:
    """Plan one commit that deletes every tracked file of the plan.

    Args:
        project: The project; its record belongs to a pull request.
        root: Where the plan is in the work tree.
        source: The record files.
        repository: HEAD, and the index.

    Raises:
        ZdevError: ``not-a-pull-request-record``, ``detached-head``, ``nothing-to-clean`` when
            HEAD tracks nothing of the plan, or ``records-changed`` naming the files that are not
            as HEAD has them.
    """
    if project.record != "pull-request":
        raise ZdevError(
            "not-a-pull-request-record",
            f"the record is {project.record}; only a pull request's plan is removed",
            "Keep the plan, or delete it by hand",
        )
    if repository.head().branch is None:
        raise ZdevError("detached-head", "no branch is checked out", "Switch to a branch first")
    prefix = root.git_path(f"{RECORD_ROOT}/")
    tracked = repository.head_tree_entries(prefix)
    staged = {entry.path: entry for entry in repository.entries(prefix)}
    if not tracked and not staged:
        raise ZdevError("nothing-to-clean", f"nothing below {RECORD_ROOT} is tracked")
    paths = {path: os.fsdecode(path) for path in sorted(tracked.keys() | staged.keys())}
    found = {path: source.read(name.removeprefix(root.prefix)) for path, name in paths.items()}
    require_committed(
        {name: (tracked.get(path), staged.get(path), found[path]) for path, name in paths.items()},
        repository,
    )
    return _deletion(paths, root, found)


def _deletion(
    paths: Mapping[bytes, str], root: PlanRoot, found: Mapping[bytes, bytes | None]
) -> ChangeSet:
    changes = tuple(
        FileChange(name.removeprefix(root.prefix), found[path], None)
        for path, name in paths.items()
    )
    return ChangeSet("cleanup squash", changes, CommitPlan(f"{MESSAGE}\n", tuple(paths.values())))
