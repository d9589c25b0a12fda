"""Blocks that several commands show."""

from __future__ import annotations

from git_zdev.screen.result import BLANK, Fields, Line, Source, Table, Words, line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from git_zdev.screen.result import Block

STATE_STYLES = {"ready": "good", "blocked": "warning", "done": "muted"}
NOTHING = Words("—", "muted")
NO_CHANGE_ID = Words("none", "muted")
WHY_NOTHING_READY = {"empty": "there are no tasks yet", "exhausted": "every task is done"}
"""Why an open area has no ready task, by its queue, as the end of a phrase."""
WHAT_BRANCHES_NEED = line("`git zdev status <area>` says what an area's branch needs.")


def change_id_words(change_id: str | None) -> Words:
    """The change id that a commit carries, or that it carries none."""
    return NO_CHANGE_ID if change_id is None else Words(change_id, "id")


def state_words(state: str) -> Words:
    """A task's state in its style."""
    return Words(state, STATE_STYLES[state])


def task_title(task: Mapping[str, Any]) -> Line:
    """A task's id and title on one line."""
    return line(Words(task["id"], "id"), "  ", Words(task["title"], "heading"))


def task_table(tasks: Iterable[Mapping[str, Any]]) -> Table:
    """A table of task views."""
    rows = tuple(
        (
            Words(task["id"], "id"),
            state_words(task["state"]),
            Words(task["title"]),
            Words(task["complexity"], "muted"),
            Words(", ".join(task["blocked_by"])) if task["blocked_by"] else NOTHING,
        )
        for task in tasks
    )
    return Table(("Id", "State", "Task", "Complexity", "Blocked by"), rows)


def task_details(task: Mapping[str, Any], *more: tuple[str, Words]) -> Fields:
    """The other fields of a task's view, without id and title, and further rows."""
    from git_zdev.plan.records.model import TASK_FIELDS  # not every command has a plan

    known = [field for field in TASK_FIELDS if field.trait and task[field.name]]
    known.sort(key=lambda field: field.kind is bool)
    traits = [field.trait.format(task[field.name]) for field in known]
    rows = [
        ("State", state_words(task["state"])),
        ("Traits", Words(", ".join(traits))),
        ("File", Words(task["path"])),
    ]
    if task["slice_brief"] is not None:
        rows.append(("Slice", Words(task["slice_brief"])))
    if task["blocked_by"]:
        label = "Blocked by" if task["state"] == "blocked" else "After"
        rows.append((label, Words(", ".join(task["blocked_by"]))))
    return Fields((*rows, *more))


def section(name: str, text: str) -> list[Block]:
    """A heading, and below it a text of any number of lines."""
    return [BLANK, line(Words(name, "heading")), Source(text)]


def no_work(tag: str, lifecycle: str, queue: str) -> Line:
    """Why an area has no task to take."""
    if lifecycle == "closed":
        return line(f"The area {tag} is closed.")
    if queue == "empty":
        return line(f"The area {tag} has no tasks yet.")
    return line(f"Every task of {tag} is done.")


def counts_words(counts: Mapping[str, int]) -> Words:
    """Counts of tasks by state, in one phrase."""
    parts = ", ".join(f"{counts[state]} {state}" for state in ("ready", "blocked", "done"))
    return Words(f"{counts['total']} ({parts})")


def branch_words(status: Mapping[str, Any]) -> Words:
    """A branch and whether it can be worked on, in one phrase."""
    work = work_words(status)
    to_work_on = " to work on" if status["task_work"]["safe"] else ""
    return Words(f"{status['branch'] or 'no branch'} ({work.text}{to_work_on})", work.style)


def work_words(status: Mapping[str, Any]) -> Words:
    """Whether a branch can be worked on here and now, or the findings that prevent it."""
    work = status["task_work"]
    if work["stale_advisory"]:
        return Words("stale, safe", "warning")
    if work["safe"]:
        return Words("safe", "good")
    if work["structurally_safe"]:
        return Words("not checked out", "muted")
    if work["git_operation"] is not None:  # it has changed the branch and HEAD
        return Words(f"{work['git_operation']} in progress", "bad")
    found = [name for name in status["diagnostics"] if name not in ("fresh", "stale")]
    return Words(", ".join(found).replace("-", " ") or "not safe", "bad")


def advisory_notes(document: Mapping[str, Any]) -> tuple[str, ...]:
    """The advisory of a result, for stderr."""
    advisory = document.get("advisory")
    return (advisory,) if advisory else ()


def joined(groups: Iterable[Sequence[Block]]) -> list[Block]:
    """Groups of blocks with a blank line between them."""
    shown: list[Block] = []
    for group in groups:
        shown += [BLANK, *group] if shown else group
    return shown
