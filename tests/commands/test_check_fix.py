"""``git zdev check --fix``, and what formatters make of a plan."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from tests.support.cli import changes, refused, result, succeed, tree_state, zdev
from tests.support.plan import INDEX, INDEX_PATH, SOURCE_PATH, write_area

if TYPE_CHECKING:
    from tests.support.repo import GitRepo

pytestmark = pytest.mark.usefixtures("payments")


API_INDEX = ".zdev/api/TASKS.md"


def fixed(repo: GitRepo, *words: str) -> list[str]:
    """The files that it wrote; nothing else has changed."""
    before = tree_state(repo.path)
    document = result("check", "--fix", *words, cwd=repo.path)
    wrote: list[str] = document["fixed"]
    assert document["status"] == "ok"
    changed = changes(before, tree_state(repo.path))
    inside = {path for path in changed if path.startswith(".git")}
    assert inside <= {".git/zdev"}
    assert [path for path in changed if path not in inside] == wrote
    return wrote


def test_a_sound_plan_is_not_touched(repo: GitRepo) -> None:
    before = tree_state(repo.path)
    assert result("check", "--fix", cwd=repo.path) == {
        "areas": ["payments"],
        "fixed": [],
        "schema_version": 1,
        "status": "ok",
    }
    assert set(changes(before, tree_state(repo.path))) <= {".git/zdev"}
    assert succeed("check", "--fix", cwd=repo.path).text == (
        "Nothing had to be written.\nThe plan is sound (1 area: payments).\n"
    )


def test_what_was_written_is_said(repo: GitRepo) -> None:
    repo.write(INDEX_PATH, "by hand\n")
    assert succeed("check", "--fix", cwd=repo.path).text == (
        f"Wrote {INDEX_PATH}.\nThe plan is sound (1 area: payments).\n"
    )
    assert (repo.path / INDEX_PATH).read_text() == INDEX


def aligned(index: str) -> str:
    """A table as prettier and mdformat align it."""
    rows = [re.split(r" *\| *", line)[1:-1] for line in index.split("\n") if line[:1] == "|"]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = iter(
        "| "
        + " | ".join(
            "-" * width if cell == "---" else cell.ljust(width)
            for cell, width in zip(row, widths, strict=True)
        )
        + " |"
        for row in rows
    )
    return "\n".join(next(lines) if line[:1] == "|" else line for line in index.split("\n"))


REWRITTEN = {
    "table aligned": aligned(INDEX),
    "blanks at ends of lines": INDEX.replace("\n", " \n"),
    "bullets": INDEX.replace("\n- ", "\n* "),
    "no final line end": INDEX.rstrip("\n"),
    "blank lines": INDEX.replace("\n", "\n\n"),
    "no bytes": "",
    "byte order mark": "\ufeff" + INDEX,
    "mixed line ends": INDEX.replace("\n", "\r\n", 3),
    "conflict markers": INDEX.replace(
        "- Ready: 2\n", "<<<<<<< HEAD\n- Ready: 2\n=======\n- Ready: 3\n>>>>>>> other\n"
    ),
}


@pytest.mark.parametrize("text", REWRITTEN.values(), ids=REWRITTEN)
def test_an_index_that_a_formatter_has_rewritten(repo: GitRepo, text: str) -> None:
    assert text != INDEX
    repo.write(INDEX_PATH, text)
    error = refused("invalid-records", "check", cwd=repo.path)
    (problem,) = error["details"]["problems"]
    assert (problem["code"], problem["path"]) == ("stale-index", INDEX_PATH)
    assert problem["message"].endswith("; `git zdev check --fix` writes it")
    assert fixed(repo) == [INDEX_PATH]
    assert (repo.path / INDEX_PATH).read_bytes() == INDEX.encode()


def test_bytes_that_are_no_text(repo: GitRepo) -> None:
    repo.write(INDEX_PATH, b"\xff\xfe\0")
    assert fixed(repo) == [INDEX_PATH]


def test_crlf_stays(repo: GitRepo) -> None:
    repo.write(INDEX_PATH, INDEX.replace("\n", "\r\n"))
    assert fixed(repo) == []
    repo.write(INDEX_PATH, aligned(INDEX).replace("\n", "\r\n"))
    assert fixed(repo) == [INDEX_PATH]
    assert (repo.path / INDEX_PATH).read_bytes() == INDEX.replace("\n", "\r\n").encode()


def test_an_index_in_conflict(repo: GitRepo) -> None:
    repo.git("switch", "-q", "-c", "other")
    repo.write(INDEX_PATH, INDEX.replace("Ready: 2", "Ready: 3"))
    repo.git("commit", "-qam", "Other")
    repo.git("switch", "-q", "-")
    repo.write(INDEX_PATH, INDEX.replace("Ready: 2", "Ready: 4"))
    repo.git("commit", "-qam", "Ours")
    repo.git("merge", "other", check=False)
    assert "<<<<<<<" in (repo.path / INDEX_PATH).read_text()
    assert fixed(repo) == [INDEX_PATH]
    assert (repo.path / INDEX_PATH).read_text() == INDEX
    assert repo.git("ls-files", "--unmerged", INDEX_PATH).count("\n") == 2  # resolved by `git add`


def test_a_missing_one_is_written(repo: GitRepo) -> None:
    (repo.path / INDEX_PATH).unlink()
    error = refused("invalid-records", "check", cwd=repo.path)
    assert error["details"]["problems"] == [
        {
            "code": "missing-index",
            "message": "the file is missing; `git zdev check --fix` writes it",
            "path": INDEX_PATH,
        }
    ]
    assert fixed(repo) == [INDEX_PATH]


def test_a_new_area_still_waits_for_its_first_task(repo: GitRepo) -> None:
    write_area(repo.path, "api")
    (repo.path / API_INDEX).unlink(missing_ok=True)
    assert fixed(repo) == []


def test_every_area_or_one(repo: GitRepo) -> None:
    write_area(repo.path, "api", tasks=2)
    for path in (INDEX_PATH, API_INDEX):
        repo.write(path, "by hand\n")
    assert fixed(repo, "api") == [API_INDEX]
    repo.write(API_INDEX, "by hand\n")
    assert fixed(repo) == [API_INDEX, INDEX_PATH]


def refused_text(repo: GitRepo) -> str:
    run = zdev("check", "--fix", cwd=repo.path)
    assert (run.status, run.stdout) == (1, b"")
    return run.error_text


def test_what_is_wrong_besides_is_reported_as_before(repo: GitRepo) -> None:
    """A brief that is not sound does not matter to what the tasks give."""
    write_area(repo.path, "api", tasks=1)
    repo.write(".zdev/api/brief.md", "# API\n")
    repo.write(API_INDEX, "by hand\n")
    run = zdev("check", "--fix", "--format=json", cwd=repo.path)
    assert (run.status, run.stdout) == (1, b"")
    error = json.loads(run.stderr)
    assert error["details"]["fixed"] == [API_INDEX]
    assert {problem["path"] for problem in error["details"]["problems"]} == {".zdev/api/brief.md"}
    repo.write(API_INDEX, "by hand\n")
    assert refused_text(repo).startswith(f"error: wrote {API_INDEX}, but the plan has ")


@pytest.mark.parametrize("text", ["no task\n", None])
def test_tasks_that_are_not_sound(repo: GitRepo, text: str | None) -> None:
    """The right index is not known; that of another area is written all the same."""
    write_area(repo.path, "api", tasks=1)
    if text is None:
        (repo.path / SOURCE_PATH).unlink()  # other tasks wait for it
    else:
        repo.write(SOURCE_PATH, text)
    for path in (INDEX_PATH, API_INDEX):
        repo.write(path, "by hand\n")
    told = refused_text(repo)
    assert told.startswith(f"error: wrote {API_INDEX}, but the plan has ")
    assert "The TASKS.md of payments can be written once the tasks there are fixed" in told
    assert (repo.path / INDEX_PATH).read_text() == "by hand\n"


@pytest.mark.parametrize("place", ["tasks", "TASKS.md", "."])
def test_a_link_is_never_followed(repo: GitRepo, place: str) -> None:
    """Behind one in the place of the tasks there are none, and the index stays."""
    repo.write(INDEX_PATH, "by hand\n")
    path = repo.path / ".zdev/payments" / place
    path.rename(repo.path / "aside")
    path.symlink_to(repo.path / "aside")
    error = refused("invalid-records", "check", "--fix", cwd=repo.path)
    assert error["details"]["fixed"] == []
    assert error["details"]["problems"]


def test_a_task_that_a_formatter_has_rewritten_is_told_by_line(repo: GitRepo) -> None:
    """Blank lines below the front matter are well, other bullets are not."""
    text = (repo.path / SOURCE_PATH).read_text()
    repo.write(SOURCE_PATH, text.replace("+++\n#", "+++\n\n#"))
    assert fixed(repo) == []
    repo.write(SOURCE_PATH, text.replace("\n- [ ]", "\n* [ ]"))
    error = refused("invalid-records", "check", "--fix", cwd=repo.path)
    starred = [
        number for number, line in enumerate(text.split("\n"), start=1) if line.startswith("- [ ]")
    ]
    assert [(one["path"], one["line"]) for one in error["details"]["problems"]] == [
        (SOURCE_PATH, number) for number in starred
    ]
    repo.write(SOURCE_PATH, text.replace("+++\n", "+++ ", 1))
    error = refused("invalid-records", "check", "--fix", cwd=repo.path)
    assert error["details"]["problems"][0]["line"] == 1


def test_staged_has_nothing_to_be_fixed(repo: GitRepo) -> None:
    error = refused("usage", "check", "--fix", "--staged", cwd=repo.path, status=2)
    assert error["error"] == (
        "--fix writes files of the work tree, and --staged looks only at the index. "
        "Run `git zdev check --fix`, then `git add` what it wrote."
    )


def test_what_is_staged_has_to_be_staged_again(repo: GitRepo) -> None:
    repo.write(INDEX_PATH, aligned(INDEX))
    repo.git("add", INDEX_PATH)
    run = zdev("check", "--staged", cwd=repo.path)
    assert "`git add` a TASKS.md after it was written" in run.error_text
    assert fixed(repo) == [INDEX_PATH]
    repo.git("add", INDEX_PATH)
    assert succeed("check", "--staged", cwd=repo.path).error_text == ""


def test_inside_a_hook_it_is_refused(repo: GitRepo) -> None:
    env = {"GIT_INDEX_FILE": str(repo.path / ".git/index"), "GIT_PREFIX": ""}
    refused("inside-git-hook", "check", "--fix", cwd=repo.path, env=env)


def test_an_unknown_area(repo: GitRepo) -> None:
    refused("unknown-area", "check", "other", "--fix", cwd=repo.path)


def test_without_a_plan(repo: GitRepo) -> None:
    repo.git("rm", "-qr", ".zdev")
    error = refused("invalid-records", "check", "--fix", cwd=repo.path)
    assert error["details"]["problems"][0]["code"] == "not-initialized"
