"""Every way in which a record file can be wrong: its code, its line, its words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_zdev.ground.errors import InvalidInput, Problem
from git_zdev.plan.records import codec
from git_zdev.plan.records.model import Area, Brief, Project, Slice, Task
from tests.support.plan import AREA, BRIEF, CONFIG, SLICE, task_text

TASK_PATH = ".zdev/payments/tasks/001-step-1.md"
TASK = task_text(1)
DONE = task_text(1, status="done")


def read_task(source: str | bytes, path: str = TASK_PATH) -> tuple[Task | None, list[Problem]]:
    problems: list[Problem] = []
    data = source.encode() if isinstance(source, str) else source
    return codec.read_task(data, path, "payments", problems), problems


def places(problems: list[Problem]) -> list[tuple[str, int | None]]:
    return [(problem.code, problem.line) for problem in problems]


def test_a_task_gives_what_its_file_says() -> None:
    task, problems = read_task(
        task_text(
            1,
            extra='complexity = "routine"\nafk = false\npriority = "normal"\nslice = "api"\n',
            blocked_by=["payments-002", "payments-003"],
        )
    )
    assert problems == []
    assert task is not None
    assert task.source.startswith(b"+++\n")
    assert (task.id, task.key, task.area, task.status) == (
        "payments-001",
        "step-1",
        "payments",
        "open",
    )
    assert (task.title, task.path) == ("Step 1", TASK_PATH)
    assert task.outcome == "The step is taken."
    assert task.context == "There were earlier steps."
    assert task.boundaries == "- Leave the API alone.\n- Leave the database alone."
    assert task.done_when == "- [ ] The step is taken.\n- [ ] It is shown."
    assert task.validation == "- Run the tests."
    assert task.blocked_by == ("payments-002", "payments-003")
    assert (task.complexity, task.afk, task.priority, task.slice) == (
        "routine",
        False,
        "normal",
        "api",
    )


def test_optional_parts_may_be_absent() -> None:
    task, problems = read_task(
        '+++\nschema_version = 1\nid = "payments-1"\nkey = "k"\narea = "payments"\n'
        'status = "open"\n+++\n# T\n## Outcome\nO\n## Done when\n- [ ] D\n## Validation\n- V'
    )
    assert problems == []
    assert task is not None
    assert (task.context, task.boundaries, task.blocked_by) == (None, None, ())
    assert (task.complexity, task.afk, task.priority, task.slice) == (None, None, None, None)
    assert (task.effective_complexity, task.effective_afk, task.effective_priority) == (
        "standard",
        False,
        "normal",
    )


def test_hand_written_front_matter_is_read_like_the_canonical_one() -> None:
    by_hand = TASK.replace(
        'id = "payments-001"\n',
        "# who\nid='payments-001'   # a comment\n",
    ).replace("blocked_by = []", 'blocked_by = [\n  # none yet\n]\n"afk" = true')
    task, problems = read_task(by_hand)
    assert problems == []
    assert task is not None
    assert (task.id, task.afk, task.blocked_by) == ("payments-001", True, ())


def test_crlf_reads_as_lf() -> None:
    task, problems = read_task(TASK.replace("\n", "\r\n"))
    plain, _ = read_task(TASK)
    assert problems == []
    assert task is not None
    assert plain is not None
    assert task.source.count(b"\r\n") == TASK.count("\n")
    assert (task.outcome, task.done_when) == (plain.outcome, plain.done_when)


def replaced(old: str, new: str, text: str = TASK) -> str:
    assert old in text
    return text.replace(old, new, 1)


@pytest.mark.parametrize(
    ("source", "code", "line", "words"),
    [
        (b"\xef\xbb\xbf" + TASK.encode(), "byte-order-mark", 1, "byte order mark"),
        (TASK.encode() + b"\n\xe9\n", "invalid-utf8", TASK.count("\n") + 2, "0xe9"),
        (replaced("\n## Outcome", "\r\n## Outcome"), "mixed-line-ends", 10, "CRLF"),
        (TASK.replace("\n", "\r\n").replace("+++\r\n#", "+++\n#"), "mixed-line-ends", 8, "LF"),
        (replaced("Step 1\n", "Step\r1\n"), "mixed-line-ends", 9, "carriage return"),
        (TASK.replace("\n", "\r\n") + "end\r", "mixed-line-ends", 32, "carriage return"),
        ("", "missing-front-matter", 1, "+++"),
        ("\n" + TASK, "missing-front-matter", 1, "+++"),
        ("+++ \n" + TASK, "missing-front-matter", 1, "+++"),
        ("+++\nid = 1\n", "unclosed-front-matter", 1, "second +++"),
        ("+++", "missing-front-matter", 1, "+++"),
        (replaced('status = "open"', "status = open"), "invalid-toml", 6, "Invalid value"),
        (replaced('status = "open"', 'status = "open'), "invalid-toml", 6, "Illegal"),
        (replaced("schema_version = 1", "a = " + "[" * 5000), "invalid-toml", 2, ""),
        (replaced("schema_version = 1", "schema_version = 2"), "unsupported-version", 2, "reads 1"),
        (replaced("schema_version = 1", "schema_version = 1.0"), "wrong-type", 2, "floating"),
        (replaced("schema_version = 1", "schema_version = true"), "wrong-type", 2, "a boolean"),
        (replaced("schema_version = 1\n", ""), "missing-key", 2, '"schema_version" is missing'),
        (replaced('key = "step-1"\n', ""), "missing-key", 2, '"key" is missing'),
        (replaced('key = "step-1"', 'key = "Step"'), "invalid-segment", 4, "a-z, 0-9"),
        (replaced('key = "step-1"', 'key = "-a"'), "invalid-segment", 4, '"-a"'),
        (replaced('key = "step-1"', 'key = "a-"'), "invalid-segment", 4, '"a-"'),
        (replaced('key = "step-1"', f'key = "{"a" * 81}"'), "invalid-segment", 4, "80"),
        (replaced('key = "step-1"', 'key = ""'), "invalid-segment", 4, '""'),
        (replaced('key = "step-1"', "key = 1"), "wrong-type", 4, "an integer"),
        (replaced('key = "step-1"', 'key = "x"\nkey = "y"'), "duplicate-key", 5, "line 4"),
        (replaced('key = "step-1"', 'key = "x"\nkeys = "y"'), "unknown-key", 5, '"keys"'),
        (replaced('id = "payments-001"', 'id = "other-001"'), "invalid-task-id", 3, "payments-"),
        (replaced('id = "payments-001"', 'id = "payments-x"'), "invalid-task-id", 3, "payments-"),
        (replaced('id = "payments-001"', f'id = "payments-{"1" * 19}"'), "invalid-task-id", 3, ""),
        (replaced('id = "payments-001"', 'id = "payments-002"'), "name-mismatch", 3, "002-<slug>"),
        (replaced('area = "payments"', 'area = "pay"'), "name-mismatch", 5, "the folder says"),
        (replaced('status = "open"', 'status = "wip"'), "invalid-value", 6, "open or done"),
        (replaced("blocked_by = []", "blocked_by = [1]"), "wrong-type", 7, "blocked_by[0]"),
        (replaced("blocked_by = []", 'blocked_by = "a"'), "wrong-type", 7, "an array"),
        (replaced("blocked_by = []", "afk = 1"), "wrong-type", 7, "a boolean"),
        (replaced("blocked_by = []", 'complexity = "x"'), "invalid-value", 7, "standard"),
        (replaced("blocked_by = []", 'priority = "x"'), "invalid-value", 7, "normal or low"),
        (replaced("blocked_by = []", "x = 2020-01-01"), "unknown-key", 7, '"x"'),
        (replaced("blocked_by = []", "slice = 2020-01-01"), "wrong-type", 7, "date"),
        (replaced("blocked_by = []", "[extra]\na = 1"), "unknown-key", 7, '"extra"'),
        (replaced("# Step 1\n", ""), "missing-title", 9, "title"),
        (replaced("# Step 1", "#  "), "invalid-line", 9, "blank"),
        (replaced("# Step 1", "# a\x07"), "invalid-line", 9, "control"),
        (replaced("# Step 1", "```\n# no\n```"), "missing-title", 9, "title"),
        (replaced("## Outcome", "## Aim"), "missing-section", 9, "## Outcome"),
        (replaced("The step is taken.\n", "\n"), "empty-section", 11, "## Outcome is empty"),
        (replaced("## Context", "## Outcome"), "duplicate-section", 15, "more than once"),
        (TASK + "\n## Notes\n\n## Notes\n", "duplicate-section", 35, "## Notes"),
        (replaced("- Leave the API", "* Leave the API"), "not-a-bullet", 21, "bullets only"),
        (replaced("- Leave the API alone.", "Prose."), "not-a-bullet", 21, "bullets only"),
        (replaced("- Leave the API alone.", "- "), "not-a-bullet", 21, "bullets only"),
        (replaced("- Leave the API alone.", "- a\tb"), "not-a-bullet", 21, "control"),
        (replaced("- Run the tests.", "Run."), "not-a-bullet", 31, "bullets only"),
        (replaced("- Run the tests.", ""), "empty-section", 29, "## Validation"),
        (replaced("- [ ] It is", "- It is"), "not-a-condition", 27, "checklist"),
        (replaced("- [ ] It is shown.", "- [ ] "), "not-a-condition", 27, "checklist"),
        (replaced("- [ ] It is", "- [y] It is"), "not-a-condition", 27, "checklist"),
        (replaced("- [ ] It is", "  - [ ] It is"), "not-a-condition", 27, "checklist"),
        (replaced("- [x] It", "- [ ] It", DONE), "unchecked-condition", 27, "not checked"),
        (replaced("## Result", "## Notes", DONE), "missing-section", 9, "## Result"),
        (replaced("Done so.", "", DONE), "empty-section", 33, "## Result"),
    ],
)  # fmt: skip
def test_one_wrong_thing_in_a_task(source: str | bytes, code: str, line: int, words: str) -> None:
    task, problems = read_task(source)
    assert task is None
    assert places(problems) == [(code, line)]
    assert words in problems[0].message
    assert problems[0].path == TASK_PATH


def test_an_open_fence_is_named_where_it_hides_the_sections() -> None:
    _, problems = read_task(replaced("There were earlier steps.", "```\nnever closed"))
    assert places(problems) == [("missing-section", 9)] * 2
    assert all("the code fence that line 17 opens" in problem.message for problem in problems)


def test_everything_that_is_wrong_is_told_at_once() -> None:
    source = replaced('status = "open"', 'status = 3\ncolor = "red"\nkey = "again"')
    source = source.replace("## Outcome", "## Aim").replace("- Run", "Run")
    _, problems = read_task(source)
    assert places(problems) == [
        ("duplicate-key", 8),
        ("wrong-type", 6),
        ("unknown-key", 7),
        ("missing-section", 11),
        ("not-a-bullet", 33),
    ]


@pytest.mark.parametrize(
    ("name", "valid"),
    [
        ("001-step-1.md", True),
        ("001-any-other-slug.md", True),
        ("0001-step.md", True),
        ("002-step-1.md", False),
        ("1-step-1.md", False),
        ("001.md", False),
    ],
)
def test_the_file_number_is_the_number_of_the_id(name: str, valid: bool) -> None:
    task, problems = read_task(TASK, f".zdev/payments/tasks/{name}")
    assert (task is not None) is valid
    assert [problem.code for problem in problems] == ([] if valid else ["name-mismatch"])


def test_headings_inside_code_are_text() -> None:
    fenced = "~~~~ md\n## Outcome\n~~~\n~~~~\n\n   ```\n## Validation\n   ````"
    task, problems = read_task(replaced("There were earlier steps.", fenced))
    assert problems == []
    assert task is not None
    assert task.context == fenced


@pytest.mark.parametrize(
    "text",
    ["`` ` ``\n## Outcome", "    ```\n## Outcome", "``` a`b\n## Outcome", "~~\n## Outcome"],
)
def test_what_opens_no_code_block_hides_no_heading(text: str) -> None:
    _, problems = read_task(replaced("There were earlier steps.", text))
    assert places(problems) == [("duplicate-section", 18)]


def test_an_item_may_go_on_in_indented_lines() -> None:
    task, problems = read_task(
        replaced("- [ ] It is shown.", "- [ ] It is\n  shown.\n\n    and more\n- [X] x")
    )
    assert problems == []
    assert task is not None
    assert task.done_when.endswith("- [ ] It is\n  shown.\n\n    and more\n- [X] x")


def read_area(source: str) -> tuple[Area | None, list[Problem]]:
    problems: list[Problem] = []
    area = codec.read_area(source.encode(), ".zdev/payments/area.toml", "payments", problems)
    return area, problems


PAYMENTS = AREA.format(tag="payments")


def test_an_area_gives_what_its_file_says() -> None:
    area, problems = read_area(PAYMENTS)
    assert (area, problems) == (
        Area("payments", "Payments", "Pay reliably.", branch="payments", lifecycle="open"),
        [],
    )
    sha256 = "ab" * 32
    source = PAYMENTS.replace('lifecycle = "open"\n', f'base_commit = "{sha256}"\nparent = "x"\n')
    area, problems = read_area(source)
    assert problems == []
    assert area is not None
    assert (area.lifecycle, area.base_commit, area.parent) == ("open", sha256, "x")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('tag = "payments"', 'tag = "other"', [("name-mismatch", 2)]),
        ('branch = "payments"\n', "", [("missing-key", 1)]),
        ('branch = "payments"', 'mode = "isolated"', [("missing-key", 1)]),
        ('branch = "payments"', 'mode = "trunk"\nbranch = "x"', [("forbidden-key", 6)]),
        (
            'branch = "payments"',
            f'mode = "trunk"\nparent = "x"\nbase_commit = "{"a" * 40}"',
            [("forbidden-key", 6), ("forbidden-key", 7)],
        ),
        ('branch = "payments"', 'mode = "both"\nbranch = "x"', [("invalid-value", 5)]),
        ('branch = "payments"', 'branch = "a b"', [("invalid-branch", 5)]),
        ('branch = "payments"', 'branch = "x"\nbase_commit = "ABC"', [("invalid-commit", 6)]),
        ('branch = "payments"', f'branch = "x"\nbase_commit = "{"A" * 40}"',
         [("invalid-commit", 6)]),
        ('"Payments"', '""', [("invalid-line", 3)]),
        ('"Payments"', '"a\\nb"', [("invalid-line", 3)]),
        ('lifecycle = "open"', 'lifecycle = "done"', [("invalid-value", 6)]),
        ('title = "Payments"', 'title = "a"\ntitle = "b"', [("duplicate-key", 4)]),
        (
            'title = "Payments"\nobjective = "Pay reliably."',
            "title = 1\nnote = 2",
            [("wrong-type", 3), ("missing-key", 1), ("unknown-key", 4)],
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_with_an_area(old: str, new: str, expected: list[tuple[str, int]]) -> None:
    area, problems = read_area(replaced(old, new, PAYMENTS))
    assert area is None
    assert places(problems) == expected


@pytest.mark.parametrize(
    ("name", "accepted"),
    [
        ("main", True),
        ("topic/a.b_c", True),
        ("ünï/cøde", True),
        ("a@b", True),
        ("-x", False),
        ("HEAD", False),
        ("@", False),
        ("a..b", False),
        ("a.lock", False),
        ("a.lock/b", False),
        (".a", False),
        ("a/.b", False),
        ("a/", False),
        ("/a", False),
        ("a//b", False),
        ("a.", False),
        ("a@{b", False),
        ("a~b", False),
        ("a^", False),
        ("a:b", False),
        ("a?", False),
        ("a*", False),
        ("a[", False),
        ("a\\\\b", False),
        ("a b", False),
        ("a\\u007fb", False),
    ],
)
def test_branch_names_are_those_of_git(name: str, accepted: bool) -> None:
    area, _ = read_area(PAYMENTS.replace('branch = "payments"', f'branch = "{name}"'))
    assert (area is not None) is accepted


def read_project(source: str) -> tuple[Project | None, list[Problem]]:
    problems: list[Problem] = []
    return codec.read_project(source.encode(), ".zdev/config.toml", problems), problems


def test_a_project_gives_what_its_file_says() -> None:
    assert read_project(CONFIG) == (Project("checkout", "project", trunk="main"), [])
    dotted = 'schema_version = 1\nproject.name = "a"\nproject.record = "personal"\n'
    assert read_project(dotted) == (Project("a", "personal"), [])
    inline = 'schema_version = 1\nproject = { name = "a", record = "personal" }\n'
    assert read_project(inline) == (Project("a", "personal"), [])


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("schema_version = 1", "schema_version = 3", [("unsupported-version", 1)]),
        ("[project]", "[projects]", [("missing-key", 1), ("unknown-key", 3)]),
        ('name = "checkout"\n', "", [("missing-key", 3)]),
        ('record = "project"', 'record = "shared"', [("invalid-value", 5)]),
        ('trunk = "main"', 'trunk = "a..b"', [("invalid-branch", 6)]),
        ('trunk = "main"', 'default_area = "A"', [("invalid-segment", 6)]),
        ('trunk = "main"', "guidance = ' '", [("invalid-line", 6)]),
        ('trunk = "main"', "trunk = ''\nextra = 1", [("invalid-branch", 6), ("unknown-key", 7)]),
        ('trunk = "main"', 'trunk = "a"\ntrunk = "b"', [("duplicate-key", 7)]),
        ('trunk = "main"', "[project]", [("invalid-toml", 6)]),
        ("schema_version = 1", "", [("missing-key", 1)]),
        ("[project]", "[project", [("invalid-toml", 3)]),
    ],
)
def test_what_is_wrong_with_a_project(old: str, new: str, expected: list[tuple[str, int]]) -> None:
    project, problems = read_project(replaced(old, new, CONFIG))
    assert project is None
    assert places(problems) == expected


def test_problems_of_both_levels_of_a_project_are_told() -> None:
    _, problems = read_project('schema_version = 2\nx = 1\n[project]\nname = ""\nrecord = "a"\n')
    assert places(problems) == [
        ("unsupported-version", 1),
        ("unknown-key", 2),
        ("invalid-line", 4),
        ("invalid-value", 5),
    ]


def read_brief(source: str) -> tuple[Brief | None, list[Problem]]:
    problems: list[Problem] = []
    return codec.read_brief(source.encode(), "b.md", problems), problems


def test_a_brief_gives_its_two_sections() -> None:
    assert read_brief(BRIEF) == (Brief("b.md", "Pay reliably.", "Existing checks only."), [])


@pytest.mark.parametrize(
    "decision",
    ["No New Tests", "existing checks only", "FOCUSED COVERAGE", "Broader regression coverage"],
)
def test_a_brief_decides_about_testing(decision: str) -> None:
    brief, problems = read_brief(BRIEF.replace("Existing checks only.", decision))
    assert problems == []
    assert brief is not None
    assert brief.testing == decision


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("## Objective", "## Aim", [("missing-section", 1)]),
        ("Pay reliably.", "", [("empty-section", 3)]),
        ("## Testing", "## Objective", [("duplicate-section", 7), ("missing-section", 1)]),
        ("Existing checks only.", "Some tests.", [("missing-testing-decision", 7)]),
        ("Existing checks only.", "", [("empty-section", 7)]),
    ],
)
def test_what_is_wrong_with_a_brief(old: str, new: str, expected: list[tuple[str, int]]) -> None:
    brief, problems = read_brief(replaced(old, new, BRIEF))
    assert brief is None
    assert places(problems) == expected


def test_other_sections_of_a_brief_may_repeat() -> None:
    brief, problems = read_brief(BRIEF + "\n## Notes\n\na\n\n## Notes\n\nb\n")
    assert problems == []
    assert brief is not None


def read_slice(source: str, key: str = "api") -> tuple[Slice | None, list[Problem]]:
    problems: list[Problem] = []
    path = f".zdev/payments/slices/{key}.md"
    return codec.read_slice(source.encode(), path, "payments", key, problems), problems


API = SLICE.format(tag="payments", key="api")


def test_a_slice_gives_what_its_file_says() -> None:
    part, problems = read_slice(API)
    assert problems == []
    assert part == Slice(
        "api", "payments", "The API", "Serve.", "- Keep the wire format.", API.encode()
    )


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('key = "api"', 'key = "web"', [("name-mismatch", 3)]),
        ('area = "payments"', 'area = "pay"', [("name-mismatch", 4)]),
        ('title = "The API"\n', "", [("missing-key", 2)]),
        ("# The API", "# Another", [("title-mismatch", 7)]),
        ("# The API\n", "", [("missing-title", 7)]),
        ("Serve.", "", [("empty-section", 9)]),
        ("- Keep the wire format.", "", [("empty-section", 13)]),
        ("- Keep", "Keep", [("not-a-bullet", 15)]),
        ("## Boundaries", "## Objective", [("duplicate-section", 13), ("missing-section", 7)]),
        ('title = "The API"', 'title = "The API"\nnote = 1', [("unknown-key", 6)]),
    ],
)
def test_what_is_wrong_with_a_slice(old: str, new: str, expected: list[tuple[str, int]]) -> None:
    part, problems = read_slice(replaced(old, new, API))
    assert part is None
    assert places(problems) == expected


def test_demand_carries_every_problem() -> None:
    source = PAYMENTS.replace('"Payments"', '""').replace('"open"', '"shut"').encode()
    with pytest.raises(InvalidInput) as caught:
        codec.require_record(lambda found: codec.read_area(source, "a.toml", "payments", found))
    assert caught.value.code == "invalid-records"
    assert places(list(caught.value.problems)) == [("invalid-line", 3), ("invalid-value", 6)]
    assert caught.value.message == "the records have 2 problems"
    with pytest.raises(InvalidInput) as caught:
        codec.require_record(lambda found: codec.read_area(b"x", "a.toml", "payments", found))
    assert caught.value.message.startswith("a.toml:1: ")


@given(st.binary())
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    for source in (data, b"+++\n" + data, b"+++\n" + data + b"\n+++\n"):
        task, problems = read_task(source)
        assert (task is None) is bool(problems)
