"""The plan that tests of derived work start from, written by hand.

The area ``payments`` works on the trunk. ``payments-001`` is done, ``payments-002`` is the source
(ready), ``payments-003`` waits for it, ``payments-004`` is ready and comes later in the order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from git_zdev.plan.records.store import PlannedSource
from tests.support.plan import BRIEF, CONFIG, SLICE, index_text, task_text, write_plan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.support.gitrepo import GitRepo

AREA = """\
schema_version = 1
tag = "payments"
title = "Payments"
objective = "Pay reliably."
mode = "trunk"
lifecycle = "open"
"""
SOURCE_PATH = ".zdev/payments/tasks/002-settle-the-retry-boundary.md"
INDEX_PATH = ".zdev/payments/TASKS.md"

TASKS = {
    "001-measure-the-retries.md": task_text(
        1, key="measure-retries", title="Measure the retries", status="done"
    ),
    "002-settle-the-retry-boundary.md": task_text(
        2, key="settle-retry", title="Settle the retry boundary", blocked_by=["payments-001"]
    ),
    "003-document-the-retries.md": task_text(
        3, key="document-retries", title="Document the retries", blocked_by=["payments-002"]
    ),
    "004-tidy-the-logs.md": task_text(4, key="tidy-logs", title="Tidy the logs"),
}
INDEX = index_text(
    [
        "| [payments-001](tasks/001-measure-the-retries.md) | Measure the retries | done | — |",
        (
            "| [payments-002](tasks/002-settle-the-retry-boundary.md) | Settle the retry boundary "
            "| ready | payments-001 |"
        ),
        (
            "| [payments-003](tasks/003-document-the-retries.md) | Document the retries "
            "| blocked | payments-002 |"
        ),
        "| [payments-004](tasks/004-tidy-the-logs.md) | Tidy the logs | ready | — |",
    ],
    counts=(4, 2, 1, 1),
)
FILES: dict[str, str | bytes] = {
    ".gitattributes": "* text eol=lf\n",
    "config.toml": CONFIG,
    "payments/area.toml": AREA,
    "payments/brief.md": BRIEF,
    "payments/slices/api.md": SLICE.format(key="api", tag="payments"),
    "payments/TASKS.md": INDEX,
    **{f"payments/tasks/{name}": text for name, text in TASKS.items()},
}


class _Nothing:
    """A record source without a file."""

    def read(self, _path: str) -> bytes | None:
        return None

    def names(self, _folder: str) -> Sequence[tuple[str, bool]]:
        return ()


IN_MEMORY = PlannedSource(
    _Nothing(),
    {
        f".zdev/{name}": text.encode() if isinstance(text, str) else text
        for name, text in FILES.items()
    },
)
"""The plan as a record source, without a file on disk."""


def commit_payments(repo: GitRepo) -> str:
    """Write the plan and a few sources, commit all of it, and give the commit's id."""
    write_plan(repo.path, FILES)
    repo.write("src/payments.rs", "fn pay() {}\n")
    repo.write("src/log.rs", "fn log() {}\n")
    repo.write("tests/pay.rs", "// none\n")
    repo.git("add", "--all")
    return repo.commit("Plan the payments")
