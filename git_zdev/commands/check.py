"""Check the plan: configuration, areas, briefs, slices, tasks, and each TASKS.md.

Every problem is reported with its file and line. Text that a reader would not
see is named too, but is not a problem. With --staged the plan is checked as it
is in the index, as a pre-commit hook needs it; an index without a plan, such as
that of a branch that never had one, is sound. With --fix each TASKS.md is
generated from its tasks, and nothing else changes.
"""

from __future__ import annotations

from git_zdev.commands.shared.arguments import argument, flag
from git_zdev.ground import hidden_text
from git_zdev.ground.errors import InvalidInput, UsageError
from git_zdev.ground.text import counted
from git_zdev.plan.areas import area_tags, lost_areas, restoring
from git_zdev.plan.check import GENERATED, check
from git_zdev.plan.records.model import RECORD_ROOT
from git_zdev.screen.result import Result, sentence, sorted_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from git_zdev.commands.shared.session import Session
    from git_zdev.ground.errors import Problem
    from git_zdev.plan.records.store import RecordSource
    from git_zdev.screen.result import Block

ARGUMENTS = (
    argument("AREA", "only this area, and what areas share", count="?", completer="areas"),
    flag("--staged", "check what is in the index"),
    flag("--fix", "write generated files first"),
)


def run(session: Session, *, area: str | None, staged: bool, fix: bool) -> Result:
    """Check, and fail with every problem."""
    if fix and staged:
        raise UsageError(
            "--fix writes files of the work tree, and --staged looks only at the index",
            "Run `git zdev check --fix`, then `git add` what it wrote",
        )
    fixed, unsound = _fix(session, area) if fix else ([], [])
    source: RecordSource = session.staged_records if staged else session.records
    if staged and not source.names(RECORD_ROOT):
        return Result(sorted_document(areas=[], status="ok"), sentence(NOT_STAGED))
    hidden: list[Problem] = []
    problems = check(source, area, session.surroundings.progress, hidden)
    lost = [restoring(tag) for tag in lost_areas(source)]
    if problems:
        where = " in the index" if staged else ""
        hints = [*lost, *_hints(problems, staged=staged, unsound=unsound)]
        raise _wrong(problems, fixed, where, hints, fixes=fix)
    areas = area_tags(source) if area is None else [area]
    count = counted(len(areas), "area")
    said = f"The plan is sound ({count}: {', '.join(areas)})." if areas else EMPTY
    warnings = hidden_text.warnings(hidden)
    notes = (*lost, *hidden_text.notes(hidden))
    if not fix:
        document = sorted_document(areas=areas, status="ok", **warnings)
        return Result(document, sentence(said), notes=notes)
    document = sorted_document(areas=areas, fixed=fixed, status="ok", **warnings)
    wrote = [f"Wrote {path}." for path in fixed] or ["Nothing had to be written."]
    return Result(document, lambda: _lines(*wrote, said), notes=notes)


def _lines(*texts: str) -> list[Block]:
    from git_zdev.screen.result import line

    return [line(text) for text in texts]


def _fix(session: Session, area: str | None) -> tuple[list[str], list[str]]:
    """Write the generated files; return them, and the areas whose tasks are not sound."""
    from git_zdev.plan.changes.task import plan_indexes

    with session.writing() as writing:
        change, unsound = plan_indexes(writing.source, area, session.surroundings.progress)
        writing.publish(change)
    return [one.path for one in change.changes], unsound


def _hints(problems: Sequence[Problem], *, staged: bool, unsound: Sequence[str]) -> list[str]:
    """What to do about generated files that were not or cannot be written."""
    hints = []
    if staged and any(problem.code in GENERATED for problem in problems):
        hints.append("`git add` a TASKS.md after it was written")
    if unsound:
        many = ", ".join(unsound)
        hints.append(f"The TASKS.md of {many} can be written once the tasks there are fixed")
    return hints


def _wrong(
    problems: Sequence[Problem], fixed: list[str], where: str, hints: list[str], *, fixes: bool
) -> InvalidInput:
    """The error that lists the problems, and the files written before the check."""
    count = "one problem" if len(problems) == 1 else f"{len(problems)} problems"
    said = f"the plan has {count}{where}"
    if fixed:
        said = f"wrote {', '.join(fixed)}, but {said}"
    error = InvalidInput("invalid-records", said, problems, "; ".join(hints))
    if fixes:
        error.details["fixed"] = fixed
    return error


EMPTY = "The plan is sound; it has no areas yet."
NOT_STAGED = "The index holds no plan."
