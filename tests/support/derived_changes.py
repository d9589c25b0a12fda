"""The two kinds of derived work as plans, for the scenarios that are made to fail.

They start from ``tests/support/payments.py``; their gate is the one of the real command.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from git_zdev.derive.apply import Gate, change_of
from git_zdev.derive.current import Setting
from git_zdev.derive.plan import Derivation, derive
from git_zdev.derive.proposal import read_proposal
from git_zdev.ground.paths import TOP
from git_zdev.plan.areas import load_area
from git_zdev.plan.records.store import FileSource
from tests.support.payments import IN_MEMORY, commit_payments
from tests.support.proposals import envelope, follow_up, split

if TYPE_CHECKING:
    from git_zdev.ground.changeset import ChangeSet
    from tests.support.gitrepo import GitRepo

CHANGE_ID = f"Z{'0' * 64}"
ARTIFACT = "docs/retry-boundary.md"


def retaining_split() -> dict[str, Any]:
    """A split that retains what :func:`half_done` leaves."""
    document = split()
    retained = ["src/half.rs", "src/payments.rs"]
    document["split_ownership"]["retained_parent_paths"] = retained
    return document


def investigated(repo: GitRepo) -> None:
    """A staged artifact, and other work beside it."""
    commit_payments(repo)
    repo.write(ARTIFACT, "Retries stop at the gateway.\n")
    repo.git("add", "docs")
    repo.write("src/log.rs", "unrelated\n")


def half_done(repo: GitRepo) -> None:
    """The source task's own unstaged delta."""
    commit_payments(repo)
    repo.write("src/payments.rs", "half done\n").chmod(0o755)
    repo.write("src/half.rs", "new\n")


def derivation(document: dict[str, Any]) -> Derivation:
    """What a proposal makes of the plan."""
    records = load_area(IN_MEMORY, "payments")
    return derive(read_proposal(envelope(document), "payments"), records)


def setting(repo: GitRepo, repository: Any) -> Setting:
    """Where it is applied."""
    return Setting(FileSource(repo.path), repository, TOP)


def change(document: dict[str, Any]) -> ChangeSet:
    """The plan of a proposal, which depends on nothing but the records."""
    return change_of(derivation(document), Setting(IN_MEMORY, None, TOP), CHANGE_ID)  # type: ignore[arg-type]


def gate(document: dict[str, Any]) -> Any:
    """Makes the gates of a proposal from a repository's folder and its port."""

    def gates(repo: GitRepo, repository: Any) -> Any:
        both = Gate(derivation(document), setting(repo, repository), None)
        return (both.records_and_branch,), (both.everything,)

    return gates


FOLLOW_UP = follow_up()
SPLIT = retaining_split()
