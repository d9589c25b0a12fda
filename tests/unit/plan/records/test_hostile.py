"""Files made to hurt: each ends in an error, and in time that grows with the file alone."""

from __future__ import annotations

import pytest

from git_zdev.plan import graph
from git_zdev.plan.records import codec
from tests.support.plan import AREA, task_text
from tests.unit.plan.records.test_codec import places, read_area, read_task, replaced

TASK = task_text(1)
MANY = 60_000


def bounded(source: str | bytes, code: str) -> None:
    task, problems = read_task(source)
    assert task is None
    assert problems[0].code == code
    assert len(problems) <= 250


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("- Leave the API alone.\n", "x\n" * MANY, "not-a-bullet"),
        ("- [ ] It is shown.\n", "- [ ] \n" * MANY, "not-a-condition"),
        ("## Context\n", "## Outcome\n" * MANY, "duplicate-section"),
        ("blocked_by = []\n", "a = 1\n" * 100_000, "duplicate-key"),
        ("blocked_by = []\n", "".join(f"a{n} = 1\n" for n in range(50_000)), "unknown-key"),
        ("blocked_by = []", f"blocked_by = [{'1, ' * MANY}]", "wrong-type"),
        ("blocked_by = []", f"blocked_by = {'[' * MANY}", "invalid-toml"),
        ("blocked_by = []", f"afk = {'{a=' * MANY}", "invalid-toml"),
        ("blocked_by = []", f"afk = {'9' * MANY}", "invalid-toml"),
        ("blocked_by = []", f"afk = '{'x' * (2 * 1024 * 1024)}'", "invalid-toml"),
        ("blocked_by = []", 'afk = """' + '""\\"' * MANY, "invalid-toml"),
        ("# Step 1\n", "```\n" * (MANY + 1), "missing-title"),
        ("\n## Outcome", "\r\n" * MANY + "\n## Outcome", "mixed-line-ends"),
    ],
)
def test_a_task_full_of_mistakes(old: str, new: str, code: str) -> None:
    bounded(replaced(old, new), code)


def test_blockers_without_end() -> None:
    same = '"payments-001", ' * 50_000
    task, problems = read_task(replaced("blocked_by = []", f"blocked_by = [{same}]"))
    assert problems == []
    assert task is not None
    found = graph.problems([task])
    assert found[0].code == "self-blocker"
    assert {problem.line for problem in found} == {7}
    assert len(found) == 100


def test_an_area_full_of_unknown_keys() -> None:
    area, problems = read_area(
        AREA.format(tag="payments") + "".join(f"key-{n} = {n}\n" for n in range(20_000))
    )
    assert area is None
    assert places(problems) == [("unknown-key", line) for line in range(7, 107)]


def test_a_task_of_many_sections_is_read() -> None:
    sections = "".join(f"\n## Note {n}\n\n```\n## code\n```\n" for n in range(20_000))
    task, problems = read_task(TASK + sections)
    assert problems == []
    assert task is not None


def test_a_brief_without_end() -> None:
    problems = places_of_brief(b"## Testing\n" * MANY)
    assert len(problems) <= 100
    assert problems[0] == ("duplicate-section", 2)


def places_of_brief(data: bytes) -> list[tuple[str, int | None]]:
    problems: list[codec.Problem] = []
    assert codec.read_brief(data, "brief.md", problems) is None
    return places(problems)
