"""Remove the plan of a pull request before it is merged.

Makes one commit that deletes every tracked file below .zdev and nothing else;
other staged work stays staged. A squash merge then leaves no trace of the
plan.
"""

from __future__ import annotations

from git_zdev.ground.text import counted
from git_zdev.plan.areas import load_project
from git_zdev.plan.changes.project import MESSAGE, plan_squash
from git_zdev.screen.result import Fields, Result, Words, line, sorted_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.commands.shared.session import Session

ARGUMENTS = ()


def run(session: Session) -> Result:
    """Delete the plan in one commit."""
    with session.writing() as writing:
        project = load_project(writing.source)
        change = plan_squash(
            project, session.plan_root, source=writing.source, repository=session.repository
        )
        branch = writing.transaction.head.branch
        published = writing.publish(change)
    document = sorted_document(
        branch=branch,
        cleanup="squash",
        commit=published.commit,
        message=MESSAGE,
        record=project.record,
        removed=list(published.paths),
        status="committed",
    )
    count = counted(len(published.paths), "file")
    rows = (("Branch", Words(branch or "")), ("Commit", Words(published.commit or "", "id")))
    said = f"Removed {count} of the plan in one commit."
    return Result(document, lambda: [line(said), Fields(rows)], notes=published.report)
