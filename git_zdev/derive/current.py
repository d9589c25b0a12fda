"""Layers 5 and 6: whether the repository, as it is this moment, lets a proposal be applied.

Every obstacle is an error that says what to do. ``apply`` is refused with the first one; a review
reports all of them. Nothing is kept from one look to the next.
"""

from __future__ import annotations

import os

from git_zdev.branch.gate import pass_gate
from git_zdev.derive.ownership import WorkTree, ownership_problems
from git_zdev.derive.path_rules import NameFolding
from git_zdev.evidence.survey import PathSurvey
from git_zdev.ground.errors import InvalidInput, ZdevError, paths_error
from git_zdev.ground.text import printable
from git_zdev.ground.values import dataclass
from git_zdev.plan.areas import load_project
from git_zdev.plan.records.model import RECORD_ROOT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from git_zdev.derive.plan import Derivation
    from git_zdev.git.port import Checkout
    from git_zdev.ground.paths import PlanRoot
    from git_zdev.plan.records.store import RecordSource


@dataclass(frozen=True, slots=True)
class Setting:
    """Where a proposal will be applied.

    Attributes:
        source: The record files.
        repository: The repository.
        root: Where the plan is in the work tree.
    """

    source: RecordSource
    repository: Checkout
    root: PlanRoot


@dataclass(frozen=True, slots=True)
class Findings:
    """What one look at the repository found.

    Attributes:
        obstacles: What keeps the proposal from being applied, the most important first.
        artifacts: The staged paths in index order, which a follow-up's commit takes.
    """

    obstacles: tuple[ZdevError, ...]
    artifacts: tuple[str, ...] = ()

    def require_none(self) -> None:
        """Raise the first obstacle."""
        for obstacle in self.obstacles:
            raise obstacle


def examine(derivation: Derivation, setting: Setting) -> Findings:
    """Look at the repository as it is now.

    Args:
        derivation: The proposal and its plan.
        setting: Where it will be applied.
    """
    found = list(standing_obstacles(derivation, setting))
    try:
        survey = PathSurvey(setting.repository)
        found += _path_obstacles(derivation, setting, survey)
    except ZdevError as unknowable:
        return Findings((*found, unknowable))
    if derivation.proposal.is_split:
        return Findings(tuple(found))
    # An intent-to-add entry is in no commit.
    artifacts = [path for path in survey.changed.staged if path not in survey.changed.added_later]
    return Findings(tuple(found), tuple(map(printable, artifacts)))


def standing_obstacles(derivation: Derivation, setting: Setting) -> Iterator[ZdevError]:
    """The obstacles in records and branches; the work tree is not looked at."""
    if load_project(setting.source).record == "personal":
        yield ZdevError(
            "personal-record",
            "the records are personal, so derived work has no commit to go into",
            "Add the tasks with `git zdev tasks import` instead",
        )
    try:
        pass_gate(setting.source, derivation.records.area, setting.repository)
    except ZdevError as unsafe:
        yield unsafe


def _path_obstacles(
    derivation: Derivation, setting: Setting, survey: PathSurvey
) -> Iterator[ZdevError]:
    if survey.changed.unmerged:
        yield paths_error(
            "unmerged-index",
            "the index holds unmerged paths",
            "Resolve the conflict first",
            survey.changed.unmerged,
        )
    source = setting.root.git_path(derivation.source.path)
    if survey.mode_in_index(source) is None:
        yield paths_error(
            "record-not-tracked",
            "the source task is in no commit yet",
            "Commit the records of the area first",
            [source],
        )
    if derivation.proposal.is_split:
        yield from _split_obstacles(derivation, survey, setting.repository)
    else:
        yield from _follow_up_obstacles(derivation, survey, setting)


def _follow_up_obstacles(
    derivation: Derivation, survey: PathSurvey, setting: Setting
) -> Iterator[ZdevError]:
    """The index is the artifact set, and the records are as the commit will have them."""
    changed = survey.changed
    root = setting.root.git_path(f"{RECORD_ROOT}/")
    area = setting.root.git_path(f"{derivation.records.area.folder}/")
    staged = [path for path in changed.staged if path.startswith(root)]
    if staged:
        yield paths_error(
            "records-staged",
            "the index holds staged records, which are not artifacts",
            "Commit or unstage them first",
            staged,
        )
    unsettled = {*_unstaged(survey, setting.repository), *survey.hidden_changes()}
    records = sorted(path for path in unsettled if path.startswith(area))
    if records:
        yield paths_error(
            "records-changed",
            "records of the area have changes that no commit holds",
            "Commit them or take them back first",
            records,
        )


def _split_obstacles(
    derivation: Derivation, survey: PathSurvey, repository: Checkout
) -> Iterator[ZdevError]:
    """An empty index, nothing hidden, and an ownership that fits the work tree exactly."""
    if survey.changed.staged:
        yield paths_error(
            "index-not-empty",
            "a split needs an empty index",
            "Stop for recovery and fresh context; a split never takes or moves staged work",
            survey.changed.staged,
        )
    hidden = survey.hidden_changes()
    if hidden:
        yield paths_error(
            "hidden-changes",
            "files that Git is set not to look at differ from their entries",
            "Clear their assume-unchanged or skip-worktree flag, or restore them",
            hidden,
        )
    if survey.has_submodules:
        yield from _dirty_submodules(repository)
    problems = _ownership_problems(derivation, survey, repository)
    if problems is not None:
        yield problems


def _dirty_submodules(repository: Checkout) -> Iterator[ZdevError]:
    from git_zdev.evidence.nested import require_clean
    from git_zdev.evidence.survey import worktree_status

    try:
        require_clean(repository, worktree_status)
    except ZdevError as dirty:
        yield dirty


def _unstaged(survey: PathSurvey, repository: Checkout) -> list[bytes]:
    """Every path whose file is not as the index has it, and the untracked ones.

    A linked work tree of this repository has a state of its own, which no task here can own.
    """
    from git_zdev.evidence.nested import is_linked_work_tree

    root = os.fsencode(repository.location.work_tree)
    folders = (path for path in survey.changed.untracked if path.endswith(b"/"))
    linked = {
        path for path in folders if is_linked_work_tree(repository, os.fsdecode(root + b"/" + path))
    }
    return sorted({*survey.changed.unstaged, *survey.changed.untracked} - linked)


def _ownership_problems(
    derivation: Derivation, survey: PathSurvey, repository: Checkout
) -> InvalidInput | None:
    ownership = derivation.proposal.ownership
    assert ownership is not None  # noqa: S101 - only splits come here
    config = repository.config
    tree = WorkTree(
        root=repository.location.work_tree,
        mode_in_index=survey.mode_in_index,
        unstaged=frozenset(_unstaged(survey, repository)),
        is_ignored=survey.is_ignored,
        folding=NameFolding(
            ignore_case=config.get_bool("core.ignoreCase", default=False),
            precompose=config.get_bool("core.precomposeUnicode", default=False),
        ),
    )
    keys = [draft.key for draft in derivation.drafts]
    problems = ownership_problems(ownership, keys, tree)
    if not problems:
        return None
    return InvalidInput(
        "invalid-ownership",
        "the ownership of paths does not fit the work tree",
        problems,
        "Stop for recovery and fresh context; no approval makes an assignment valid",
    )
