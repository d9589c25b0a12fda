"""The part of the task graph that a proposal changes, drawn as a tree.

The tree shows the source, the new tasks, and the open tasks that one of them waits for or that
wait for one of them. As in `git zdev tasks graph`, a task is drawn below the task that it waits
for; if it waits for several of those shown, it is drawn below the last and names the others.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping

    from git_zdev.derive.plan import Derivation
    from git_zdev.plan.records.model import Task


def graph_tree(derivation: Derivation) -> str:
    """The tree as lines of text: new tasks begin with ``+``, the source with ``!``."""
    graph = derivation.graph
    shown = frozenset(_shown(derivation))
    order = {task.id: place for place, task in enumerate(graph.topological())}
    new = {child.id for child in derivation.children}
    below: dict[str | None, list[str]] = {}
    labels: dict[str, str] = {}
    for one in sorted(shown, key=order.__getitem__):
        awaited = shown.intersection(graph.by_id[one].blocked_by)
        *others, last = sorted(awaited, key=order.__getitem__) or (None,)
        below.setdefault(last, []).append(one)
        also = f" (also waits for {', '.join(map(str, others))})" if others else ""
        labels[one] = f"{_label(derivation, graph.by_id[one], new)}{also}"
    marks = {one: "+ " if one in new else "  " for one in shown} | {derivation.source.id: "! "}
    return "\n".join(f"{marks[one]}{line}" for one, line in _drawn(below, labels))


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
    below: Mapping[str | None, list[str]], labels: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Each line of the trees with its task."""
    pending = [(root, "", "") for root in reversed(below[None])]
    while pending:
        identity, first, rest = pending.pop()
        yield identity, f"{first}{labels[identity]}"
        *others, last = below.get(identity) or (None,)
        if last is not None:
            pending.append((last, f"{rest}└── ", f"{rest}    "))
            pending += [
                (other, f"{rest}├── ", f"{rest}│   ") for other in reversed(others) if other
            ]
