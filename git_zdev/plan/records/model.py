"""The records as values (project, area, brief, slice, task, draft), and the tables of their fields.

A table is the one place that says which fields a record has, in the order of the file: readers,
writers, drafts and views follow it, and a test compares the shipped schemas with it.

Values are immutable and say what a file means. A value whose file a command may edit surgically
also carries the bytes that it was read from (``source``). Paths are relative to the repository,
separated by ``/``, and start with ``.zdev/``.
"""

from __future__ import annotations

from git_zdev.ground import paths
from git_zdev.ground.values import dataclass
from git_zdev.plan.records import fields
from git_zdev.plan.records.fields import BodyField, Field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    RecordPolicy = Literal["personal", "project", "pull-request"]
    Mode = Literal["isolated", "trunk"]
    Lifecycle = Literal["open", "closed"]
    TaskStatus = Literal["open", "done"]
    TaskState = Literal["ready", "blocked", "done"]
    Queue = Literal["empty", "ready", "exhausted"]
    Complexity = Literal["routine", "standard", "advanced"]
    Priority = Literal["high", "normal", "low"]

SCHEMA_VERSION = 1
RECORD_ROOT = paths.RECORD_ROOT
CONFIG_PATH = f"{RECORD_ROOT}/config.toml"
GITATTRIBUTES_PATH = f"{RECORD_ROOT}/.gitattributes"

RECORD_POLICIES: tuple[RecordPolicy, ...] = ("personal", "project", "pull-request")
COMPLEXITIES: tuple[Complexity, ...] = ("routine", "standard", "advanced")
PRIORITIES: tuple[Priority, ...] = ("high", "normal", "low")

DEFAULT_VALIDATION = "Let the verifier choose the smallest useful checks."
"""The validation bullet of a task whose draft has none."""

VERSION = Field("schema_version", int, rule=fields.version)
CONFIG_FIELDS = (VERSION, Field("project", dict))
PROJECT_FIELDS = (
    Field("name", str, rule=fields.line),
    Field("record", str, rule=fields.choice(*RECORD_POLICIES)),
    Field("default_area", str, required=False, rule=fields.segment),
    Field("trunk", str, required=False, rule=fields.branch),
    Field("guidance", str, required=False, rule=fields.line),
)
AREA_FIELDS = (
    VERSION,
    Field("tag", str, rule=fields.segment),
    Field("title", str, rule=fields.line),
    Field("objective", str, rule=fields.line),
    Field("mode", str, required=False, rule=fields.choice("isolated", "trunk")),
    Field("branch", str, required=False, rule=fields.branch),
    Field("lifecycle", str, required=False, rule=fields.choice("open", "closed")),
    Field("parent", str, required=False, rule=fields.segment),
    Field("base_commit", str, required=False, rule=fields.commit),
)
BRIEF_BODY = (BodyField("objective", "Objective", str), BodyField("testing", "Testing", str))
SLICE_FIELDS = (
    VERSION,
    Field("key", str, rule=fields.segment),
    Field("area", str, rule=fields.segment),
    Field("title", str, rule=fields.line),
)
SLICE_BODY = (
    BodyField("objective", "Objective", str),
    BodyField("boundaries", "Boundaries", list),
)
TASK_FIELDS = (
    VERSION,
    Field("id", str, view=True),
    Field("key", str, rule=fields.segment, draft=True),
    Field("area", str, rule=fields.segment),
    Field("status", str, rule=fields.choice("open", "done"), view=True),
    Field(
        "complexity",
        str,
        required=False,
        rule=fields.choice(*COMPLEXITIES),
        default="standard",
        draft=True,
        view=True,
        trait="{}",
    ),
    Field(
        "afk",
        bool,
        required=False,
        default=False,
        draft=True,
        view=True,
        trait="afk",
        label="Unattended",
    ),
    Field(
        "priority",
        str,
        required=False,
        rule=fields.choice(*PRIORITIES),
        default="normal",
        draft=True,
        view=True,
        trait="{} priority",
    ),
    Field("slice", str, required=False, rule=fields.segment, draft=True, view=True),
    Field(
        "blocked_by",
        list,
        required=False,
        default=(),
        draft=True,
        draft_rule=fields.reference,
        view=True,
    ),
)
TASK_BODY = (
    BodyField("outcome", "Outcome", str),
    BodyField("context", "Context", str, required=False, lines=True),
    BodyField("boundaries", "Boundaries", list, required=False),
    BodyField("done_when", "Done when", list, checks=True),
    BodyField("validation", "Validation", list, default=DEFAULT_VALIDATION),
)
_DEFAULTS: dict[str, Any] = {field.name: field.default for field in TASK_FIELDS}


def effective(record: Task | Draft, field: Field) -> Any:
    """The value of a task's or draft's field, or its default if the key is absent."""
    value = getattr(record, field.name)
    return field.default if value is None else value


@dataclass(frozen=True, slots=True)
class Project:
    """``.zdev/config.toml``.

    Attributes:
        name: The project's name.
        record: The owner of the records: one person, the project, or a pull request.
        default_area: The area that a command uses if none is named.
        trunk: The branch that areas start from; None while unbound.
        guidance: Free text for harnesses.
    """

    name: str
    record: RecordPolicy
    default_area: str | None = None
    trunk: str | None = None
    guidance: str | None = None


@dataclass(frozen=True, slots=True)
class Area:
    """``.zdev/<tag>/area.toml``: one objective on one branch.

    Attributes:
        tag: The folder's name.
        title: One line.
        objective: One line.
        mode: ``isolated`` owns a branch; ``trunk`` works on the project's trunk.
        branch: The branch of an isolated area; None for a trunk area.
        lifecycle: ``open`` or ``closed``.
        parent: The area whose branch is this one's base, instead of the trunk.
        base_commit: The anchor: the base commit last incorporated into the branch.
    """

    tag: str
    title: str
    objective: str
    mode: Mode = "isolated"
    branch: str | None = None
    lifecycle: Lifecycle = "open"
    parent: str | None = None
    base_commit: str | None = None

    @property
    def folder(self) -> str:
        """The area's folder."""
        return f"{RECORD_ROOT}/{self.tag}"


@dataclass(frozen=True, slots=True)
class Brief:
    """``.zdev/<tag>/brief.md``: the sections that the rules require, trimmed."""

    path: str
    objective: str
    testing: str


@dataclass(frozen=True, slots=True)
class Slice:
    """``.zdev/<tag>/slices/<key>.md``: a smaller brief inside an area; texts are trimmed.

    ``boundaries`` keeps its bullets; ``source`` is the exact bytes of the file.
    """

    key: str
    area: str
    title: str
    objective: str
    boundaries: str
    source: bytes = b""

    @property
    def path(self) -> str:
        """The slice's file."""
        return f"{RECORD_ROOT}/{self.area}/slices/{self.key}.md"


@dataclass(frozen=True, slots=True)
class Task:
    """``.zdev/<tag>/tasks/<number>-<slug>.md``.

    ``complexity``, ``afk`` and ``priority`` are as authored (None if absent); the
    ``effective_…`` properties fill the defaults in.

    Attributes:
        id: ``<area>-<number>``.
        key: Short name, unique in the area.
        area: The area's tag.
        status: ``open`` or ``done``.
        title: The text of the title line.
        path: The task's file.
        outcome: Trimmed text of its section.
        context: Trimmed text of its section; None without one.
        boundaries: Trimmed text with its bullets; None without a section.
        done_when: Trimmed text with its checkboxes.
        validation: Trimmed text with its bullets.
        blocked_by: Ids as authored.
        complexity: As authored.
        afk: As authored.
        priority: As authored.
        slice: Key of the slice; None if the task belongs to no slice.
        source: The exact bytes of the file.
    """

    id: str
    key: str
    area: str
    status: TaskStatus
    title: str
    path: str
    outcome: str
    context: str | None
    boundaries: str | None
    done_when: str
    validation: str
    blocked_by: tuple[str, ...] = ()
    complexity: Complexity | None = None
    afk: bool | None = None
    priority: Priority | None = None
    slice: str | None = None
    source: bytes = b""

    @property
    def number(self) -> int:
        """The number in the id."""
        return self.order[0]

    @property
    def order(self) -> tuple[int, str]:
        """Sort key of the id order: by number, then by the whole id."""
        return (int(self.id[len(self.area) + 1 :]), self.id)

    @property
    def effective_complexity(self) -> Complexity:
        """``complexity`` with its default."""
        return self.complexity or _DEFAULTS["complexity"]

    @property
    def effective_afk(self) -> bool:
        """``afk`` with its default."""
        return self.afk or _DEFAULTS["afk"]

    @property
    def effective_priority(self) -> Priority:
        """``priority`` with its default."""
        return self.priority or _DEFAULTS["priority"]


@dataclass(frozen=True, slots=True)
class Draft:
    """A task before it has an id, as a bundle or a proposal holds it.

    ``blocked_by`` names keys of the same input or ids of existing tasks. Absent optional values
    are None, so that the task's file holds exactly what was authored.
    """

    key: str
    title: str
    outcome: str
    done_when: tuple[str, ...]
    complexity: Complexity | None = None
    afk: bool | None = None
    priority: Priority | None = None
    slice: str | None = None
    blocked_by: tuple[str, ...] | None = None
    context: str | None = None
    boundaries: tuple[str, ...] | None = None
    validation: tuple[str, ...] | None = None

    @property
    def blockers(self) -> tuple[str, ...]:
        """``blocked_by``, empty if it is absent."""
        return self.blocked_by or ()


@dataclass(frozen=True, slots=True)
class Bundle:
    """Drafts that a person or a tool proposes for one area."""

    area: str
    drafts: tuple[Draft, ...]
