"""The tutorial, the README and the harnesses of the manual do what they say."""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import git_zdev
from git_zdev.cli import options
from git_zdev.screen import manual
from tests.support import cli as documents
from tests.support.cli import SCHEMAS, result

if TYPE_CHECKING:
    from tests.support.repo import GitRepo

pytestmark = pytest.mark.usefixtures("on_path")

README = Path(__file__).parents[2] / "README.md"


@pytest.fixture
def here(tmp_path: Path) -> Path:
    folder = tmp_path / "here"
    folder.mkdir()
    return folder


def test_the_tutorial(here: Path) -> None:
    documents.play(documents.steps(documents.page_blocks(manual.read("git-zdevtutorial"))), here)


def test_the_readme(repo: GitRepo) -> None:
    """The first block shows the work context that the session comes to."""
    shown, *session = documents.steps(documents.markdown_blocks(README.read_text(), "console"))
    (same,) = [step for step in session if step.command == shown.command]
    same.output = shown.output
    repo.commit("Begin", **{"app.py": "x = 1\n"})
    documents.play(session, repo.path)


def test_the_tutorial_can_be_copied_from_a_page(here: Path) -> None:
    """man indents all of it; a here-document would not find its end."""
    page = manual.read("git-zdevtutorial")
    assert "<<" not in page
    steps = documents.steps(documents.page_blocks(page))
    for step in steps:
        first, *more = step.command.split("\n")
        step.command = "\n".join([first, *(f"           {line}" for line in more)])
    documents.play(steps, here)


def test_the_readmes_aliases(repo: GitRepo) -> None:
    """Each is shown with a line that uses it."""
    (block,) = [
        one for one in documents.markdown_blocks(README.read_text(), "sh") if "alias" in one
    ]
    shown = re.findall(r"^git config --global (alias\.\w+) \"(.*)\" +# (.*)$", block, re.MULTILINE)
    assert len(shown) == block.count(" alias.")
    repo.commit("Begin", **{"app.py": "x = 1\n"})
    session = documents.steps(documents.markdown_blocks(README.read_text(), "console"))
    documents.play(session[1:5], repo.path)
    result("config set", "project.default_area", "payments", cwd=repo.path)
    repo.git("add", ".zdev")
    repo.commit("Choose the default area")
    for alias, meaning, use in shown:
        repo.git("config", "--global", alias, meaning)
        done = subprocess.run(use.split(), cwd=repo.path, capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b"")


def test_the_schemas_can_be_used_as_their_page_says(repo: GitRepo) -> None:
    """All are saved, and jsonschema finds what one of them refers to."""
    blocks = documents.page_blocks(manual.read("git-zdev-schema"))
    repo.commit("Begin", **{"app.py": "x = 1\n"})
    result("init", "--record", "personal", cwd=repo.path)
    words = ("payments", "--title", "Payments", "--objective", "Done.", "--trunk")
    result("area create", *words, cwd=repo.path)
    context = result("work-context", "payments", cwd=repo.path)
    documents.play(documents.steps(blocks), repo.path)
    saved = {path.name for path in (repo.path / "schemas").iterdir()}
    assert saved == {path.name for path in SCHEMAS.iterdir()}
    (program,) = [block for block in blocks if block.startswith("import ")]
    for document, valid in ((context, True), ({**context, "area": {}}, False)):
        done = subprocess.run(
            [sys.executable, "-c", program],
            cwd=repo.path,
            input=json.dumps(document).encode(),
            capture_output=True,
            check=False,
        )
        assert (done.returncode == 0, done.stdout) == (valid, b""), done.stderr.decode()
        assert valid or b"ValidationError" in done.stderr


def test_the_picture_of_the_architecture_has_every_package() -> None:
    (picture,) = documents.markdown_blocks((README.parent / "ARCHITECTURE.md").read_text(), "")
    words = set(re.findall(r"\w+/?", picture))
    package = Path(git_zdev.__file__).parent
    folders = {path.parent.name for path in package.glob("*/__init__.py")} - {"man", "schemas"}
    assert {word.rstrip("/") for word in words if word.endswith("/")} == folders


def test_the_hook_for_the_framework_runs_the_program() -> None:
    """`.pre-commit-hooks.yaml` names what pip installs and a command line that is one."""
    text = (README.parent / ".pre-commit-hooks.yaml").read_text()
    hook = dict(re.findall(r"^[ -] (\w+): (.*)$", text, re.MULTILINE))
    assert hook["id"] == "git-zdev-check"
    assert (hook["language"], hook["pass_filenames"]) == ("python", "false")
    assert hook["id"] in README.read_text()
    program, *words = hook["entry"].split()
    assert f"    {program} = " in (README.parent / "setup.cfg").read_text()
    command, arguments = options.split(words)
    assert command is not None
    module = importlib.import_module(f"git_zdev.commands.{command.module}")
    assert options.parse(command, module, arguments)["staged"] is True
    assert hook["always_run"] == "true"  # also where the framework excludes the plan
    assert "files" not in hook


WORKER = """\
import json, sys
from pathlib import Path

area, task, snapshot = sys.argv[1:]
role = Path(sys.argv[0]).name
script = json.loads(Path("{folder}", f"{{role}}.json").read_text())
log = Path("{folder}", "log")
turn = log.read_text().count(f"{{role}} ") if log.exists() else 0
with log.open("a") as file:
    file.write(f"{{role}} {{task}} {{snapshot}} {{sys.stdin.read()!r}}\\n")
for path, text in script[turn].get("writes", {{}}).items():
    Path(path).write_text(text)
print(script[turn]["says"] if "says" in script[turn] else json.dumps(script[turn]["reply"]))
"""


class Harness:
    """A harness of git-zdev-handoff(7) on a repository with one ready task."""

    def __init__(self, repo: GitRepo, folder: Path, script: str) -> None:
        self.repo = repo
        self._folder = folder
        self._script = folder / "harness"
        self._script.write_text(script)

    def worker(self, role: str, *turns: dict[str, Any]) -> None:
        """What a worker does at each of its turns."""
        program = self._folder / role
        program.write_text(f"#!{sys.executable}\n{WORKER.format(folder=self._folder)}")
        program.chmod(0o755)
        (self._folder / f"{role}.json").write_text(json.dumps(turns))

    def run(self) -> int:
        """Run the harness; its exit status."""
        workers = {name.upper(): str(self._folder / name) for name in ("implementer", "verifier")}
        words = ["sh", str(self._script), "payments"]
        done = subprocess.run(words, cwd=self.repo.path, env={**os.environ, **workers}, check=False)
        return done.returncode

    def calls(self) -> list[list[str]]:
        """Role, task and findings of every call of a worker, and whether its snapshot was new."""
        log = self._folder / "log"
        return [line.split(" ", 3) for line in log.read_text().splitlines()] if log.exists() else []


HARNESSES = dict(
    zip(
        ("ordinary", "corrected"),
        [one for one in documents.page_blocks(manual.read("git-zdev-handoff")) if one[:2] == "#!"],
        strict=True,
    )
)


@pytest.fixture
def planned(repo: GitRepo) -> GitRepo:
    """A repository with one ready task."""
    repo.commit("Begin", **{"payments.py": "ATTEMPTS = 100\n"})
    result("init", "--record", "project", cwd=repo.path)
    words = ("--title", "Payments", "--objective", "Payments survive.", "--branch", "payments")
    result("area create", "payments", *words, cwd=repo.path)
    repo.git("switch", "--quiet", "--create", "payments")
    draft = {"key": "limit", "title": "Limit", "outcome": "Three.", "done_when": ["Three."]}
    bundle = {"schema_version": 1, "area": "payments", "tasks": [draft]}
    words = ("payments", "--from", "-", "--commit")
    result("tasks import", *words, cwd=repo.path, stdin=json.dumps(bundle).encode())
    return repo


def ready(summary: str = "Three attempts.") -> dict[str, Any]:
    return {
        "schema_version": 1,
        "kind": "implementer",
        "area": "payments",
        "task_id": "payments-001",
        "verdict": "ready",
        "summary": summary,
        "evidence": [],
        "findings": [],
        "escalation": "none",
    }


def verdict(verdict: str, *findings: str, summary: str = "Looked at it.") -> dict[str, Any]:
    return {
        "verdict": verdict,
        "summary": summary,
        "findings": list(findings),
        "escalation": "none",
    }


def state(repo: GitRepo) -> str:
    shown = result("task show", "payments", "payments-001", cwd=repo.path)
    value: str = shown["state"]
    return value


@pytest.mark.parametrize("script", HARNESSES.values(), ids=HARNESSES)
def test_an_ordinary_success(script: str, planned: GitRepo, tmp_path: Path) -> None:
    harness = Harness(planned, tmp_path, script)
    harness.worker("implementer", {"reply": ready(), "writes": {"payments.py": "ATTEMPTS = 3\n"}})
    harness.worker("verifier", {"says": f"Here:\n```json\n{json.dumps(verdict('pass'))}\n```"})
    assert harness.run() == 0
    assert state(planned) == "done"
    assert planned.git("log", "-1", "--format=%s") == "Three attempts."
    assert planned.git("show", "HEAD:payments.py") == "ATTEMPTS = 3"
    assert planned.git("status", "--porcelain") == ""
    (_, task, first, _), (_, _, second, findings) = harness.calls()
    assert (task, findings) == ("payments-001", "''")
    assert first != second


@pytest.mark.parametrize("script", HARNESSES.values(), ids=HARNESSES)
def test_nothing_to_do(script: str, planned: GitRepo, tmp_path: Path) -> None:
    words = ("payments", "payments-001", "--summary", "S", "--validation", "V")
    result("task done", *words, cwd=planned.path)
    harness = Harness(planned, tmp_path, script)
    assert harness.run() == 0
    assert harness.calls() == []


@pytest.mark.parametrize("script", HARNESSES.values(), ids=HARNESSES)
@pytest.mark.parametrize(
    ("implementer", "verifier", "status"),
    [
        ({"reply": {**ready(), "verdict": "blocker"}}, None, 4),
        ({"says": "done!"}, None, 1),
        ({"reply": ready()}, {"reply": verdict("blocker")}, 4),
        ({"reply": ready()}, {"says": "LGTM"}, 1),
        ({"reply": ready()}, {"reply": verdict("pass"), "writes": {"left.txt": "x\n"}}, 4),
    ],
    ids=["blocked", "malformed", "blocker", "malformed-verdict", "moved"],
)
def test_what_ends_a_run(
    script: str,
    implementer: dict[str, Any],
    verifier: dict[str, Any] | None,
    status: int,
    planned: GitRepo,
    tmp_path: Path,
) -> None:
    head = planned.git("rev-parse", "HEAD")
    harness = Harness(planned, tmp_path, script)
    harness.worker("implementer", implementer)
    if verifier is not None:
        harness.worker("verifier", verifier)
    assert harness.run() == status
    assert (state(planned), planned.git("rev-parse", "HEAD")) == ("ready", head)
    assert len(harness.calls()) == (1 if verifier is None else 2)


def test_rework_ends_the_ordinary_harness(planned: GitRepo, tmp_path: Path) -> None:
    harness = Harness(planned, tmp_path, HARNESSES["ordinary"])
    harness.worker("implementer", {"reply": ready()})
    harness.worker("verifier", {"reply": verdict("rework", "payments.py:1 is unchanged")})
    assert harness.run() == 3
    assert state(planned) == "ready"


def test_one_correction(planned: GitRepo, tmp_path: Path) -> None:
    harness = Harness(planned, tmp_path, HARNESSES["corrected"])
    harness.worker(
        "implementer",
        {"reply": ready("Four attempts."), "writes": {"payments.py": "ATTEMPTS = 4\n"}},
        {"reply": ready(), "writes": {"payments.py": "ATTEMPTS = 3\n"}},
    )
    finding = "payments.py:1 allows four"
    harness.worker(
        "verifier",
        {"reply": verdict("rework", finding, "a matter of taste")},
        {"reply": verdict("rework", finding)},
        {"reply": verdict("pass")},
    )
    assert harness.run() == 0
    assert state(planned) == "done"
    assert planned.git("show", "HEAD:payments.py") == "ATTEMPTS = 3"
    told = [(role, findings) for role, _, _, findings in harness.calls()]
    assert told == [
        ("implementer", "''"),
        ("verifier", "''"),
        ("verifier", repr(f"{finding}\na matter of taste\n")),
        ("implementer", repr(f"{finding}\n")),
        ("verifier", "''"),
    ]


def test_findings_that_are_not_confirmed_are_no_rework(planned: GitRepo, tmp_path: Path) -> None:
    harness = Harness(planned, tmp_path, HARNESSES["corrected"])
    harness.worker("implementer", {"reply": ready()})
    harness.worker("verifier", {"reply": verdict("rework", "a guess")}, {"reply": verdict("pass")})
    assert harness.run() == 0
    assert state(planned) == "done"


def test_what_a_validation_wrote_is_not_checked_again(planned: GitRepo, tmp_path: Path) -> None:
    harness = Harness(planned, tmp_path, HARNESSES["corrected"])
    harness.worker(
        "implementer",
        {"reply": ready()},
        {"reply": ready(), "writes": {".gitignore": "left.txt\n.gitignore\n"}},
    )
    harness.worker(
        "verifier",
        {
            "reply": verdict("rework", "validation_write: left.txt"),
            "writes": {"left.txt": "x\n"},
        },
        {"reply": verdict("pass"), "writes": {"left.txt": "y\n"}},
    )
    assert harness.run() == 0
    assert [role for role, _, _, _ in harness.calls()] == [
        "implementer",
        "verifier",
        "implementer",
        "verifier",
    ]
    assert state(planned) == "done"


def test_a_second_rework_is_the_end(planned: GitRepo, tmp_path: Path) -> None:
    harness = Harness(planned, tmp_path, HARNESSES["corrected"])
    harness.worker("implementer", {"reply": ready()}, {"reply": ready()})
    rework = {"reply": verdict("rework", "still wrong")}
    harness.worker("verifier", rework, rework, rework)
    assert harness.run() == 3
    assert state(planned) == "ready"
