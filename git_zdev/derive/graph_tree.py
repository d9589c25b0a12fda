"""The part of the task graph that a proposal changes, drawn as a tree.

Shown are the source, the new tasks, and the open tasks that one of them waits for or that wait for
one of them. Roots are those that no other one of these waits for; below each stands what it waits
for. A task that several wait for is drawn out once.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence

    from git_zdev.derive.plan import Derivation
    from git_zdev.records.model import Task

SEEN = "(drawn out above)"


def graph_tree(derivation: Derivation) -> str:
    """The tree as lines of text: new tasks begin with ``+``, the source with ``!``."""
    graph = derivation.graph
    shown = _shown(derivation)
    visible = frozenset(shown)
    below = {
        identity: [blocker for blocker in graph.by_id[identity].blocked_by if blocker in visible]
        for identity in shown
    }
    awaited = {blocker for blockers in below.values() for blocker in blockers}
    new = {child.id for child in derivation.children}
    labels = {one: _label(derivation, graph.by_id[one], new) for one in shown}
    marks = {one: "+ " if one in new else "  " for one in shown} | {derivation.source.id: "! "}
    roots = [identity for identity in shown if identity not in awaited]
    return "\n".join(f"{marks[one]}{line}" for one, line in _drawn(roots, below, labels))


def _shown(derivation: Derivation) -> list[str]:
    """The changed tasks and their open neighbours, in id order."""
    changed = {derivation.source.id, *(child.id for child in derivation.children)}
    near = {blocker for child in derivation.children for blocker in child.blocked_by}
    near.update(
        task.id for task in derivation.graph.tasks if not changed.isdisjoint(task.blocked_by)
    )
    return [
        task.id
        for task in derivation.graph.tasks
        if task.id in changed or (task.id in near and task.status == "open")
    ]


def _label(derivation: Derivation, task: Task, new: Container[str]) -> str:
    state = str(derivation.graph.states[task.id])
    if task.id == derivation.source.id:
        state = f"{state}, was ready"
    elif task.id in new:
        state = f"{state}, new"
    return f"{task.id} {task.title} [{state}]"


def _drawn(
    roots: Sequence[str], below: Mapping[str, Sequence[str]], labels: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Each line of the trees, with the task that it shows."""
    drawn: set[str] = set()
    pending = [(root, "", "") for root in reversed(roots)]
    while pending:
        identity, first, rest = pending.pop()
        repeated = identity in drawn and bool(below[identity])
        yield identity, f"{first}{labels[identity]}{f' {SEEN}' if repeated else ''}"
        if identity in drawn:
            continue
        drawn.add(identity)
        *others, last = below[identity] or (None,)
        if last is not None:
            pending.append((last, f"{rest}└── ", f"{rest}    "))
            pending += [(other, f"{rest}├── ", f"{rest}│   ") for other in reversed(others)]
