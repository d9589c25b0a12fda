"""The project and its areas: files, relations and graph, read and checked together.

``load_…`` functions return values that are valid together, or raise one error that carries every
problem. The ``read_…`` functions collect problems instead, for ``check``.
"""

from __future__ import annotations

from git_zdev.ground.errors import Problem, ZdevError
from git_zdev.ground.progress import UNSEEN
from git_zdev.ground.text import quoted
from git_zdev.ground.values import dataclass
from git_zdev.plan import graph as graphs
from git_zdev.plan.records import codec, text
from git_zdev.plan.records.fields import file_number, is_segment
from git_zdev.plan.records.model import CONFIG_PATH, RECORD_ROOT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from git_zdev.ground.progress import Progress
    from git_zdev.plan.graph import Graph
    from git_zdev.plan.records.model import Area, Brief, Project, Slice, Task
    from git_zdev.plan.records.store import RecordSource

WITHOUT_PLAN = (
    "`git zdev init --record project` creates it; if another branch has it, switch to that branch"
)
"""The hint if there is no ``config.toml``: not every branch need have the plan."""


@dataclass(frozen=True, slots=True)
class AreaRecords:
    """All records of one area, valid together.

    Attributes:
        area: ``area.toml``.
        brief: ``brief.md``.
        slices: By key, in the order of the keys.
        graph: The tasks (``graph.tasks``, in id order) and their dependencies.
        files: The bytes that were read, by path: area.toml, brief.md, slices, and TASKS.md if it
            exists. A task's bytes are its ``source``.
    """

    area: Area
    brief: Brief
    slices: dict[str, Slice]
    graph: Graph
    files: dict[str, bytes]

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The tasks in id order."""
        return self.graph.tasks

    @property
    def index_path(self) -> str:
        """Path of ``TASKS.md``."""
        return f"{self.area.folder}/TASKS.md"

    def next_number(self) -> int:
        """The number of the next new task: one more than the highest."""
        return self.tasks[-1].number + 1 if self.tasks else 1

    def find(self, identity: str) -> Task:
        """The task with that id.

        Raises:
            ZdevError: ``unknown-task``.
        """
        task = self.graph.by_id.get(identity)
        if task is None:
            message = f"the area {self.area.tag} has no task {quoted(identity)}"
            hint = f"`git zdev tasks list {self.area.tag}` shows its tasks"
            raise ZdevError("unknown-task", message, hint)
        return task


@dataclass(frozen=True, slots=True)
class AreaParts:
    """The readable parts of an area; files with problems are left out.

    Attributes:
        brief: ``brief.md``; None if it has problems.
        slices: By key.
        tasks: In id order.
        unread: Numbers of the task files that have problems.
        files: As in :class:`AreaRecords`, including files with problems.
    """

    brief: Brief | None
    slices: dict[str, Slice]
    tasks: tuple[Task, ...]
    unread: frozenset[int]
    files: dict[str, bytes]


def load_project(source: RecordSource) -> Project:
    """Read ``config.toml``.

    Raises:
        InvalidInput: ``invalid-records``.
        ZdevError: ``not-initialized`` when it is missing, or the error of ``source``.
    """
    data = source.read(CONFIG_PATH)
    if data is None:
        raise ZdevError("not-initialized", f"there is no {CONFIG_PATH}", WITHOUT_PLAN)
    return codec.require_record(lambda problems: codec.read_project(data, CONFIG_PATH, problems))


def load_areas(source: RecordSource) -> tuple[Area, ...]:
    """Every area in the order of the tags, with valid relations.

    Raises:
        InvalidInput: ``invalid-records`` with the problems of every ``area.toml`` and of the
            relations between areas and project.
        ZdevError: ``not-initialized``.
    """
    project = load_project(source)
    problems: list[Problem] = []
    found = read_areas(source, problems)
    problems += relation_problems(source, project, found)
    if problems:
        raise codec.invalid_records(problems)
    return tuple(area for area in found.values() if area is not None)


def load_area(source: RecordSource, tag: str) -> AreaRecords:
    """All records of one area; the bytes of ``TASKS.md`` are not checked and may be out of date.

    Raises:
        InvalidInput: ``invalid-records`` with everything that is wrong with the area.
        ZdevError: ``unknown-area``, or ``not-initialized``.
    """
    problems: list[Problem] = []
    path = f"{RECORD_ROOT}/{tag}/area.toml"
    data = read_file(source, path, problems) if is_segment(tag) else None
    if data is None and not problems:
        load_project(source)
        known = ", ".join(area_tags(source)) or "none yet"
        hint = restoring(tag) if tag in lost_areas(source) else f"The areas are: {known}"
        raise ZdevError("unknown-area", f"there is no area {quoted(tag)}", hint)
    area = None if data is None else codec.read_area(data, path, tag, problems)
    parts = read_parts(source, tag, problems)
    problems += area_problems(area, parts)
    if problems or area is None or parts.brief is None:
        raise codec.invalid_records(problems)
    files = {path: data or b"", **parts.files}
    return AreaRecords(area, parts.brief, parts.slices, graphs.Graph(parts.tasks), files)


def area_tags(source: RecordSource) -> list[str]:
    """Names of the area folders in ``.zdev``: the name is a tag, and ``area.toml`` is inside."""
    return [
        name
        for name, is_folder in source.names(RECORD_ROOT)
        if is_folder and is_segment(name) and _holds_area(source, name)
    ]


def lost_areas(source: RecordSource) -> list[str]:
    """Names of folders that hold an area's records but no ``area.toml``.

    By the format such a folder is not an area and not a problem, but it is hardly ever intended.
    """
    return [
        name
        for name, is_folder in source.names(RECORD_ROOT)
        if is_folder and is_segment(name) and _holds_records_alone(source, name)
    ]


def restoring(tag: str) -> str:
    """The hint about a folder that has lost its ``area.toml``."""
    folder = f"{RECORD_ROOT}/{tag}"
    return (
        f"{folder} holds records but no area.toml, without which it is not an area: bring it "
        f"back (`git log -- {folder}/area.toml` may find it), or remove the folder"
    )


def read_areas(source: RecordSource, problems: list[Problem]) -> dict[str, Area | None]:
    """Read every ``area.toml``; None for one with problems."""
    areas: dict[str, Area | None] = {}
    for name, is_folder in _names(source, RECORD_ROOT, problems):
        if not is_folder or name.startswith("_"):
            continue
        path = f"{RECORD_ROOT}/{name}/area.toml"
        if is_segment(name):
            known = len(problems)
            data = read_file(source, path, problems)
            if data is not None:
                areas[name] = codec.read_area(data, path, name, problems)
            elif len(problems) > known:
                areas[name] = None
        elif _holds_area(source, name):
            message = "the folder's name is not an area tag (a-z, 0-9 and -, at most 80)"
            folder = f"{RECORD_ROOT}/{_shown(name)}"
            problems.append(Problem("invalid-segment", message, folder))
    return areas


def read_parts(
    source: RecordSource, tag: str, problems: list[Problem], progress: Progress = UNSEEN
) -> AreaParts:
    """Read brief, slices, tasks and ``TASKS.md`` of an area, without files that have problems."""
    folder = f"{RECORD_ROOT}/{tag}"
    files: dict[str, bytes] = {}
    brief = _read_brief(source, f"{folder}/brief.md", files, problems)
    slices = _read_slices(source, tag, files, problems)
    tasks, unread = _read_tasks(source, tag, problems, progress)
    data = read_file(source, f"{folder}/TASKS.md", problems)
    if data is not None:
        files[f"{folder}/TASKS.md"] = data
    return AreaParts(brief, slices, graphs.in_order(tasks), frozenset(unread), files)


def area_problems(area: Area | None, parts: AreaParts) -> list[Problem]:
    """Problems between the records of one area: slices, graph, lifecycle."""
    found = graphs.problems(parts.tasks, parts.unread)
    for task in parts.tasks:
        slice_path = f"{RECORD_ROOT}/{task.area}/slices/{task.slice}.md"
        if task.slice is not None and slice_path not in parts.files:
            message = f'"slice" is {quoted(task.slice)}, which is not a slice of this area'
            line = codec.task_key_line(task, "slice")
            found.append(Problem("unknown-slice", message, task.path, line))
    if area is not None and area.lifecycle == "closed":
        for task in parts.tasks:
            if task.status == "open":
                message = f"{task.id} is open although the area is closed"
                line = codec.task_key_line(task, "status")
                found.append(Problem("open-task-in-closed-area", message, task.path, line))
    return found


def _read_brief(
    source: RecordSource, path: str, files: dict[str, bytes], problems: list[Problem]
) -> Brief | None:
    known = len(problems)
    data = read_file(source, path, problems)
    if data is not None:
        files[path] = data
        return codec.read_brief(data, path, problems)
    if len(problems) == known:
        problems.append(Problem("missing-brief", "the area has no brief", path))
    return None


def _read_slices(
    source: RecordSource, tag: str, files: dict[str, bytes], problems: list[Problem]
) -> dict[str, Slice]:
    folder = f"{RECORD_ROOT}/{tag}/slices"
    slices: dict[str, Slice] = {}
    for name in _record_names(source, folder, problems):
        path, key = f"{folder}/{name}", name.removesuffix(".md")
        if not is_segment(key):
            message = "the file is not a slice: its name is not <key>.md"
            problems.append(Problem("stray-file", message, path))
            continue
        data = read_file(source, path, problems)
        if data is not None:
            files[path] = data
            found = codec.read_slice(data, path, tag, key, problems)
            if found is not None:
                slices[key] = found
    return slices


def _read_tasks(
    source: RecordSource, tag: str, problems: list[Problem], progress: Progress
) -> tuple[list[Task], set[int]]:
    """The tasks, and the numbers of the files that have problems."""
    folder = f"{RECORD_ROOT}/{tag}/tasks"
    tasks: list[Task] = []
    unread: set[int] = set()
    names = _record_names(source, folder, problems)
    with progress.stage(f"Reading the tasks of {tag}", len(names)) as stage:
        for name in stage.counted(names):
            path, number = f"{folder}/{name}", file_number(name)
            if number is None:
                message = "the file is not a task: its name is not <number>-<slug>.md"
                problems.append(Problem("stray-file", message, path))
                continue
            data = read_file(source, path, problems)
            task = None if data is None else codec.read_task(data, path, tag, problems)
            if task is not None:
                tasks.append(task)
            else:
                unread.add(number)
    return tasks, unread


def _record_names(source: RecordSource, folder: str, problems: list[Problem]) -> list[str]:
    """Markdown files of a record folder; hidden and other files are ignored.

    A folder inside is a problem, since its files would silently not be read.
    """
    names = []
    for name, is_folder in _names(source, folder, problems):
        if name.startswith("."):
            continue
        if name.lower().endswith(".md"):
            names.append(_shown(name))
        elif is_folder:
            message = "a folder or symlink is among the records and is not read"
            problems.append(Problem("stray-file", message, f"{folder}/{_shown(name)}"))
    return names


def _shown(name: str) -> str:
    """A file name that can be printed, with escapes for bytes that are not valid UTF-8."""
    return name.encode("utf-8", "backslashreplace").decode()


def _names(
    source: RecordSource, folder: str, problems: list[Problem]
) -> Sequence[tuple[str, bool]]:
    try:
        return source.names(folder)
    except ZdevError as error:
        _add_refusal(error, folder, problems)
        return []


def read_file(source: RecordSource, path: str, problems: list[Problem]) -> bytes | None:
    """The bytes of a record file; None if it is missing or, with a problem, refused."""
    try:
        return source.read(path)
    except ZdevError as error:
        _add_refusal(error, path, problems)
        return None


def _add_refusal(error: ZdevError, path: str, problems: list[Problem]) -> None:
    """Add a source's error as a problem; an error about a common parent is added only once."""
    place = error.details.get("path", path)
    message = error.message.removeprefix(f"{place} ")
    problem = Problem(error.code, message, _shown(place))
    if problem not in problems:
        problems.append(problem)


def _holds_records_alone(source: RecordSource, name: str) -> bool:
    try:
        held = dict(source.names(f"{RECORD_ROOT}/{name}"))
    except ZdevError:  # a symlink, which is a problem of its own
        return False
    records = held.keys() & {"brief.md", "tasks", "slices", "TASKS.md"}
    return bool(records) and "area.toml" not in held


def _holds_area(source: RecordSource, name: str) -> bool:
    try:
        return source.read(f"{RECORD_ROOT}/{name}/area.toml") is not None
    except ZdevError:
        return False


def relation_problems(
    source: RecordSource, project: Project, areas: Mapping[str, Area | None]
) -> list[Problem]:
    """Problems between areas: branches, parents, the project's default area.

    Args:
        source: The source of the areas, for line numbers.
        project: The project.
        areas: Every area by its tag; None for an area with problems of its own.
    """
    found: list[Problem] = []

    def report(code: str, message: str, area: Area, key: str) -> None:
        path = f"{area.folder}/area.toml"
        found.append(Problem(code, message, path, _key_line(source, path, key)))

    if project.default_area is not None and project.default_area not in areas:
        message = f'"default_area" is {quoted(project.default_area)}, which is not an area'
        line = _key_line(source, CONFIG_PATH, "project", "default_area")
        found.append(Problem("unknown-default-area", message, CONFIG_PATH, line))
    sound = {tag: area for tag, area in areas.items() if area is not None}
    _report_branches(project, sound, report)
    for area in sound.values():
        if area.parent is not None and area.parent not in areas:
            message = f'"parent" is {quoted(area.parent)}, which is not an area'
            report("unknown-parent", message, area, "parent")
    _report_parents(sound, report)
    return found


def _key_line(source: RecordSource, path: str, *key: str) -> int | None:
    data = source.read(path) or b""
    return text.key_lines(data.decode("utf-8", "replace")).get(key)


def _report_branches(
    project: Project, areas: Mapping[str, Area], report: Callable[[str, str, Area, str], None]
) -> None:
    """Report isolated areas that share a branch, or share the trunk with trunk areas."""
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


def _report_parents(areas: dict[str, Area], report: Callable[[str, str, Area, str], None]) -> None:
    """Report cycles of parents."""
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
