"""Installing hooks: in every place where Git looks, and never over somebody else's."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.cli import ended, refused, result, start, succeed
from tests.support.repo import git

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.repo import GitRepo

THEIRS = "#!/bin/sh\nexit 0\n"


@pytest.fixture
def plan(repo: GitRepo) -> GitRepo:
    repo.commit("first", README="x\n")
    succeed("init", "--record", "project", cwd=repo.path)
    words = ("--title", "A", "--objective", "Be done.", "--trunk")
    succeed("area", "create", "payments", *words, cwd=repo.path)
    return repo


def install(repo: GitRepo, *more: str) -> dict[str, object]:
    return result("hooks install", "pre-commit", *more, cwd=repo.path)


def state(repo: GitRepo) -> object:
    return result("hooks list", cwd=repo.path)["hooks"][0]["state"]


def test_install_and_repeat(plan: GitRepo) -> None:
    assert state(plan) == "absent"
    path = plan.path / ".git/hooks/pre-commit"
    expected = {"hook": "pre-commit", "kept": None, "path": str(path), "schema_version": 1}
    assert install(plan) == {**expected, "status": "installed"}
    assert path.stat().st_mode & 0o777 == 0o755
    assert state(plan) == "installed"
    assert install(plan) == {**expected, "status": "unchanged"}
    assert sorted(os.listdir(path.parent)) == sorted({*os.listdir(path.parent)})
    assert not list(path.parent.glob("*zdev*"))


def test_the_hook_refuses_a_staged_plan_that_does_not_hold(plan: GitRepo, on_path: Path) -> None:
    install(plan)
    plan.git("add", ".zdev")
    plan.git("commit", "-m", "Add the plan")
    area = plan.path / ".zdev/payments/area.toml"
    sound = area.read_text()
    area.write_text(sound.replace('lifecycle = "open"', 'lifecycle = "ajar"'))
    plan.git("add", ".zdev")
    area.write_text(sound)
    done = git("commit", "-m", "Break it", cwd=plan.path, check=False)
    assert done.returncode == 1
    assert b".zdev/payments/area.toml:" in done.stderr
    plan.git("commit", "--no-verify", "-m", "Break it all the same")


@pytest.mark.usefixtures("on_path")
def test_the_hook_lets_branches_without_a_plan_pass(plan: GitRepo) -> None:
    install(plan)
    plan.write("README", "y\n")
    done = git("commit", "--quiet", "--all", "-m", "No plan here", cwd=plan.path)
    assert (done.stdout, done.stderr) == (b"", b"")


def test_the_hook_says_when_the_program_is_missing(plan: GitRepo, tmp_path: Path) -> None:
    install(plan)
    for name in ("git", "sh"):
        found = shutil.which(name)
        assert found is not None
        (tmp_path / "only").mkdir(exist_ok=True)
        (tmp_path / "only" / name).symlink_to(found)
    words = ("commit", "--allow-empty", "-m", "x")
    environment = {"PATH": str(tmp_path / "only")}
    done = git(*words, cwd=plan.path, check=False, env=environment)
    assert done.returncode == 1
    assert b"git-zdev is not on PATH" in done.stderr


def test_a_hook_that_is_there_is_the_users(plan: GitRepo) -> None:
    path = plan.write(".git/hooks/pre-commit", THEIRS)
    path.chmod(0o755)
    assert state(plan) == "other"
    error = refused("hook-exists", "hooks", "install", "pre-commit", cwd=plan.path)
    assert str(path) in error["error"]
    assert path.read_text() == THEIRS


def test_force_keeps_every_hook_that_was_there(plan: GitRepo) -> None:
    path = plan.write(".git/hooks/pre-commit", THEIRS)
    path.chmod(0o755)
    kept = path.with_name("pre-commit.before-zdev")
    assert install(plan, "--force")["kept"] == str(kept)
    assert (kept.read_text(), kept.stat().st_mode & 0o111) == (THEIRS, 0o111)
    path.write_text("# another\n")
    assert install(plan, "--force")["kept"] == f"{kept}.1"
    assert kept.read_text() == THEIRS
    assert Path(f"{kept}.1").read_text() == "# another\n"
    assert state(plan) == "installed"


def test_ours_that_cannot_run_is_not_installed(plan: GitRepo) -> None:
    install(plan)
    (plan.path / ".git/hooks/pre-commit").chmod(0o644)
    assert state(plan) == "other"


def test_a_dangling_link_is_a_hook_of_theirs(plan: GitRepo) -> None:
    path = plan.path / ".git/hooks/pre-commit"
    path.parent.mkdir(exist_ok=True)
    path.symlink_to("nowhere")
    refused("hook-exists", "hooks", "install", "pre-commit", cwd=plan.path)
    install(plan, "--force")
    assert os.readlink(f"{path}.before-zdev") == "nowhere"
    assert not path.is_symlink()


def stop_dead(folder: Path) -> None:
    """What an installation leaves that is killed before it moves the hook in."""
    (folder / "pre-commit.zdev-new").write_text("#!/bin/sh\n# half of")


def test_many_at_once_install_one_hook(plan: GitRepo) -> None:
    """Also from several work trees, and over what a killed one left."""
    folder = plan.path / ".git/hooks"
    folder.mkdir(exist_ok=True)
    stop_dead(folder)
    plan.git("worktree", "add", "-q", "../linked")
    started = [
        start("hooks", "install", "pre-commit", cwd=cwd)
        for cwd in (plan.path, plan.path.parent / "linked") * 6
    ]
    found = [json.loads(ended(one)) for one in started]
    assert sorted(one["status"] for one in found) == ["installed", *["unchanged"] * 11]
    assert not list(folder.glob("*zdev*"))
    assert state(plan) == "installed"


def test_many_at_once_keep_the_hook_that_was_there_once(plan: GitRepo) -> None:
    path = plan.write(".git/hooks/pre-commit", THEIRS)
    words = ("hooks", "install", "pre-commit", "--force")
    found = [json.loads(ended(one)) for one in [start(*words, cwd=plan.path) for _ in range(12)]]
    kept = {one["kept"] for one in found} - {None}
    assert kept == {f"{path}.before-zdev"}
    assert sorted(one.name for one in path.parent.glob("*zdev*")) == ["pre-commit.before-zdev"]


def fifo(path: Path) -> None:
    os.mkfifo(path)


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def folder(path: Path) -> None:
    path.mkdir()


def bound(path: Path) -> None:
    with contextlib.chdir(path.parent), socket.socket(socket.AF_UNIX) as opened:
        opened.bind(path.name)


@pytest.mark.parametrize("make", [fifo, endless, folder, bound])
def test_what_is_no_file_is_somebody_elses_hook(plan: GitRepo, make: Callable[..., None]) -> None:
    """It is neither waited for nor read to an end that it may not have."""
    path = plan.path / ".git/hooks/pre-commit"
    path.parent.mkdir(exist_ok=True)
    make(path)
    kind = stat.S_IFMT(path.lstat().st_mode)
    assert state(plan) == "other"
    refused("hook-exists", "hooks", "install", "pre-commit", cwd=plan.path)
    install(plan, "--force")
    assert stat.S_IFMT(Path(f"{path}.before-zdev").lstat().st_mode) == kind
    assert state(plan) == "installed"


def test_linked_work_trees_share_their_hooks(plan: GitRepo) -> None:
    plan.git("worktree", "add", "-q", "../linked")
    linked = plan.path.parent / "linked"
    done = result("hooks install", "pre-commit", cwd=linked)
    assert done["path"] == str(plan.path / ".git/hooks/pre-commit")


@pytest.mark.parametrize("inside", [".githooks", ".git/own-hooks"])
def test_a_hooks_path_inside_the_repository_is_used(plan: GitRepo, inside: str) -> None:
    plan.git("config", "core.hooksPath", inside)
    assert install(plan)["path"] == str(plan.path / inside / "pre-commit")
    expected = plan.git("rev-parse", "--path-format=absolute", "--git-path", "hooks/pre-commit")
    assert expected.rstrip("\n") == str(plan.path / inside / "pre-commit")


@pytest.mark.parametrize("outside", ["../common-hooks", "~/hooks"])
def test_a_hooks_path_outside_is_left_alone(plan: GitRepo, outside: str) -> None:
    plan.git("config", "core.hooksPath", outside)
    error = refused("foreign-hooks-path", "hooks", "install", "pre-commit", cwd=plan.path)
    assert "git-zdev check --staged" in error["error"]
    assert not (plan.path.parent / "common-hooks").exists()


def test_an_unknown_hook_is_wrong_usage(plan: GitRepo) -> None:
    refused("usage", "hooks", "install", "post-merge", cwd=plan.path, status=2)
