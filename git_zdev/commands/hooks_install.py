"""Install a Git hook that calls this program.

pre-commit refuses a commit whose staged records do not hold together, as
`git zdev check --staged` judges them. A hook that is already there is left
alone unless --force is given, which keeps it beside the new one.
"""

from __future__ import annotations

from git_zdev.commands.shared.arguments import argument, flag
from git_zdev.publish import hooks
from git_zdev.screen.result import Result, line, sorted_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.commands.shared.session import Session
    from git_zdev.screen.result import Block

ARGUMENTS = (
    argument("HOOK", "pre-commit", choices=tuple(hooks.SCRIPTS)),
    flag("--force", "move a hook that is there aside and keep it"),
)


def run(session: Session, *, hook: str, force: bool) -> Result:
    """Install it."""
    done = hooks.install(session.repository, hook, session.disk, force=force)
    document = sorted_document(
        hook=hook,
        kept=done.kept,
        path=done.hook.path,
        status="installed" if done.changed else "unchanged",
    )
    return Result(document, lambda: _show(done))


def _show(done: hooks.Installed) -> list[Block]:
    if not done.changed:
        return [line(f"{done.hook.path} is installed already.")]
    shown: list[Block] = [line(f"Installed {done.hook.path}.")]
    if done.kept is not None:
        shown.append(line(f"The hook that was there is kept as {done.kept}."))
    return shown
