"""Branches and anchors in arguments and in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import ArgumentParser


def add_choice(parser: ArgumentParser) -> None:
    """The trunk instead of an own branch."""
    parser.add_argument(
        "--trunk", action="store_true", help="work on the project's trunk instead of an own branch"
    )


def anchor_words(base_commit: str | None) -> str:
    """An anchor for a person."""
    return base_commit or "none, as there is no base yet"
