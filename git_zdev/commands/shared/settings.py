"""Changing a setting: shared by `config set`, `config unset` and `config trunk`."""

from __future__ import annotations

from git_zdev.commands.shared.branches import branch_notes
from git_zdev.plan.changes.area import areas_by_tag
from git_zdev.plan.changes.project import plan_setting
from git_zdev.screen.result import Result, line, sorted_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from git_zdev.commands.shared.session import Session
    from git_zdev.plan.changes.project import Setting, TrunkMove
    from git_zdev.screen.result import Block

TRUNK = "project.trunk"


def change_setting(
    session: Session, key: str, value: str | None, *, allow_divergent: bool = False
) -> Result:
    """Set a key, or remove it when ``value`` is None."""
    with session.writing() as writing:
        setting = plan_setting(
            writing.source,
            key,
            value,
            areas=areas_by_tag(writing.source),
            refs=session.repository,
            allow_divergent=allow_divergent,
        )
        notes = branch_notes(value if key == TRUNK else None, session.repository)
        writing.publish(setting.change)
    status = "updated" if setting.change.changes else "unchanged"
    document = sorted_document(key=key, value=value, status=status, **_moved(setting.move))
    return Result(document, lambda: _show(key, value, status, setting), notes=notes)


def _moved(move: TrunkMove | None) -> dict[str, Any]:
    if move is None:
        return {}
    return {
        "affected_areas": list(move.affected),
        "ancestry": {
            "new_tip": move.new_tip,
            "old_is_ancestor": move.old_is_ancestor,
            "old_tip": move.old_tip,
            "override": move.override,
        },
        "previous_trunk": move.previous,
    }


def _show(key: str, value: str | None, status: str, setting: Setting) -> list[Block]:
    if status == "unchanged":
        return [line(f"{key} is {value} already." if value else f"{key} is not set.")]
    shown: list[Block] = [line(f"{key} is now {value}." if value else f"Removed {key}.")]
    if setting.move is not None:
        shown.append(line(f"Trunk areas that work on it: {', '.join(setting.move.affected)}."))
    return shown
