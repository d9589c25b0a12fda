"""Finish or undo what an interrupted command left.

A command that writes several files, or files and a commit, keeps a journal
until all of them are there. Every writing command settles a journal first;
this one does nothing else. Files that somebody changed after the interruption
stay as they are and are named; --keep-current accepts them.
"""

from __future__ import annotations

from git_zdev.commands.shared.arguments import flag
from git_zdev.screen.result import Result, line, sorted_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.commands.shared.session import Session
    from git_zdev.publish.recovery import Recovery
    from git_zdev.screen.result import Block

SAID = {
    ("none", False): "There is nothing to recover.",
    ("none", True): "There is nothing to recover.",
    ("completed", False): "{command} was interrupted; it has been completed.",
    ("completed", True): "{command} was interrupted; it would be completed.",
    ("rolled-back", False): "{command} was interrupted; it has been undone. Run it again.",
    ("rolled-back", True): "{command} was interrupted; it would be undone.",
}
"""By the outcome and whether this is a dry run."""

STOPS = "Recovery would stop there; --keep-current keeps your version and settles the rest."

ARGUMENTS = (
    flag("--dry-run", "only say what would be done"),
    flag("--keep-current", "accept files that were changed since the interruption"),
    flag("--assume-dead", "the `git commit` that cannot be seen from here has ended"),
)


def run(session: Session, *, dry_run: bool, keep_current: bool, assume_dead: bool) -> Result:
    """Recover."""
    from git_zdev.publish.recovery import recover

    found = recover(
        session.repository,
        session.surroundings.environment,
        git=session.git,
        disk=session.disk,
        dry_run=dry_run,
        keep_current=keep_current,
        assume_dead=assume_dead,
    )
    document = sorted_document(
        command=found.command or None,
        journal=found.journal,
        kept=list(found.kept),
        notes=list(found.notes),
        outcome=found.outcome,
        paths=list(found.paths),
    )
    stops = dry_run and not keep_current and found.kept
    return Result(
        document,
        lambda: _show(SAID[found.outcome, dry_run], found, STOPS if stops else ""),
        notes=found.notes,
    )


def _show(said: str, found: Recovery, stops: str) -> list[Block]:
    command = f"`git zdev {found.command}`" if found.command else ""
    shown: list[Block] = [line(said.format(command=command))]
    shown += [line(f"  {path}") for path in found.paths if path not in found.kept]
    shown += [line(f"Edited since, and left alone: {path}") for path in found.kept]
    return [*shown, line(stops)] if stops else shown
