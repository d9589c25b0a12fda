"""Layer 4 and the plan: the effect of a proposal on its area, complete and valid before any write.

The drafts are checked against the area like those of a bundle. Derived work has further rules: the
source is open and ready, no draft waits for it, and drafts come in the order of their
dependencies. The whole resulting area is built in memory.
"""

from __future__ import annotations

from git_zdev.derive.proposal import invalid
from git_zdev.ground import jsontext
from git_zdev.ground.changeset import FileChange
from git_zdev.ground.errors import InvalidInput, Problem
from git_zdev.ground.inert import escape_json
from git_zdev.ground.values import dataclass, replace
from git_zdev.plan import bundle
from git_zdev.plan.changes.task import index_change
from git_zdev.plan.records import edit
from git_zdev.plan.records.fields import ALLOCATION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from git_zdev.derive.proposal import Proposal
    from git_zdev.plan.areas import AreaRecords
    from git_zdev.plan.graph import Graph
    from git_zdev.plan.records.model import Draft, Task

EXTENSION = (
    "Coordination may extend it only after checking retained parent edits and sibling assignments."
)


@dataclass(frozen=True, slots=True)
class Derivation:
    """A proposal and its whole effect on its area.

    Attributes:
        proposal: The proposal.
        records: The present area.
        drafts: The drafts in the proposal's order.
        source: The present source task.
        new_source: The resulting source task.
        children: The new tasks in the proposal's order.
        graph: The resulting tasks of the area.
    """

    proposal: Proposal
    records: AreaRecords
    drafts: tuple[Draft, ...]
    source: Task
    new_source: Task
    children: tuple[Task, ...]
    graph: Graph

    @property
    def subject(self) -> str:
        """The subject of the commit."""
        return f"Derive tasks from {self.source.id}"

    @property
    def changes(self) -> tuple[FileChange, ...]:
        """The files: the source, the children in the proposal's order, ``TASKS.md``."""
        return (
            FileChange(self.source.path, self.source.source, self.new_source.source),
            *(FileChange(child.path, None, child.source) for child in self.children),
            index_change(self.records, self.graph),
        )

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of :attr:`changes`, relative to the plan root."""
        return tuple(change.path for change in self.changes)


def derive(proposal: Proposal, records: AreaRecords) -> Derivation:
    """Check a proposal against its area and plan its effect.

    Args:
        proposal: The proposal.
        records: The present area.

    Raises:
        InvalidInput: ``invalid-proposal`` with everything that does not fit the area.
    """
    problems: list[Problem] = []
    drafts = bundle.read_drafts(proposal.drafts, "/tasks", problems)
    if not problems:
        problems += bundle.draft_set_problems(records, drafts, "/tasks")
    problems += _order_problems(drafts, proposal.source_task)
    source = records.graph.by_id.get(proposal.source_task)
    problems += _source_problems(source, proposal, records.graph)
    if problems or source is None:
        raise invalid(problems)
    children = _children(proposal, records, drafts)
    new_source = _new_source(proposal, source, children)
    return Derivation(
        proposal=proposal,
        records=records,
        drafts=tuple(drafts),
        source=source,
        new_source=new_source,
        children=children,
        graph=_graph(records, children, new_source),
    )


def allocation_line(paths: Sequence[str]) -> str:
    """The boundary that says which paths a task may work on."""
    listed = escape_json(jsontext.encode_compact(list(paths)).decode())
    return f"{ALLOCATION} {listed}. {EXTENSION}"


def _order_problems(drafts: Sequence[Draft], source: str) -> Iterator[Problem]:
    """Problems for blockers that name the source or a later draft."""
    places = {draft.key: place for place, draft in enumerate(drafts)}
    for place, draft in enumerate(drafts):
        for position, blocker in enumerate(draft.blockers):
            pointer = f"/tasks/{place}/blocked_by/{position}"
            if blocker == source:
                message = "a derived task never waits for its source task"
                yield Problem("source-blocker", message, pointer=pointer)
            elif places.get(blocker, place) > place:
                message = f'"{blocker}" is proposed later; drafts come after what they wait for'
                yield Problem("draft-order", message, pointer=pointer)


def _source_problems(source: Task | None, proposal: Proposal, graph: Graph) -> Iterator[Problem]:
    pointer = "/source_task"
    if source is None:
        message = f'the area has no task "{proposal.source_task}"'
        yield Problem("unknown-task", message, pointer=pointer)
    elif graph.states[source.id] == "done":
        yield Problem("task-not-open", f"{source.id} is already done", pointer=pointer)
    elif graph.states[source.id] == "blocked":
        waits = ", ".join(task.id for task in graph.open_blockers(source))
        yield Problem("task-blocked", f"{source.id} waits for {waits}", pointer=pointer)
    else:
        yield from _completion_problems(source, proposal)


def _completion_problems(source: Task, proposal: Proposal) -> Iterator[Problem]:
    """Problems with writing the result of a follow-up; a split writes no result."""
    if proposal.is_split:
        return
    try:
        edit.complete_task(source, proposal.result.summary, proposal.result.validation)
    except InvalidInput as error:
        for problem in error.problems:
            yield replace(problem, pointer=f"/source_result{problem.pointer or ''}")


def _children(
    proposal: Proposal, records: AreaRecords, drafts: Sequence[Draft]
) -> tuple[Task, ...]:
    tasks = bundle.allocate(records, drafts)
    if proposal.ownership is None:
        return tasks
    return tuple(_allocated(task, proposal.ownership.of(task.key)) for task in tasks)


def _allocated(task: Task, paths: Sequence[str]) -> Task:
    return edit.append_boundary(task, allocation_line(paths)) if paths else task


def _new_source(proposal: Proposal, source: Task, children: Iterable[Task]) -> Task:
    if proposal.is_split:
        ids = (child.id for child in children)
        return edit.set_blocked_by(source, (*source.blocked_by, *ids))
    return edit.complete_task(source, proposal.result.summary, proposal.result.validation)


def _graph(records: AreaRecords, children: Sequence[Task], new_source: Task) -> Graph:
    """The graph of the resulting area."""
    try:
        return bundle.plan_with(records, children, [new_source]).records.graph
    except InvalidInput as error:
        raise invalid(
            [replace(one, path=None, line=None, pointer="/tasks") for one in error.problems]
        ) from error
