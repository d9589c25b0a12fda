"""Every value of a plan and of its notes is hostile until it was looked at."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_zdev.disk.binding import Anchor, Binding
from git_zdev.disk.journal_plan import CommitEntry, Entry, Plan, decode_note, plan_document, plan_in
from git_zdev.ground.errors import ZdevError

if TYPE_CHECKING:
    from collections.abc import Callable

OLD, NEW = "0a" * 32, "1b" * 32
BINDING = Binding(
    "b00t", Anchor("/srv/tree", 5, 6), Anchor("/srv/tree/.git", 5, 7), Anchor("/", 1, 2)
)
COMMIT = CommitEntry("feature/one", "c0" * 20, "Change", ("sub/.zdev/a/one.md",), OLD)
PLAN = Plan(
    identity="d" * 32,
    command="task done",
    binding=BINDING,
    root="sub",
    entries=(
        Entry("plan-root", ".zdev/a/one.md", OLD, NEW),
        Entry("plan-root", ".zdev/b/c/two.md", OLD, None, near=True),
        Entry("plan-root", ".zdev/d/e/three.md", None, NEW),
        Entry("common-dir", "info/exclude", None, NEW),
    ),
    folders=(("plan-root", ".zdev/d"), ("plan-root", ".zdev/d/e"), ("common-dir", "info")),
    commit=COMMIT,
)
DOCUMENT: dict[str, Any] = json.loads(PLAN.encode())


def read(data: bytes) -> Plan:
    return plan_in(plan_document(data, "/j"), "/j")


def refusal(data: bytes) -> ZdevError:
    with pytest.raises(ZdevError) as caught:
        read(data)
    assert caught.value.code == "journal-corrupt"
    assert caught.value.message.startswith("/j is not a publication journal of this program: ")
    return caught.value


def test_what_is_written_is_read() -> None:
    assert read(PLAN.encode()) == PLAN


def test_paths_that_are_no_utf_8_are_kept() -> None:
    strange = Entry("plan-root", ".zdev/\udcff.md", OLD, None)
    plan = Plan("0" * 32, "x", BINDING, "\udc80", (strange,))
    assert read(plan.encode()) == plan


def at(*keys: str | int, value: Any) -> Callable[[dict[str, Any]], None]:
    """Puts a value somewhere into the document."""

    def change(document: Any) -> None:
        for key in keys[:-1]:
            document = document[key]
        document[keys[-1]] = value

    return change


PATHS = [
    "", "/", "/etc/passwd", "..", "../x", ".zdev/../x", ".zdev/", ".zdev//x", ".zdev/./x", ".",
    ".zdev/x\0", ".zdev/\ud800", ".zdev/" + "x" * 5000, 7, None, True, [], {}, [".zdev/x"],
]  # fmt: skip
"""What is not a path, or none that the system takes."""

DOT_GIT = [".zdev/.git/config", ".zdev/.GIT/x", ".zdev/git~1/x", ".zdev/.git. /x", ".zdev/.git:a",
           ".zdev/.g\u200cit/x"]  # fmt: skip

ELSEWHERE = ["README", "src/main.py", "zdev/x", ".ZDEV/x", ".zdev", "info/exclude", ".gitignore"]

NO_HASH = ["", "0" * 63, "0" * 65, "A" * 64, "g" * 64, "0" * 63 + "\n", 7, False, [], {}]
NO_NUMBER = [-1, 1 << 64, 1.0, True, None, "1", [], {}, float("nan"), float("inf")]
NO_LIST = [None, True, 3, "x", {}, {"0": 1}]
NO_COMMIT = ["", "0" * 39, "0" * 41, "HEAD", "Z" * 40, "--help", 7, [], True]

WRONG: list[tuple[Callable[[dict[str, Any]], None], str]] = [
    *[(at("identity", value=one), "identity") for one in
      ["", "/", "../" * 10 + "ab", "d" * 31, "d" * 33, "D" * 32, "d" * 31 + "/", None, 7, ["d"]]],
    *[(at("command", value=one), "command") for one in
      ["x" * 201, "a\nb", "a\0b", "\x1b[31m", "\ud800", None, 7, []]],
    *[(at("root", value=one), "path|root") for one in PATHS if one != "."],
    *[(at("root", value=one), "Git's own folder") for one in (".git", "sub/.git/x", "GIT~1")],
    *[(at("entries", 0, "path", value=one), "path") for one in PATHS],
    *[(at("entries", 0, "path", value=one), "Git's own folder") for one in DOT_GIT],
    *[(at("entries", 0, "path", value=one), "not a file that a command") for one in ELSEWHERE],
    *[(at("entries", 3, "path", value=one), "not a file that a command|path|folder") for one in
      (*PATHS, "config", "hooks/post-commit", "info", "info/exclude/x", "info/attributes",
       ".zdev/x", "HEAD", "objects/info/alternates", "zdev/secret")],
    *[(at("entries", 0, "place", value=one), "not a place") for one in
      ("git-dir", "", "root", "/", None, 7, [], {})],
    *[(at("entries", 0, "old", value=one), "old") for one in NO_HASH],
    *[(at("entries", 0, "new", value=one), "new") for one in NO_HASH],
    *[(at("entries", 0, "near", value=one), "near") for one in (None, 0, 1, "", [])],
    *[(at("entries", 0, value=one), "entry") for one in (None, 7, [], {}, "x", {"place": 1})],
    *[(at("entries", value=one), "entries") for one in NO_LIST],
    *[(at("folders", value=one), "folders") for one in NO_LIST],
    *[(at("folders", 0, value=one), "folder|path|place") for one in
      (None, [], ["plan-root"], ["plan-root", "x", "y"], {}, "ab", ["x", ".zdev/d"],
       ["plan-root", 7], ["plan-root", "../x"], ["plan-root", "/"], [["plan-root"], ".zdev"])],
    (at("folders", 0, value=["plan-root", ".zdev/b"]), "folders are named that no new file needs"),
    (at("folders", 0, value=["plan-root", "other"]), "folders are named that no new file needs"),
    (at("folders", 0, value=["common-dir", ".zdev/d"]), "folders are named that no new file"),
    (at("folders", 0, value=["plan-root", ".zdev/d/e"]), "folders are named"),
    (at("entries", 1, value=DOCUMENT["entries"][0]), "a file appears twice"),
    (at("entries", 1, "path", value=".zdev/a"), "a file is the folder of another one"),
    (at("entries", 0, "new", value=OLD), "would not change"),
    *[(at("binding", value=one), "binding") for one in (None, 7, [], {}, "x")],
    *[(at("binding", "boot", value=one), "boot") for one in (None, 7, "x" * 300, "a\nb")],
    *[(at("binding", "git_dir", value=one), "git_dir") for one in (None, 7, [], {}, "/x")],
    *[(at("binding", "work_tree", "path", value=one), "path") for one in
      ("", "x", "../x", "/../x", "/a//b", "/a/", "/a/.", "//", "/\0", None, 7, "/" + "x" * 5000)],
    *[(at("binding", "work_tree", "inode", value=one), "inode") for one in NO_NUMBER],
    *[(at("binding", "common_dir", "device", value=one), "device") for one in NO_NUMBER],
    *[(at("commit", value=one), "commit") for one in (7, [], {}, "x", True, False)],
    *[(at("commit", "branch", value=one), "branch") for one in
      ("", "/x", "x/", "a..b", "../../x", "a//b", ".a", "a/.b", "a.lock", "a b", "a~", "a^", "a:b",
       "a\nb", "a\0", "a\x7f", "a?", "a*", "a[", "a\\b", "a@{b", "a.", "x" * 5000, 7, [], True)],
    *[(at("commit", "parent", value=one), "parent") for one in NO_COMMIT],
    *[(at("commit", "subject", value=one), "subject") for one in (None, 7, [], "a\nb", "a\0b")],
    *[(at("commit", "paths", value=one), "paths") for one in NO_LIST],
    *[(at("commit", "paths", 0, value=one), "path") for one in PATHS],
    *[(at("commit", "paths", 0, value=one), "Git's own folder") for one in DOT_GIT],
    *[(at("commit", "index", value=one), "index") for one in NO_HASH],
    *[(at("more", value=1), "exactly the keys")],
    (lambda document: document.pop("root"), "exactly the keys"),
    (lambda document: document["commit"].pop("index"), "exactly the keys"),
    (lambda document: document["commit"].update(more=1), "exactly the keys"),
    (lambda document: document["entries"][0].update(more=1), "exactly the keys"),
    (lambda document: document["binding"].update(more=1), "exactly the keys"),
    (lambda document: document.update(entries=[], folders=[], commit=None), "nothing to do"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "expected"), WRONG)
def test_a_wrong_value_is_named(change: Callable[[dict[str, Any]], None], expected: str) -> None:
    document = copy.deepcopy(DOCUMENT)
    change(document)
    with pytest.raises(ZdevError, match=f"in plan.json, .*({expected})") as caught:
        read(json.dumps(document).encode())
    assert caught.value.code == "journal-corrupt"


@pytest.mark.parametrize("version", [1, 3, 0, -1, 2.0, True, None, "2", [], {}])
def test_another_version_is_for_the_program_that_wrote_it(version: object) -> None:
    error = refusal(json.dumps({**DOCUMENT, "version": version}).encode())
    assert "its version is" in error.message
    assert "with the version of git-zdev that wrote it" in error.hint


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0" * 100,
        b"[]",
        b"7",
        b"null",
        b"{",
        b"\xff",
        b"\xef\xbb\xbf" + PLAN.encode(),
        b"[" * 1_000_000,
        b'{"version": ' + b"[" * 200_000 + b"]" * 200_000 + b"}",
        b'{"version": 2, "version": 2}',
        b'{"version": ' + b"9" * 10_000 + b"}",
        PLAN.encode().replace(b'"near": true', b'"near": true, "near": true'),
        PLAN.encode() + b"{}",
    ],
)
def test_what_is_no_document_is_corrupt(data: bytes) -> None:
    refusal(data)


def test_the_number_of_files_is_bounded() -> None:
    entries = [
        {"place": "plan-root", "path": f".zdev/{number}", "old": OLD, "new": None, "near": False}
        for number in range(100_001)
    ]
    document = {**DOCUMENT, "entries": entries, "folders": []}
    assert "at most 100000 items" in refusal(json.dumps(document).encode()).message


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=6,
)


@given(st.data())
def test_any_value_in_any_place_is_read_or_refused(data: st.DataObject) -> None:
    document = copy.deepcopy(DOCUMENT)
    place: Any = document
    key: Any = data.draw(st.sampled_from(sorted(place)))
    while isinstance(place[key], dict | list) and place[key] and data.draw(st.booleans()):
        place = place[key]
        keys = sorted(place) if isinstance(place, dict) else range(len(place))
        key = data.draw(st.sampled_from(keys))
    place[key] = data.draw(ANY)
    codes = []
    try:
        plan = read(json.dumps(document).encode())
        assert read(plan.encode()) == plan
    except ZdevError as error:
        codes.append(error.code)
    assert set(codes) <= {"journal-corrupt"}


CHILD = {"pid": 77, "start": 5, "host": "here", "boot": "b", "namespace": 4}
STAGED = {"tree": "a" * 40, "index": OLD, "basis": [1, 2, 3, 4, 5]}
EMPTIED = {"folders": [["plan-root", ".zdev/b"], ["plan-root", ".zdev/b/c"]]}


def note(name: str, document: object) -> dict[str, Any]:
    return decode_note(name, json.dumps(document).encode(), PLAN)


@pytest.mark.parametrize(
    ("name", "document"),
    [
        ("child", CHILD),
        ("child", {**CHILD, "start": None}),
        ("staged", STAGED),
        ("staged", {**STAGED, "basis": []}),
        ("emptied", EMPTIED),
        ("emptied", {"folders": [["plan-root", ".zdev"]]}),
    ],
)
def test_a_note_is_read(name: str, document: dict[str, Any]) -> None:
    assert note(name, document) == document


@pytest.mark.parametrize(
    ("name", "document"),
    [
        *[("child", {**CHILD, "pid": one}) for one in (0, 1, -1, 1 << 31, 1 << 70, 1.5, True, "7")],
        *[("child", {**CHILD, "start": one}) for one in (-1, "5", True, [])],
        *[("child", {**CHILD, "host": one}) for one in (None, 7, "x" * 300, "a\nb")],
        *[("child", {**CHILD, "boot": one}) for one in (None, 7, "x" * 300)],
        *[("child", {**CHILD, "namespace": one}) for one in (None, -1, "4")],
        ("child", {**CHILD, "more": 1}),
        ("child", {"pid": 77}),
        *[("staged", {**STAGED, "tree": one}) for one in (None, "x", "a" * 39, "--x", 7)],
        *[("staged", {**STAGED, "index": one}) for one in ("x", 7, [])],
        *[("staged", {**STAGED, "basis": one}) for one in (None, [1], [1] * 6, ["1"] * 5, {})],
        ("staged", {}),
        *[("emptied", {"folders": one}) for one in (
            None, "x", [7], [[]], [["plan-root", ".zdev/a"]], [["plan-root", ".zdev/d"]],
            [["plan-root", "../x"]], [["plan-root", "/tmp"]], [["common-dir", ".zdev/b"]],
            [["plan-root", ".git"]], [["plan-root", ".zdev/b", 1]],
        )],
        ("emptied", {}),
        ("emptied", []),
    ],
)  # fmt: skip
def test_a_note_that_is_none_is_refused(name: str, document: object) -> None:
    with pytest.raises(ValueError, match=r"."):
        note(name, document)
