"""Everything that is wrong with the records, in one list."""

from __future__ import annotations

from git_zdev.ground import hidden_text
from git_zdev.ground.errors import Problem
from git_zdev.ground.progress import UNSEEN
from git_zdev.plan import areas as area_records
from git_zdev.plan import graph
from git_zdev.plan.records import codec, index_file
from git_zdev.plan.records.model import CONFIG_PATH, RECORD_ROOT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from git_zdev.ground.progress import Progress
    from git_zdev.plan.areas import AreaParts
    from git_zdev.plan.records.model import Area, Project
    from git_zdev.plan.records.store import RecordSource

WRITES_IT = "`git zdev check --fix` writes it"
"""What to do about a wrong ``TASKS.md``."""

GENERATED = frozenset({"missing-index", "stale-index"})
"""Codes of problems in generated files."""


def check(
    source: RecordSource,
    tag: str | None = None,
    progress: Progress = UNSEEN,
    hidden: list[Problem] | None = None,
) -> list[Problem]:
    """Check config, area metadata, relations, and each area's records and ``TASKS.md``.

    Args:
        source: Where to read: the work tree, the index, or a plan.
        tag: Check the contents of this area only; the project, every area's metadata and their
            relations are checked all the same.
        progress: Told how far the work is.
        hidden: Receives the places of hidden text in sound areas, which is not a problem.

    Returns:
        Every problem: the project's, the areas' metadata, the relations, then area by area.

    Raises:
        ZdevError: ``unknown-area`` when there is no area ``tag``.
    """
    problems: list[Problem] = []
    project = _read_project(source, problems)
    areas = area_records.read_areas(source, problems)
    if project is not None:
        problems += area_records.relation_problems(source, project, areas)
    if tag is not None and tag not in areas:
        area_records.load_area(source, tag)
    for name, area in areas.items():
        if tag in {None, name}:
            parts = _check_area(source, name, area, problems, progress)
            if hidden is not None and parts is not None:
                hidden += _hidden(parts)
    return problems


def _hidden(parts: AreaParts) -> Iterator[Problem]:
    """Hidden text of what people write; ``TASKS.md`` only repeats titles."""
    for path, data in parts.files.items():
        if not path.endswith("/TASKS.md"):
            yield from hidden_text.in_file(data, path)
    for task in parts.tasks:
        yield from hidden_text.in_file(task.source, task.path)


def _read_project(source: RecordSource, problems: list[Problem]) -> Project | None:
    known = len(problems)
    data = area_records.read_file(source, CONFIG_PATH, problems)
    if data is not None:
        return codec.read_project(data, CONFIG_PATH, problems)
    if len(problems) == known:
        message = f"the file is missing; {area_records.WITHOUT_PLAN}"
        problems.append(Problem("not-initialized", message, CONFIG_PATH))
    return None


def _check_area(
    source: RecordSource,
    tag: str,
    area: Area | None,
    problems: list[Problem],
    progress: Progress,
) -> AreaParts | None:
    """Check one area; what was read of it, None if tasks or their relations are not sound."""
    found: list[Problem] = []
    parts = area_records.read_parts(source, tag, found, progress)
    found += area_records.area_problems(area, parts)
    problems += [problem for problem in found if problem not in problems]
    if found:
        return None  # the right TASKS.md is known only for sound tasks
    path = f"{RECORD_ROOT}/{tag}/TASKS.md"
    written = parts.files.get(path)
    expected = index_file.render_index(tag, parts.tasks, graph.Graph(parts.tasks).states)
    if written is None and not parts.tasks:
        return parts  # a new area may wait for its first task
    if written is None:
        message = f"the file is missing; {WRITES_IT}"
        problems.append(Problem("missing-index", message, path))
    elif not index_file.matches(written, expected):
        line = _first_difference(written, expected)
        message = f"the file is not what the tasks give; {WRITES_IT}"
        problems.append(Problem("stale-index", message, path, line))
    return parts


def _first_difference(written: bytes, expected: bytes) -> int:
    """1-based line of the first difference."""
    lines, others = written.splitlines(keepends=True), expected.splitlines(keepends=True)
    same = 0
    while same < min(len(lines), len(others)) and lines[same] == others[same]:
        same += 1
    return same + 1
