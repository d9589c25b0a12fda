"""Which paths a commit of new tasks takes, in every state of a record tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from git_zdev.errors import InvalidInput, ZdevError
from git_zdev.publication.area_paths import AreaCommit, blob_id
from git_zdev.records.store import FileSource
from tests.support.publishing import opened

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.gitrepo import GitRepo

TASK = ".zdev/pay/tasks/001-one.md"
NEXT = ".zdev/pay/tasks/002-two.md"
FIRST = {
    ".zdev/.gitattributes": "* text eol=lf\n",
    ".zdev/config.toml": "config\n",
    ".zdev/pay/area.toml": "area\n",
    ".zdev/pay/brief.md": "brief\n",
    ".zdev/pay/slices/api.md": "slice\n",
    ".zdev/pay/TASKS.md": "summary\n",
}
LATER = {**FIRST, TASK: "one\n"}


def plan(repo: GitRepo, *tasks: str, folder: str = "", slices: tuple[str, ...] = ()) -> AreaCommit:
    source = FileSource(str(repo.path / folder))
    return AreaCommit(opened(repo), source, folder, "pay", tasks, slices)


def write(repo: GitRepo, files: dict[str, str], folder: str = "") -> None:
    for path, text in files.items():
        repo.write(f"{folder}/{path}" if folder else path, text)


@pytest.fixture
def later(repo: GitRepo) -> GitRepo:
    """An area that is tracked and clean."""
    write(repo, LATER)
    repo.git("add", ".")
    repo.commit("First")
    return repo


@pytest.mark.parametrize("folder", ["", "sub"])
def test_the_first_commit_takes_the_area_and_what_stands_above_it(
    repo: GitRepo, folder: str
) -> None:
    write(repo, FIRST, folder)
    prefix = f"{folder}/" if folder else ""
    found = plan(repo, TASK, folder=folder, slices=(".zdev/pay/slices/api.md",)).paths()
    assert found == tuple(
        prefix + path
        for path in (
            ".zdev/.gitattributes",
            ".zdev/config.toml",
            ".zdev/pay/area.toml",
            ".zdev/pay/brief.md",
            ".zdev/pay/slices/api.md",
            TASK,
            ".zdev/pay/TASKS.md",
        )
    )


def test_the_first_commit_of_a_second_area_leaves_the_shared_files(repo: GitRepo) -> None:
    write(repo, FIRST)
    repo.git("add", ".zdev/.gitattributes", ".zdev/config.toml")
    repo.commit("Shared")
    repo.write(".zdev/config.toml", "edited\n")
    found = plan(repo, TASK, slices=(".zdev/pay/slices/api.md",)).paths()
    assert found[0] == ".zdev/pay/area.toml"


def test_a_first_commit_may_be_staged_already(repo: GitRepo) -> None:
    write(repo, FIRST)
    repo.git("add", ".zdev")
    assert len(plan(repo, TASK, slices=(".zdev/pay/slices/api.md",)).paths()) == 7


def test_a_tracked_area_gives_the_tasks_and_the_summary(later: GitRepo) -> None:
    assert plan(later, NEXT).paths() == (NEXT, ".zdev/pay/TASKS.md")


def test_unstaged_edits_of_the_brief_go_along(later: GitRepo) -> None:
    later.write(".zdev/pay/brief.md", "edited\n")
    assert plan(later, NEXT).paths() == (".zdev/pay/brief.md", NEXT, ".zdev/pay/TASKS.md")


def test_line_ends_alone_are_no_edit(later: GitRepo) -> None:
    later.write(".zdev/pay/brief.md", "brief\r\n")
    assert plan(later, NEXT).paths() == (NEXT, ".zdev/pay/TASKS.md")


def test_other_areas_do_not_matter(later: GitRepo) -> None:
    later.write(".zdev/payments/brief.md", "x")
    later.write(".zdev/other/brief.md", "x")
    later.git("add", ".zdev/other")
    assert plan(later, NEXT).paths() == (NEXT, ".zdev/pay/TASKS.md")


def stage_brief_and_edit(repo: GitRepo) -> None:
    repo.write(".zdev/pay/brief.md", "staged\n")
    repo.git("add", ".zdev/pay/brief.md")
    repo.write(".zdev/pay/brief.md", "edited\n")


def stage_brief(repo: GitRepo) -> None:
    repo.write(".zdev/pay/brief.md", "staged\n")
    repo.git("add", ".zdev/pay/brief.md")


def edit_task(repo: GitRepo) -> None:
    repo.write(TASK, "edited\n")


def stage_task(repo: GitRepo) -> None:
    edit_task(repo)
    repo.git("add", TASK)


def delete_task(repo: GitRepo) -> None:
    (repo.path / TASK).unlink()


def edit_summary(repo: GitRepo) -> None:
    repo.write(".zdev/pay/TASKS.md", "edited\n")


def add_file(repo: GitRepo) -> None:
    repo.write(".zdev/pay/notes/todo.txt", "mine\n")


def add_intended(repo: GitRepo) -> None:
    add_file(repo)
    repo.git("add", "-N", ".zdev/pay/notes/todo.txt")


def add_slice(repo: GitRepo) -> None:
    repo.write(".zdev/pay/slices/new.md", "new\n")


def forget_brief(repo: GitRepo) -> None:
    repo.git("rm", "-q", "--cached", ".zdev/pay/brief.md")
    repo.commit("Forget")


def stage_next(repo: GitRepo) -> None:
    repo.write(NEXT, "theirs\n")
    repo.git("add", NEXT)
    (repo.path / NEXT).unlink()


REFUSALS = [
    (stage_brief_and_edit, "partly-staged", ".zdev/pay/brief.md"),
    (stage_brief, "unexpected-change", ".zdev/pay/brief.md"),
    (edit_task, "unexpected-change", TASK),
    (stage_task, "unexpected-change", TASK),
    (delete_task, "unexpected-change", TASK),
    (edit_summary, "unexpected-change", ".zdev/pay/TASKS.md"),
    (add_file, "unexpected-file", ".zdev/pay/notes/todo.txt"),
    (add_intended, "unexpected-file", ".zdev/pay/notes/todo.txt"),
    (add_slice, "partially-tracked", ".zdev/pay/slices/new.md"),
    (forget_brief, "partially-tracked", ".zdev/pay/brief.md"),
    (stage_next, "partly-staged", NEXT),
]


@pytest.mark.parametrize(
    ("change", "code", "path"), REFUSALS, ids=[one.__name__ for one, _, _ in REFUSALS]
)
def test_everything_else_in_the_area_refuses(
    later: GitRepo, change: Callable[[GitRepo], None], code: str, path: str
) -> None:
    change(later)
    with pytest.raises(InvalidInput) as caught:
        plan(later, NEXT, slices=(".zdev/pay/slices/new.md",)).paths()
    assert caught.value.code == "area-not-committable"
    assert [(one.code, one.path) for one in caught.value.problems] == [(code, path)]


def test_an_untracked_task_refuses_the_first_commit(repo: GitRepo) -> None:
    write(repo, LATER)
    with pytest.raises(InvalidInput) as caught:
        plan(repo, NEXT, slices=(".zdev/pay/slices/api.md",)).paths()
    assert [(one.code, one.path) for one in caught.value.problems] == [("unexpected-file", TASK)]


def test_a_shared_file_that_is_partly_staged_refuses(repo: GitRepo) -> None:
    write(repo, FIRST)
    repo.git("add", ".zdev/config.toml")
    repo.write(".zdev/config.toml", "edited\n")
    with pytest.raises(InvalidInput) as caught:
        plan(repo, TASK, slices=(".zdev/pay/slices/api.md",)).paths()
    assert [(one.code, one.path) for one in caught.value.problems] == [
        ("partly-staged", ".zdev/config.toml")
    ]


def test_all_that_stands_in_the_way_is_told_together(later: GitRepo) -> None:
    edit_task(later)
    add_file(later)
    with pytest.raises(InvalidInput) as caught:
        plan(later, NEXT).paths()
    assert len(caught.value.problems) == 2


def test_another_answer_later_is_drift(later: GitRepo) -> None:
    commit = plan(later, NEXT)
    paths = commit.paths()
    commit.verify(paths)
    later.write(".zdev/pay/brief.md", "edited\n")
    with pytest.raises(ZdevError) as caught:
        commit.verify(paths)
    assert caught.value.code == "state-drifted"


@pytest.mark.parametrize("kind", ["sha1", "sha256"])
def test_blob_ids_are_those_of_git(new_repo: Callable[..., GitRepo], kind: str) -> None:
    repo = new_repo(kind, options=(f"--object-format={kind}",))
    data = b"some bytes\r\n"
    expected = repo.git("hash-object", "--stdin", stdin=data)
    assert blob_id(data, expected) == expected
