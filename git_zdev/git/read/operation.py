"""The Git operations that may be in progress in a work tree; loaded only if there is one."""

from __future__ import annotations

from enum import StrEnum


class Operation(StrEnum):
    """A Git operation that is under way in a work tree; the value is what a person calls it."""

    REBASE = "rebase"
    AM = "am"
    MERGE = "merge"
    CHERRY_PICK = "cherry-pick"
    REVERT = "revert"
    BISECT = "bisect"
    SEQUENCER = "sequenced Git operation"
