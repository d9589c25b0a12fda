"""Outlines: the quick way and the way through code fences give the same."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from git_zdev.plan.records import markdown

_LINES = st.sampled_from(
    ["", "# t", "## a", "## b ", "##", "##c", "text", "- x", " ## d", "#", "# ", "## "]
)
_FENCES = st.sampled_from(["```", "~~~", "````", "   ```", "``` a", "``` `", "~~~ `", "    ```"])


@given(st.lists(_LINES, max_size=10).map("\n".join))
def test_without_fences_both_ways_agree(body: str) -> None:
    assert markdown.outline(body) == markdown._outline_by_line(body)


@given(st.lists(st.one_of(_LINES, _FENCES), max_size=12).map("\n".join))
def test_sections_are_cut_without_loss(body: str) -> None:
    outline = markdown.outline(body)
    starts = [section.start for section in outline.sections]
    ends = [section.end for section in outline.sections]
    assert ends == ([*starts[1:], len(body)] if starts else [])
    for section in outline.sections:
        heading = body[section.start : section.content].removesuffix("\n")
        assert heading.startswith("## ")
        assert heading[3:].strip() == section.name
        assert section.start == 0 or body[section.start - 1] == "\n"


def test_a_fence_closes_with_its_own_kind_and_length() -> None:
    body = "~~~~\n## a\n~~~\n```\n~~~~~ x\n~~~~~\n## b\n```\n## c\n"
    outline = markdown.outline(body)
    assert [section.name for section in outline.sections] == ["b"]
    assert outline.open_fence == body.index("```\n## c")


def test_an_indented_run_closes_no_fence() -> None:
    assert markdown.outline("```\n    ```\n## a\n").sections == []
    assert [one.name for one in markdown.outline("```\n   ```\n## a\n").sections] == ["a"]


def test_items_leave_out_what_carries_on() -> None:
    text = "- [ ] one\n  more\n\n- [X] two "
    assert markdown.items(text, checklist=True) == ("one", "two")
    assert markdown.items("- one\n  - below\n- two", checklist=False) == ("one", "two")
