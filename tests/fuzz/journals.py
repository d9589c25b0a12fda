"""Planted journals: what somebody could put below a Git directory, or into a clone.

A *moment* is a repository in which a writing command stopped dead, with its journal.
:func:`planted` makes a copy of one, changes it by a seed alone, lets recovery and a writing command
work on it in this process, and tells what is wrong: a byte that changed where none may, an error
without a code of its own, or an exception.

Most mutants get a seal with the repository's own secret and the true binding, so that they come as
far as an attacker could who knew both.
"""

from __future__ import annotations

import contextlib
import copy
import hashlib
import hmac
import json
import os
import random
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from git_zdev.commands.shared.session import Session, Surroundings
from git_zdev.ground.errors import ZdevError
from git_zdev.publish.recovery import recover
from tests.support.faults import (
    COMMANDS,
    SCENARIOS,
    Crash,
    Faults,
    HastyDisk,
    Scenario,
    Writing,
    copy_of,
)
from tests.support.repo import GitRepo, make_repo

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NAMES = (
    *("files", "files-portable", "commit", "commit-portable", "removal", "staging-hook"),
    *("init personal", "task done", "tasks import --commit", "cleanup squash"),
)
"""The publications whose moments are taken."""

MAY_CHANGE = (
    *("zdev", "zdev-state.lock", "index", "index.lock", "info", "info/exclude"),
    *("HEAD", "refs", "logs", "objects"),
)
"""What recovery and a commit may write in the Git directory, with all that is below ``BELOW``."""

BELOW = ("zdev", "refs", "logs", "objects")


@dataclass(frozen=True)
class Moment:
    """A repository at the moment at which a command died.

    Attributes:
        name: The publication and the call before which it died.
        repo: The repository, never worked on itself.
    """

    name: str
    repo: GitRepo


def moments(folder: Path, every: int = 1) -> list[Moment]:
    """The moments of some publications at which there is a journal.

    Args:
        folder: Where they are kept.
        every: Take each ``every``-th call only.
    """
    by_name: dict[str, Scenario | Writing] = {one.name: one for one in (*SCENARIOS, *COMMANDS)}
    found = []
    for number, name in enumerate(NAMES):
        place = folder / f"original-{number}"
        original = make_repo(place, options=("--template=",))
        by_name[name].prepare(original)
        original.git("config", "zdev.lockTimeout", "0")
        counting = Faults()
        by_name[name].run(copy_of(original, folder / "counted"), counting)
        shutil.rmtree(folder / "counted")
        for call in range(1, len(counting.calls) + 1, every):
            repo = copy_of(original, folder / f"{number}-{call}")
            _die(by_name[name], repo, call)
            if (repo.path / ".git/zdev/journal").exists():
                found.append(Moment(f"{name} before {counting.calls[call - 1]}", repo))
            else:
                shutil.rmtree(repo.path)
    return found


def _die(scenario: Scenario | Writing, repo: GitRepo, call: int) -> None:
    def dead() -> None:
        faults.at = 0
        faults.lasting = True
        raise Crash

    faults = Faults(at=call, act=dead)
    try:
        scenario.run(repo, faults)
    except Crash:
        return
    raise AssertionError(f"call {call} was never made")


# What may not change


def state(folder: Path) -> dict[str, tuple[object, ...]]:
    """Kind, mode, and content or target of everything below a folder; no link is followed."""
    found: dict[str, tuple[object, ...]] = {}
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = os.path.join(place, name)
            about = os.lstat(path)
            content: object = None
            if stat.S_ISLNK(about.st_mode):
                content = os.readlink(path)
            elif stat.S_ISREG(about.st_mode) and about.st_size < 1 << 20:
                with open(path, "rb") as file:
                    content = file.read()
            found[os.path.relpath(path, folder)] = (about.st_mode, content)
    return found


def _may_change(mutant: Mutant, path: Path) -> bool:
    """Whether something may differ afterwards."""
    if path.is_relative_to(mutant.work_tree / ".zdev"):
        return True
    if not path.is_relative_to(mutant.git_dir):
        return False
    inside = path.relative_to(mutant.git_dir)
    waiting = inside.parent == Path("info") and inside.name.startswith(".zdev-")
    return str(inside) in MAY_CHANGE or inside.parts[:1] in {(one,) for one in BELOW} or waiting


# Mutants


@dataclass
class Mutant:
    """A copy of a moment that is being changed.

    Attributes:
        root: The sandbox; ``repo`` in it is the clone, ``outside`` is something else.
        work_tree: What the commands may work on.
        git_dir: Its Git directory.
        chance: Where every choice comes from.
        cwd: Where the commands run.
        environment: Variables that they see besides.
        told: What was done, for the report.
    """

    root: Path
    work_tree: Path
    git_dir: Path
    chance: random.Random
    cwd: Path
    environment: dict[str, str]
    told: list[str]

    @property
    def home(self) -> Path:
        return self.git_dir / "zdev"

    @property
    def journal(self) -> Path:
        return self.home / "journal"


def _paths(mutant: Mutant) -> list[Any]:
    """Paths that would lead out, and such that are none."""
    outside = mutant.root / "outside"
    deep = "x/" * 3000 + "x"
    return [
        "", "/", ".", "..", "../outside/victim", "../../outside/victim", f"{outside}/victim",
        f"{outside}/new", ".zdev/../../outside/victim", ".zdev/./x", ".zdev//x", ".zdev/x/", "\0",
        ".zdev/\0", ".zdev/a\nb", ".zdev/\ud800", ".zdev/\udcff", "README", ".gitignore", ".zdev",
        ".git/config", ".git/hooks/post-commit", ".zdev/.git/config", "GIT~1/config", ".git./x",
        ".g\u200cit/config", ".zdev/link/victim", "link/victim", "config", "info/exclude",
        "hooks/post-commit", "objects/info/alternates", deep, "x" * 5000, ".zdev/" + "y" * 300,
        "zdev/secret", "index", "HEAD", "refs/heads/main",
    ]  # fmt: skip


def _anything(mutant: Mutant) -> Any:
    """Some value of some type."""
    chance = mutant.chance
    scalars: list[Any] = [
        None, True, False, 0, 1, -1, 2**31, 2**63, 2**64, 10**400, 1.5, float("nan"), "", "x", [],
        {}, [[]], [None], {"path": "x"}, "0" * 64, "0" * 40, "f" * 32, "plan-root", "common-dir",
        "git-dir", os.getpid(), 1, "HEAD", "--help", "../../x", "main", "a" * 100_000,
    ]  # fmt: skip
    return chance.choice([chance.choice(scalars), chance.choice(_paths(mutant))])


def _mutate_value(mutant: Mutant, document: Any) -> None:
    """Put a value somewhere into a document."""
    chance = mutant.chance
    place: Any = document
    while isinstance(place, dict | list) and place:
        key: Any = (
            chance.choice(sorted(place))
            if isinstance(place, dict)
            else chance.randrange(len(place))
        )
        inner = place[key]
        if isinstance(inner, dict | list) and inner and chance.random() < 0.75:
            place = inner
            continue
        action = chance.random()
        if action < 0.1 and isinstance(place, dict):
            del place[key]
        elif action < 0.15 and isinstance(place, dict):
            place[chance.choice(["more", "path", "__class__", ""])] = _anything(mutant)
        elif action < 0.25 and isinstance(place, list):
            place.insert(key, copy.deepcopy(chance.choice(place)))
        else:
            place[key] = _anything(mutant)
        return


def _hostile_entry(mutant: Mutant, document: Any) -> None:
    """Add a file that no command changes, in the right form."""
    chance = mutant.chance
    victim = hashlib.sha256((mutant.root / "outside/victim").read_bytes()).hexdigest()
    old, new = chance.choice([(victim, None), (None, victim), (victim, "0" * 64), (None, "1" * 64)])
    number = len(document["entries"])
    document["entries"].append(
        {
            "place": chance.choice(["plan-root", "common-dir", "git-dir"]),
            "path": chance.choice(_paths(mutant)),
            "old": old,
            "new": new,
            "near": chance.random() < 0.3,
        }
    )
    _write(mutant.journal / f"{number}.{chance.choice(['new', 'old'])}", b"planted\n")


def _fields(mutant: Mutant, document: Any) -> None:
    """Set a field that leads somewhere to what it must not be."""
    chance = mutant.chance
    path = chance.choice(_paths(mutant))
    kind = chance.randrange(6)
    if kind == 0:
        document["root"] = path
    elif kind == 1:
        document["identity"] = chance.choice(
            ["../../../outside", "/" * 32, path, "d" * 31, "D" * 32]
        )
    elif kind == 2:
        document["folders"].append([chance.choice(["plan-root", "common-dir", "git-dir"]), path])
    elif kind == 3 and document["commit"]:
        document["commit"]["paths"].append(path)
    elif kind == 4 and document["commit"]:
        document["commit"]["branch"] = chance.choice(["../../x", "a..b", path, "HEAD", "-d", None])
        document["commit"]["parent"] = chance.choice(["0" * 40, "--help", "HEAD", None, "a" * 39])
    elif document["entries"]:
        chance.choice(document["entries"])["path"] = path


def _write(path: Path, data: bytes) -> None:
    if path.is_symlink() or not path.parent.is_dir() or (path.exists() and not path.is_file()):
        return
    path.write_bytes(data)


def _is_usable(path: Path) -> bool:
    """Whether a file is one that a further change can begin with."""
    return path.is_file() and path.stat().st_size < 1 << 20


def _plan(mutant: Mutant) -> None:
    """Change the plan's values, its bytes, or the names that it goes by."""
    chance = mutant.chance
    path = mutant.journal / "plan.json"
    document = json.loads(path.read_bytes())
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        change = chance.choice([_mutate_value, _mutate_value, _hostile_entry, _fields])
        mutant.told.append(change.__name__)
        try:
            change(mutant, document)
        except (TypeError, KeyError, AttributeError):
            break  # an earlier change took away what this one looks for
    data = json.dumps(document, ensure_ascii=True).encode()
    if chance.random() < 0.1:
        data = _damaged(chance, data)
    path.write_bytes(data)
    _seal(mutant, data)


def _plausible(mutant: Mutant) -> None:
    """Change the plan to another one that a command could have written."""
    path = mutant.journal / "plan.json"
    document = json.loads(path.read_bytes())
    for _ in range(mutant.chance.choice([1, 1, 2, 4])):
        kind = mutant.chance.randrange(5)
        mutant.told.append(f"plausible {kind}")
        if kind < 4:
            _other_entry(mutant, document, kind)
        elif isinstance(document["commit"], dict):
            _other_commit(mutant, document["commit"])
    wanted = {
        (one["place"], os.path.dirname(one["path"]))
        for one in document["entries"]
        if one["new"] is not None
    }
    document["folders"] = [
        [place, folder]
        for place, folder in document["folders"]
        if any(f"{one}/".startswith(f"{folder}/") and place == at for at, one in wanted)
    ]
    data = json.dumps(document).encode()
    path.write_bytes(data)
    _seal(mutant, data)


def _other_entry(mutant: Mutant, document: Any, kind: int) -> None:
    chance, entries = mutant.chance, document["entries"]
    plan = mutant.work_tree / ".zdev"
    standing = sorted(path for path in plan.rglob("*") if path.is_file() and path.stat().st_size)
    files = [mutant.root / "outside/victim", *standing[:20]]
    hashes = [hashlib.sha256(path.read_bytes()).hexdigest() for path in files]
    if kind == 0 and len(entries) > 1:
        entries.pop(chance.randrange(len(entries)))
    elif kind == 1 and entries:
        one = chance.choice(entries)
        one["near"] = not one["near"]
    elif kind == 2 and entries:
        one = chance.choice(entries)
        one["old"], one["new"] = chance.choice(
            [(one["new"], one["old"]), tuple(chance.sample([*hashes, "0" * 64, None], 2))]
        )
    elif kind == 3:
        name = chance.choice(["new.md", "area", "a/b/c.md", "config.toml", "link/victim"])
        known = {one["path"] for one in entries}
        if f".zdev/{name}" not in known:
            old, new = chance.sample([*hashes, None], 2)
            _write(mutant.journal / f"{len(entries)}.new", files[0].read_bytes())
            entries.append(
                {
                    "place": "plan-root",
                    "path": f".zdev/{name}",
                    "old": old,
                    "new": new,
                    "near": chance.random() < 0.2,
                }
            )


def _other_commit(mutant: Mutant, commit: Any) -> None:
    chance = mutant.chance
    key = chance.choice(sorted(commit))
    values: dict[str, list[Any]] = {
        "branch": ["main", "web", "no/such", "HEAD", "-d", None],
        "parent": ["0" * 40, "f" * 40, "1" * 64, None],
        "subject": ["", "--help", "x" * 1000],
        "paths": [[], ["README"], [".zdev/config.toml", "-x"], ["no/such/file"]],
        "index": ["0" * 64, None],
    }
    commit[key] = chance.choice(values[key])


def _damaged(chance: random.Random, data: bytes) -> bytes:
    at = chance.randrange(len(data) + 1)
    return chance.choice(
        [
            data[:at],
            data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :],
            data[:at] + chance.choice([b"\0", b"[" * 5000, b'"', b"}", b"\xff", b"9" * 5000]),
            b"\0" * len(data),
            data + data,
        ]
    )


def _seal(mutant: Mutant, data: bytes) -> None:
    """Seal with the true secret, nearly always."""
    secret, seal = mutant.home / "secret", mutant.journal / "seal"
    if mutant.chance.random() < 0.95 and _is_usable(secret):
        digest = hmac.digest(secret.read_bytes(), data, "sha256").hex()
        _write(seal, f"{digest}\n".encode())


def _rebind(mutant: Mutant) -> None:
    """Let the plan name the copy, so that it would be acted upon."""
    path = mutant.journal / "plan.json"
    document = json.loads(path.read_bytes())
    for name, folder in (
        ("work_tree", mutant.work_tree),
        ("git_dir", mutant.git_dir),
        ("common_dir", mutant.git_dir),
    ):
        about = folder.stat()
        document["binding"][name] = {
            "path": str(folder),
            "device": about.st_dev,
            "inode": about.st_ino,
        }
    data = json.dumps(document).encode()
    path.write_bytes(data)
    digest = hmac.digest((mutant.home / "secret").read_bytes(), data, "sha256").hex()
    (mutant.journal / "seal").write_text(f"{digest}\n")


def _note(mutant: Mutant) -> None:
    """Change a note, or add one."""
    chance = mutant.chance
    name = chance.choice(["staged", "child", "emptied"])
    path = mutant.journal / f"{name}.json"
    made: dict[str, Any] = {
        "staged": {"tree": "0" * 40, "index": "0" * 64, "basis": []},
        "child": {"pid": 4_000_000, "start": 5, "host": "x", "boot": "y", "namespace": 4},
        "emptied": {"folders": [["plan-root", ".zdev/area/tasks"], ["plan-root", ".zdev"]]},
    }
    document = json.loads(path.read_bytes()) if _is_usable(path) else made[name]
    if chance.random() < 0.3 and name == "emptied":
        document["folders"].append(["plan-root", chance.choice(_paths(mutant))])
    for _ in range(chance.choice([0, 1, 1, 2])):
        _mutate_value(mutant, document)
    data = json.dumps(document).encode()
    _write(path, _damaged(chance, data) if chance.random() < 0.15 else data)
    mutant.told.append(name)


def _file(mutant: Mutant) -> None:
    """Put something else in the place of a file of the journal, or beside it."""
    chance = mutant.chance
    names = [*os.listdir(mutant.journal), "0.new", "0.old", "1.old", "lock", "said", "summary"]
    names += ["index", "commit-index", "former-index", "hooks", "x", "staged.json.part"]
    _replace(mutant, mutant.journal / chance.choice(sorted(names)))


def _replace(mutant: Mutant, path: Path) -> None:
    """Let another kind of file stand at a path."""
    chance, outside = mutant.chance, mutant.root / "outside"
    kind = chance.randrange(9)
    mutant.told.append(f"{path.name} {kind}")
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    if kind == 0:
        os.mkfifo(path)
    elif kind == 1:
        path.symlink_to(chance.choice([outside / "victim", outside / "new", "/dev/zero", outside]))
    elif kind == 2:
        (path / "inner/more").mkdir(parents=True)
        (path / "inner/link").symlink_to(outside)
    elif kind == 3:
        path.touch()
        os.truncate(path, 1 << 40)
    elif kind == 4:
        os.link(outside / "victim", path)
    elif kind == 5:
        path.write_bytes(chance.randbytes(chance.choice([0, 1, 64, 2000])))
    elif kind == 6:
        path.write_bytes((outside / "victim").read_bytes())
    elif kind == 7:
        path.symlink_to(path.name)


def _rubbish(mutant: Mutant) -> None:
    """Put something beside the journal that looks like a finished one."""
    name = mutant.chance.choice(["journal.", "journal.x", f"journal.{'d' * 32}", "journal...", "y"])
    _replace(mutant, mutant.home / name)
    if mutant.chance.random() < 0.3:
        _write(mutant.git_dir / "index.lock", name.removeprefix("journal.").encode())


def _surroundings(mutant: Mutant) -> None:
    """Change what lies around the journal: the secret, links in the plan, the folder itself."""
    chance, outside = mutant.chance, mutant.root / "outside"
    kind = chance.randrange(6)
    mutant.told.append(f"around {kind}")
    if kind == 0:
        _replace(mutant, mutant.home / "secret")
    elif kind == 1:
        folders = [path for path in (mutant.root / "repo/.zdev").rglob("*") if path.is_dir()]
        if folders:
            _to_outside(chance.choice(sorted(folders)), outside)
    elif kind == 2:
        _to_outside(mutant.root / "repo/.zdev", outside)
    elif kind == 3:
        _to_outside(mutant.journal, outside)
    elif kind == 4:
        _to_outside(mutant.home, outside)
    else:
        _replace(mutant, mutant.git_dir / "index.lock")


def _to_outside(path: Path, outside: Path) -> None:
    """Move a folder out and let a link stand there."""
    if path.is_dir() and not path.is_symlink() and not (outside / "moved").exists():
        path.rename(outside / "moved")
        path.symlink_to(outside / "moved")


def _embedded(mutant: Mutant) -> None:
    """Bring the Git directory along as a tracked folder of a clone, and stand in it."""
    chance = mutant.chance
    evil = mutant.root / "repo/evil"
    if evil.exists():
        return
    shutil.copytree(mutant.git_dir, evil, symlinks=True, copy_function=_copied)
    target = chance.choice(["..", "../../outside", str(mutant.root / "outside"), ".", "../.."])
    (evil / "config").write_text(
        f"[core]\n\trepositoryFormatVersion = 0\n\tbare = false\n\tworktree = {target}\n"
    )
    if chance.random() < 0.5:
        shutil.rmtree(mutant.journal)  # the clone itself is innocent
    mutant.cwd = chance.choice([evil, evil / "refs", evil / "zdev"])
    mutant.told.append(f"embedded {target}")
    if chance.random() < 0.3 and target != "../..":  # there is a plan on the way up
        mutant.told.append("and named")
        mutant.environment["GIT_DIR"] = str(evil)
        mutant.git_dir, mutant.work_tree = evil, (evil / target).resolve()
        if _is_usable(evil / "zdev/secret") and _is_usable(mutant.journal / "plan.json"):
            _rebind(mutant)


def _copied(source: str, target: str) -> str:
    """Copy a file, and make anew what is none."""
    if stat.S_ISFIFO(os.lstat(source).st_mode):
        os.mkfifo(target)
    elif os.stat(source).st_size < 1 << 20:
        shutil.copy2(source, target)
    return target


CHANGES: tuple[tuple[Callable[[Mutant], None], int], ...] = (
    (_plan, 6),
    (_plausible, 8),
    (_note, 4),
    (_file, 5),
    (_rubbish, 2),
    (_surroundings, 2),
    (_embedded, 2),
)


def planted(moment: Moment, root: Path, seed: int) -> tuple[list[str], list[str], list[str]]:
    """Make one mutant and let recovery and a writing command work on it.

    Args:
        moment: What it is made from.
        root: The sandbox; made, and gone afterwards.
        seed: Decides everything.

    Returns:
        What was done, how the commands ended (``ok`` or the code), and what is wrong.
    """
    mutant = _made(moment, root, seed)
    before = state(root)
    ends, wrong = [], []
    for command in (_recovery, _writing):
        try:
            command(mutant)
            ends.append("ok")
        except ZdevError as error:
            ends.append(error.code)
            if error.code == "internal-error" or not error.hint:
                wrong.append(f"{command.__name__}: {error.code}: {error.message}")
        except Exception as error:  # noqa: BLE001 — what has no code is what is sought
            wrong.append(f"{command.__name__}: {type(error).__name__}: {error}")
    after = state(root)
    changed = sorted(path for path in before | after if before.get(path) != after.get(path))
    wrong += [f"changed: {path}" for path in changed if not _may_change(mutant, root / path)]
    shutil.rmtree(root)
    return mutant.told, ends, wrong


def _made(moment: Moment, root: Path, seed: int) -> Mutant:
    chance = random.Random(seed)
    root.mkdir()
    shutil.copytree(moment.repo.path, root / "repo", symlinks=True)
    outside = root / "outside"
    (outside / "objects").mkdir(parents=True)
    (outside / "victim").write_bytes(b"precious\n")
    (outside / "empty").mkdir()
    (root / "repo/link").symlink_to(outside)
    repo = root / "repo"
    mutant = Mutant(root, repo, repo / ".git", chance, repo, {}, [moment.name])
    if chance.random() < 0.95:
        _rebind(mutant)
    _hold_still(mutant)
    changes, weights = zip(*CHANGES, strict=True)
    for change in chance.choices(changes, weights, k=chance.choice([1, 1, 1, 2, 3])):
        links = mutant.journal.is_symlink() or mutant.home.is_symlink()
        if links or not mutant.journal.is_dir():
            break
        if change in (_plan, _plausible) and not _is_usable(mutant.journal / "plan.json"):
            continue
        try:
            change(mutant)
        except (ValueError, KeyError, TypeError, AttributeError, OSError, RecursionError):
            mutant.told.append("no document any more")
    return mutant


def _hold_still(mutant: Mutant) -> None:
    """Nobody commits any more: the child's pid may be that of another process by now."""
    path = mutant.journal / "child.json"
    if _is_usable(path):
        noted = json.loads(path.read_bytes())
        path.write_text(json.dumps({**noted, "start": 1}))


def _session(mutant: Mutant) -> Session:
    environment = {**os.environ, **mutant.environment}
    around = Surroundings(str(mutant.cwd), environment, None, lambda: b"")
    session = Session(around)
    session.__dict__["disk"] = HastyDisk()
    return session


def _recovery(mutant: Mutant) -> None:
    session = _session(mutant)
    keep_current = mutant.chance.random() < 0.5
    environment = session.surroundings.environment
    recover(
        session.repository,
        environment,
        git=session.git,
        disk=session.disk,
        keep_current=keep_current,
    )


def _writing(mutant: Mutant) -> None:
    from git_zdev.commands import config_set

    config_set.run(_session(mutant), key="project.guidance", value="planted", allow_divergent=False)


@contextlib.contextmanager
def hastily() -> Iterator[None]:
    """Within it, nobody waits for a lock."""
    from git_zdev.publish import commit

    patience = commit.LOCK_PATIENCE
    commit.LOCK_PATIENCE = 0.0
    try:
        yield
    finally:
        commit.LOCK_PATIENCE = patience
