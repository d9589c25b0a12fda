"""Publish a proposal: its files, its one commit, and the gate before both."""

from __future__ import annotations

from git_zdev.derive.current import examine, standing_obstacles
from git_zdev.ground.changeset import ChangeSet, CommitPlan
from git_zdev.plan.change_id import compose_message

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.derive.current import Findings, Setting
    from git_zdev.derive.plan import Derivation
    from git_zdev.derive.reviews import Review

COMMAND = "tasks derive apply"


def change_of(derivation: Derivation, setting: Setting, change_id: str) -> ChangeSet:
    """The files and the commit of a proposal.

    Both kinds commit the whole index. For a follow-up it holds the artifacts; for a split it
    equals HEAD's tree, since the gate lets nothing else pass.
    """
    commit = CommitPlan(
        message=compose_message(derivation.subject, (), change_id),
        paths=tuple(map(setting.root.in_work_tree, derivation.paths)),
        whole_index=True,
    )
    return ChangeSet(COMMAND, derivation.changes, commit)


class Gate:
    """The conditions for publishing a proposal; each call checks them afresh.

    Attributes:
        findings: The findings of the last call.
    """

    findings: Findings

    def __init__(self, derivation: Derivation, setting: Setting, review: Review | None) -> None:
        """Guard the publication of ``derivation``, which ``review``, if any, shows."""
        self._derivation = derivation
        self._setting = setting
        self._review = review

    def records_and_branch(self) -> None:
        """Check the cheap conditions, before there is anything to roll back.

        Raises:
            ZdevError: The first obstacle in the records or the branches.
        """
        for obstacle in standing_obstacles(self._derivation, self._setting):
            raise obstacle

    def everything(self) -> None:
        """Check every condition, including the work tree.

        Raises:
            ZdevError: The first obstacle; ``review-outdated`` if there is no other.
        """
        self.findings = examine(self._derivation, self._setting)
        self.findings.require_none()
        if self._review is not None:
            from git_zdev.derive.review import require_same

            require_same(self._review, self._derivation, self.findings.artifacts)
