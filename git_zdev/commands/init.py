"""Create the plan of this repository: .zdev/config.toml.

The checked-out branch becomes the trunk, from which areas start; with a
detached HEAD there is none until `git zdev config trunk` names one. If a plan
already exists, nothing changes.
"""

from __future__ import annotations

import os

from git_zdev.commands.shared.arguments import option
from git_zdev.plan.changes.project import EXCLUDE_FILE, plan_init
from git_zdev.plan.records.model import CONFIG_PATH, RECORD_POLICIES
from git_zdev.plan.records.store import FileSource
from git_zdev.screen.result import Fields, Result, Words, line, sorted_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.commands.shared.session import Session
    from git_zdev.plan.changes.project import Initialized
    from git_zdev.plan.records.model import RecordPolicy
    from git_zdev.screen.result import Block

OWNERS = {
    "personal": "you alone; Git ignores the plan",
    "project": "the project; the plan is committed",
    "pull-request": "one pull request; the plan is removed before it is merged",
}

ARGUMENTS = (
    option(
        "--record",
        "",
        "who owns the plan: you alone (Git ignores it), the project (it is committed), or "
        "one pull request (`git zdev cleanup squash` removes it in the end)",
        choices=RECORD_POLICIES,
        required=True,
    ),
)


def run(session: Session, *, record: RecordPolicy) -> Result:
    """Create the plan, unless it exists."""
    location = session.location
    with session.writing() as writing, session.sharing():
        excludes = FileSource(location.common_dir).read(EXCLUDE_FILE)
        plan = plan_init(
            writing.source,
            name=os.path.basename(location.work_tree),
            policy=record,
            trunk=session.repository.head().branch,
            root=session.plan_root,
            excludes=excludes,
        )
        writing.publish(plan.change)
    status = "created" if plan.change.changes else "unchanged"
    document = sorted_document(
        record={"exclude": plan.exclude, "path": CONFIG_PATH, "policy": record},
        root=session.root,
        status=status,
        trunk=plan.project.trunk,
    )
    return Result(document, lambda: _show(session.root, status, plan))


def _show(root: str, status: str, plan: Initialized) -> list[Block]:
    if status == "unchanged":
        return [line(f"{root} has a plan already; nothing changed.")]
    rows = [
        ("Project", Words(plan.project.name)),
        ("Owner", Words(OWNERS[plan.project.record])),
        ("Trunk", Words(plan.project.trunk or "none yet: `git zdev config trunk <branch>`")),
    ]
    return [line(f"Created {root}/{CONFIG_PATH}."), Fields(tuple(rows))]
