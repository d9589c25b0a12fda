"""Edits of files as people write them: any order, any spacing, and nothing else moves."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from git_zdev.plan.records import codec, edit, markdown, render, text
from git_zdev.plan.records.model import DEFAULT_VALIDATION, Draft

if TYPE_CHECKING:
    from git_zdev.plan.records.model import Task

PATH = ".zdev/payments/tasks/001-step.md"

_QUOTES = st.sampled_from(['"{}"', "'{}'", '"""{}"""', "'''{}'''"])
_EQUALS = st.sampled_from([" = ", "=", "  =\t", "= "])
_COMMENTS = st.sampled_from(["", " # why", "\t#status = 'open'"])
_BETWEEN = st.sampled_from(["", "# a comment", "   ", '# blocked_by = ["x"]'])


@st.composite
def _key_line(draw: st.DrawFn, key: str, value: str) -> str:
    name = draw(st.sampled_from([key, f'"{key}"', f"'{key}'", f"  {key}"]))
    return f"{name}{draw(_EQUALS)}{draw(_QUOTES).format(value)}{draw(_COMMENTS)}"


@st.composite
def _front_matter(draw: st.DrawFn, status: str) -> str:
    fields = {"id": "payments-001", "key": "step", "area": "payments", "status": status}
    lines = [draw(_key_line(key, value)) for key, value in fields.items()]
    lines += draw(
        st.lists(st.sampled_from(["afk = true", 'slice = "api"', "priority='low'"]), unique=True)
    )
    lines += draw(
        st.lists(
            st.sampled_from(
                ["blocked_by = []", 'blocked_by = [ "a-1" ]', 'blocked_by = [\n "a-1", # x\n]']
            ),
            max_size=1,
        )
    )
    lines = draw(st.permutations(["schema_version = 1", *lines]))
    between = draw(st.lists(_BETWEEN, min_size=len(lines), max_size=len(lines)))
    return "\n".join(
        f"{gap}\n{line}" if gap else line for gap, line in zip(between, lines, strict=True)
    )


_EXTRA = st.sampled_from(
    [
        "## Notes\n- [ ] not a condition\n",
        "## Code\n```\n## Done when\n- [ ] x\n## Result\n```\n",
        "## Boundaries\n- Stay.\n",
        "## Context\n\n# prose\n\n~~~\n```\n~~~\n",
        "## History\n\nOld.\n",
        "## Trailing   \n\ntext  \n",
    ]
)


@st.composite
def sources(draw: st.DrawFn, status: str) -> str:
    """A valid task file in some hand's style."""
    boxes = st.sampled_from(["- [x] ", "- [X] "] + ["- [ ] "] * (status == "open"))
    conditions = draw(st.lists(boxes, min_size=1, max_size=3))
    done_when = "".join(f"{box}It is so.\n  More.\n" for box in conditions)
    sections = [
        "## Outcome\nTaken: - [ ] so.\n",
        f"## Done when\n{done_when}",
        "## Validation\n\n- Run.\n",
        *draw(st.lists(_EXTRA, unique=True, max_size=3)),
        *(["## Result\n\nIt was.\n\n- [x] seen\n"] * (status == "done")),
    ]
    body = draw(st.sampled_from(["\n", ""])).join(draw(st.permutations(sections)))
    end = draw(st.sampled_from(["", "\n", "\n\n\n"]))
    text = f"+++\n{draw(_front_matter(status))}\n+++\n\n# Step one\n\n{body.rstrip()}{end}"
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


def read(source: str) -> Task:
    return codec.require_record(
        lambda problems: codec.read_task(source.encode(), PATH, "payments", problems)
    )


def changed_lines(before: str, after: str) -> tuple[list[str], list[str]]:
    """Lines that went and lines that came."""
    lines = list(
        difflib.unified_diff(before.splitlines(keepends=True), after.splitlines(keepends=True), n=0)
    )[2:]
    went = [line[1:] for line in lines if line[0] == "-"]
    return went, [line[1:] for line in lines if line[0] == "+"]


@given(sources("open"))
def test_completing_changes_status_boxes_and_the_end(source: str) -> None:
    after = edit.complete_task(read(source), "It works.", ["Ran it."]).source.decode()
    end = "\r\n" if "\r\n" in source else "\n"
    result = "## Result\n\nIt works.\n\nValidation:\n\n- Ran it.\n".replace("\n", end)
    assert after.endswith(end * 2 + result)
    kept = after[: -len(result)]
    assert kept.rstrip("\r\n").count(end) == source.rstrip("\r\n").count(end)
    assert kept[len(kept.rstrip("\r\n")) :] == max(
        end * 2, source[len(source.rstrip("\r\n")) :], key=len
    )
    pairs = zip(source.rstrip("\r\n").split(end), kept.rstrip("\r\n").split(end), strict=True)
    moved = [(old, new) for old, new in pairs if old != new]
    boxes = [("- [ ] It is so.", "- [x] It is so.")] * source.count("- [ ] It is so.")
    assert [pair for pair in moved if pair[0].startswith("- [")] == boxes
    (status,) = [pair for pair in moved if not pair[0].startswith("- [")]
    assert _is_status(*status, "open", "done")


def _is_status(old: str, new: str, was: str, now: str) -> bool:
    """Whether only the value of the status changed, its quotes included."""
    for quotes in ('"""', "'''", '"', "'"):
        value = f"{quotes}{was}{quotes}"
        if "status" in old and value in old:
            return old.replace(value, f'"{now}"', 1) == new
    return False


@given(sources("done"))
def test_reopening_loses_no_line(source: str) -> None:
    task = edit.reopen_task(read(source))
    after = task.source.decode()
    assert "\r\n" not in source or after.count("\r\n") == after.count("\n")
    went, _ = changed_lines(source, after)
    before = source.replace("\r\n", "\n").split("\n")
    lines = after.replace("\r\n", "\n").split("\n")
    assert lines.count("### Previous completion") == 1
    assert lines.count("## History") == 1
    assert "## Result" not in lines[: lines.index("## History")] or "```" in lines
    for line in before:
        text = line.strip()
        if text and line in {"It was.", "- [x] seen", "Old.", "text  ", "- Stay.", "# prose"}:
            assert lines.count(line) >= before.count(line), went
    history = lines[lines.index("### Previous completion") :]
    assert "It was." in history
    assert not any(line.startswith(("- [x] It", "- [X] It")) for line in lines)


@given(sources("open"), st.lists(st.sampled_from(["a-1", "a-2", "b-3"]), unique=True))
def test_blockers_change_their_value_only(source: str, ids: list[str]) -> None:
    task = read(source)
    after = edit.set_blocked_by(task, ids)
    assert after.blocked_by == tuple(ids)
    matter = text.split_markdown(task.source, PATH, [])
    changed = text.split_markdown(after.source, PATH, [])
    assert matter is not None
    assert changed is not None
    assert matter.text[matter.body :] == changed.text[changed.body :]
    went, _ = changed_lines(matter.block + "\n", changed.block + "\n")
    assert all("blocked_by" in line or '"a-1"' in line or line == "]\n" for line in went)
    assert edit.set_blocked_by(after, ids).source == after.source


@given(sources("open"))
def test_a_boundary_adds_lines_only(source: str) -> None:
    after = edit.append_boundary(read(source), "Own this.")
    went, came = changed_lines(source, after.source.decode())
    assert [line for line in went if line.strip()] in ([], ["- Stay."])
    assert [line.strip() for line in came if "Own" in line] == ["- Own this."]
    assert after.boundaries is not None
    assert after.boundaries.endswith("- Own this.")


_TEXT = st.text(
    st.one_of(st.sampled_from(list('#`~-[]xX \n\t|"\\')), st.characters(codec="utf-8")),
    max_size=12,
)
_LISTS = st.lists(_TEXT, max_size=3).map(tuple)


@given(
    st.fixed_dictionaries(
        {"title": _TEXT, "outcome": _TEXT, "done_when": st.lists(_TEXT, min_size=1, max_size=2)},
        optional={"context": _TEXT, "boundaries": _LISTS, "validation": _LISTS},
    )
)
def test_a_draft_reads_back_exactly_or_is_refused(texts: dict[str, Any]) -> None:
    draft = Draft(key="k", **{**texts, "done_when": tuple(texts["done_when"])})
    if render.draft_problems(draft):
        return
    written = render.render_task(draft, "payments", 7, ("payments-001",)).source
    task = codec.require_record(
        lambda found: codec.read_task(written, ".zdev/payments/tasks/007-x.md", "payments", found)
    )
    assert (task.title, task.outcome, task.context) == (draft.title, draft.outcome, draft.context)
    assert markdown.items(task.done_when, checklist=True) == draft.done_when
    assert markdown.items(task.boundaries or "", checklist=False) == (draft.boundaries or ())
    assert markdown.items(task.validation, checklist=False) == (
        draft.validation or (DEFAULT_VALIDATION,)
    )
    assert task.blocked_by == ("payments-001",)
    body = written.decode().partition("\n+++\n")[2]
    assert markdown.outline(body).open_fence is None
