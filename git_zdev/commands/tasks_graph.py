"""Show which of an area's tasks wait for which.

As text, each task is below the task that it waits for. A task that waits for
several is below the last of them and names the others. If the tree would be too
deep to read, the tasks are listed instead, each after those that it waits for.
--format dot is for Graphviz, --format json lists tasks and edges.
"""

from __future__ import annotations

from git_zdev.commands.shared import blocks
from git_zdev.commands.shared.arguments import AREA
from git_zdev.plan.areas import load_area
from git_zdev.screen.result import Node, Result, Table, Tree, Words, sorted_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from git_zdev.commands.shared.session import Session
    from git_zdev.plan.graph import Graph
    from git_zdev.plan.records.model import Task
    from git_zdev.screen.result import Block

FORMATS = ("text", "json", "dot")
"""The values of ``--format`` here."""

DEEPEST = 20
"""The most levels that the tree in text can have."""

DOT_COLOURS = {"ready": "palegreen", "blocked": "khaki", "done": "gray90"}

ARGUMENTS = (AREA,)


def run(session: Session, *, area: str) -> Result:
    """Show the graph."""
    graph = load_area(session.records, area).graph
    document = _document(area, graph)
    return Result(document, lambda: _show(area, graph), forms={"dot": lambda: _dot(document)})


def _document(area: str, graph: Graph) -> dict[str, Any]:
    return sorted_document(
        area=area,
        tasks=[
            {"id": task.id, "state": graph.states[task.id], "title": task.title}
            for task in graph.tasks
        ],
        edges=[
            {"blocked": task.id, "blocker": blocker}
            for task in graph.tasks
            for blocker in task.blocked_by
        ],
    )


def _show(area: str, graph: Graph) -> list[Block]:
    if not graph.tasks:
        return [blocks.no_work(area, "open", "empty")]
    ordered = graph.topological()
    order = {task.id: place for place, task in enumerate(ordered)}
    below: dict[str | None, list[Task]] = {}
    depth: dict[str, int] = {}
    for task in ordered:
        above = max(task.blocked_by, key=lambda blocker: order[blocker], default=None)
        below.setdefault(above, []).append(task)
        depth[task.id] = 1 + (depth[above] if above is not None else 0)
    if max(depth.values()) > DEEPEST:
        return [_list(ordered, graph)]
    nodes: dict[str, Node] = {}
    for task in reversed(ordered):
        children = tuple(nodes[child.id] for child in below.get(task.id, ()))
        nodes[task.id] = Node(_label(task, graph, order), children)
    return [Tree(tuple(nodes[task.id] for task in below[None]))]


def _list(ordered: Sequence[Task], graph: Graph) -> Table:
    rows = (
        (
            Words(task.id, "id"),
            blocks.state_words(graph.states[task.id]),
            Words(task.title),
            Words(", ".join(task.blocked_by)) if task.blocked_by else blocks.NOTHING,
        )
        for task in ordered
    )
    return Table(("Id", "State", "Task", "Waits for"), tuple(rows))


def _label(task: Task, graph: Graph, order: dict[str, int]) -> tuple[Words, ...]:
    state = blocks.state_words(graph.states[task.id])
    label = [Words(task.id, "id"), Words("  "), state, Words(f"  {task.title}")]
    others = sorted(task.blocked_by, key=lambda blocker: order[blocker])[:-1]
    if others:
        label.append(Words(f"  (also waits for {', '.join(others)})", "muted"))
    return tuple(label)


def _dot(document: dict[str, Any]) -> bytes:
    """The graph for Graphviz; an edge leads from the blocker to the blocked task."""
    lines = [f"digraph {_quoted(document['area'])} {{", "  rankdir=LR;", "  node [shape=box];"]
    for task in document["tasks"]:
        label = _quoted(f"{task['id']}\n{task['title']}")
        colour = DOT_COLOURS[task["state"]]
        lines.append(f"  {_quoted(task['id'])} [label={label}, style=filled, fillcolor={colour}];")
    for edge in document["edges"]:
        lines.append(f"  {_quoted(edge['blocker'])} -> {_quoted(edge['blocked'])};")
    return ("\n".join([*lines, "}"]) + "\n").encode()


def _quoted(text: str) -> str:
    """A DOT string: backslashes stay text, and nothing in it controls a terminal."""
    from git_zdev.ground.inert import escape

    shown = escape(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{shown}"'
