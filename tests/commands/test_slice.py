"""``git zdev slice create|list|show`` on real repositories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.cli import refused, result, succeed
from tests.support.plan import SLICE, write_empty_area, write_plan

if TYPE_CHECKING:
    from tests.support.repo import GitRepo

TEXTS = ("--title", "The API", "--objective", "Serve.")
BOUNDARY = ("--boundary", "Keep the wire format.")


@pytest.fixture
def area(planned: GitRepo) -> GitRepo:
    write_empty_area(planned.path, "payments", branch="payments", lifecycle="open")
    return planned


def test_create_writes_the_file(area: GitRepo) -> None:
    words = ("payments", "api", *TEXTS, *BOUNDARY, "--boundary", " And the rest. ")
    assert result("slice create", *words, cwd=area.path) == {
        "area": "payments",
        "key": "api",
        "path": ".zdev/payments/slices/api.md",
        "schema_version": 1,
        "status": "created",
        "title": "The API",
    }
    expected = SLICE.format(tag="payments", key="api") + "- And the rest.\n"
    assert (area.path / ".zdev/payments/slices/api.md").read_text() == expected


def test_list_and_show(area: GitRepo) -> None:
    for key in ("web", "api"):
        text = SLICE.format(tag="payments", key=key)
        write_plan(area.path, {f"payments/slices/{key}.md": text})
    assert result("slice list", "payments", cwd=area.path) == {
        "area": "payments",
        "schema_version": 1,
        "slices": [
            {"key": key, "path": f".zdev/payments/slices/{key}.md", "title": "The API"}
            for key in ("api", "web")
        ],
    }
    assert succeed("slice", "list", "payments", cwd=area.path).text == (
        "Slice  Title\napi    The API\nweb    The API\n"
    )
    assert result("slice show", "payments", "web", cwd=area.path) == {
        "area": "payments",
        "boundaries": "- Keep the wire format.",
        "key": "web",
        "objective": "Serve.",
        "path": ".zdev/payments/slices/web.md",
        "schema_version": 1,
        "title": "The API",
    }
    assert succeed("slice", "show", "payments", "web", cwd=area.path).text == (
        "The API\n.zdev/payments/slices/web.md\n\nServe.\n\n- Keep the wire format.\n"
    )


def test_no_slices(area: GitRepo) -> None:
    assert result("slice list", "payments", cwd=area.path)["slices"] == []
    run = succeed("slice", "list", "payments", cwd=area.path)
    assert run.text == "The area payments has no slices.\n"
    refused("unknown-slice", "slice", "show", "payments", "api", cwd=area.path)


@pytest.mark.parametrize("words", [["list"], ["show"], ["create"]])
def test_an_unknown_area(words: list[str], area: GitRepo) -> None:
    key = [] if words == ["list"] else ["api"]
    more = [*TEXTS, *BOUNDARY] if words == ["create"] else []
    refused("unknown-area", "slice", *words, "other", *key, *more, cwd=area.path)


def test_a_slice_that_exists(area: GitRepo) -> None:
    words = ("slice", "create", "payments", "api", *TEXTS, *BOUNDARY)
    succeed(*words, cwd=area.path)
    refused("slice-exists", *words, cwd=area.path)


def test_a_closed_area(planned: GitRepo) -> None:
    write_empty_area(planned.path, "payments", branch="payments", lifecycle="closed")
    words = ("slice", "create", "payments", "api", *TEXTS, *BOUNDARY)
    refused("area-closed", *words, cwd=planned.path)


def test_everything_that_is_wrong_is_told_at_once(area: GitRepo) -> None:
    error = refused(
        "invalid-slice",
        *("slice", "create", "payments", "A" * 81, "--title=", "--objective=a\tb"),
        *("--boundary=fine", "--boundary= "),
        cwd=area.path,
    )
    assert [problem["code"] for problem in error["details"]["problems"]] == [
        "invalid-segment",
        "invalid-line",
        "invalid-line",
        "invalid-line",
    ]


@pytest.mark.parametrize("text", ["## Boundaries", "```"])
def test_an_objective_that_would_read_back_as_structure(text: str, area: GitRepo) -> None:
    refused(
        "invalid-slice",
        *("slice", "create", "payments", "api", "--title=fine", f"--objective={text}", *BOUNDARY),
        cwd=area.path,
    )


@pytest.mark.parametrize("missing", ["--title", "--objective", "--boundary"])
def test_wrong_usage(missing: str, area: GitRepo) -> None:
    options = {"--title": "t", "--objective": "o", "--boundary": "b"}
    words = [f"{name}={value}" for name, value in options.items() if name != missing]
    refused("usage", "slice", "create", "payments", "api", *words, cwd=area.path, status=2)
