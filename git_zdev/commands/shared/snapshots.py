"""Collecting, storing, loading and comparing work contexts, for several commands.

The store and the comparison are imported where they are used: most captures only print.
"""

from __future__ import annotations

from git_zdev.commands.shared.arguments import require_tag
from git_zdev.context import capture

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from git_zdev.commands.shared.session import Session
    from git_zdev.context.snapshot import Snapshot
    from git_zdev.plan.records.store import RecordSource


_HELD_AS_BYTES = b'"base64'
"""How bytes begin in a stored document; text that only looks like it does no harm."""


def collect(
    session: Session, area: str, task_id: str | None, *, as_bytes: bool = False
) -> dict[str, Any]:
    """A fresh, consistent work context; ``task_id`` replaces the default selection."""
    document = capture.capture(
        session.records, lambda: session.evidence, area, task_id=task_id, as_bytes=as_bytes
    )
    session.end_look()
    return document


def encode(session: Session, document: dict[str, Any]) -> bytes:
    """The canonical bytes of a work context."""
    return capture.encoded(document, lambda: session.repository)


def keep(session: Session, document: dict[str, Any]) -> Snapshot:
    """Store a work context."""
    from git_zdev.context import snapshot

    data = encode(session, document)
    return snapshot.store(session.location.git_dir, document["area"], document, data)


def load(session: Session, area: str, snapshot_id: str, remedy: str | None = None) -> Snapshot:
    """A stored work context of this work tree, verified against its id.

    ``remedy`` says what to do if it is not stored.
    """
    from git_zdev.context import snapshot

    require_tag(area)
    return snapshot.load(session.location.git_dir, area, snapshot_id, remedy)


def load_admitted(session: Session, area: str, snapshot_id: str) -> Snapshot:
    """The work context that was stored before the verifier began."""
    return load(session, area, snapshot_id, verify_again(area))


def verify_again(area: str) -> str:
    """The hint for a verification that can no longer be relied on."""
    return f"Have the work verified again from a fresh `git zdev verify admit {area}`"


def changed_since(
    session: Session, stored: Snapshot, source: RecordSource | None = None
) -> list[str]:
    """Collect a fresh context once; return the top-level keys that differ.

    ``source`` is where a writing command reads records.
    """
    from git_zdev.context.snapshot import differing_keys

    fresh = capture.capture(
        source or session.records,
        lambda: session.repository if source else session.evidence,
        stored.document["area"],
        preferred=stored.document["task_id"],
        as_bytes=_HELD_AS_BYTES in stored.data,
    )
    changed = differing_keys(stored.document, fresh)
    # Equal documents have equal sizes; only a different one has to be measured.
    size = len(encode(session, fresh)) if changed else len(stored.data)
    capture.require_size(fresh, size, lambda: session.repository)
    return changed
