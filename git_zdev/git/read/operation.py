"""The Git operations that may be under way in a work tree; few runs need what an enum costs."""

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
