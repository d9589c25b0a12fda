"""Branches and anchors in words."""

from __future__ import annotations

from git_zdev.ground.text import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.git.port import Refs


def anchor_words(base_commit: str | None) -> str:
    """An anchor as text."""
    return base_commit or "none, as there is no base yet"


def branch_notes(branch: str | None, refs: Refs) -> tuple[str, ...]:
    """A note if the branch that a record now names does not exist."""
    if branch is None or refs.branch_tip(branch) is not None:
        return ()
    return (f"The branch {quoted(branch)} does not exist yet.",)
