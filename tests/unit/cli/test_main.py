"""Dispatch, options, formats and exit statuses, with a command made for the test."""

from __future__ import annotations

import json
import sys
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from git_zdev import __version__
from git_zdev.cli import options, registry
from git_zdev.cli.main import main
from git_zdev.commands.shared.arguments import argument, option
from git_zdev.ground.errors import InvalidInput, Problem, UsageError, ZdevError, summary_of
from git_zdev.screen.result import RawResult, Result, sentence, sorted_document
from tests.support.cli import validate

if TYPE_CHECKING:
    from collections.abc import Callable

    from git_zdev.commands.shared.session import Session


class Probe(ModuleType):
    """A command module that records what it was given and does what the test says."""

    def __init__(self) -> None:
        super().__init__("git_zdev.commands.probe", "Probe things.\n\nAt length.")
        self.FORMATS: tuple[str, ...] = options.FORMATS
        self.ARGUMENTS = (
            argument("thing", "what to probe"),
            argument("other", "what else", count="?"),
            option("--title", "TITLE", "what it is called"),
        )
        self.seen: dict[str, Any] = {}
        self.act: Callable[[], Result | RawResult] = lambda: Result(
            sorted_document(answer="yes\u202e"), sentence("It is done."), notes=("Take note.",)
        )

    def run(self, session: Session, **values: Any) -> Result | RawResult:
        self.seen = {"root": session.surroundings.root, **values}
        return self.act()


@pytest.fixture
def probe(monkeypatch: pytest.MonkeyPatch) -> Probe:
    module = Probe()
    monkeypatch.setitem(sys.modules, module.__name__, module)
    commands = (
        registry.Command("probe", "probe", "tries things", "Tools"),
        registry.Command("deep probe", "probe", "tries deeper", "Tools"),
        registry.Command("deep end", "probe", "goes on", "Work"),
    )
    monkeypatch.setattr(registry, "COMMANDS", commands)
    return module


def run(capfdbinary: pytest.CaptureFixture[bytes], *argv: str) -> tuple[int, bytes, bytes]:
    status = main(list(argv))
    out, err = capfdbinary.readouterr()
    return status, out, err


def error_of(raw: bytes) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(raw)
    validate("error", document)
    return document


def test_a_part_that_cannot_be_loaded_is_no_bug_of_ours(
    probe: Probe, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """As under a limit of memory that leaves none for a library."""

    def act() -> NoReturn:
        raise ImportError("libx.so: failed to map segment from shared object")

    probe.act = act
    status, _, err = run(capfdbinary, "--format=json", "probe", "one")
    error = error_of(err)
    assert (status, error["code"]) == (1, "system-error")
    assert "failed to map segment" in error["error"]


def test_text_goes_to_stdout_and_notes_to_stderr(
    probe: Probe, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert run(capfdbinary, "probe", "one") == (0, b"It is done.\n", b"Take note.\n")


def test_json_goes_to_stdout_alone(probe: Probe, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    expected = b'{\n  "answer": "yes\\u202e",\n  "schema_version": 1\n}\n'
    assert run(capfdbinary, "probe", "one", "--format", "json") == (0, expected, b"")


@pytest.mark.parametrize(
    "argv",
    [
        ("--root", "there", "deep", "probe", "one", "two", "--title=t"),
        ("deep", "--root=there", "probe", "one", "--title", "t", "two"),
        ("deep", "probe", "--title", "t", "one", "--root", "there", "two"),
        ("deep", "probe", "one", "--root", "there", "--title", "t", "--", "two"),
    ],
)
def test_global_options_stand_anywhere(
    argv: tuple[str, ...], probe: Probe, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert run(capfdbinary, *argv)[0] == 0
    assert probe.seen == {"root": "there", "thing": "one", "other": "two", "title": "t"}


def test_words_behind_two_dashes_are_no_options(
    probe: Probe, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    status, _, _ = run(capfdbinary, "probe", "--title", "t", "--", "--root=x", "-h")
    assert status == 0
    assert probe.seen == {"root": None, "thing": "--root=x", "other": "-h", "title": "t"}
    assert type(probe.seen["thing"]) is str


def test_a_root_named_like_a_command_is_a_value(
    probe: Probe, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert run(capfdbinary, "--root", "deep", "probe", "deep")[0] == 0
    assert probe.seen["root"] == "deep"
    assert probe.seen["thing"] == "deep"


@pytest.mark.parametrize("argv", [("--version",), ("--root", "x", "--version")])
def test_version_alone(argv: tuple[str, ...], capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(capfdbinary, *argv) == (0, f"git-zdev {__version__}\n".encode(), b"")


@pytest.mark.parametrize("argv", [("probe", "--version"), ("deep", "probe", "x", "--version")])
def test_version_after_a_command(
    argv: tuple[str, ...], probe: Probe, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert run(capfdbinary, *argv) == (0, f"git-zdev {__version__}\n".encode(), b"")
    assert probe.seen == {}


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_of_all_commands(
    flag: str, probe: Probe, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    status, out, err = run(capfdbinary, flag)
    assert (status, err) == (0, b"")
    assert out.startswith(b"usage: git zdev ")
    assert b"\nTools\n  probe       tries things\n  deep probe  tries deeper\n" in out


def test_help_of_a_group(probe: Probe, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    status, out, _ = run(capfdbinary, "deep", "-h")
    assert status == 0
    assert b"\nTools\n  deep probe  tries deeper\n\nWork\n  deep end    goes on\n" in out
    assert b"tries things" not in out


def test_help_of_a_command(probe: Probe, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    status, out, err = run(capfdbinary, "deep", "probe", "--help")
    assert (status, err) == (0, b"")
    usage, _, _ = out.partition(b"\n\n")
    assert usage.startswith(b"usage: git zdev deep probe ")
    assert usage.split()[-2:] == [b"thing", b"[other]"]
    for part in (b"Probe things.\n\nAt length.\n", b"--title TITLE", b"--root PATH"):
        assert part in out


SEE = "See `git zdev probe -h`."


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        ((), "no command is given. See `git zdev -h`."),
        (("prob",), "`prob` is not a git-zdev command. The nearest is `git zdev probe`."),
        (("zzz",), "`zzz` is not a git-zdev command. See `git zdev -h`."),
        (("deep",), "`git zdev deep` needs a sub-command. See `git zdev deep -h`."),
        (("--wat",), "`--wat` needs a command. See `git zdev -h`."),
        (("probe",), "too few arguments; expected `git zdev probe thing`. " + SEE),
        (("probe", "a", "b", "c"), f"too many arguments: `c`. {SEE}"),
        (("probe", "a", "b", "--", "-c"), f"too many arguments: `-c`. {SEE}"),
        (("probe", "a", "--tit=x"), f"there is no option `--tit=x`. {SEE}"),
        (("probe", "a", "--title"), f"--title needs a value. {SEE}"),
        (("probe", "a", "--color=red"), f'--color takes auto|always|never, not "red". {SEE}'),
    ],
)
def test_wrong_usage(
    argv: tuple[str, ...], words: str, probe: Probe, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert run(capfdbinary, *argv) == (2, b"", f"error: {words}\n".encode())
    status, out, err = run(capfdbinary, "--format=json", *argv)
    assert (status, out) == (2, b"")
    error = error_of(err)
    assert error["code"] == "usage"
    assert error["error"] == words
    assert error["command"] == ("probe" if argv[:1] == ("probe",) else "")


def test_an_unknown_format_is_reported_as_text(
    probe: Probe, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    status, out, err = run(capfdbinary, "probe", "a", "--format=xml")
    assert (status, out) == (2, b"")
    assert err.decode() == f'error: --format takes text|json, not "xml". {SEE}\n'


def test_a_usage_error_of_a_command_names_its_help(
    probe: Probe, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    def act() -> Result:
        raise UsageError("name one thing")

    probe.act = act
    status, _, err = run(capfdbinary, "deep", "probe", "a")
    assert (status, err) == (2, b"error: name one thing. See `git zdev deep probe -h`.\n")


def test_a_refusal_in_both_formats(probe: Probe, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    def act() -> Result:
        raise ZdevError("no-good", "it is \x1b[31mno good", "Make it good", details={"n": 1})

    probe.act = act
    assert run(capfdbinary, "probe", "a") == (
        1,
        b"",
        b"error: it is \\x1b[31mno good. Make it good.\n",
    )
    status, out, err = run(capfdbinary, "probe", "a", "--format", "json")
    assert (status, out) == (1, b"")
    assert error_of(err) == {
        "schema_version": 1,
        "command": "probe",
        "ok": False,
        "code": "no-good",
        "error": "it is \x1b[31mno good. Make it good.",
        "details": {"n": 1},
    }
    assert b"\x1b" not in err


def test_one_problem_is_told_once(probe: Probe, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    for problem in (
        Problem("first", "it is wrong", path="a.toml", line=3),
        Problem("second", "so is this", pointer="/summary"),
        Problem("third", "and this"),
    ):
        message = f"the thing is invalid: {summary_of([problem], placed=problem.path is not None)}"
        probe.act = partial(fail, InvalidInput("invalid-thing", message, [problem]))
        assert run(capfdbinary, "probe", "a")[2].decode() == f"error: {message}.\n"


def fail(error: Exception) -> NoReturn:
    raise error


def test_text_lists_fifty_problems_and_json_all(
    probe: Probe, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    problems = [
        Problem("first", "it is wrong", path="a.toml", line=3),
        Problem("second", "so is this", pointer="/tasks/0"),
        Problem("third", "and this", line=9),
        *(Problem("more", f"number {n}") for n in range(60)),
    ]

    def act() -> Result:
        raise InvalidInput("invalid-thing", "the thing is invalid", problems)

    probe.act = act
    lines = run(capfdbinary, "probe", "a")[2].decode().splitlines()
    assert lines[:5] == [
        "error: the thing is invalid.",
        "  a.toml:3: it is wrong",
        "  /tasks/0: so is this",
        "  line 9: and this",
        "  number 0",
    ]
    assert lines[-1] == "  … and 13 more (all with --format json)"
    assert len(lines) == 52
    error = error_of(run(capfdbinary, "probe", "a", "--format=json")[2])
    assert len(error["details"]["problems"]) == 63


@pytest.mark.parametrize(
    ("message", "problem", "lines"),
    [
        (
            "a.toml:3: it is wrong",
            Problem("wrong", "it is wrong", path="a.toml", line=3),
            ["error: a.toml:3: it is wrong. Fix it."],
        ),
        (
            "the thing is invalid: line 3: it is wrong",
            Problem("wrong", "it is wrong", line=3),
            ["error: the thing is invalid: line 3: it is wrong. Fix it."],
        ),
        (
            "it is wrong",
            Problem("wrong", "it is wrong", path="a.toml"),
            ["error: it is wrong. Fix it.", "  a.toml: it is wrong"],
        ),
        (
            "the thing a.toml is invalid",
            Problem("wrong", "it is wrong", path="a.toml"),
            ["error: the thing a.toml is invalid. Fix it.", "  a.toml: it is wrong"],
        ),
    ],
)
def test_an_only_problem_is_listed_unless_the_message_tells_it(
    message: str,
    problem: Problem,
    lines: list[str],
    probe: Probe,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    def act() -> Result:
        raise InvalidInput("invalid-thing", message, [problem], "Fix it")

    probe.act = act
    assert run(capfdbinary, "probe", "a")[2].decode().splitlines() == lines
    error = error_of(run(capfdbinary, "probe", "a", "--format=json")[2])
    assert len(error["details"]["problems"]) == 1


def test_what_git_said_stands_by_itself_between_message_and_remedy(
    probe: Probe, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    def act() -> Result:
        raise ZdevError("git-failed", "a hook failed", "Fix it", said=f"{long}\n\n  a.toml: wrong")

    long = "error: " + "word " * 60 + "end."
    probe.act = act
    text = f"a hook failed:\n  {long}\n\n    a.toml: wrong\nFix it."
    assert run(capfdbinary, "probe", "a")[2].decode() == f"error: {text}\n"
    assert error_of(run(capfdbinary, "probe", "a", "--format=json")[2])["error"] == text


def test_bytes_that_are_no_utf_8_are_reported_not_raised(
    probe: Probe, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    def act() -> Result:
        raise ZdevError("no-such-file", "there is no \udcff")

    probe.act = act
    assert run(capfdbinary, "probe", "a")[2] == b"error: there is no \\udcff.\n"
    assert error_of(run(capfdbinary, "probe", "a", "--format=json")[2])["error"].endswith("\udcff.")


def test_the_status_of_a_result_is_the_exit_status(
    probe: Probe, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    probe.act = lambda: RawResult(b"raw\x00\n", status=5)
    assert run(capfdbinary, "probe", "a") == (5, b"raw\x00\n", b"")


def test_a_command_can_have_formats_of_its_own(
    probe: Probe, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert run(capfdbinary, "probe", "a", "--format=dot")[0] == 2
    probe.FORMATS = ("text", "json", "dot")
    forms = {"dot": lambda: b"digraph {}\n", "json": lambda: b"{}\n"}
    probe.act = lambda: Result({"a": 1}, sentence("It is done."), status=5, forms=forms)
    assert run(capfdbinary, "probe", "a", "--format=dot") == (5, b"digraph {}\n", b"")
    assert run(capfdbinary, "probe", "a", "--format=json") == (5, b"{}\n", b"")
    assert run(capfdbinary, "probe", "a") == (5, b"It is done.\n", b"")


def test_color_always_styles_and_never_does_not(
    probe: Probe, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    from git_zdev.screen.result import Words, line

    probe.act = lambda: Result({}, lambda: [line(Words("fine", "good"))])
    assert run(capfdbinary, "probe", "a", "--color=always")[1] == b"\x1b[32mfine\x1b[0m\n"
    assert run(capfdbinary, "probe", "a", "--color=never")[1] == b"fine\n"
    assert run(capfdbinary, "probe", "a")[1] == b"fine\n"


@pytest.mark.parametrize(
    ("failure", "code"),
    [
        (ValueError("boom"), "internal-error"),
        (PermissionError(13, "Permission denied", "/some/file"), "system-error"),
        (RecursionError("too deep"), "input-too-large"),
    ],
)
def test_what_nobody_expected_is_no_traceback(
    failure: Exception, code: str, probe: Probe, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    def act() -> Result:
        raise failure

    probe.act = act
    status, out, err = run(capfdbinary, "probe", "a", "--format=json")
    assert (status, out) == (1, b"")
    assert error_of(err)["code"] == code
    assert b"Traceback" not in err


def test_the_traceback_can_be_asked_for(probe: Probe, monkeypatch: pytest.MonkeyPatch) -> None:
    def act() -> Result:
        raise ValueError("boom")

    probe.act = act
    monkeypatch.setenv("ZDEV_TRACEBACK", "1")
    with pytest.raises(ValueError, match="boom"):
        main(["probe", "a"])


@pytest.mark.parametrize(
    ("failure", "status"), [(KeyboardInterrupt(), 130), (BrokenPipeError(), 141)]
)
def test_ends_by_signal_are_silent(
    failure: BaseException,
    status: int,
    probe: Probe,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    def act() -> Result:
        raise failure

    probe.act = act
    assert run(capfdbinary, "probe", "a") == (status, b"", b"")
