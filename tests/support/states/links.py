"""Tracked paths below a folder that became a link."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.states.repo import states

if TYPE_CHECKING:
    from tests.support.states.repo import StateRepo


@states(
    became=["link to its like", "link to a folder", "dangling", "loop", "file", "folder", "empty"]
)
def kept_out_below_a_folder_that_became(repo: StateRepo, became: str) -> None:
    """Whether a path is there although it is kept out, Git asks through links as well."""
    repo.base({"d/x": "1\n", "like/x": "1\n", "like/y": "1\n"})
    repo.git("update-index", "--skip-worktree", "d/x")
    repo.config("core.sparseCheckout", "true")
    repo.remove("d/x")
    if became == "folder":
        repo.write("d/x/y", "y\n")
    elif became != "empty":
        repo.file("d").rmdir()
        repo.file("new").mkdir()
        targets = {"link to its like": "like", "link to a folder": "new", "loop": "d"}
        repo.write("d", "x\n") if became == "file" else repo.link(
            "d", targets.get(became, "nowhere")
        )


@states(sides=["tracked", "assumed unchanged"])
def link_in_the_place_of_a_folder(repo: StateRepo, sides: str) -> None:
    """What is beyond the link is not what is tracked."""
    repo.base({"d/x": "1\n", "d/e/x": "1\n", "like/x": "1\n", "like/e/x": "1\n"})
    if sides != "tracked":
        repo.git("update-index", "--assume-unchanged", "d/x")
    repo.rename("d", "elsewhere")
    repo.link("d", "like")
