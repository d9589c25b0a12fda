"""The publication of a proposal: its files, its one commit, and the gate before both."""

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

    Either kind takes the whole index: for a follow-up it holds the artifacts, and for a split,
    whose gate lets only an empty one pass, nothing but HEAD's tree.
    """
    commit = CommitPlan(
        message=compose_message(derivation.subject, (), change_id),
        paths=tuple(map(setting.root.in_work_tree, derivation.paths)),
        whole_index=True,
    )
    return ChangeSet(COMMAND, derivation.changes, commit)


class Gate:
    """Everything that must hold to publish a proposal; each look is a new one.

    Attributes:
        findings: What the last call found.
    """

    findings: Findings

    def __init__(self, derivation: Derivation, setting: Setting, review: Review | None) -> None:
        """Guard the publication of ``derivation``, which ``review`` shows where there is one."""
        self._derivation = derivation
        self._setting = setting
        self._review = review

    def records_and_branch(self) -> None:
        """Pass what costs little: a refusal at this point needs no way back.

        Raises:
            ZdevError: The first obstacle in the records or the branches.
        """
        for obstacle in standing_obstacles(self._derivation, self._setting):
            raise obstacle

    def everything(self) -> None:
        """Pass all of it, the work tree included.

        Raises:
            ZdevError: The first obstacle; ``review-outdated`` when nothing else is in the way.
        """
        self.findings = examine(self._derivation, self._setting)
        self.findings.require_none()
        if self._review is not None:
            from git_zdev.derive.review import require_same

            require_same(self._review, self._derivation, self.findings.artifacts)
