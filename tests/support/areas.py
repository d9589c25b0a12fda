"""Areas written by hand, each as the format shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.plan import BRIEF, index_text, write_plan

if TYPE_CHECKING:
    from pathlib import Path


def area_text(tag: str, **values: str) -> str:
    """``area.toml`` with title and objective, then ``values`` in the order given."""
    lines = ["schema_version = 1", f'tag = "{tag}"', 'title = "Payments"']
    lines += [
        'objective = "Pay reliably."',
        *(f'{key} = "{value}"' for key, value in values.items()),
    ]
    return "".join(f"{line}\n" for line in lines)


def write_empty_area(root: Path, tag: str, **values: str) -> None:
    """A valid area without tasks; ``values`` are the further keys of ``area.toml``."""
    files = {
        f"{tag}/area.toml": area_text(tag, **values),
        f"{tag}/brief.md": BRIEF,
        f"{tag}/TASKS.md": index_text([], tag=tag, counts=(0, 0, 0, 0)),
    }
    write_plan(root, dict(files))
