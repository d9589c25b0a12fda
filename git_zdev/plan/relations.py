"""What holds between areas: each branch has one owner, parents make no cycle."""

from __future__ import annotations

from git_zdev.ground.errors import Problem
from git_zdev.ground.text import quoted
from git_zdev.plan.records import codec
from git_zdev.plan.records.model import CONFIG_PATH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from git_zdev.plan.records.model import Area, Project
    from git_zdev.plan.records.source import RecordSource


def problems(
    source: RecordSource, project: Project, areas: Mapping[str, Area | None]
) -> list[Problem]:
    """What is wrong between areas: branches, parents, the project's default area.

    Args:
        source: Where the areas were read from, for lines.
        project: The project.
        areas: Every area by its tag; None for one that is there and has problems of its own.
    """
    found: list[Problem] = []

    def report(code: str, message: str, area: Area, key: str) -> None:
        path = f"{area.folder}/area.toml"
        found.append(Problem(code, message, path, _key_line(source, path, key)))

    if project.default_area is not None and project.default_area not in areas:
        message = f'"default_area" is {quoted(project.default_area)}, which is no area'
        line = _key_line(source, CONFIG_PATH, "project", "default_area")
        found.append(Problem("unknown-default-area", message, CONFIG_PATH, line))
    sound = {tag: area for tag, area in areas.items() if area is not None}
    _check_branches(project, sound, report)
    for area in sound.values():
        if area.parent is not None and area.parent not in areas:
            message = f'"parent" is {quoted(area.parent)}, which is no area'
            report("unknown-parent", message, area, "parent")
    _check_parents(sound, report)
    return found


def _key_line(source: RecordSource, path: str, *key: str) -> int | None:
    data = source.read(path) or b""
    return codec.toml_key_lines(data.decode("utf-8", "replace")).get(key)


def _check_branches(
    project: Project, areas: Mapping[str, Area], report: Callable[[str, str, Area, str], None]
) -> None:
    """One isolated area owns a branch alone; none shares the trunk with trunk areas."""
    owners: dict[str, Area] = {}
    trunk_areas = [area.tag for area in areas.values() if area.mode == "trunk"]
    for area in areas.values():
        if area.branch is None:
            continue
        owner = owners.setdefault(area.branch, area)
        if owner is not area:
            message = f"the branch {quoted(area.branch)} belongs to the area {owner.tag}"
            report("shared-branch", message, area, "branch")
        if trunk_areas and area.branch == project.trunk:
            message = (
                f"the branch {quoted(area.branch)} is the trunk, "
                f"on which the trunk area {trunk_areas[0]} works"
            )
            report("shared-branch", message, area, "branch")


def _check_parents(areas: dict[str, Area], report: Callable[[str, str, Area, str], None]) -> None:
    """Parents make no cycle."""
    settled: set[str] = set()
    for area in areas.values():
        path: dict[str, None] = {}
        tag: str | None = area.tag
        while tag in areas and tag not in settled and tag not in path:
            path[tag] = None
            tag = areas[tag].parent
        if tag in path:
            names = list(path)
            cycle = names[names.index(tag) :]
            chain = " → ".join([*cycle, cycle[0]])
            message = f"the area's parents lead back to itself: {chain}"
            report("parent-cycle", message, areas[cycle[0]], "parent")
        settled.update(path)
