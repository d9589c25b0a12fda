"""Imports run one way only, and each outside library has one door."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "git_zdev"

ORDER = [
    "cli",
    "commands",
    "screen",
    "handoff",
    "derive",
    "publish",
    "context",
    "branch",
    "plan",
    "evidence",
    "git",
    "disk",
    "ground",
    "fast",
]
"""The packages from the top down: a module imports its own and those below it, lazily too."""

DOORS = {
    "pygit2": ("fast/libgit2.py", "git/read/libgit2.py"),
    "subprocess": None,
    "multiprocessing": None,
    "dataclasses": "ground/values.py",
    "jsonschema": "ground/schema.py",
    "referencing": "ground/schema.py",
    "rich": "screen/",
}
"""The only file (or folder) that may import a module, or several; None is nowhere."""

PROCESS_CALLS = {
    "system", "popen", "fork", "forkpty", "posix_spawn", "posix_spawnp",
    "execl", "execle", "execlp", "execlpe", "execv", "execve", "execvp", "execvpe",
    "spawnl", "spawnle", "spawnlp", "spawnlpe", "spawnv", "spawnve", "spawnvp", "spawnvpe",
}  # fmt: skip


def modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py"))


def package_of(dotted: str) -> str:
    """The package of a module such as ``git_zdev.git.port``; empty for what has none."""
    parts = dotted.split(".")
    return parts[1] if len(parts) > 1 else ""


def dotted_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path) -> list[tuple[int, str]]:
    """Line and dotted name of every import, also of those inside functions."""
    found: list[tuple[int, str]] = []
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}:{node.lineno}: imports are absolute"
            assert node.module
            found.append((node.lineno, node.module))
            if node.module == "git_zdev":
                found += [(node.lineno, f"git_zdev.{alias.name}") for alias in node.names]
    return found


def imported_modules(path: Path) -> set[str]:
    """The modules that a module imports; a package is one where a name of its own is taken."""
    found = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            folder = PACKAGE.parent.joinpath(*node.module.split("."))
            for alias in node.names:
                is_module = (folder / alias.name).is_dir() or (folder / f"{alias.name}.py").exists()
                found.add(f"{node.module}.{alias.name}" if is_module else node.module)
    return found


def upward(path: Path) -> list[str]:
    """The imports of a module that break the order."""
    own = dotted_name(path)
    below = ORDER[ORDER.index(package_of(own)) :] if package_of(own) in ORDER else ["cli"]
    return [
        f"{path.name}:{line}: {own} imports {target}"
        for line, target in imports(path)
        if target.split(".")[0] == "git_zdev"
        and package_of(target) not in below
        and target not in {"git_zdev", "git_zdev.__version__"}
    ]


@pytest.mark.parametrize("path", modules(), ids=dotted_name)
def test_imports_run_one_way(path: Path) -> None:
    assert upward(path) == []


def test_the_top_has_packages_only_and_each_says_what_it_is_for() -> None:
    entries = {path.name for path in PACKAGE.iterdir() if path.name != "__pycache__"}
    assert entries == {*ORDER, "__init__.py", "__main__.py", "py.typed"}
    for folder in {path.parent for path in modules()}:
        docstring = ast.get_docstring(ast.parse((folder / "__init__.py").read_bytes()))
        assert docstring, f"{folder.name} does not say what is in it"


def test_no_imports_go_round_in_a_circle_even_among_lazy_ones() -> None:
    known = {dotted_name(path) for path in modules()}
    wanted = {dotted_name(path): imported_modules(path) & known for path in modules()}
    while free := [name for name, targets in wanted.items() if not targets & wanted.keys()]:
        for name in free:
            del wanted[name]
    while outer := wanted.keys() - set().union(*wanted.values()):
        for name in outer:
            del wanted[name]
    assert not wanted


@pytest.mark.parametrize("path", modules(), ids=dotted_name)
def test_each_outside_library_has_one_door(path: Path) -> None:
    place = path.relative_to(PACKAGE).as_posix()
    for line, target in imports(path):
        for library, door in DOORS.items():
            if target == library or target.startswith(f"{library}."):
                assert door is not None, f"{place}:{line} imports {target}"
                assert place.startswith(door), f"{place}:{line} imports {target}"


NAME_THE_REPOSITORY = {"commands/shared/session.py"}
"""Who outside of ``git`` may name the repository's class: the session, which opens it. Evidence
takes a ``WorkTree``, all others the port."""


def test_the_class_of_the_repository_is_named_by_whom_opens_it() -> None:
    named = {
        path.relative_to(PACKAGE).as_posix()
        for path in modules()
        if b"LibGit2Repository" in path.read_bytes()
    }
    assert {name for name in named if not name.startswith("git/")} == NAME_THE_REPOSITORY


def test_libgit2_is_taken_apart_in_git_alone() -> None:
    for path in modules():
        if package_of(dotted_name(path)) != "git":
            for node in ast.walk(ast.parse(path.read_bytes())):
                taken = isinstance(node, ast.Attribute) and node.attr == "handles"
                assert not taken, f"{path}: reaches for libgit2"


FOR_TYPE_CHECKERS = {"typing": {"ground/values.py", "screen/page.py"}}
"""Modules that only type checkers need, and who has them at run time nevertheless."""


def for_type_checkers(path: Path) -> set[str]:
    """What a module imports below ``if TYPE_CHECKING``."""
    return {
        name
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
        if isinstance(inner, ast.ImportFrom) and (name := inner.module)
    }


@pytest.mark.parametrize("path", modules(), ids=dotted_name)
def test_type_hints_cost_nothing_at_run_time(path: Path) -> None:
    place = path.relative_to(PACKAGE).as_posix()
    everything = [target for _, target in imports(path)]
    for module, users in FOR_TYPE_CHECKERS.items():
        at_run_time = everything.count(module) > (module in for_type_checkers(path))
        assert at_run_time == (place in users), f"{place} imports {module} at run time"


@pytest.mark.parametrize("path", modules(), ids=dotted_name)
def test_processes_start_in_one_place(path: Path) -> None:
    if path.relative_to(PACKAGE).as_posix() == "git/process.py":
        return
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            called = (node.value.id, node.attr)
            assert called[0] != "os" or called[1] not in PROCESS_CALLS, f"{path}:{node.lineno}"


CHANGING_CALLS = {
    "chmod", "chown", "copy_file_range", "fchmod", "fchown", "ftruncate", "link", "makedirs",
    "mkdir", "mkfifo", "mknod", "pwrite", "pwritev", "remove", "removedirs", "removexattr",
    "rename", "renames", "replace", "rmdir", "sendfile", "setxattr", "symlink", "truncate",
    "unlink", "utime", "write", "writev",
    "O_APPEND", "O_CREAT", "O_RDWR", "O_TMPFILE", "O_TRUNC", "O_WRONLY",
}  # fmt: skip
CHANGING_METHODS = {"write_bytes", "write_text", "touch", "symlink_to", "hardlink_to"}
CHANGING_MODULES = {"shutil", "tempfile"}
MAY_CHANGE = {
    "cli/streams.py": {"os.O_RDWR", "os.write"},  # standard streams, and /dev/null in their place
    "git/config/config_bridge.py": {
        "os.write",
        "os.unlink",
        "tempfile",
    },  # a file for libgit2 alone
    "git/read/expanded_index.py": {"os.utime", "open", "tempfile"},  # a file for libgit2 alone
    "git/process.py": {"os.write", "os.O_APPEND", "os.O_CREAT", "os.O_WRONLY", "open", "tempfile"},
    "publish/hooks.py": {"os.makedirs"},  # the folder of Git hooks
}
"""What changes files outside of ``disk``, none of it below ``.zdev``; the process's writes are
pipes, files without a name, and the journal's files for what Git prints."""


def changing(path: Path) -> set[str]:
    """What a module uses that can change a file."""
    used = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id == "os" and node.attr in CHANGING_CALLS:
                used.add(f"os.{node.attr}")
            if node.value.id in CHANGING_MODULES:
                used.add(node.value.id)
        if isinstance(node, ast.Attribute) and node.attr in CHANGING_METHODS:
            used.add(node.attr)
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "open"
        ):
            modes = [*node.args[1:2], *(word.value for word in node.keywords if word.arg == "mode")]
            if any(
                not isinstance(mode, ast.Constant) or set("wax+") & set(mode.value)
                for mode in modes
            ):
                used.add("open")
    return used


@pytest.mark.parametrize("path", modules(), ids=dotted_name)
def test_only_the_disk_package_changes_files(path: Path) -> None:
    place = path.relative_to(PACKAGE).as_posix()
    if not place.startswith("disk/"):
        assert changing(path) == MAY_CHANGE.get(place, set())


READING = {"git_zdev.disk.reading"}

DISK_USERS = {
    "git_zdev.branch.rebase": "has the record of a rebase written",
    "git_zdev.git.rebasing": "reads the record of a rebase",
    "git_zdev.commands.shared.session": "hands the disk out and says how long to wait for a lock",
    "git_zdev.commands.shared.look": "says who holds the lock that it waited for",
    "git_zdev.context.snapshot": "stores below the Git directory",
    "git_zdev.derive.reviews": "stores below the Git directory",
}
"""Who besides publication may touch the writing half of the disk; anybody may read by the other."""


def test_whoever_changes_files_is_known() -> None:
    users = {
        dotted_name(path)
        for path in modules()
        if any(target.startswith("git_zdev.disk.") for target in imported_modules(path) - READING)
    }
    outside = {name for name in users if name.split(".")[1] not in {"disk", "publish"}}
    assert outside == DISK_USERS.keys()


@pytest.mark.parametrize("path", modules(), ids=dotted_name)
def test_only_the_surface_sees_the_terminal_and_the_environment(path: Path) -> None:
    if path.relative_to(PACKAGE).parts[0] in {"cli", "commands", "screen", "fast", "__main__.py"}:
        return
    if path.relative_to(PACKAGE).as_posix() == "git/read/libgit2.py":
        return  # shows libgit2 other variables for a moment, and has to put them back
    surface = {"sys.argv", "sys.stdout", "sys.stderr", "os.environ", "os.environb", "os.getenv"}
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in {"print", "input"}, f"{path}:{node.lineno}"
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            seen = f"{node.value.id}.{node.attr}"
            assert seen not in surface, f"{path}:{node.lineno}: {seen}"


def test_the_walls_notice_a_breach(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "git_zdev"
    (package / "git").mkdir(parents=True)
    module = package / "git" / "port.py"
    module.write_text("from git_zdev.plan.records.model import Area\n")
    monkeypatch.setattr(f"{__name__}.PACKAGE", package)
    assert upward(module) == ["port.py:1: git_zdev.git.port imports git_zdev.plan.records.model"]
