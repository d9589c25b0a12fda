"""Combined diffs of made-up conflicts, against ``git diff``, and by hand."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from git_zdev.evidence.combined import Conflict, Side, combined_diff
from tests.support.evidence import git_prints, own_strings

if TYPE_CHECKING:
    from tests.support.repo import GitRepo

WORDS = ("alpha", "beta", "", "int f(void) {", "}", "  return;", "\ttab\r", "omega ")


def text(chance: random.Random, lines: int) -> list[str]:
    return [f"{chance.choice(WORDS)}{chance.randrange(3) or ''}\n" for _ in range(lines)]


def edited(chance: random.Random, base: list[str], edits: int) -> list[str]:
    lines = list(base)
    for _ in range(edits):
        start = chance.randrange(len(lines) + 1)
        lines[start : start + chance.randrange(4)] = text(chance, chance.randrange(4))
    return lines


def conflict_states(repo: GitRepo, chance: random.Random, count: int) -> None:
    """Paths in conflict, written straight into the index, with a result of any kind."""
    entries = []
    for number in range(count):
        base = text(chance, chance.choice([0, 1, 8, 40, 200]))
        ours = edited(chance, base, chance.randrange(5))
        theirs = edited(chance, chance.choice([base, ours]), chance.randrange(5))
        result = edited(chance, chance.choice([base, ours, theirs]), chance.randrange(3))
        for stage, lines in ((1, base), (2, ours), (3, theirs)):
            data = "".join(lines)
            data = data.rstrip("\n") if chance.random() < 0.2 else data
            repo.write("scratch", data)
            blob = repo.git("hash-object", "-w", "--no-filters", "scratch")
            mode = "100755" if chance.random() < 0.1 else "100644"
            entries.append(f"{mode} {blob} {stage}\tf {number}\n")
        if chance.random() < 0.9:
            repo.write(f"f {number}", "".join(result).rstrip("\n" if number % 5 == 0 else "\0"))
    (repo.path / "scratch").unlink()
    repo.git("update-index", "--index-info", stdin="".join(entries).encode())


@pytest.mark.parametrize("seed", range(3))
def test_conflicts_made_up_at_random(repo: GitRepo, seed: int) -> None:
    conflict_states(repo, random.Random(seed), 40)
    expected, found = git_prints(repo.path, "diff"), own_strings(repo.path)["git_diff"]
    assert expected.count(b"diff --cc ") == 40
    assert found.split(b"\ndiff --cc") == expected.split(b"\ndiff --cc")


def conflict(ours: bytes, theirs: bytes, result: bytes | None, *, mode: int = 0o100644) -> Conflict:
    sides = (Side("1" * 40, 0o100644, ours), Side("2" * 40, 0o100644, theirs))
    return Conflict(b"a b", sides, mode, result, binary=False)


def written(given: Conflict, hunks: dict[bytes, bytes]) -> bytes:
    return combined_diff(given, lambda full: full[:7].encode(), lambda old, _: hunks[old])


HEADER = b"diff --cc a b\nindex 1111111,2222222..0000000\n"


def test_every_line_has_a_column_for_each_side() -> None:
    hunks = {b"o\n": b"@@ -1 +1,2 @@\n-o\n+x\n+y\n", b"x\n": b"@@ -1,0 +2 @@\n+y\n"}
    assert written(conflict(b"o\n", b"x\n", b"x\ny\n"), hunks) == (
        HEADER + b"--- a/a b\n+++ b/a b\n@@@ -1,1 -1,1 +1,2 @@@\n- o\n+ x\n++y\n"
    )


def test_what_agrees_with_one_side_is_left_out() -> None:
    hunks = {b"o\n": b"@@ -1 +1 @@\n-o\n+x\n", b"x\n": b""}
    assert written(conflict(b"o\n", b"x\n", b"x\n"), hunks) == HEADER + b"--- a/a b\n+++ b/a b\n"


def test_a_file_that_is_gone_shows_no_hunks() -> None:
    assert written(conflict(b"o\n", b"x\n", None, mode=0), {}) == (
        HEADER + b"deleted file mode 100644,100644\n--- a/a b\n+++ /dev/null\n"
    )


def test_modes_are_listed_when_they_differ() -> None:
    hunks = {b"": b""}
    assert written(conflict(b"", b"", b"", mode=0o100755), hunks) == (
        HEADER + b"mode 100644,100644..100755\n--- a/a b\n+++ b/a b\n"
    )
