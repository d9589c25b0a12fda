"""The lean way to libgit2 gives what the ordinary import gives."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pygit2
import pytest

from git_zdev.fast import libgit2 as lean_way
from git_zdev.git.read import libgit2

ROOT = Path(__file__).parents[3]

REPORT = """
import json, sys
from git_zdev.git.read import libgit2
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
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    document: dict[str, object] = json.loads(done.stdout)
    return document


def test_lean_and_ordinary_loading_give_the_same() -> None:
    lean = report()
    ordinary = report(ZDEV_FULL="1")
    assert (lean.pop("lean"), ordinary.pop("lean")) == (True, False)
    assert (lean.pop("package"), ordinary.pop("package")) == (False, True)
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


REAL = str(Path(pygit2.__file__).parent)


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"_pygit2.py": "from pygit2 import initialized\n"},
        {"_pygit2.py": "import sys\nsys.modules['pygit2'].initialized\n"},
        {"_pygit2.py": "def hash(data): return 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'\n"},
    ],
    ids=["elsewhere", "needs-the-package", "asks-the-package", "lacks-names"],
)
def test_an_unfit_layout_gets_the_ordinary_import(files: dict[str, str], tmp_path: Path) -> None:
    package = tmp_path / "pygit2"
    package.mkdir()
    for name, text in files.items():
        (package / name).write_text(text)
    (package / "__init__.py").write_text(
        f"import sys\nsys.path.remove({str(tmp_path)!r})\n"
        "for name in [name for name in sys.modules if name.startswith('pygit2')]:\n"
        "    del sys.modules[name]\n"
        "import pygit2\n"
    )
    unfit = report(f"sys.path.insert(0, {str(tmp_path)!r})")
    assert unfit.pop("lean") is False
    assert unfit.pop("package") is True
    lean = report()
    assert lean.pop("lean") is True
    lean.pop("package")
    assert unfit == lean


def test_the_probe_wants_every_name_and_a_library_that_works() -> None:
    from pygit2 import _libgit2, _pygit2

    def without(name: str) -> SimpleNamespace:
        return SimpleNamespace(**{key: vars(_pygit2)[key] for key in lean_way.NEEDED - {name}})

    assert lean_way.fits(without(""), _libgit2)
    assert not any(lean_way.fits(without(name), _libgit2) for name in lean_way.NEEDED)
    broken = without("")
    broken.hash = lambda _data: None
    assert not lean_way.fits(broken, _libgit2)


def test_the_folder_is_the_one_that_an_import_would_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert lean_way.package_folder() == str(Path(pygit2.__file__).parent)
    (tmp_path / "pygit2").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    assert lean_way.package_folder() == str(Path(pygit2.__file__).parent)
    (tmp_path / "pygit2/__init__.py").touch()
    assert lean_way.package_folder() == str(tmp_path / "pygit2")


IN_OPEN = 0x20


class Watch:
    """Notices that a file is opened (inotify(7))."""

    def __init__(self, path: Path) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        self._descriptor = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        assert libc.inotify_add_watch(self._descriptor, os.fsencode(path), IN_OPEN) > 0

    def opened(self) -> bool:
        try:
            return bool(os.read(self._descriptor, 4096))
        except BlockingIOError:
            return False


@pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux's own")
def test_no_certificates_are_read_though_the_user_names_some(tmp_path: Path) -> None:
    bundle = tmp_path / "bundle.pem"
    bundle.touch()
    environment = {**os.environ, "SSL_CERT_FILE": str(bundle)}
    watch = Watch(bundle)
    if not report(**environment)["lean"]:
        pytest.skip("the ordinary import reads them by itself")
    assert not watch.opened()
    subprocess.run([sys.executable, "-c", "import pygit2"], env=environment, check=False)
    assert watch.opened()


def test_children_see_the_certificates_that_the_user_named(tmp_path: Path) -> None:
    script = (
        "import os, subprocess\n"
        "from git_zdev.git.read import libgit2\n"
        "libgit2.load()\n"
        "subprocess.run(['env'], check=True)\n"
        "assert 'SSL_CERT_FILE' in os.environ\n"
    )
    environment = {**os.environ, "SSL_CERT_FILE": "/some/where"}
    environment.pop("SSL_CERT_DIR", None)
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=environment, capture_output=True, check=True
    )
    shown = done.stdout.splitlines()
    assert b"SSL_CERT_FILE=/some/where" in shown
    assert not any(line.startswith(b"SSL_CERT_DIR=") for line in shown)


def test_c_libraries_are_shown_other_variables_for_a_moment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    libc = ctypes.CDLL(None)
    libc.getenv.restype = ctypes.c_char_p
    monkeypatch.setenv("ZDEV_TEST_SET", "mine")
    monkeypatch.delenv("ZDEV_TEST_UNSET", raising=False)
    names = (b"ZDEV_TEST_SET", b"ZDEV_TEST_UNSET")
    with libgit2.environment({"ZDEV_TEST_SET": None, "ZDEV_TEST_UNSET": "lent"}):
        assert [libc.getenv(name) for name in names] == [None, b"lent"]
        assert os.environ["ZDEV_TEST_SET"] == "mine"
        assert "ZDEV_TEST_UNSET" not in os.environ
    with (
        pytest.raises(ValueError, match="inside"),
        libgit2.environment({"ZDEV_TEST_SET": "lent"}),
    ):
        raise ValueError("inside")
    assert [libc.getenv(name) for name in names] == [b"mine", None]
