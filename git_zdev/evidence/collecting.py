"""The whole evidence: status and diffs as text, and the untracked map; submodules must be clean."""

from __future__ import annotations

from git_zdev.evidence.strings import held
from git_zdev.evidence.survey import RawEvidence, Survey, worktree_status
from git_zdev.git.failures import Reading
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.text import printable
from git_zdev.ground.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from git_zdev.evidence.strings import Text
    from git_zdev.git.port import Checkout


@dataclass(frozen=True, slots=True)
class Evidence:
    """The Git part of a work context; each text is the complete output of Git, perhaps empty.

    Attributes:
        head: HEAD's commit, None before the first one.
        git_status: ``git status --short --untracked-files=all``.
        git_diff_cached: ``git diff --cached``.
        git_diff: ``git diff``.
        git_untracked: What each ``??`` path is, in byte order: ``{"kind": "file", "hash"}``,
            ``{"kind": "symlink", "target"}`` or ``{"kind": "repository", …}`` with this evidence
            of a nested repository.
    """

    head: str | None
    git_status: str
    git_diff_cached: Text
    git_diff: Text
    git_untracked: dict[str, Any]


@dataclass(frozen=True, slots=True)
class InnerEvidence:
    """What a nested repository contributes: texts with ``--binary`` diffs, untracked paths."""

    head: str | None
    git_status: str
    git_diff_cached: Text
    git_diff: Text
    untracked: Sequence[bytes]


def collect(repository: Checkout, *, as_bytes: bool = False) -> Evidence:
    """Collect the evidence of an opened repository's work tree.

    Args:
        repository: The repository.
        as_bytes: Whether what is not UTF-8 is held as bytes instead of refused.

    Raises:
        ZdevError: If any part of it is not certain; each reason has its own code
            (``evidence-not-utf8``, ``missing-object``, ``filter-needs-process``, …).
    """
    with Reading(repository.location):
        raw = _checked_evidence(repository, binary=False)
        return Evidence(
            head=raw.head,
            git_status=raw.status.decode("ascii"),
            git_diff_cached=_text(raw.diff_cached, "git diff --cached", as_bytes=as_bytes),
            git_diff=_text(raw.diff, "git diff", as_bytes=as_bytes),
            git_untracked=_untracked(repository, raw.untracked, as_bytes=as_bytes),
        )


def inner_evidence(repository: Checkout, *, as_bytes: bool = False) -> InnerEvidence:
    """The evidence of a nested repository without its untracked map."""
    raw = _checked_evidence(repository, binary=True)
    return InnerEvidence(
        head=raw.head,
        git_status=raw.status.decode("ascii"),
        git_diff_cached=_text(raw.diff_cached, "git diff --cached", as_bytes=as_bytes),
        git_diff=_text(raw.diff, "git diff", as_bytes=as_bytes),
        untracked=raw.untracked,
    )


def _untracked(repository: Checkout, paths: Sequence[bytes], *, as_bytes: bool) -> dict[str, Any]:
    if not paths:
        return {}
    from git_zdev.evidence.untracked import untracked_map

    def nested(path: bytes) -> dict[str, Any]:
        from git_zdev.evidence.nested import nested_entry

        return nested_entry(repository, read, path, as_bytes=as_bytes)

    def read(inner: Checkout) -> InnerEvidence:
        return inner_evidence(inner, as_bytes=as_bytes)

    root = repository.location.work_tree
    return untracked_map(root, paths, nested, repository.progress, as_bytes=as_bytes)


def _checked_evidence(repository: Checkout, *, binary: bool) -> RawEvidence:
    """The evidence of a work tree whose submodules are clean."""
    survey = Survey(repository.look(), binary=binary)
    if survey.has_submodules:
        from git_zdev.evidence.nested import require_clean

        require_clean(repository, worktree_status)
    return survey.evidence()


def _text(diff: bytes, command: str, *, as_bytes: bool) -> Text:
    """The diff as text, or as bytes on request.

    Raises:
        ZdevError: ``evidence-not-utf8``, naming the file in whose part the first bad byte is.
    """
    if as_bytes:
        return held(diff)
    try:
        return diff.decode("utf-8")
    except UnicodeDecodeError as error:
        name = _file_at(diff, error.start)
        raise ZdevError(
            "evidence-not-utf8",
            f"the change of {name} in `{command}` holds bytes that are not valid UTF-8",
            "`--bytes` captures them all the same; marking the file -diff in "
            ".git/info/attributes leaves its lines out and changes nothing tracked",
            details={"path": name, "command": command},
        ) from error


def _file_at(diff: bytes, position: int) -> str:
    """The name of the file, as its header shows it, whose part of a diff contains a position."""
    unmerged = diff.rfind(b"* Unmerged path ", 0, position)
    start = diff.rfind(b"\ndiff --", 0, position) + 1
    if unmerged >= start and b"\n" not in diff[unmerged:position]:
        line = diff[unmerged:].partition(b"\n")[0]
        return printable(line.removeprefix(b"* Unmerged path "))
    before, after = [
        line[4:].removesuffix(b"\t")
        for line in diff[start:position].split(b"\n@@", 1)[0].split(b"\n")
        if line.startswith((b"--- ", b"+++ "))
    ]
    name = before if after == b"/dev/null" else after
    quoted = '"' if name.startswith(b'"') else ""
    return quoted + printable(name)[len(quoted) + 2 :]
