from __future__ import annotations

import pytest

from git_zdev.ground.errors import ZdevError
from git_zdev.publish.gates import require_outside_git, subcommand


class Aliases:
    """A configuration with one alias."""

    def get(self, key: str) -> str | None:
        return "zdev" if key == "alias.zd" else None


@pytest.mark.parametrize(
    ("line", "word"),
    [
        (["git", "push"], "push"),
        (["git", "-C", "zdev", "push", "zdev"], "push"),
        (["git", "-c", "a.b=zdev", "--git-dir", "zdev", "--no-pager", "zdev", "done"], "zdev"),
        (["git", "--git-dir=x", "--exec-path=/y", "commit"], "commit"),
        (["git", "--version"], None),
        (["git", "-C"], None),
        ([], None),
    ],
)
def test_the_word_of_a_git_command_line(line: list[str], word: str | None) -> None:
    assert subcommand(line) == word


@pytest.mark.parametrize(
    "above", [[], [["git", "zdev", "done"]], [["git", "zd", "done"]], [["git", "--version"]]]
)
def test_zdev_and_its_aliases_may_stand_above(above: list[list[str]]) -> None:
    require_outside_git({}, above, Aliases())


def test_another_git_command_may_not() -> None:
    with pytest.raises(ZdevError, match="`git push`"):
        require_outside_git({}, [["git", "zdev", "done"], ["git", "push"]], Aliases())
