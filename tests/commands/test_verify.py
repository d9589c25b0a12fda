"""The gates around workers as commands: exit statuses, evidence, and nothing changed on refusal."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import ValidationError

from git_zdev.ground.errors import InvalidInput
from git_zdev.handoff import replies as verify
from tests.support.cli import refused, result, succeed, validate, zdev

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.repo import GitRepo

DONE = ("--summary", "Built it.", "--validation", "Ran the tests.")


def reply(verdict: str = "pass", *findings: str, **more: Any) -> bytes:
    value = {"verdict": verdict, "summary": "Looked at it.", "findings": list(findings)}
    return json.dumps({**value, "escalation": "none", **more}).encode()


@pytest.fixture
def plan(repo: GitRepo) -> GitRepo:
    """A tracked plan with two ready tasks, and an edit that somebody worked on."""
    repo.commit("first", README="x\n")
    succeed("init", "--record", "project", cwd=repo.path)
    words = ("--title", "Payments", "--objective", "Be done.", "--trunk")
    succeed("area", "create", "payments", *words, cwd=repo.path)
    drafts = [
        {"key": key, "title": f"The {key}", "outcome": "Done.", "done_when": ["Done."]}
        for key in ("first", "second")
    ]
    bundle = json.dumps({"schema_version": 1, "area": "payments", "tasks": drafts}).encode()
    words = ("tasks", "import", "payments", "--from", "-", "--commit")
    succeed(*words, cwd=repo.path, stdin=bundle)
    repo.write("README", "y\n")
    return repo


def admit(plan: GitRepo, *more: str) -> dict[str, Any]:
    return result("verify admit", "payments", *more, cwd=plan.path)


def accept(plan: GitRepo, snapshot: str, answer: bytes, status: int = 0) -> dict[str, Any]:
    words = ("payments", "--snapshot", snapshot, "--from", "-")
    return result("verify accept", *words, cwd=plan.path, stdin=answer, status=status)


def test_admit_gives_a_locator_and_nothing_of_git(plan: GitRepo) -> None:
    locator = admit(plan)
    head = plan.rev("HEAD")
    assert locator == {
        "area": "payments",
        "head": head,
        "schema_version": 1,
        "snapshot": locator["snapshot"],
        "stale_advisory": False,
        "task_id": "payments-001",
    }
    assert admit(plan) == locator
    shown = succeed("work-context", "payments", "--show", locator["snapshot"], cwd=plan.path)
    assert json.loads(shown.stdout)["task_id"] == "payments-001"


def test_admit_takes_another_ready_task(plan: GitRepo) -> None:
    assert admit(plan, "--task", "payments-002")["task_id"] == "payments-002"
    refused("unknown-task", "verify", "admit", "payments", "--task", "payments-9", cwd=plan.path)


def test_admit_needs_work(plan: GitRepo) -> None:
    for task in ("payments-001", "payments-002"):
        succeed("task", "done", "payments", task, *DONE, cwd=plan.path)
    refused("no-work", "verify", "admit", "payments", cwd=plan.path)
    succeed("area", "close", "payments", cwd=plan.path)
    refused("no-work", "verify", "admit", "payments", cwd=plan.path)
    assert not list((plan.path / ".git/zdev").rglob("*.json"))


@pytest.mark.parametrize(
    ("answer", "verdict", "status"),
    [
        (reply(), "pass", 0),
        (reply("rework", "README: wrong"), "rework", 3),
        (reply("rework", "x", escalation="advanced-implementer"), "rework", 3),
        (reply("blocker"), "blocker", 4),
    ],
)
def test_accept_when_nothing_moved(plan: GitRepo, answer: bytes, verdict: str, status: int) -> None:
    snapshot = admit(plan)["snapshot"]
    public = accept(plan, snapshot, answer, status)
    sent = json.loads(answer)
    assert list(public) == list(verify.RESULT_KEYS)
    assert public["verdict"] == verdict
    assert public["evidence"] == [f"work_context_snapshot: {snapshot}"]
    for key in ("summary", "findings", "escalation"):
        assert public[key] == sent[key]


@pytest.mark.parametrize(
    ("answer", "verdict", "status"),
    [
        (reply(), "blocker", 4),
        (reply("rework", "README: wrong"), "blocker", 4),
        (reply("rework", "validation_write: report.xml"), "rework", 3),
        (reply("rework", "validation_write: ../report.xml"), "blocker", 4),
    ],
)
def test_accept_when_something_moved(
    plan: GitRepo, answer: bytes, verdict: str, status: int
) -> None:
    snapshot = admit(plan)["snapshot"]
    plan.write("report.xml", "<x/>")
    assert accept(plan, snapshot, answer, status)["verdict"] == verdict


def test_a_stale_branch_is_said_in_the_evidence(plan: GitRepo) -> None:
    plan.git("checkout", "-q", "README")
    plan.git("switch", "-q", "-c", "own")
    words = ("--title", "Own", "--objective", "Be done.", "--branch", "own")
    succeed("area", "create", "own", *words, cwd=plan.path)
    draft = {"key": "one", "title": "One", "outcome": "Done.", "done_when": ["Done."]}
    bundle = json.dumps({"schema_version": 1, "area": "own", "tasks": [draft]}).encode()
    words = ("tasks", "import", "own", "--from", "-", "--commit")
    succeed(*words, cwd=plan.path, stdin=bundle)
    plan.git("switch", "-q", "main")
    plan.commit("moves on", other="x\n")
    plan.git("switch", "-q", "own")
    locator = result("verify admit", "own", cwd=plan.path)
    assert locator["stale_advisory"] is True
    words = ("own", "--snapshot", locator["snapshot"], "--from", "-")
    public = result("verify accept", *words, cwd=plan.path, stdin=reply())
    assert public["evidence"][1].startswith("Advisory: run `git zdev area rebase own`")


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"PASS",
        reply() + reply(),
        reply(extra=1),
        b'{"a": 1, "a": 2}',
        b'{"a": tru}',
        b"\xff",
        b"[]",
        b"{",
    ],
)
def test_accept_refuses_what_it_cannot_use(plan: GitRepo, answer: bytes) -> None:
    snapshot = admit(plan)["snapshot"]
    words = ("verify", "accept", "payments", "--snapshot", snapshot, "--from", "-")
    error = refused("invalid-reply", *words, cwd=plan.path, stdin=answer)
    assert error["error"].endswith(
        ". Show it as it was received; a malformed reply is never tried again."
    )


def _forget(plan: GitRepo, snapshot: str) -> None:
    (plan.path / f".git/zdev/work-context/payments/{snapshot}.json").unlink()


def _spoil(plan: GitRepo, snapshot: str) -> None:
    path = plan.path / f".git/zdev/work-context/payments/{snapshot}.json"
    path.chmod(0o644)
    path.write_bytes(path.read_bytes().replace(b"payments-001", b"payments-002"))


def _edit(plan: GitRepo, _snapshot: str) -> None:
    plan.write("README", "z\n")


def _switch(plan: GitRepo, _snapshot: str) -> None:
    plan.git("switch", "-q", "-c", "elsewhere")


BAD_EVIDENCE = [
    ("state-changed", _edit),
    ("snapshot-unavailable", _forget),
    ("snapshot-corrupt", _spoil),
    ("wrong-branch", _switch),
]


@pytest.mark.parametrize(("code", "spoil"), BAD_EVIDENCE)
def test_bad_evidence_completes_nothing(
    plan: GitRepo, code: str, spoil: Callable[[GitRepo, str], None]
) -> None:
    snapshot = admit(plan)["snapshot"]
    spoil(plan, snapshot)
    words = ("verify", "complete", "payments", "--snapshot", snapshot, *DONE)
    error = refused(code, *words, cwd=plan.path)
    if code in ("state-changed", "snapshot-unavailable"):
        again = "Have the work verified again from a fresh `git zdev verify admit payments`."
        assert error["error"].endswith(again)
    if code not in ("state-changed",):
        refused(
            code, *words[:1], "accept", *words[2:5], "--from", "-", cwd=plan.path, stdin=reply()
        )


def test_a_snapshot_of_another_area_or_a_malformed_id_completes_nothing(plan: GitRepo) -> None:
    words = ("--title", "Other", "--objective", "Be done.", "--trunk")
    succeed("area", "create", "other", *words, cwd=plan.path)
    snapshot = admit(plan)["snapshot"]
    stored = plan.path / f".git/zdev/work-context/payments/{snapshot}.json"
    folder = stored.parent.with_name("other")
    folder.mkdir(mode=0o700)
    (folder / stored.name).write_bytes(stored.read_bytes())
    complete = ("verify", "complete", "other", "--snapshot", snapshot, *DONE)
    refused("snapshot-wrong-area", *complete, cwd=plan.path)
    complete = ("verify", "complete", "payments", "--snapshot", "W123", *DONE)
    refused("snapshot-malformed-id", *complete, cwd=plan.path)


def test_a_snapshot_without_work_completes_nothing(plan: GitRepo) -> None:
    for task in ("payments-001", "payments-002"):
        succeed("task", "done", "payments", task, *DONE, cwd=plan.path)
    snapshot = result_of_store(plan)["snapshot"]
    words = ("payments", "--snapshot", snapshot)
    refused("no-work", "verify", "complete", *words, *DONE, cwd=plan.path)
    refused("no-work", "verify", "accept", *words, "--from", "-", cwd=plan.path, stdin=reply())


def result_of_store(plan: GitRepo) -> dict[str, Any]:
    run = succeed("work-context", "payments", "--store", "--format", "json", cwd=plan.path)
    value: dict[str, Any] = json.loads(run.stdout)
    return value


def test_complete_writes_the_task_and_neither_stages_nor_commits(plan: GitRepo) -> None:
    snapshot = admit(plan)["snapshot"]
    head, index = plan.rev("HEAD"), (plan.path / ".git/index").read_bytes()
    done = result("verify complete", "payments", "--snapshot", snapshot, *DONE, cwd=plan.path)
    assert (done["status"], done["task"]) == ("done", "payments-001")
    assert plan.rev("HEAD") == head
    assert (plan.path / ".git/index").read_bytes() == index
    assert plan.git("status", "--short").splitlines() == [
        " M .zdev/payments/TASKS.md",
        " M .zdev/payments/tasks/001-the-first.md",
        " M README",
    ]
    words = ("verify", "complete", "payments", "--snapshot", snapshot, *DONE)
    refused("state-changed", *words, cwd=plan.path)


def test_complete_takes_the_snapshots_own_task(plan: GitRepo) -> None:
    snapshot = admit(plan, "--task", "payments-002")["snapshot"]
    done = result("verify complete", "payments", "--snapshot", snapshot, *DONE, cwd=plan.path)
    assert done["task"] == "payments-002"


IMPLEMENTER = {
    "schema_version": 1,
    "kind": "implementer",
    "area": "payments",
    "task_id": "payments-001",
    "verdict": "ready",
    "summary": "Built it.",
    "evidence": [],
    "findings": [],
    "escalation": "none",
}
AUDIT = {"verdict": "findings", "lens": "tests", "summary": "Thin.", "findings": ["none"]}


def test_envelopes_come_back_canonically(plan: GitRepo) -> None:
    for value, kind in (
        (IMPLEMENTER, ("implementer", "--area", "payments", "--task", "payments-001")),
        (AUDIT, ("audit",)),
    ):
        text = f"Here it is:\n{json.dumps(dict(reversed(value.items())))}\n".encode()
        words = ("verify", "envelope", *kind, "--from", "-")
        run = succeed(*words, cwd=plan.path, stdin=text)
        assert run.stdout == json.dumps(value, indent=2).encode() + b"\n"
        validate("verify envelope", json.loads(run.stdout))


def test_an_implementer_of_another_task_is_refused(plan: GitRepo) -> None:
    words = ("verify", "envelope", "implementer", "--area", "payments", "--task", "payments-002")
    stdin = json.dumps(IMPLEMENTER).encode()
    refused("invalid-reply", *words, "--from", "-", cwd=plan.path, stdin=stdin)
    refused("usage", *words[:3], "--from", "-", cwd=plan.path, stdin=stdin, status=2)


MANGLED: list[dict[str, Any]] = [
    {},
    {"verdict": "pass", "findings": ["x"]},
    {"verdict": "rework", "findings": []},
    {"verdict": "findings", "findings": ["x"]},
    {"verdict": "findings", "findings": []},
    {"verdict": "blocked", "findings": ["x"]},
    {"verdict": "blocker", "findings": ["x"]},
    {"verdict": "ready", "findings": ["x"]},
    {"escalation": "advanced-implementer"},
    {"escalation": "advanced-implementer", "verdict": "rework", "findings": ["x"]},
    {"summary": " "},
    {"summary": None},
    {"findings": [" "]},
    {"findings": {}},
    {"evidence": [1]},
    {"lens": "a\nb"},
    {"lens": ""},
    {"lens": "tests"},
    {"more": 1},
    {"schema_version": True},
    {"schema_version": 2},
    {"kind": "verifier"},
]


@pytest.mark.parametrize("change", MANGLED, ids=str)
@pytest.mark.parametrize(
    ("name", "sound", "read"),
    [
        ("verifier-reply", json.loads(reply()), verify.read_verifier_reply),
        ("audit-reply", AUDIT, verify.read_audit_reply),
        (
            "implementer-reply",
            IMPLEMENTER,
            lambda data: verify.read_implementer_reply(data, "payments", "payments-001"),
        ),
    ],
)
def test_readers_and_schemas_agree(
    name: str, sound: dict[str, Any], read: Callable[[bytes], object], change: dict[str, Any]
) -> None:
    value = {**sound, **change}
    try:
        read(json.dumps(value).encode())
        readable = True
    except InvalidInput:
        readable = False
    try:
        validate(name, value)
        valid = True
    except ValidationError:
        valid = False
    assert readable == valid
    for key in sound:
        with pytest.raises(ValidationError):
            validate(name, {k: v for k, v in sound.items() if k != key})


def test_text_forms_are_for_people(plan: GitRepo) -> None:
    run = zdev("verify", "admit", "payments", cwd=plan.path)
    assert run.text.startswith("Admitted payments-001 to verification.\n")
    snapshot = run.text.partition("Snapshot: ")[2].partition("\n")[0].strip()
    words = ("verify", "accept", "payments", "--snapshot", snapshot, "--from", "-")
    run = zdev(*words, cwd=plan.path, stdin=reply("rework", "README: wrong"))
    assert run.status == 3
    assert "README: wrong" in run.text


def test_hidden_text_of_a_reply_is_told_and_changes_no_verdict(plan: GitRepo) -> None:
    answer = json.loads(reply("rework", "one\u200b", "two"))
    answer["summary"] += "\U000e0041"
    snapshot = admit(plan)["snapshot"]
    public = accept(plan, snapshot, json.dumps(answer).encode(), 3)
    validate("verify accept", public)
    assert (public["summary"], public["findings"]) == (answer["summary"], answer["findings"])
    assert public["evidence"] == [
        f"work_context_snapshot: {snapshot}",
        "hidden-text: /summary: the text has 1 hidden character: U+E0041",
        "hidden-text: /findings/0: the text has 1 hidden character: U+200B",
    ]


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (IMPLEMENTER, ("implementer", "--area", "payments", "--task", "payments-001")),
        (AUDIT, ("audit",)),
    ],
)
def test_hidden_text_of_an_envelope_is_told(
    plan: GitRepo, value: dict[str, Any], kind: tuple[str, ...]
) -> None:
    sent = {**value, "summary": "Built it.\u00ad"}
    words = ("verify", "envelope", *kind, "--from", "-")
    run = succeed(*words, cwd=plan.path, stdin=json.dumps(sent).encode())
    told = json.loads(run.stdout)
    validate("verify envelope", told)
    assert told.pop("warnings") == [
        {
            "code": "hidden-text",
            "message": "the text has 1 hidden character: U+00AD",
            "pointer": "/summary",
        }
    ]
    assert told == sent
