"""What moves before the last look stops the publication before anything is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from git_zdev.derive.apply import Gate
from git_zdev.ground.errors import ZdevError
from tests.support import plan as derived
from tests.support.faults import begin, leftovers, opened, whole_state

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from tests.support.repo import GitRepo


def write(path: str) -> Callable[[GitRepo], object]:
    return lambda repo: repo.write(path, "moved\n")


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (write("new.txt"), "invalid-ownership"),
        (lambda repo: (repo.path / "src/half.rs").unlink(), "invalid-ownership"),
        (lambda repo: (repo.path / "src/wiring.rs").symlink_to("log.rs"), "invalid-ownership"),
        (write(".zdev/payments/notes.txt"), "invalid-ownership"),
        (write(".zdev/payments/TASKS.md"), "state-drifted"),
        (lambda repo: repo.git("symbolic-ref", "HEAD", "refs/heads/other"), "state-drifted"),
        (lambda repo: repo.git("add", "src"), "state-drifted"),
    ],
)
def test_a_split(spoil: Callable[[GitRepo], object], code: str, repo: GitRepo) -> None:
    derived.half_done(repo)
    assert published(repo, derived.SPLIT, spoil) == code


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (write(".zdev/payments/brief.md"), "records-changed"),
        (write(".zdev/payments/notes.txt"), "records-changed"),
        (write(".git/BISECT_LOG"), "git-operation-in-progress"),
        (lambda repo: repo.git("rm", "-q", "--cached", "src/log.rs"), "state-drifted"),
    ],
)
def test_a_follow_up(spoil: Callable[[GitRepo], object], code: str, repo: GitRepo) -> None:
    derived.investigated(repo)
    assert published(repo, derived.FOLLOW_UP, spoil) == code


def published(
    repo: GitRepo, document: dict[str, Any], spoil: Callable[[GitRepo], object]
) -> str | None:
    """Publish, spoil the state after the first look, and give the code of the refusal."""
    spoilt: list[dict[str, Any]] = []
    gate = Gate(derived.derivation(document), derived.setting(repo, opened(repo)), None)

    def spoiler() -> None:
        if not spoilt:
            spoil(repo)
            spoilt.append(whole_state(repo))

    with begin(repo) as held, pytest.raises(ZdevError) as refused:
        held.publish(
            derived.change(document),
            (gate.records_and_branch, spoiler),
            last=(gate.everything,),
        )
    assert [whole_state(repo)] == spoilt
    assert leftovers(repo) == []
    return refused.value.code
