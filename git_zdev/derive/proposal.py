"""The proposal: one exact first line and one JSON object, and nothing else.

The bytes are read in layers. A layer is checked only if the one before it holds, and reports all
its problems together:

1. transport: size, UTF-8, the first line, one object without duplicate keys or impossible values;
2. schema: ``schemas/derived-proposal.schema.json``;
3. identity: the envelope, its first line and the selected area name the same work.

The checks that need the records and the repository come later, in other modules of this package.
"""

from __future__ import annotations

from git_zdev.ground import jsontext, schema
from git_zdev.ground.errors import InvalidInput, Problem, summary_of
from git_zdev.ground.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal

    Kind = Literal["investigation_follow_up", "implementation_split"]

INVALID = "invalid-proposal"
SIZE_LIMIT = 1024 * 1024
DEPTH_LIMIT = 32
OPENING = "PROPOSE zdev-derived"

FOLLOW_UP: Literal["investigation_follow_up"] = "investigation_follow_up"
SPLIT: Literal["implementation_split"] = "implementation_split"


@dataclass(frozen=True, slots=True)
class SourceResult:
    """What the worker says about its source task.

    Attributes:
        status: ``complete`` for a follow-up, ``split`` for a split.
        summary: One line: the completion summary, or why the work must be divided.
        validation: The validation list of the completion; empty for a split.
    """

    status: Literal["complete", "split"]
    summary: str
    validation: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChildPaths:
    """The future paths that one child of a split may work on, in the proposal's order."""

    key: str
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SplitOwnership:
    """Who owns which path after a split.

    Attributes:
        retained: Paths that the source task has changed and keeps.
        children: One entry a proposed key, in the proposal's order.
    """

    retained: tuple[str, ...]
    children: tuple[ChildPaths, ...]

    def of(self, key: str) -> tuple[str, ...]:
        """The future paths of the child with that key; empty if it has no entry."""
        return next((child.paths for child in self.children if child.key == key), ())


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposal whose transport, schema and identity are valid.

    Attributes:
        kind: Its kind, one of two.
        area: Tag of the area.
        source_task: Id of the source task.
        result: What becomes of the source task.
        ownership: The ownership of paths; only for a split.
        drafts: The drafts as decoded JSON objects, one to five.
        document: The decoded object.
        json: The exact bytes of the object and of what follows it.
    """

    kind: Kind
    area: str
    source_task: str
    result: SourceResult
    ownership: SplitOwnership | None
    drafts: tuple[Mapping[str, Any], ...]
    document: Mapping[str, Any]
    json: bytes

    @property
    def is_split(self) -> bool:
        """Whether the source stays open and waits for the drafts."""
        return self.kind == SPLIT


def first_line(area: str, source_task: str) -> bytes:
    """The first line of an envelope, with its line feed."""
    return f"{OPENING} {area} {source_task}\n".encode()


def read_proposal(data: bytes, area: str) -> Proposal:
    """Read an envelope through the first three layers.

    Args:
        data: The whole input.
        area: Tag of the selected area.

    Returns:
        The proposal.

    Raises:
        InvalidInput: ``invalid-proposal`` with every problem of the first layer that fails.
    """
    named_area, named_source, document, body = _transport(data)
    _require_none(schema.problems("derived-proposal", document, code=INVALID))
    _require_none(_identity(document, area, named_area, named_source))
    return Proposal(
        kind=document["proposal"],
        area=area,
        source_task=document["source_task"],
        result=_result(document["source_result"]),
        ownership=_ownership(document.get("split_ownership")),
        drafts=tuple(document["tasks"]),
        document=document,
        json=body,
    )


def _require_none(problems: list[Problem]) -> None:
    if problems:
        raise invalid(problems)


def invalid(problems: list[Problem]) -> InvalidInput:
    """The error for a proposal that cannot be read."""
    return InvalidInput(
        INVALID,
        f"the proposal is not valid: {summary_of(problems)}",
        problems,
        "Show it as it came and let its worker correct it",
    )


def _transport(data: bytes) -> tuple[str, str, dict[str, Any], bytes]:
    """Area and source of the first line, the decoded object and its bytes."""
    if len(data) > SIZE_LIMIT:
        message = f"the proposal has {len(data)} bytes, more than the limit of {SIZE_LIMIT}"
        raise invalid([Problem(INVALID, message)])
    opening, _, body = data.partition(b"\n")
    names, problems = _opening(opening)
    document: dict[str, Any] = {}
    try:
        document = _object(body, offset=len(opening))
    except InvalidInput as error:
        problems += error.problems
    else:
        problems += _version(document)
    _require_none(problems)
    return *names, document, body


def _opening(line: bytes) -> tuple[tuple[str, str], list[Problem]]:
    """The names in the first line, and what is wrong with it."""
    words = line.decode("utf-8", "replace").split(" ")
    if len(words) == 4 and " ".join(words[:2]) == OPENING and all(map(_is_name, words[2:])):
        return (words[2], words[3]), []
    message = f"the first line is not exactly `{OPENING} <area> <source-task-id>`"
    return ("", ""), [Problem(INVALID, message, line=1)]


def _is_name(word: str) -> bool:
    return word.isascii() and word.replace("-", "").isalnum() and word == word.lower()


def _object(body: bytes, offset: int) -> dict[str, Any]:
    """Decode the object; what comes before it counts as white space, so that lines are right."""
    if not body.startswith(b"{") or not body.removesuffix(b"\n").endswith(b"}"):
        message = (
            "one JSON object follows the first line, from its `{` to its `}`, "
            "with at most one line feed after it and nothing else"
        )
        raise invalid([Problem(INVALID, message)])
    return jsontext.decode_object(
        b" " * offset + b"\n" + body,
        code=INVALID,
        what="proposal",
        size_limit=SIZE_LIMIT,
        depth_limit=DEPTH_LIMIT,
    )


def _version(document: dict[str, Any]) -> list[Problem]:
    version = document.get("schema_version", 1)
    if type(version) is int and version == 1:
        return []
    message = "the schema version is not the integer 1, which is the only one that is known"
    return [Problem(INVALID, message, pointer="/schema_version")]


def _identity(
    document: Mapping[str, Any], area: str, named_area: str, named_source: str
) -> list[Problem]:
    source, problems = document["source_task"], []
    if document["area"] != area:
        message = f'the area is "{document["area"]}"; the selected one is "{area}"'
        problems.append(Problem(INVALID, message, pointer="/area"))
    if named_area != area:
        message = f'the first line names the area "{named_area}"; the selected one is "{area}"'
        problems.append(Problem(INVALID, message, line=1))
    if named_source != source:
        message = f'the first line names the source "{named_source}"; the object has "{source}"'
        problems.append(Problem(INVALID, message, line=1))
    if source.rpartition("-")[0] != area:
        message = f'the source task "{source}" is not a task of the area "{area}"'
        problems.append(Problem(INVALID, message, pointer="/source_task"))
    return problems


def _result(document: Mapping[str, Any]) -> SourceResult:
    return SourceResult(document["status"], document["summary"], tuple(document["validation"]))


def _ownership(document: Mapping[str, Any] | None) -> SplitOwnership | None:
    if document is None:
        return None
    return SplitOwnership(
        retained=tuple(document["retained_parent_paths"]),
        children=tuple(
            ChildPaths(child["key"], tuple(child["paths"]))
            for child in document["child_future_paths"]
        ),
    )
