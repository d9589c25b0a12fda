"""New files in canonical form, and drafts that would read back as something else."""

from __future__ import annotations

import pytest

from git_zdev.ground.errors import InvalidInput
from git_zdev.ground.values import replace
from git_zdev.plan.records import render
from git_zdev.plan.records.model import Area, Draft, Project

DRAFT = Draft(
    key="model",
    title="Plan the shifts",
    complexity="advanced",
    afk=True,
    priority="high",
    slice="api",
    outcome="Every shift has a planner's decision.",
    context="Prose.",
    boundaries=("Leave the solver's interface alone.",),
    done_when=("Every shift has a planner's decision.",),
    validation=("Try the planner on last month.",),
)

TASK = """\
+++
schema_version = 1
id = "scheduling-001"
key = "model"
area = "scheduling"
status = "open"
complexity = "advanced"
afk = true
priority = "high"
slice = "api"
blocked_by = []
+++
# Plan the shifts

## Outcome

Every shift has a planner's decision.

## Context

Prose.

## Boundaries

- Leave the solver's interface alone.

## Done when

- [ ] Every shift has a planner's decision.

## Validation

- Try the planner on last month.
"""


def test_a_full_draft_gives_every_part_in_order() -> None:
    task = render.render_task(DRAFT, "scheduling", 1, ())
    assert task.source.decode() == TASK
    assert task.path == ".zdev/scheduling/tasks/001-plan-the-shifts.md"


def test_a_small_draft_leaves_out_what_it_does_not_say() -> None:
    draft = Draft(key="a", title="Ünïcode & more", outcome="Done.", done_when=("One.", "Two."))
    task = render.render_task(draft, "pay", 1000, ("pay-008", "pay-009"))
    assert task.source.decode() == (
        '+++\nschema_version = 1\nid = "pay-1000"\nkey = "a"\narea = "pay"\nstatus = "open"\n'
        'blocked_by = ["pay-008", "pay-009"]\n+++\n# Ünïcode & more\n\n## Outcome\n\nDone.\n\n'
        "## Done when\n\n- [ ] One.\n- [ ] Two.\n\n## Validation\n\n"
        "- Let the verifier choose the smallest useful checks.\n"
    )
    assert task.path == ".zdev/pay/tasks/1000-n-code-more.md"


@pytest.mark.parametrize(
    ("change", "code", "pointer", "words"),
    [
        ({"title": "two\nlines"}, "invalid-line", "/title", "line end"),
        ({"title": " padded"}, "invalid-line", "/title", "white space"),
        ({"title": ""}, "invalid-line", "/title", "blank"),
        ({"title": "bell\x07"}, "invalid-line", "/title", "U+0007"),
        ({"outcome": "## Done when"}, "invalid-draft", "/outcome", "open a section"),
        ({"outcome": "~~~"}, "invalid-draft", "/outcome", "code fence"),
        ({"outcome": "\u0085"}, "invalid-line", "/outcome", "blank"),
        ({"context": "Text.\n## Done when\n\n- [ ] x"}, "invalid-draft", "/context", "a section"),
        ({"context": "```\nopen"}, "invalid-draft", "/context", "code fence"),
        ({"context": "text\r\nmore"}, "invalid-line", "/context", "line end"),
        ({"context": "text\n"}, "invalid-draft", "/context", "white space"),
        ({"context": " \n "}, "invalid-line", "/context", "blank"),
        ({"context": "a\x1b[0m"}, "invalid-line", "/context", "U+001B"),
        ({"boundaries": ("ok", "a\n- b")}, "invalid-line", "/boundaries/1", "line end"),
        ({"done_when": ("a\n- [x] b",)}, "invalid-line", "/done_when/0", "line end"),
        ({"done_when": ("ok", "pad ")}, "invalid-line", "/done_when/1", "white space"),
        ({"validation": ("a\n\n## Result\n\nb",)}, "invalid-line", "/validation/0", "line end"),
        (
            {"boundaries": ('Initial task-owned path allocation: ["a"]. Coordination …',)},
            "forged-allocation",
            "/boundaries/0",
            "allocation",
        ),
        (
            {"context": 'Text.\n\n-  initial task-owned  path allocation: ["a"].'},
            "forged-allocation",
            "/context",
            "allocation",
        ),
    ],
)
def test_a_draft_that_reads_back_differently_names_the_text(
    change: dict[str, object], code: str, pointer: str, words: str
) -> None:
    draft = replace(DRAFT, **change)  # type: ignore[arg-type]
    problems = render.draft_problems(draft)
    assert [(problem.code, problem.pointer) for problem in problems] == [(code, pointer)]
    assert words in problems[0].message
    with pytest.raises(InvalidInput) as caught:
        render.render_task(draft, "scheduling", 1, ())
    assert caught.value.code == "invalid-draft"
    assert caught.value.problems == tuple(problems)


def test_all_texts_that_do_not_read_back_are_told_together() -> None:
    draft = replace(DRAFT, title="a\nb", context="## X", done_when=("ok", " x"))
    pointers = [problem.pointer for problem in render.draft_problems(draft)]
    assert sorted(pointers, key=str) == ["/context", "/done_when/1", "/title"]


@pytest.mark.parametrize(
    "context",
    [
        "```\n## text\n```",
        "~~~~ python\n~~~\n## text\n~~~~",
        "# A heading of the first level",
        "### A heading of the third level",
        "- bullet\n  more\n\n\ttab",
        "##no heading",
    ],
)
def test_a_context_may_hold_what_opens_no_section(context: str) -> None:
    task = render.render_task(replace(DRAFT, context=context), "scheduling", 1, ())
    assert task.context == context


def test_a_task_is_not_rendered_under_a_bad_area_or_slice() -> None:
    with pytest.raises(InvalidInput, match='"slice" is "No Segment"'):
        render.render_task(replace(DRAFT, slice="No Segment"), "scheduling", 1, ())


def test_a_project_writes_its_keys_in_order() -> None:
    project = Project("checkout", "project", "payments", "main", "auto")
    assert render.render_project(project).decode() == (
        'schema_version = 1\n\n[project]\nname = "checkout"\nrecord = "project"\n'
        'default_area = "payments"\ntrunk = "main"\nguidance = "auto"\n'
    )
    assert render.render_project(Project('a "b" \\', "personal")).decode() == (
        'schema_version = 1\n\n[project]\nname = "a \\"b\\" \\\\"\nrecord = "personal"\n'
    )


def test_an_area_writes_its_keys_in_order() -> None:
    commit = "0123456789abcdef0123456789abcdef01234567"
    area = Area("pay", "Pay", "Pay well.", "isolated", "topic/pay", "open", "base", commit)
    assert render.render_area(area).decode() == (
        'schema_version = 1\ntag = "pay"\ntitle = "Pay"\nobjective = "Pay well."\n'
        'branch = "topic/pay"\nlifecycle = "open"\nparent = "base"\n'
        f'base_commit = "{commit}"\n'
    )
    trunk = Area("pay", "Pay", "Pay well.", "trunk")
    assert render.render_area(trunk).decode() == (
        'schema_version = 1\ntag = "pay"\ntitle = "Pay"\nobjective = "Pay well."\n'
        'mode = "trunk"\nlifecycle = "open"\n'
    )


def test_an_area_must_be_one_that_the_reader_accepts() -> None:
    with pytest.raises(InvalidInput) as caught:
        render.render_area(Area("pay", "Pay\nwell", " ", branch="a..b"))
    assert [problem.code for problem in caught.value.problems] == [
        "invalid-line",
        "invalid-line",
        "invalid-branch",
    ]


def test_a_brief_holds_the_objective_and_the_testing_decision() -> None:
    area = Area("pay", "Pay", "Pay well.", branch="pay")
    assert render.render_brief(area).decode() == (
        "# Pay\n\n## Objective\n\nPay well.\n\n## Testing\n\nExisting checks only.\n"
    )


@pytest.mark.parametrize("objective", ["## Testing", "```", "x\n## Testing\n\nfocused coverage"])
def test_a_brief_cannot_be_forged_by_its_objective(objective: str) -> None:
    with pytest.raises(InvalidInput):
        render.render_brief(Area("pay", "Pay", objective, branch="pay"))


def test_a_slice_holds_objective_and_boundaries() -> None:
    part = render.render_slice("pay", "api", "The API", "Serve.", ["Keep it.", "Small."])
    assert part.path == ".zdev/pay/slices/api.md"
    assert part.source.decode() == (
        '+++\nschema_version = 1\nkey = "api"\narea = "pay"\ntitle = "The API"\n+++\n'
        "# The API\n\n## Objective\n\nServe.\n\n## Boundaries\n\n- Keep it.\n- Small.\n"
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ("api", "T", "O", []),
        ("api", "T", "O", ["a\n- b"]),
        ("api", "T", "## Boundaries", ["a"]),
        ("api", " T", "O", ["a"]),
        ("Api", "T", "O", ["a"]),
        ("api", "T", "O", ["a", ""]),
    ],
)
def test_a_slice_that_reads_back_differently_is_refused(
    arguments: tuple[str, str, str, list[str]],
) -> None:
    with pytest.raises(InvalidInput) as caught:
        render.render_slice("pay", *arguments)
    assert caught.value.code == "invalid-slice"
