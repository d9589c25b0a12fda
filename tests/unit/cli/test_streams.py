"""The program's standard streams in all the states in which a caller may leave them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from git_zdev import __version__
from tests.support.cli import PACKAGE_PARENT, PYTHON, zdev

LINE = f"git-zdev {__version__}\n".encode()


def shell(script: str, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    """Run a shell script in which ``$Z`` starts the program."""
    return subprocess.run(
        ["bash", "-c", script],
        cwd=cwd,
        env={
            **os.environ,
            **PYTHON,
            "Z": f"{sys.executable} -m git_zdev",
        },
        capture_output=True,
        check=False,
    )


@pytest.mark.parametrize("words", ["--version", "-h"])
def test_a_reader_that_is_gone_is_no_traceback(words: str, tmp_path: Path) -> None:
    done = shell(f"$Z {words} | (exec 0<&-; sleep 0.5); echo ${{PIPESTATUS[0]}}", tmp_path)
    assert done.stderr == b""
    assert done.stdout in (b"141\n", b"0\n")  # 0 when the pipe took all before it was closed


def test_a_pipe_closed_before_the_start_is_141(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "git_zdev", "-h"],
        cwd=tmp_path,
        env={**os.environ, **PYTHON},
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize("closed", ["0<&-", "1>&-", "2>&-", "0<&- 1>&- 2>&-"])
def test_closed_descriptors_are_no_failure(closed: str, tmp_path: Path) -> None:
    done = shell(f"$Z --version {closed}; echo status $?", tmp_path)
    assert done.stderr == b""
    assert done.stdout == (b"" if "1>&-" in closed else LINE) + b"status 0\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
@pytest.mark.parametrize("words", ["-h", "--root . -h", "--version", "next --version", "next -h"])
def test_a_full_disk_is_one_sentence(words: str, tmp_path: Path) -> None:
    done = shell(f"$Z {words} > /dev/full; echo status $?", tmp_path)
    assert done.stderr == b"error: standard output: No space left on device.\n"
    assert done.stdout == b"status 1\n"


def test_a_reader_that_made_the_pipe_non_blocking_gets_everything(tmp_path: Path) -> None:
    script = (
        "import os, sys; from git_zdev.cli import streams; streams.write_stdout(b'x' * 1_000_000)"
    )
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env={**os.environ, **PYTHON},
        stdout=writer,
    )
    os.close(writer)
    with open(reader, "rb") as stream:
        assert len(stream.read()) == 1_000_000
    assert process.wait() == 0


def test_a_deleted_current_directory_is_named(tmp_path: Path) -> None:
    done = shell("mkdir gone && cd gone && rmdir ../gone && $Z -h >/dev/null; echo $?", tmp_path)
    assert (done.stdout, done.stderr) == (b"0\n", b"")


def test_the_version_loads_next_to_nothing(tmp_path: Path) -> None:
    script = (
        "import sys; from git_zdev.cli.main import main; main(['--version']); "
        "print(sorted({'argparse', 'dataclasses', 'inspect', 're', 'json', 'pygit2', 'rich', "
        "'jsonschema', 'typing', 'git_zdev.ground.errors'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [
            sys.executable,
            "-I",
            "-c",
            f"import sys; sys.path.insert(0, {str(PACKAGE_PARENT)!r}); {script}",
        ],
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )
    assert done.stdout == LINE + b"[]\n"


def test_the_helper_fails_for_nothing(tmp_path: Path) -> None:
    run = zdev("--version", cwd=tmp_path)
    assert (run.status, run.stdout, run.stderr) == (0, LINE, b"")


AT_THE_END = """
import atexit, os, sys

class Value:
    def __del__(self):
        os.write(1, b"taken apart\\n")

value = Value()
atexit.register(os.write, 1, b"called\\n")
sys.argv[1:] = {words!r}
from git_zdev.cli.main import entry
entry()
"""


@pytest.mark.parametrize(("words", "status"), [(["--version"], 0), (["nonsense"], 2)])
def test_the_process_ends_at_once_but_calls_what_was_registered(
    words: list[str], status: int, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", AT_THE_END.format(words=words)],
        cwd=tmp_path,
        env={**os.environ, **PYTHON},
        capture_output=True,
        check=False,
    )
    assert done.returncode == status
    assert done.stdout == (LINE if status == 0 else b"") + b"called\n"


@pytest.mark.parametrize("source", ["- </dev/zero", "/dev/zero"])
def test_an_input_without_an_end_is_read_no_further_than_any_may_be(
    source: str, tmp_path: Path
) -> None:
    done = shell(f"$Z --format=json tasks import payments --from={source}", tmp_path)
    assert done.returncode == 1
    assert b"more than the limit of 8388608" in done.stderr


def test_a_standard_input_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    done = shell(f"$Z --format=json tasks import payments --from=- 0>{tmp_path}/out", tmp_path)
    assert done.returncode == 1
    assert json.loads(done.stderr)["code"] == "unreadable-input"
