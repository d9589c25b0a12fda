"""Edits change what the command means, and not one byte besides."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_zdev.ground.errors import InvalidInput, ZdevError
from git_zdev.ground.values import replace
from git_zdev.plan.records import codec, edit
from tests.support.plan import AREA, CONFIG, task_text

if TYPE_CHECKING:
    from git_zdev.plan.records.model import Area, Project, Task

PATH = ".zdev/payments/tasks/001-step-1.md"
TASK = task_text(1)


def read(source: str | bytes) -> Task:
    data = source.encode() if isinstance(source, str) else source
    return codec.require_record(lambda problems: codec.read_task(data, PATH, "payments", problems))


def replaced(text: str, *pairs: tuple[str, str]) -> str:
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text


RESULT = "\n## Result\n\nIt works.\n\nValidation:\n\n- Ran the tests.\n- Looked.\n"
COMPLETED = replaced(TASK, ('status = "open"', 'status = "done"'), ("- [ ] ", "- [x] ")) + RESULT


def test_completing_checks_sets_and_appends() -> None:
    task = edit.complete_task(read(TASK), "It works.", ["Ran the tests.", "Looked."])
    assert task.source.decode() == COMPLETED
    assert (task.status, task.done_when) == ("done", "- [x] The step is taken.\n- [x] It is shown.")


def test_reopening_keeps_the_result_as_history() -> None:
    task = edit.reopen_task(read(COMPLETED))
    assert task.source.decode() == TASK + replaced(
        RESULT, ("## Result\n", "## History\n\n### Previous completion\n")
    )


def test_completing_again_appends_behind_the_history() -> None:
    once = edit.reopen_task(read(COMPLETED))
    again = edit.complete_task(once, "It works now.", ["Ran all."])
    archived = replaced(RESULT, ("## Result\n", "## History\n\n### Previous completion\n"))
    second = "\n## Result\n\nIt works now.\n\nValidation:\n\n- Ran all.\n"
    base = replaced(COMPLETED, (RESULT, ""))
    assert again.source.decode() == base + archived + second
    reopened = edit.reopen_task(again)
    assert reopened.source.decode() == TASK + archived + replaced(
        second, ("## Result\n", "### Previous completion\n")
    )


@pytest.mark.parametrize(
    ("tail", "expected"),
    [
        ("## History\n\nOld.\n\n## Notes\n\nn\n\n## Result\n\nR.\n",
         "## History\n\nOld.\n\n### Previous completion\n\nR.\n\n## Notes\n\nn\n"),
        ("## Result\n\nR.\n\n## Notes\n\nn\n",
         "## History\n\n### Previous completion\n\nR.\n\n## Notes\n\nn\n"),
        ("## Result\n\nR.\n\n## History\n\nOld.\n",
         "## History\n\nOld.\n\n### Previous completion\n\nR.\n"),
        ("## Result\n\nR.\n\n## Notes\n\nn\n\n## History\n\nOld.",
         "## Notes\n\nn\n\n## History\n\nOld.\n\n### Previous completion\n\nR.\n"),
        ("## History\n\n## Notes\n\nn\n\n## Result\n\nR.",
         "## History\n\n### Previous completion\n\nR.\n\n## Notes\n\nn\n"),
        ("## History\n## Result\nR.\n\n\n",
         "## History\n### Previous completion\nR.\n\n\n"),
        ("## Result\n\n- [x] in the result\n",
         "## History\n\n### Previous completion\n\n- [x] in the result\n"),
    ],
)  # fmt: skip
def test_the_result_moves_under_the_history_wherever_both_stand(tail: str, expected: str) -> None:
    done = replaced(TASK, ('status = "open"', 'status = "done"'), ("- [ ] ", "- [x] "))
    task = edit.reopen_task(read(f"{done}\n{tail}"))
    assert task.source.decode() == f"{TASK}\n{expected}"


HAND = """\
+++
# Hand-written.
"id"='payments-001'   # the id
schema_version=1
area = 'payments'
key = "step-1"
status   =   'open' # not yet
blocked_by = [
    "payments-002", # first
    "payments-003"  # second
]
+++

Intro.

# Step 1 #

## Done when
- [X] One.
- [ ] Two,
  on two lines.

## Outcome
Text with - [ ] a box.

## Validation

- V

## Whatever

```
## Done when
- [ ] code
```"""


def test_a_hand_written_file_keeps_its_other_bytes() -> None:
    done = edit.complete_task(read(HAND), "S.", ["V."])
    tail = "\n\n## Result\n\nS.\n\nValidation:\n\n- V.\n"
    assert (
        done.source.decode()
        == replaced(
            HAND, ("status   =   'open' #", 'status   =   "done" #'), ("- [ ] Two", "- [x] Two")
        )
        + tail
    )
    reopened = edit.reopen_task(done)
    assert reopened.source.decode() == replaced(
        HAND, ("status   =   'open' #", 'status   =   "open" #'), ("- [X] One", "- [ ] One")
    ) + replaced(tail, ("## Result", "## History\n\n### Previous completion"))


def test_crlf_is_kept() -> None:
    crlf = TASK.replace("\n", "\r\n").encode()
    done = edit.complete_task(read(crlf), "It works.", ["Ran the tests.", "Looked."])
    assert done.source == COMPLETED.replace("\n", "\r\n").encode()
    unix = edit.reopen_task(read(COMPLETED)).source
    assert edit.reopen_task(done).source == unix.replace(b"\n", b"\r\n")


def test_blank_lines_at_the_end_are_not_doubled() -> None:
    done = edit.complete_task(read(TASK + "\n"), "S.", ["V."])
    assert done.source.decode().endswith(
        "- Run the tests.\n\n## Result\n\nS.\n\nValidation:\n\n- V.\n"
    )


@pytest.mark.parametrize(
    ("summary", "validation", "pointer", "words"),
    [
        ("", ["v"], "/summary", "blank"),
        ("a\nb", ["v"], "/summary", "line end"),
        ("a ", ["v"], "/summary", "white space"),
        ("\x1b[1m", ["v"], "/summary", "U+001B"),
        ("## Result", ["v"], "/summary", "open a section"),
        ("### Previous completion", ["v"], "/summary", "open a section"),
        ("```", ["v"], "/summary", "code fence"),
        ("s", [], "/validation", "at least one"),
        ("s", ["v", ""], "/validation/1", "blank"),
        ("s", ["v\n- w"], "/validation/0", "line end"),
        ("s", ["Initial task-owned path allocation: []"], "/validation/0", "allocation"),
    ],
)
def test_a_completion_that_forges_structure_is_refused(
    summary: str, validation: list[str], pointer: str, words: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        edit.complete_task(read(TASK), summary, validation)
    assert caught.value.code == "invalid-completion"
    assert [problem.pointer for problem in caught.value.problems] == [pointer]
    assert words in caught.value.problems[0].message


def test_all_texts_of_a_completion_are_told_together() -> None:
    with pytest.raises(InvalidInput) as caught:
        edit.complete_task(read(TASK), "", ["ok", "\t", " x"])
    pointers = [problem.pointer for problem in caught.value.problems]
    assert pointers == ["/summary", "/validation/1", "/validation/2"]


def test_an_open_fence_at_the_end_takes_no_result() -> None:
    with pytest.raises(InvalidInput, match="code fence") as caught:
        edit.complete_task(read(TASK + "\n## Notes\n\n```\n"), "S.", ["V."])
    assert caught.value.problems[0].path == PATH


def test_an_open_task_with_a_result_is_not_given_a_second() -> None:
    with pytest.raises(InvalidInput) as caught:
        edit.complete_task(read(TASK + "\n## Result\n\nx\n"), "S.", ["V."])
    (problem,) = caught.value.problems
    assert (problem.code, problem.path) == ("invalid-task", PATH)
    assert problem.line == len(TASK.splitlines()) + 2
    assert str(caught.value) == (
        f"payments-001 cannot be completed: {PATH}:{problem.line}: the task is open, but has a "
        "section ## Result already. Remove the section, or move its text below `## History` under "
        "`### Previous completion`."
    )


def test_status_is_a_precondition() -> None:
    with pytest.raises(ZdevError) as caught:
        edit.complete_task(read(COMPLETED), "S.", ["V."])
    assert caught.value.code == "task-not-open"
    with pytest.raises(ZdevError) as caught:
        edit.reopen_task(read(TASK))
    assert caught.value.code == "task-not-done"


LINES = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), min_size=1, max_size=40
).filter(lambda text: text == text.strip())


@given(LINES, st.lists(LINES, min_size=1, max_size=3), st.booleans())
def test_a_completion_reads_back_or_is_refused(
    summary: str, validation: list[str], crlf: bool
) -> None:
    source = TASK.replace("\n", "\r\n") if crlf else TASK
    try:
        done = edit.complete_task(read(source), summary, validation)
    except InvalidInput:
        assert summary.startswith(("##", "```", "~~~")) or "allocation" in summary.lower()
        return
    items = "\n".join(f"- {item}" for item in validation)
    end = "\r\n" if crlf else "\n"
    result = f"\n## Result\n\n{summary}\n\nValidation:\n\n{items}\n".replace("\n", end)
    checked = replaced(source, ('status = "open"', 'status = "done"'), ("- [ ] ", "- [x] "))
    assert done.source.decode() == checked + result
    assert edit.reopen_task(done).source.decode().startswith(source)


@given(st.integers(1, 5))
def test_cycles_lose_no_evidence(cycles: int) -> None:
    task = read(TASK)
    for cycle in range(cycles):
        task = edit.reopen_task(edit.complete_task(task, f"Round {cycle}.", [f"Check {cycle}."]))
    rounds = "".join(
        f"\n### Previous completion\n\nRound {cycle}.\n\nValidation:\n\n- Check {cycle}.\n"
        for cycle in range(cycles)
    )
    assert task.source.decode() == f"{TASK}\n## History\n{rounds}"


@pytest.mark.parametrize(
    ("written", "ids", "expected"),
    [
        ("[]", ["a-1"], '["a-1"]'),
        ("[ ]", ["a-1", "a-2"], '["a-1", "a-2"]'),
        ('["a-1"]', ["a-1", "a-2"], '["a-1", "a-2"]'),
        ("[ 'a-1' ,]", ["a-1", "a-2"], "[ 'a-1', \"a-2\" ,]"),
        ('["a-1", "a-2"]', ["a-2"], '["a-2"]'),
        ('["a-1"] # why', ["a-1", "a-2"], '["a-1", "a-2"] # why'),
        ('["a-1"]', ["a-1"], '["a-1"]'),
        ('["a-1"]', [], "[]"),
        (
            '[\n  "a-1", # one\n]',
            ["a-1", "a-2", "a-3"],
            '[\n  "a-1", # one\n  "a-2",\n  "a-3",\n]',
        ),
        ('[\n\t"a-1" # one ]\n]', ["a-1", "a-2"], '[\n\t"a-1", # one ]\n\t"a-2",\n]'),
        ("[ # none, yet\n]", ["a-1"], '[ # none, yet\n  "a-1",\n]'),
        ('[\n  "a-1",\n  "a-2"]', ["a-1", "a-2", "a-3"], '["a-1", "a-2", "a-3"]'),
    ],
)
def test_blockers_are_added_in_the_layout_of_the_array(
    written: str, ids: list[str], expected: str
) -> None:
    source = TASK.replace("blocked_by = []", f"blocked_by = {written}")
    task = edit.set_blocked_by(read(source), ids)
    assert task.source.decode() == TASK.replace("blocked_by = []", f"blocked_by = {expected}")
    assert task.blocked_by == tuple(ids)


def test_missing_blockers_get_a_line_where_the_order_has_it() -> None:
    source = TASK.replace("blocked_by = []\n", "# end\n")
    task = edit.set_blocked_by(read(source), ["a-1"])
    assert task.source.decode() == TASK.replace(
        "blocked_by = []\n", 'blocked_by = ["a-1"]\n# end\n'
    )
    assert edit.set_blocked_by(read(source), []).source.decode() == source


def test_a_boundary_becomes_the_last_bullet() -> None:
    task = edit.append_boundary(read(TASK), "Own this.")
    assert task.source.decode() == replaced(
        TASK, ("- Leave the database alone.\n", "- Leave the database alone.\n- Own this.\n")
    )
    assert task.boundaries == "- Leave the API alone.\n- Leave the database alone.\n- Own this."


BOUNDARIES = "## Boundaries\n\n- Leave the API alone.\n- Leave the database alone.\n\n"


def test_a_boundary_makes_its_section() -> None:
    task = edit.append_boundary(read(TASK.replace(BOUNDARIES, "")), "Own this.")
    assert task.source.decode() == TASK.replace(BOUNDARIES, "## Boundaries\n\n- Own this.\n\n")


def test_a_boundary_fills_an_empty_section() -> None:
    task = edit.append_boundary(read(TASK.replace(BOUNDARIES, "## Boundaries\n\n")), "Own this.")
    assert task.source.decode() == TASK.replace(BOUNDARIES, "## Boundaries\n\n- Own this.\n\n")


@pytest.mark.parametrize("item", ["a\n\n## Result\n\nb", "a\n- b", " a", ""])
def test_a_boundary_that_is_no_line_is_refused(item: str) -> None:
    with pytest.raises(InvalidInput, match="the boundary"):
        edit.append_boundary(read(TASK), item)


def area_of(data: bytes) -> Area:
    return codec.require_record(lambda found: codec.read_area(data, "area.toml", "payments", found))


PAYMENTS = AREA.format(tag="payments")


def test_closing_an_area_changes_one_value() -> None:
    data = PAYMENTS.encode()
    closed = edit.edit_area(data, replace(area_of(data), lifecycle="closed"))
    assert closed.decode() == PAYMENTS.replace('"open"', '"closed"')


def test_an_absent_lifecycle_stays_absent_until_it_changes() -> None:
    data = PAYMENTS.replace('lifecycle = "open"\n', "# end").encode()
    area = area_of(data)
    assert edit.edit_area(data, area) == data
    assert edit.edit_area(data, replace(area, lifecycle="closed")).decode() == PAYMENTS.replace(
        'lifecycle = "open"\n', 'lifecycle = "closed"\n# end'
    )


def test_an_area_edit_keeps_comments_order_and_crlf() -> None:
    source = (
        "# Mine.\r\nbranch = 'pay' # own\r\nobjective = '''Pay.'''\r\n\r\ntag = \"payments\"\r\n"
        'title = "P"\r\nschema_version = 1'
    )
    data = source.encode()
    commit = "0" * 40
    changed = replace(area_of(data), branch="topic", base_commit=commit)
    assert edit.edit_area(data, changed).decode() == (
        f'# Mine.\r\nbranch = "topic" # own\r\nbase_commit = "{commit}"\r\n'
        "objective = '''Pay.'''\r\n\r\ntag = \"payments\"\r\n"
        'title = "P"\r\nschema_version = 1'
    )


def test_an_area_moves_to_the_trunk_and_back() -> None:
    data = PAYMENTS.replace("lifecycle", 'parent = "base"\nlifecycle').encode()
    area = area_of(data)
    trunk = replace(area, mode="trunk", branch=None, parent=None, base_commit=None)
    moved = edit.edit_area(data, trunk)
    assert moved.decode() == PAYMENTS.replace('branch = "payments"\n', 'mode = "trunk"\n')
    back = replace(trunk, mode="isolated", branch="payments")
    assert edit.edit_area(moved, back).decode() == PAYMENTS


def test_an_area_edit_that_the_reader_refuses_is_refused() -> None:
    data = PAYMENTS.encode()
    with pytest.raises(InvalidInput) as caught:
        edit.edit_area(data, replace(area_of(data), branch="a..b"))
    assert [problem.code for problem in caught.value.problems] == ["invalid-branch"]


def project_of(data: bytes) -> Project:
    return codec.require_record(lambda found: codec.read_project(data, "config.toml", found))


def test_project_keys_are_set_and_unset_in_their_order() -> None:
    data = CONFIG.encode()
    project = project_of(data)
    more = edit.edit_project(data, replace(project, default_area="payments", guidance="auto"))
    assert more.decode() == CONFIG.replace(
        'trunk = "main"\n', 'default_area = "payments"\ntrunk = "main"\nguidance = "auto"\n'
    )
    assert edit.edit_project(more, project) == data
    assert edit.edit_project(data, replace(project, trunk=None)).decode() == CONFIG.replace(
        'trunk = "main"\n', ""
    )


def test_a_dotted_project_gets_dotted_lines() -> None:
    data = b'project.record = "personal"\nschema_version = 1\nproject.name = "a"\n'
    project = project_of(data)
    assert edit.edit_project(data, replace(project, trunk="main")) == (
        b'project.record = "personal"\nproject.trunk = "main"\nschema_version = 1\n'
        b'project.name = "a"\n'
    )


def test_an_inline_project_is_not_edited() -> None:
    data = b'schema_version = 1\nproject = { name = "a", record = "personal" }\n'
    with pytest.raises(ZdevError) as caught:
        edit.edit_project(data, replace(project_of(data), trunk="main"))
    assert caught.value.code == "unsupported-layout"
    assert "[project]" in caught.value.hint


@given(LINES, LINES)
def test_any_line_can_be_written_into_a_record(title: str, name: str) -> None:
    area = replace(area_of(PAYMENTS.encode()), title=title)
    data = edit.edit_area(PAYMENTS.encode(), area)
    assert area_of(data) == area
    assert edit.edit_area(data, area_of(PAYMENTS.encode())) == PAYMENTS.encode()
    project = replace(project_of(CONFIG.encode()), name=name)
    assert project_of(edit.edit_project(CONFIG.encode(), project)) == project
