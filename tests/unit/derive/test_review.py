"""The page that a reviewer reads: complete, exact, and steered by nobody but us."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from markdown_it import MarkdownIt

from git_zdev.derive.graph_tree import graph_tree
from git_zdev.derive.plan import Derivation, derive
from git_zdev.derive.proposal import read_proposal
from git_zdev.derive.review import render_review
from git_zdev.plan.areas import load_area
from git_zdev.plan.records.store import FileSource
from tests.support import plan as payments
from tests.support.plan import draft, envelope, follow_up, split, task_text, write_plan

if TYPE_CHECKING:
    from pathlib import Path

    from markdown_it.token import Token

HEADINGS = [
    "Derived work from payments-002",
    "What becomes of the source task",
    "Effect on the task graph",
    "Ownership of paths",
    "The source task, before and after",
    "The new tasks",
    "payments-005 Extract the retry policy",
    "payments-006 Wire the retry policy",
    "The commit",
]


def derived(root: Path, document: dict[str, Any], files: dict[str, str | bytes]) -> Derivation:
    write_plan(root, files)
    proposal = read_proposal(envelope(document), "payments")
    return derive(proposal, load_area(FileSource(root), "payments"))


def page(root: Path, document: dict[str, Any], *reasons: str) -> str:
    return render_review(derived(root, document, payments.FILES), reasons, ()).decode()


def tokens(markdown: str) -> list[Token]:
    found = MarkdownIt("commonmark").enable("table").parse(markdown)
    return [one for token in found for one in (token, *(token.children or ()))]


def headings(markdown: str) -> list[str]:
    found = tokens(markdown)
    return [
        "".join(child.content for child in found[place + 1].children or ())
        for place, token in enumerate(found)
        if token.type == "heading_open"
    ]


def fences(markdown: str) -> list[str]:
    return [token.content for token in tokens(markdown) if token.type == "fence"]


def test_a_split_is_shown_whole(tmp_path: Path) -> None:
    document = split()
    document["split_ownership"]["retained_parent_paths"] = ["src/payments.rs"]
    shown = page(tmp_path, document)
    assert headings(shown) == HEADINGS
    tree, source, first, second = fences(shown)
    assert tree == (
        "+ payments-005 Extract the retry policy [ready, new]\n"
        "+ └── payments-006 Wire the retry policy [blocked, new]\n"
        "!     └── payments-002 Settle the retry boundary [blocked, was ready] "
        "(also waits for payments-005)\n"
        "          └── payments-003 Document the retries [blocked]\n"
    )
    changed = [line for line in source.splitlines() if line.startswith(("+b", "-b"))]
    assert changed == [
        '-blocked_by = ["payments-001"]',
        '+blocked_by = ["payments-001", "payments-005", "payments-006"]',
    ]
    unmarked = "\n".join(line[1:] for line in source.splitlines() if not line.startswith("+b"))
    assert unmarked.rstrip("\n") + "\n" == payments.TASKS["002-settle-the-retry-boundary.md"]
    derivation = derived(tmp_path, document, payments.FILES)
    assert [first, second] == [child.source.decode() for child in derivation.children]
    assert "| `src/payments.rs` | `payments-002` | retained" in shown
    assert "| `tests/policy.rs` | `payments-005` extract-policy | future work |" in shown
    assert "Summary: The policy and its wiring are easier to verify apart." in shown
    assert "Mechanically eligible | yes" in shown


def test_a_follow_up_is_shown_whole(tmp_path: Path) -> None:
    shown = page(tmp_path, follow_up(), "the index is locked", "a *second* reason")
    assert "Ownership of paths" not in headings(shown)
    assert "Mechanically eligible | no" in shown
    assert "- the index is locked\n- a \\*second\\* reason\n" in shown
    assert "Validation:\n\n- Read every caller of the retry loop.\n" in shown
    tree, source, _ = fences(shown)
    assert tree == (
        "! payments-002 Settle the retry boundary [done, was ready]\n"
        "  └── payments-003 Document the retries [ready]\n"
        "+ payments-005 End the retries where agreed [ready, new]\n"
    )
    assert '-status = "open"\n+status = "done"\n' in source
    assert "+## Result\n+\n+Found where retries must end.\n" in source


@pytest.mark.parametrize("text", ["```", "````\ncode\n````", "~~~\n~~~", "a\n\n<b>\n\n[x](y)"])
def test_a_context_cannot_leave_its_fence(text: str, tmp_path: Path) -> None:
    closed = text if text != "```" else "a ``` b"
    drafts = [draft("extract-policy", context=closed), split()["tasks"][1]]
    shown = page(tmp_path, split(tasks=drafts))
    assert headings(shown)[-1] == "The commit"
    assert len(fences(shown)) == 4
    assert closed in fences(shown)[2]


def test_hostile_text_is_visible_and_inert(tmp_path: Path) -> None:
    title = "[red]x[/] <b>[l](http://x) \u202e\u200b *s* _e_ `c` | ~~d~~ &amp; \u2028."
    document = split()
    document["tasks"][0] |= {"title": title, "boundaries": ["# Not a heading | cell"]}
    document["source_result"]["summary"] = "1. ![i](x) <script> \u2066"
    document["split_ownership"]["retained_parent_paths"] = ["a|b`c\u202e", "x\n# y"]
    shown = page(tmp_path, document, "the path \x1b[31m | red")
    assert not {"\x1b", "\u202e", "\u200b", "\u2028", "\u2066"} & set(shown)
    assert {token.type for token in tokens(shown)} <= {
        *("heading_open", "heading_close", "paragraph_open", "paragraph_close", "inline", "text"),
        *("code_inline", "fence", "softbreak", "bullet_list_open", "bullet_list_close"),
        *("list_item_open", "list_item_close", "table_open", "table_close", "thead_open"),
        *("thead_close", "tbody_open", "tbody_close", "tr_open", "tr_close", "th_open"),
        *("th_close", "td_open", "td_close"),
    }
    expected = title.replace("\u202e", "\\u202e").replace("\u200b", "\\u200b")
    expected = expected.replace("\u2028", "\\u2028")
    assert headings(shown) == [
        HEADINGS[0],
        "Hidden text",
        *HEADINGS[1:6],
        f"payments-005 {expected}",
        *HEADINGS[7:],
    ]
    code = [token.content for token in tokens(shown) if token.type == "code_inline"]
    assert {"a|b`c\\u202e", "x\\n# y"} <= set(code)


def test_a_task_stands_below_the_last_that_it_waits_for(tmp_path: Path) -> None:
    drafts = [
        draft("a", blocked_by=["payments-003"]),
        draft("b", blocked_by=["payments-003", "a"]),
        draft("c", blocked_by=["b", "a"]),
    ]
    tree = graph_tree(derived(tmp_path, follow_up(tasks=drafts), payments.FILES))
    label = "End the retries where agreed [blocked, new]"
    assert tree.split("\n") == [
        "! payments-002 Settle the retry boundary [done, was ready]",
        "  └── payments-003 Document the retries [ready]",
        f"+     └── payments-005 {label}",
        f"+         └── payments-006 {label} (also waits for payments-003)",
        f"+             └── payments-007 {label} (also waits for payments-005)",
    ]


def test_only_neighbours_are_drawn(tmp_path: Path) -> None:
    files = dict(payments.FILES)
    for number in range(5, 12):
        blockers = [f"payments-{number - 1:03d}"]
        files[f"payments/tasks/{number:03d}-step.md"] = task_text(number, blocked_by=blockers)
    tree = graph_tree(
        derived(tmp_path, follow_up(tasks=[draft(blocked_by=["payments-008"])]), files)
    )
    assert tree.split("\n") == [
        "! payments-002 Settle the retry boundary [done, was ready]",
        "  └── payments-003 Document the retries [ready]",
        "  payments-008 Step 8 [blocked]",
        "+ └── payments-012 End the retries where agreed [blocked, new]",
    ]
