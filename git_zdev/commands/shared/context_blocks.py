"""A work context as text."""

from __future__ import annotations

from git_zdev.commands import goal
from git_zdev.commands.shared import blocks
from git_zdev.evidence.strings import shown as shown_text
from git_zdev.screen.result import BLANK, Diff, Fields, Status, Words, line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from git_zdev.screen.result import Block

PARTS = (
    ("Status", "git_status", Status),
    ("Staged", "git_diff_cached", Diff),
    ("Not staged", "git_diff", Diff),
)


def show(document: dict[str, Any]) -> list[Block]:
    """The task, the branch, what changed, and what is untracked."""
    shown = goal.show(document["goal"])
    if document["lifecycle"] == "closed":
        return shown
    branch = document["status"]["branch_status"]
    rows = (("Branch", blocks.branch_words(branch)), ("HEAD", Words(document["head"], "id")))
    shown += [BLANK, Fields(rows)]
    changes = [
        (name, kind(shown_text(document[key]))) for name, key, kind in PARTS if document[key]
    ]
    if not changes:
        return [*shown, BLANK, line("The work tree is clean.")]
    for name, block in changes:
        shown += [BLANK, line(Words(name, "heading")), block]
    return shown
