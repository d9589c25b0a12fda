"""Remove what work-context, tasks review and tasks derive review stored.

A work context contains whole diffs, and a review a whole bundle or proposal.
Remove by its id what should not have been stored. All ids are checked before
the first is removed. Corrupt documents and reviews are removed too, and links
are never followed. Printed output, copies and backups elsewhere are not
touched.
"""

from __future__ import annotations

from git_zdev.commands.shared.arguments import AREA, argument, require_tag
from git_zdev.ground.errors import ZdevError
from git_zdev.screen.result import Result, sentence, sorted_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from git_zdev.commands.shared.session import Session

ARGUMENTS = (
    AREA,
    argument(
        "STORED",
        "the id of a stored document or review",
        count="+",
        completer="everything_stored",
    ),
)


def run(session: Session, *, area: str, stored: list[str]) -> Result:
    """Remove them."""
    from git_zdev.derive.reviews import BUNDLES, PROPOSALS

    require_tag(area)
    ids = list(dict.fromkeys(stored))
    letters = {kind.letter for kind in (BUNDLES, PROPOSALS)}
    if any(one[:1] in letters for one in ids):
        with session.lock():  # storing a review takes it too
            _remove(session, area, ids)
    else:
        _remove(session, area, ids)
    said = f"Removed {', '.join(ids)} of {area}."
    return Result(sorted_document(area=area, removed=ids, status="removed"), sentence(said))


def _remove(session: Session, area: str, ids: list[str]) -> None:
    removals = [_removal(session, area, one) for one in ids]
    for place, remove in enumerate(removals):
        try:
            remove()
        except ZdevError as error:
            raise _after(ids[:place], error) from error


def _removal(session: Session, area: str, stored_id: str) -> Callable[[], None]:
    """A function that removes the document or review, which must exist."""
    from git_zdev.context import snapshot
    from git_zdev.derive.reviews import BUNDLES, PROPOSALS, ReviewStore

    git_dir = session.location.git_dir
    kind = next((one for one in (BUNDLES, PROPOSALS) if stored_id.startswith(one.letter)), None)
    if kind is None:
        snapshot.require_stored(git_dir, area, stored_id)
        return lambda: snapshot.remove(git_dir, area, stored_id)
    store = ReviewStore(git_dir, kind, area)
    store.require_stored(stored_id)
    return lambda: store.remove(stored_id)


def _after(removed: list[str], error: ZdevError) -> ZdevError:
    """The error, with a list of what was removed before it."""
    if not removed:
        return error
    message = f"{error.message}; {', '.join(removed)} had been removed by then"
    return ZdevError(error.code, message, error.hint, details={"removed": removed})
