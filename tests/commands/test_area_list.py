"""``git zdev area list`` on real repositories."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.cli import refused, result, succeed
from tests.support.plan import (
    CONFIG,
    area_text,
    task_text,
    write_area,
    write_empty_area,
    write_plan,
)

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repo import GitRepo


def test_areas_in_the_order_of_their_tags(planned: GitRepo) -> None:
    write_area(planned.path, "payments", tasks=2)
    write_empty_area(planned.path, "general", mode="trunk")
    write_empty_area(planned.path, "api", branch="feat/api", lifecycle="closed", parent="payments")
    write_plan(planned.path, {"api/tasks/001-x.md": task_text(1, tag="api", status="done")})
    assert result("area list", cwd=planned.path) == {
        "areas": [
            {
                "branch": "feat/api",
                "lifecycle": "closed",
                "mode": "isolated",
                "parent": "payments",
                "queue": "exhausted",
                "tag": "api",
                "title": "Payments",
            },
            {
                "branch": "main",
                "lifecycle": "open",
                "mode": "trunk",
                "parent": None,
                "queue": "empty",
                "tag": "general",
                "title": "Payments",
            },
            {
                "branch": "payments",
                "lifecycle": "open",
                "mode": "isolated",
                "parent": None,
                "queue": "ready",
                "tag": "payments",
                "title": "Payments",
            },
        ],
        "schema_version": 1,
    }
    assert succeed("area", "list", cwd=planned.path).text == (
        "Area      State   Queue      Branch    Parent    Title\n"
        "api       closed  exhausted  feat/api  payments  Payments\n"
        "general   open    empty      main      —         Payments\n"
        "payments  open    ready      payments  —         Payments\n"
    )


def test_folders_that_are_no_areas(planned: GitRepo) -> None:
    write_plan(planned.path, {"_old/area.toml": area_text("x"), "notes/readme.md": "Notes"})
    assert result("area list", cwd=planned.path)["areas"] == []
    assert succeed("area", "list", cwd=planned.path).text == (
        "There are no areas yet; `git zdev area create` makes one.\n"
    )


def test_a_trunk_area_of_a_project_without_trunk(planned: GitRepo) -> None:
    planned.write(".zdev/config.toml", CONFIG.replace('trunk = "main"\n', ""))
    write_empty_area(planned.path, "general", mode="trunk")
    assert result("area list", cwd=planned.path)["areas"][0]["branch"] is None


def test_no_repository_is_needed(tmp_path: Path) -> None:
    write_area(tmp_path / "plain", "payments", tasks=1)
    assert result("area list", cwd=tmp_path / "plain")["areas"][0]["tag"] == "payments"


def test_invalid_records(planned: GitRepo) -> None:
    write_area(planned.path, "payments", tasks=1)
    write_plan(planned.path, {"payments/tasks/001-step-1.md": "no front matter\n"})
    error = refused("invalid-records", "area", "list", cwd=planned.path)
    assert error["details"]["problems"][0]["path"] == ".zdev/payments/tasks/001-step-1.md"
