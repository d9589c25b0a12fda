"""What readers see of a publication under way: at each of its moments the state before it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from git_zdev.disk.folders import OpenFolders
from git_zdev.disk.lock import StateLock
from git_zdev.git.read.discovery import discover
from git_zdev.ground.changeset import ChangeSet, CommitPlan, FileChange, Place
from git_zdev.ground.errors import Moved, ZdevError
from git_zdev.plan.records.store import FileSource
from git_zdev.publish import reading
from git_zdev.publish.reading import OldRecords, under_way
from tests.support.faults import (
    ONE,
    SCENARIOS,
    Faults,
    HastyDisk,
    Scenario,
    begin,
    opened,
    plant,
    tracked,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from git_zdev.plan.records.store import RecordSource
    from git_zdev.publish.reading import UnderWay
    from tests.support.repo import GitRepo

EVERYTHING = ChangeSet(
    "everything",
    (
        FileChange(".zdev/area/tasks/001-one.md", b"one\n", b"edited\n"),
        FileChange(".zdev/area/tasks/002-two.md", b"two\n", None),
        FileChange(".zdev/area/tasks/003-three.md", None, b"three\n"),
        FileChange(".zdev/more/area.toml", None, b"more\n"),
        FileChange(".zdev/more/tasks/001-a.md", None, b"a\n"),
        FileChange(".zdev/gone/tasks/001-b.md", b"b\n", None),
        FileChange("info/exclude", None, b"/.zdev/\n", Place.COMMON_DIR),
    ),
)


def lived_in(repo: GitRepo) -> None:
    """The small tree, and an area of which nothing will be left."""
    plant(repo)
    repo.write(".zdev/gone/tasks/001-b.md", "b\n")
    (repo.path / ".git/info").mkdir(exist_ok=True)
    (repo.path / ".git/info/exclude").unlink(missing_ok=True)


CASES = [
    *SCENARIOS,
    Scenario("everything", lived_in, EVERYTHING),
    Scenario("everything-portable", lived_in, EVERYTHING, portable=True),
]


def records(source: RecordSource, folder: str = ".zdev") -> dict[str, bytes | None]:
    """Every file with its bytes, folders with None."""
    found: dict[str, bytes | None] = {}
    for name, is_folder in source.names(folder):
        path = f"{folder}/{name}"
        found[path] = None if is_folder else source.read(path)
        if is_folder:
            found |= records(source, path)
    return found


def seen(repo: GitRepo, environment: Mapping[str, str] | None = None) -> UnderWay | None:
    around = os.environ if environment is None else environment
    return under_way(discover(str(repo.path), os.environ), around)


def old_records(repo: GitRepo) -> dict[str, bytes | None]:
    """The records as a reader sees them who looks now."""
    publication = seen(repo)
    assert publication is not None
    return records(publication.records(FileSource(repo.path), str(repo.path)))


class Watching(Faults):
    """Looks at the repository before each call, while the journal stands."""

    def __init__(self, repo: GitRepo, look: Callable[[], object], at: int | None = None) -> None:
        super().__init__(at=at)
        self._journal = repo.path / ".git/zdev/journal"
        self._look = look
        self.looks = 0

    def due(self, name: str) -> bool:
        """Look, then go on."""
        if self._journal.exists():
            self._look()
            self.looks += 1
        return super().due(name)


@pytest.fixture(params=[False, True], ids=["beside the journal", "another file system"])
def far(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether the files pretend to lie on another file system than the Git directory."""
    if request.param:
        monkeypatch.setattr(OpenFolders, "device", lambda *_: -1)
    return bool(request.param)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_moment_of_a_publication_shows_the_state_before(
    repo: GitRepo, case: Scenario, *, far: bool
) -> None:
    case.prepare(repo)
    before = records(FileSource(repo.path))
    given_up = []

    def look() -> None:
        try:
            assert old_records(repo) == before
        except Moved:  # the old bytes were removed just before the end
            given_up.append(1)
        else:
            assert not given_up

    faults = Watching(repo, look)
    case.run(repo, faults)
    assert faults.looks > len(case.change.changes)
    assert bool(given_up) <= far
    assert records(FileSource(repo.path)) != before


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_moment_of_a_way_back_shows_the_state_before(
    repo: GitRepo, request: pytest.FixtureRequest, case: Scenario, *, far: bool
) -> None:
    """Calls of a publication fail, and the undoing is looked at."""
    case.prepare(repo)
    before = records(FileSource(repo.path))
    counted = Watching(repo, lambda: None, at=0)
    points = range(1, 400, 1 if request.config.getoption("--all-points") else 23)
    for point in points:
        moved = []

        def look(moved: list[int] = moved) -> None:
            try:
                assert old_records(repo) == before
            except Moved:
                moved.append(1)

        counted = Watching(repo, look, at=point)
        error = case.attempt(repo, counted)
        assert bool(moved) <= far
        if records(FileSource(repo.path)) != before:
            break  # the call came after the end
        assert error is not None or point > len(counted.calls)
    assert counted.looks


def publishing(repo: GitRepo, change: ChangeSet, look: Callable[[str], object]) -> None:
    """Publish, and call ``look`` with the name of each disk call while the journal stands."""

    class Disk(HastyDisk):
        def swap(self, *spots: Any) -> bool:
            look("swap")
            return super().swap(*spots)

        def sync_everything(self, folder: Any) -> None:
            if (repo.path / ".git/zdev/journal").exists():
                look("sync_everything")
            super().sync_everything(folder)

    with begin(repo, disk=Disk()) as held:
        held.publish(change)


EDIT = ChangeSet("edit", (FileChange(ONE, b"one\n", b"edited\n"),))


def edit_and_commit(parts: tuple[str, ...] = (ONE,)) -> ChangeSet:
    return ChangeSet("edit", EDIT.changes, CommitPlan("Edit\n", parts))


def test_a_file_that_somebody_edits_meanwhile_is_shown_as_it_was(repo: GitRepo) -> None:
    tracked(repo)
    found = []

    def look(name: str) -> None:
        if name == "sync_everything":  # ours stands by now
            repo.write(ONE, "formatted\n")
            found.append(old_records(repo)[ONE])

    publishing(repo, edit_and_commit(), look)
    assert set(found) == {b"one\n"}


def test_a_file_that_was_edited_before_it_was_put_is_nowhere(repo: GitRepo) -> None:
    plant(repo)
    found = []

    def look(_: str) -> None:
        if not found:
            repo.write(ONE, "formatted\n")
            with pytest.raises(Moved):
                old_records(repo)
            found.append(1)

    with pytest.raises(ZdevError) as caught:
        publishing(repo, EDIT, look)
    assert caught.value.code == "state-drifted"
    assert found


def test_another_plan_of_the_same_work_tree_is_read_as_it_stands(repo: GitRepo) -> None:
    plant(repo)
    repo.write("sub/.zdev/config.toml", "other\n")
    sub = str(repo.path / "sub")
    found = []

    def look(_: str) -> None:
        publication = seen(repo)
        assert publication is not None
        found.append(records(publication.records(FileSource(sub), sub)))
        assert not isinstance(publication.records(FileSource(sub), sub), OldRecords)

    publishing(repo, EDIT, look)
    assert found == [{".zdev/config.toml": b"other\n"}]


def test_a_plan_that_comes_is_not_there_yet_and_one_that_goes_still_is(repo: GitRepo) -> None:
    repo.write("old/.zdev/config.toml", "config\n")
    new = ChangeSet("init", (FileChange(".zdev/config.toml", None, b"config\n"),))
    gone = ChangeSet("squash", (FileChange(".zdev/config.toml", b"config\n", None),))
    for root, change, stood in (("", new, False), ("old", gone, True)):
        path = repo.path / root / ".zdev/config.toml"
        found = []

        class Disk(HastyDisk):
            def rename(
                self, source: Any, target: Any, path: Any = path, found: Any = found
            ) -> None:
                if source.name == "journal":
                    publication = seen(repo)
                    assert publication is not None
                    found.append((path.exists(), publication.stood(str(path))))
                    assert publication.stood(str(repo.path / "a/.zdev/config.toml")) is False
                super().rename(source, target)

        with begin(repo, disk=Disk(), root=root) as held:
            held.publish(change)
        assert found == [(not stood, stood)]


def test_head_and_index_are_old_until_the_commit_stands(repo: GitRepo) -> None:
    tracked(repo)
    found: list[tuple[bool, bool]] = []

    def look(_: str) -> None:
        publication = seen(repo)
        assert publication is not None
        found.append((publication.shows_old_refs(opened(repo)), publication.shows_old_index()))

    publishing(repo, edit_and_commit(), look)
    # The file, the pid of the child, the index, the end.
    assert found[0] == (True, True)
    assert found[-2:] == [(False, True), (False, False)]


@pytest.mark.parametrize("prepare", ["", "switch -q --detach", "pack-refs --all"])
def test_a_branch_that_moves_is_seen_by_whoever_took_it_for_old(
    repo: GitRepo, prepare: str
) -> None:
    tracked(repo)
    if prepare:
        repo.git(*prepare.split())
    publications: list[Any] = []

    def look(_: str) -> None:
        if publications:
            publications.append(publications[0].shows_the_same())
            return
        publication = seen(repo)
        assert publication is not None
        assert publication.shows_old_refs(opened(repo))
        assert publication.shows_old_index()
        assert publication.shows_the_same()
        publications.append(publication)

    publishing(repo, edit_and_commit(), look)
    assert publications[-1] is False


def test_files_alone_leave_head_and_index_to_their_owner(repo: GitRepo) -> None:
    tracked(repo)
    found = []

    def look(_: str) -> None:
        publication = seen(repo)
        assert publication is not None
        repo.git("add", "untracked.txt")
        found.append((publication.shows_old_refs(opened(repo)), publication.shows_old_index()))
        assert publication.shows_the_same()

    publishing(repo, EDIT, look)
    assert set(found) == {(True, True)}


def test_another_index_is_nobodys_but_its_owners(repo: GitRepo) -> None:
    tracked(repo)

    def look(_: str) -> None:
        around = {**os.environ, "GIT_INDEX_FILE": str(repo.path / "mine")}
        publication = under_way(discover(str(repo.path), around), around)
        assert publication is not None
        assert publication.shows_old_index()

    publishing(repo, edit_and_commit(), look)


def test_who_runs_inside_of_it_sees_what_stands(repo: GitRepo) -> None:
    plant(repo)
    found = []

    def look(_: str) -> None:
        identity = next(repo.path.glob(".git/zdev/journal/plan.json")).read_text()
        identity = identity.partition('"identity": "')[2][:32]
        found.append(
            (
                seen(repo, {"ZDEV_PUBLICATION": identity}),
                seen(repo, {"ZDEV_PUBLICATION": "0" * 32}) is None,
                seen(repo, {}) is None,
            )
        )

    publishing(repo, EDIT, look)
    assert found == [(None, False, False)]


def test_a_hook_that_lost_its_environment_is_inside_as_well(
    repo: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The journaled child is played by this process's own parent."""
    plant(repo)
    found = []

    def look(_: str) -> None:
        assert seen(repo) is not None
        for pid, inside in ((os.getppid(), True), (os.getpid(), False), (1 << 30, False)):
            facts = f'"boot": "", "host": "", "namespace": 0, "pid": {pid}, "start": null'
            (repo.path / ".git/zdev/journal/child.json").write_text(f"{{{facts}}}")
            found.append((seen(repo) is None) is inside)
        (repo.path / ".git/zdev/journal/child.json").unlink()

    publishing(repo, EDIT, look)
    assert found == [True, True, True]


def stopped(repo: GitRepo) -> None:
    """A journal whose writer is gone."""
    from tests.support.faults import crash

    crash(repo, "commit", "start_commit")


def test_a_journal_without_a_writer_is_an_interruption(repo: GitRepo) -> None:
    stopped(repo)
    with pytest.raises(ZdevError) as caught:
        seen(repo)
    assert caught.value.code == "interrupted-publication"


def test_a_publication_that_is_over_has_moved(repo: GitRepo) -> None:
    plant(repo)
    with StateLock(str(repo.path / ".git")), pytest.raises(Moved):
        seen(repo)


def test_a_publication_that_ends_while_its_journal_is_read_has_moved(
    repo: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped(repo)
    journal = repo.path / ".git/zdev/journal"

    def ended(*_: object) -> None:
        journal.rename(journal.with_name("journal.over"))
        raise ZdevError("journal-corrupt", "plan.json is missing")

    monkeypatch.setattr(reading, "open_journal", ended)
    with StateLock(str(repo.path / ".git")), pytest.raises(Moved):
        seen(repo)


def spoil_with_text(repo: GitRepo) -> None:
    (repo.path / ".git/zdev/journal/plan.json").write_text("[]")


def spoil_with_size(repo: GitRepo) -> None:
    with (repo.path / ".git/zdev/journal/plan.json").open("ab") as file:
        file.truncate(1 << 40)


def spoil_with_link(repo: GitRepo) -> None:
    plan = repo.path / ".git/zdev/journal/plan.json"
    plan.rename(repo.path / "plan.json")
    plan.symlink_to(repo.path / "plan.json")


def spoil_with_fifo(repo: GitRepo) -> None:
    plan = repo.path / ".git/zdev/journal/plan.json"
    plan.unlink()
    os.mkfifo(plan)


def spoil_child(repo: GitRepo) -> None:
    (repo.path / ".git/zdev/journal/child.json").write_text("[]")


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (spoil_with_text, "journal-corrupt"),
        (spoil_with_size, "journal-corrupt"),
        (spoil_with_link, "journal-corrupt"),
        (spoil_with_fifo, "journal-corrupt"),
        (spoil_child, "journal-corrupt"),
    ],
)
def test_a_journal_is_not_believed(
    repo: GitRepo, spoil: Callable[[GitRepo], None], code: str
) -> None:
    stopped(repo)
    spoil(repo)
    with StateLock(str(repo.path / ".git")), pytest.raises(ZdevError) as caught:
        seen(repo)
    assert caught.value.code == code


def test_bytes_that_the_journal_does_not_name_are_never_shown(repo: GitRepo) -> None:
    """Whatever lies in the places of the old bytes."""
    stopped(repo)
    for path in (repo.path / ".git/zdev/journal").glob("0.*"):
        path.write_text("planted\n")
    repo.write(ONE, "planted\n")
    with StateLock(str(repo.path / ".git")):
        publication = seen(repo)
        assert publication is not None
        source = publication.records(FileSource(repo.path), str(repo.path))
        with pytest.raises(Moved):
            source.read(ONE)
        for path in (repo.path / ".git/zdev/journal").glob("0.*"):
            path.unlink()
            os.mkfifo(path)
        with pytest.raises(Moved):
            source.read(ONE)


def test_refusals_of_other_files_are_passed_on(repo: GitRepo) -> None:
    stopped(repo)
    (repo.path / ".zdev/config.toml").unlink()
    (repo.path / ".zdev/config.toml").symlink_to("elsewhere")
    with StateLock(str(repo.path / ".git")):
        publication = seen(repo)
        assert publication is not None
        source = publication.records(FileSource(repo.path), str(repo.path))
        with pytest.raises(ZdevError) as caught:
            source.read(".zdev/config.toml")
    assert caught.value.code == "symlink-in-records"
