"""Every command that writes, as a real command in a real repository, to be broken.

Each starts from its own repository, with other work beside it wherever the command allows it.
``tests/faults`` makes their calls fail one by one, ``scripts/torture`` kills them.
"""

from __future__ import annotations

import importlib
import os
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from git_zdev.cli import options
from git_zdev.commands.shared.session import Session, Surroundings
from git_zdev.git.port import Repository
from git_zdev.ground.errors import ZdevError
from tests.support import derived_changes as derived
from tests.support.areas import write_empty_area
from tests.support.bundles import FIRST, bundle
from tests.support.faults import Faulty, FaultyDisk, FaultyGit
from tests.support.payments import FILES, INDEX_PATH, commit_payments
from tests.support.plan import CONFIG, index_text, write_plan
from tests.support.proposals import envelope
from tests.support.publishing import whole_state

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.faults import Faults
    from tests.support.gitrepo import GitRepo

ANY_SNAPSHOT = "SNAPSHOT"
"""A word that stands for the id of the snapshot that the repository holds."""

PORT_CALLS = tuple(name for name in dir(Repository) if not name.startswith("_"))

DONE = ("--summary", "Settled.", "--validation", "Ran.")


class FaultySession(Session):
    """A run whose file system, Git and repository fail on demand."""

    def __init__(self, surroundings: Surroundings, faults: Faults) -> None:
        super().__init__(surroundings)
        self._faults = faults

    @cached_property
    def repository(self) -> Any:
        return Faulty(Session(self.surroundings).repository, PORT_CALLS, self._faults)

    @cached_property
    def git(self) -> Any:
        return FaultyGit(Session(self.surroundings).git, self._faults)

    @cached_property
    def disk(self) -> Any:
        linkless = self._faults.linkless
        return FaultyDisk(self._faults, portable=linkless, links=not linkless)


@dataclass(frozen=True)
class Writing:
    """A writing command.

    Attributes:
        name: Its name.
        prepare: Makes the repository that it starts from.
        words: Its arguments.
        stdin: Its standard input.
    """

    name: str
    prepare: Callable[[GitRepo], None]
    words: tuple[str, ...]
    stdin: bytes = b""

    def arguments(self, repo: GitRepo) -> list[str]:
        """The arguments, in this repository."""
        found = (path.stem for path in repo.path.glob(".git/zdev/work-context/*/*.json"))
        return [next(found) if word == ANY_SNAPSHOT else word for word in self.words]

    def run(self, repo: GitRepo, faults: Faults) -> None:
        """Run it in this process."""
        command, rest = options.split(self.arguments(repo))
        module = importlib.import_module(f"git_zdev.commands.{command.module}")
        values = options.parse(command, module, rest)
        for name in ("format", "color", "root"):
            values.pop(name)
        around = Surroundings(str(repo.path), dict(os.environ), None, lambda: self.stdin)
        module.run(FaultySession(around, faults), **values)

    def attempt(self, repo: GitRepo, faults: Faults) -> ZdevError | None:
        """The error of :meth:`run`, None when there is none."""
        try:
            self.run(repo, faults)
        except ZdevError as error:
            return error
        return None


def lasting(repo: GitRepo) -> tuple[Any, ...]:
    """What two successful runs of one command have in common."""
    state: Any = whole_state(repo)
    exclude = repo.path / ".git/info/exclude"
    return (
        {name: content for name, (content, _, _) in state["files"].items()},
        repo.git("rev-parse", "HEAD^{tree}"),
        repo.git("rev-list", "--count", "HEAD"),
        repo.git("ls-files", "--stage"),
        repo.git("status", "--porcelain"),
        exclude.read_bytes() if exclude.exists() else None,
    )


def folders(repo: GitRepo) -> list[str]:
    """The folders of the work tree. A disk that fails at the last moment may keep an empty one."""
    state: Any = whole_state(repo)
    return [path.relative_to(repo.path).as_posix() for path in state["folders"]]


def other_work(repo: GitRepo) -> None:
    """Work of every kind beside the plan, index flags included."""
    for name in ("edited.txt", "hidden.txt", "assumed.txt"):
        repo.write(name, "one\n")
        repo.git("add", name)
    repo.commit("Other files")
    repo.write("edited.txt", "two\n")
    repo.write("staged.txt", "staged\n")
    repo.git("add", "staged.txt")
    repo.write("intended.txt", "intended\n")
    repo.git("add", "-N", "intended.txt")
    repo.git("update-index", "--skip-worktree", "hidden.txt")
    repo.git("update-index", "--assume-unchanged", "assumed.txt")
    repo.write("hidden.txt", "two\n")
    repo.write("assumed.txt", "two\n")
    repo.write("untracked.txt", "untracked\n")


def bare(repo: GitRepo) -> None:
    """A repository without a plan."""
    repo.commit("Begin", a__txt="one\n")
    other_work(repo)


def planned(repo: GitRepo) -> None:
    """A tracked plan: payments with tasks, an open and a closed area without, a branch to bind."""
    write_empty_area(repo.path, "chores", mode="trunk", lifecycle="open")
    write_empty_area(repo.path, "former", mode="trunk", lifecycle="closed")
    write_empty_area(repo.path, "web", branch="web", lifecycle="open")
    commit_payments(repo)
    repo.git("branch", "web")
    repo.git("branch", "topic")
    other_work(repo)


def with_guidance(repo: GitRepo) -> None:
    write_plan(repo.path, {"config.toml": CONFIG + 'guidance = "auto"\n'})
    bare(repo)


def untracked(repo: GitRepo) -> None:
    """A plan without tasks that no commit holds yet."""
    repo.commit("Begin", a__txt="one\n")
    write_plan(repo.path, {name: data for name, data in FILES.items() if "/tasks/" not in name})
    repo.write(INDEX_PATH, index_text([], counts=(0, 0, 0, 0)))
    other_work(repo)


def stale_index(repo: GitRepo) -> None:
    planned(repo)
    repo.write(INDEX_PATH, "by hand\n")


def pulled(repo: GitRepo) -> None:
    """The plan of a pull request."""
    write_plan(repo.path, FILES)
    write_plan(repo.path, {"config.toml": CONFIG.replace('"project"', '"pull-request"')})
    repo.git("add", ".")
    repo.commit("Plan")
    other_work(repo)


def advanced(repo: GitRepo) -> None:
    """An area whose branch was rebased by hand: only its anchor is behind."""
    repo.commit("Begin", a__txt="one\n")
    write_plan(repo.path, {"config.toml": CONFIG})
    begin = repo.rev("main")
    write_empty_area(repo.path, "web", branch="web", lifecycle="open", base_commit=begin)
    repo.git("add", ".zdev")
    repo.commit("Plan")
    repo.git("switch", "-q", "-c", "web")
    other_work(repo)


def admitted(repo: GitRepo) -> None:
    """Work that is admitted to verification."""
    from tests.support.cli import succeed

    planned(repo)
    succeed("verify", "admit", "payments", cwd=repo.path)


AREA = ("--title=More", "--objective=More.")
IMPORT = ("tasks", "import", "payments", "--from=-")
SLICE = ("--title=Web", "--objective=Web.", "--boundary=No.")
APPLY = ("tasks", "derive", "apply", "payments", "--from=-")
ALONE = bundle({**FIRST, "blocked_by": []})

COMMANDS = [
    Writing("init project", bare, ("init", "--record=project")),
    Writing("init personal", bare, ("init", "--record=personal")),
    Writing("config set", planned, ("config", "set", "project.guidance", "auto")),
    Writing("config unset", with_guidance, ("config", "unset", "project.guidance")),
    Writing("config trunk", planned, ("config", "trunk", "topic", "--allow-divergent")),
    Writing("area create", planned, ("area", "create", "more", *AREA, "--branch=topic")),
    Writing("area close", planned, ("area", "close", "chores")),
    Writing("area reopen", planned, ("area", "reopen", "former")),
    Writing("area bind", planned, ("area", "bind", "web", "topic")),
    Writing("area parent", planned, ("area", "parent", "web", "payments")),
    Writing("area rebase", advanced, ("area", "rebase", "web")),
    Writing("area rebase --commit", advanced, ("area", "rebase", "web", "--commit")),
    Writing("slice create", planned, ("slice", "create", "payments", "web", *SLICE)),
    Writing("tasks import", planned, IMPORT, bundle()),
    Writing("tasks import --commit", planned, (*IMPORT, "--commit"), bundle()),
    Writing("tasks import --commit, first", untracked, (*IMPORT, "--commit"), ALONE),
    Writing("tasks index", stale_index, ("tasks", "index", "payments")),
    Writing("check --fix", stale_index, ("check", "--fix")),
    Writing("task done", planned, ("task", "done", "payments", "payments-002", *DONE)),
    Writing("task reopen", planned, ("task", "reopen", "payments", "payments-001")),
    Writing(
        "verify complete",
        admitted,
        ("verify", "complete", "payments", "--snapshot", ANY_SNAPSHOT, *DONE),
    ),
    Writing("cleanup squash", pulled, ("cleanup", "squash")),
    Writing("derive follow-up", derived.investigated, APPLY, envelope(derived.FOLLOW_UP)),
    Writing("derive split", derived.half_done, APPLY, envelope(derived.SPLIT)),
]
