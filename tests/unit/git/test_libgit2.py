"""The lean way to libgit2 gives what the ordinary import gives."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pygit2

from git_zdev.git import libgit2

if TYPE_CHECKING:
    import pytest

ROOT = Path(__file__).parents[3]

REPORT = """
import json, sys
from git_zdev.git import libgit2
{prepare}
handles = libgit2.load()
print(json.dumps({{
    "lean": handles.lean,
    "package": "pygit2" in sys.modules,
    "blob": str(handles.ext.hash(b"abc")),
    "patch": handles.ext.Patch.create_from(b"a\\n", b"b\\n", context_lines=3).data.decode(),
    "functions": sorted(name for name in dir(handles.lib) if name.startswith("git_")),
    "options": handles.ffi.sizeof("git_diff_options"),
    "error": handles.ext.GitError.__mro__[1].__name__,
}}))
"""


def report(prepare: str = "", **environment: str) -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, "-c", REPORT.format(prepare=prepare)],
        cwd=ROOT,
        env=environment or None,
        capture_output=True,
        text=True,
        check=True,
    )
    document: dict[str, object] = json.loads(done.stdout)
    return document


def test_lean_and_ordinary_loading_give_the_same() -> None:
    lean = report()
    ordinary = report("libgit2.LEAN_VERSIONS = frozenset()")
    assert (lean.pop("lean"), ordinary.pop("lean")) == (
        pygit2.__version__ in libgit2.LEAN_VERSIONS,
        False,
    )
    assert (lean.pop("package"), ordinary.pop("package")) == (
        pygit2.__version__ not in libgit2.LEAN_VERSIONS,
        True,
    )
    assert lean == ordinary
    assert "git_diff_index_to_workdir" in lean["functions"]  # type: ignore[operator]


def test_the_package_can_be_imported_after_lean_loading() -> None:
    lean = report()
    both = report("libgit2.load(); import pygit2; assert pygit2.Repository")
    assert both.pop("package") is True
    assert lean.pop("package") is False
    assert both == lean


def test_an_imported_package_is_used_as_it_is() -> None:
    assert report("import pygit2")["lean"] is False


def test_the_version_is_read_from_the_package_itself(tmp_path: Path) -> None:
    folder = str(Path(pygit2.__file__).parent)
    assert libgit2._version_in(folder) == pygit2.__version__
    (tmp_path / "_build.py").write_text("# __version__\n__version__ = '1.2.3'\n")
    assert libgit2._version_in(str(tmp_path)) == "1.2.3"
    assert libgit2._version_in(str(tmp_path / "none")) == ""


def test_the_folder_is_the_one_that_an_import_would_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert libgit2._package_folder() == str(Path(pygit2.__file__).parent)
    (tmp_path / "pygit2").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    assert libgit2._package_folder() == str(Path(pygit2.__file__).parent)
    (tmp_path / "pygit2/__init__.py").touch()
    assert libgit2._package_folder() == str(tmp_path / "pygit2")
