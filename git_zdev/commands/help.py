"""Print a page of the manual, without the program man.

PAGE is a command (`area create`), a page's name (`git-zdev-errors`, or
`zdev-errors` as for `git help`), or that name without its prefix
(`errors`). Without PAGE the first page is printed, which lists the others.
"""

from __future__ import annotations

from git_zdev.commands.shared.arguments import argument
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.text import quoted
from git_zdev.screen.result import Manual, Result, sorted_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.commands.shared.session import Session

ARGUMENTS = (
    argument("PAGE", "a command, or a page's name", name="words", count="*", completer="pages"),
)


def run(session: Session, *, words: list[str]) -> Result:
    """Print the page; no repository is needed."""
    from git_zdev.screen import manual, plain, roff

    asked = " ".join(words)
    page = manual.find(asked)
    if page is None:
        known = ", ".join(manual.short_names())
        raise ZdevError(
            "unknown-page", f"the manual has no page {quoted(asked)}", f"Its pages are {known}"
        )
    source = manual.read(page)
    _, section = roff.title(source)
    document = sorted_document(page=page, section=section, text=plain.render([Manual(source)]))
    wanted = _columns(session.surroundings.environment.get("MANWIDTH", ""))
    return Result(document, lambda: [Manual(source, wanted)])


def _columns(value: str) -> int | None:
    """The width that the user has set; None if it is not a width."""
    return int(value) or None if value.isascii() and value.isdigit() else None
