"""Bring an area's branch onto its base, and record the new anchor.

Needs the area's branch checked out and a clean work tree. Git rebases; after a
conflict, resolve it and run this again with --continue, or give up with
--abort, which also undoes a rebase in which Git was killed. A branch that
already contains its base only gets its anchor recorded. --commit also commits
the record, which must be tracked.
"""

from __future__ import annotations

import os

from git_zdev.branch.rebase import AreaRebase
from git_zdev.commands.shared.arguments import AREA, flag
from git_zdev.commands.shared.session import Session
from git_zdev.ground.errors import UsageError, ZdevError
from git_zdev.ground.paths import PlanRoot
from git_zdev.ground.values import replace
from git_zdev.plan.areas import load_project
from git_zdev.plan.changes.area import areas_by_tag, plan_anchor, require_area, require_tracked
from git_zdev.plan.changes.files import require_shared
from git_zdev.plan.records.model import CONFIG_PATH, RECORD_ROOT
from git_zdev.plan.records.tracked import committed_source
from git_zdev.screen.result import Fields, Result, Words, line, sorted_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.branch.rebase import RebaseOutcome
    from git_zdev.commands.shared.session import Writing
    from git_zdev.git.model import RebaseState
    from git_zdev.plan.records.model import Area, Project
    from git_zdev.plan.records.store import RecordSource
    from git_zdev.publish.attempt import PublishResult
    from git_zdev.screen.result import Block

SAID = {
    "unchanged": "{branch} contains {base} already; nothing changed.",
    "updated": "{branch} contained {base} already; its anchor is recorded now.",
    "rebased": "Rebased {branch} onto {base}.",
    "aborted": "Gave up the rebase; {branch} is as it was before.",
}

ARGUMENTS = (
    AREA,
    flag("--commit", "commit the moved anchor"),
    flag("--continue", "go on after a conflict", name="proceed"),
    flag("--abort", "give up the rebase in progress"),
)


def run(session: Session, *, area: str, commit: bool, proceed: bool, abort: bool) -> Result:
    """Rebase, continue or abort."""
    if abort and (proceed or commit):
        raise UsageError("--abort takes no other option")
    session = _at_the_plan(session)
    with session.writing() as writing:
        project, areas = _records(session, writing, area)
        found = require_area(area, areas)
        rebase = AreaRebase(
            found,
            areas,
            project,
            refs=session.repository,
            git=session.git,
            record=session.rebase_record,
        )
        if commit:
            require_shared(project)
        if commit and session.repository.rebase_state() is None:
            require_tracked(found, session.plan_root, session.repository)
        act = rebase.proceed if proceed else rebase.abort if abort else rebase.start
        outcome = act()
        published = _record(session, writing, outcome, commit=commit)
    document = sorted_document(**outcome.as_document())
    if published is None:
        return Result(document, lambda: _show(outcome), notes=_notes(outcome))
    if published.commit is not None:
        document = sorted_document(**document, commit=published.commit, paths=list(published.paths))
    return Result(
        document,
        lambda: _show(outcome, published.commit),
        notes=(*_notes(outcome), *published.report),
    )


def _at_the_plan(session: Session) -> Session:
    """Return a session at the plan that the branch had before its rebase.

    The rebase may have removed that plan from the work tree, and discovery would then find the plan
    of a folder above, or none.
    """
    around = session.surroundings
    state = _state(session)
    if state is None or state.original is None or around.root is not None:
        return session
    top = os.path.realpath(session.location.work_tree)
    here = os.path.relpath(os.path.realpath(around.directory), top)
    parts = [] if here == os.curdir else here.split("/")
    for count in range(len(parts), -1, -1):
        folder = "/".join(parts[:count])
        if _before(session, state.original, PlanRoot(folder)).read(CONFIG_PATH) is not None:
            return Session(replace(around, root=os.path.join(top, folder)))
    return session


def _state(session: Session) -> RebaseState | None:
    """The rebase in progress, if the commit is known that its branch pointed to before."""
    state = session.repository.rebase_state()
    if state is None or state.original is None:
        return None
    return state if session.repository.has_commit(state.original) else None


def _before(session: Session, original: str, root: PlanRoot) -> RecordSource:
    """The records below ``root`` as the branch had them before its rebase."""
    return committed_source(session.repository, original, root)


def _records(session: Session, writing: Writing, area: str) -> tuple[Project, dict[str, Area]]:
    """Project and areas; during a rebase, as the branch had them before it.

    The work tree then holds older records, or none. Records that Git does not track are read
    from the work tree as always.
    """
    state = _state(session)
    if state is not None and state.original is not None:
        source = _before(session, state.original, session.plan_root)
        if source.read(f"{RECORD_ROOT}/{area}/area.toml") is not None:
            return load_project(source), areas_by_tag(source)
    return load_project(writing.source), areas_by_tag(writing.source)


def _record(
    session: Session, writing: Writing, outcome: RebaseOutcome, *, commit: bool
) -> PublishResult | None:
    """Record the anchor if it moved, in the files that the rebase left.

    Raises:
        ZdevError: Why it could not be recorded. The branch stays where it is, and the message says
            so if Git has just moved it.
    """
    if not outcome.moves_anchor:
        return None
    try:
        writing = writing.again()
        change = plan_anchor(
            require_area(outcome.area, areas_by_tag(writing.source)),
            outcome.base_commit,
            source=writing.source,
            commit=(session.repository, session.plan_root) if commit else None,
        )
        return writing.publish(change)
    except ZdevError as error:
        if outcome.status != "rebased":
            raise
        raise _not_recorded(error, outcome, commit=commit) from error


def _not_recorded(error: ZdevError, outcome: RebaseOutcome, *, commit: bool) -> ZdevError:
    """The error for an anchor that could not be recorded after a rebase that succeeded."""
    command = f"git zdev area rebase {outcome.area}{' --commit' * commit}"
    base = outcome.effective_base.branch
    then = f"`{command}` records the base commit"
    hint = f"{error.hint}; then {then}" if error.hint else f"Afterwards {then}"
    if error.code in _REFUSED_COMMITS:  # its hint is about the whole command
        hint = f"Remove the cause; then {then}"
    return ZdevError(
        error.code,
        f"{outcome.branch} was rebased onto {base} and stays so, but its base commit is not "
        f"recorded: {error.message}",
        hint,
        details={
            **error.details,
            "rebased": {
                "branch": outcome.branch,
                "from": outcome.old_tip,
                "to": outcome.new_tip,
            },
        },
        said=error.said,
        status=error.status,
    )


_REFUSED_COMMITS = frozenset({"commit-failed"})
"""Codes that mean: the commit was refused or lost, and everything else is as the rebase left it."""


def _notes(outcome: RebaseOutcome) -> tuple[str, ...]:
    """What a killed Git left behind, and what was done about it."""
    notes = []
    if outcome.removed:
        gone = ", ".join(outcome.removed)
        notes.append(f"Removed what Git had checked out when it was ended: {gone}.")
    if outcome.locks:
        locks = " and ".join(outcome.locks)
        notes.append(f"Git left {locks}. Remove what remains once no Git runs here.")
    return tuple(notes)


def _show(outcome: RebaseOutcome, commit: str | None = None) -> list[Block]:
    said = SAID[outcome.status].format(branch=outcome.branch, base=outcome.effective_base.branch)
    rows = [("Anchor", Words(outcome.base_commit or "none", "id"))]
    if commit is not None:
        rows.append(("Commit", Words(commit, "id")))
    return [line(said), Fields(tuple(rows))]
