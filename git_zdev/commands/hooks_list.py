"""List the hooks that can be installed, and what is in their place."""

from __future__ import annotations

from git_zdev.publish import hooks
from git_zdev.screen.result import Result, Table, Words, sorted_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.commands.shared.session import Session

STYLES = {"installed": "good", "other": "warning", "absent": "muted"}

ARGUMENTS = ()


def run(session: Session) -> Result:
    """List them."""
    found = hooks.listed(session.repository)
    rows = tuple(
        (Words(hook.name, "id"), Words(hook.state, STYLES[hook.state]), Words(hook.path))
        for hook in found
    )
    document = sorted_document(
        hooks=[{"name": hook.name, "path": hook.path, "state": hook.state} for hook in found]
    )
    return Result(document, lambda: (Table(("Hook", "State", "File"), rows),))
