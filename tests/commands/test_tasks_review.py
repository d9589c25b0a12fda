"""``git zdev tasks review``: what is stored, what a person reads, what is refused."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.cli import changes, refused, result, succeed, tree_state, zdev
from tests.support.plan import CANONICAL, FIRST, SECOND, bundle, write_area

if TYPE_CHECKING:
    from tests.support.repo import GitRepo

pytestmark = pytest.mark.usefixtures("payments")


RENDERING = """\
# 1 task for `payments`

Fingerprint: `{fingerprint}`

| Key | Task | Blocked by |
| --- | --- | --- |
| `retry-policy` | Apply the retry policy | `payments-001` |

## Apply the retry policy

- Key: `retry-policy`
- Complexity: advanced
- Unattended: yes
- Priority: high
- Slice: `api`
- Blocked by: `payments-001`

### Outcome

Retries stop where they should.

### Context

```
The boundary is settled.

See the notes.
```

### Boundaries

- Keep the public policy.

### Done when

- Retries stop.
- It is shown.

### Validation

- Run the retry tests.
"""


def review(repo: GitRepo, data: bytes, area: str = "payments") -> dict[str, Any]:
    return result("tasks review", area, "--from", "-", cwd=repo.path, stdin=data)


def shown(repo: GitRepo) -> str:
    return succeed("tasks", "review", "payments", "--show", cwd=repo.path).text


def refuse(repo: GitRepo, data: bytes) -> set[tuple[str, str | None]]:
    error = refused(
        "invalid-bundle", "tasks", "review", "payments", "--from=-", cwd=repo.path, stdin=data
    )
    return {(problem["code"], problem.get("pointer")) for problem in error["details"]["problems"]}


def test_three_files_in_the_git_directory_and_none_elsewhere(repo: GitRepo) -> None:
    before = tree_state(repo.path / ".zdev")
    document = review(repo, bundle())
    assert list(document) == ["area", "path", "review", "schema_version", "status"]
    assert (document["area"], document["status"]) == ("payments", "reviewed")
    path = Path(document["path"])
    place = repo.git("rev-parse", "--path-format=absolute", "--git-path", "zdev/reviews/payments")
    assert path == Path(place) / document["review"] / "review.md"
    assert sorted(os.listdir(path.parent)) == ["bundle.json", "metadata.json", "review.md", "seal"]
    metadata = json.loads((path.parent / "metadata.json").read_bytes())
    assert metadata["created_head"] == repo.rev("HEAD")
    assert changes(before, tree_state(repo.path / ".zdev")) == []


def test_the_stored_bundle_is_canonical(repo: GitRepo) -> None:
    draft = {"done_when": ["The page exists."], **SECOND, "blocked_by": ["payments-001"]}
    document = review(repo, json.dumps(json.loads(bundle(draft)), indent=4).encode())
    assert Path(document["path"]).with_name("bundle.json").read_bytes() == CANONICAL


def test_the_rendering_says_all_that_would_be_imported(repo: GitRepo) -> None:
    document = review(repo, bundle(FIRST))
    content = Path(document["path"]).with_name("bundle.json").read_bytes()
    expected = RENDERING.format(fingerprint=hashlib.sha256(content).hexdigest())
    assert Path(document["path"]).read_text() == expected
    assert shown(repo) == expected
    assert (
        succeed("tasks", "review", "payments", "--show", "--format=json", cwd=repo.path).text
        == expected
    )


def test_text_tells_how_to_go_on(repo: GitRepo) -> None:
    path = repo.write("bundle.json", bundle())
    text = succeed("tasks", "review", "payments", "--from", path, cwd=repo.path).text
    assert text.startswith("Stored a review of 2 tasks for payments.\nReview:  R")
    assert "git zdev tasks import payments --reviewed R" in text


def test_a_file_is_named_relative_to_the_current_directory(repo: GitRepo) -> None:
    repo.write("src/bundle.json", bundle())
    result("tasks review", "payments", "--from", "bundle.json", cwd=repo.path / "src")


def test_a_later_review_replaces_the_earlier(repo: GitRepo) -> None:
    first = review(repo, bundle(FIRST))
    second = review(repo, bundle(FIRST))
    assert first["review"] != second["review"]
    assert not Path(first["path"]).parent.exists()


def test_hostile_text_is_shown_and_inert(repo: GitRepo) -> None:
    evil = "<b>`x`</b> [l](http://e) \u202eback\u200b | cell"
    context = "````\n# heading\u2028\n````"
    draft = {**SECOND, "blocked_by": [], "title": evil, "context": context}
    review(repo, bundle(draft))
    text = shown(repo)
    assert "\u202e" not in text
    assert "\u200b" not in text
    assert r"\u202eback\u200b" in text
    assert r"\u2028" in text
    assert r"\<b\>\`x\`\</b\> \[l\](http://e)" in text
    assert "\n`````\n````\n# heading" in text


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (bundle(FIRST, {**SECOND, "key": "settle-retry"}), ("duplicate-task-key", "/tasks/1/key")),
        (bundle(FIRST, FIRST), ("duplicate-task-key", "/tasks/1/key")),
        (bundle({**FIRST, "slice": "web"}), ("unknown-slice", "/tasks/0/slice")),
        (bundle(SECOND), ("missing-blocker", "/tasks/0/blocked_by/0")),
        (
            bundle({**SECOND, "blocked_by": ["retry-docs"]}),
            ("self-blocker", "/tasks/0/blocked_by/0"),
        ),
        (
            bundle({**FIRST, "blocked_by": ["retry-docs"]}, SECOND),
            ("dependency-cycle", "/tasks/0/blocked_by"),
        ),
        (bundle({**FIRST, "further": 1}), ("unknown-key", "/tasks/0/further")),
        (bundle({**FIRST, "afk": 1}), ("wrong-type", "/tasks/0/afk")),
        (bundle(area="other"), ("area-mismatch", "/area")),
        (bundle(tasks=[]), ("empty-list", "/tasks")),
    ],
)  # fmt: skip
def test_what_cannot_be_imported_is_not_stored(
    repo: GitRepo, data: bytes, expected: tuple[str, str]
) -> None:
    assert expected in refuse(repo, data)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"{",
        b"\xef\xbb\xbf" + bundle(),
        bundle() + b"x",
        bundle().replace(b"1", b"NaN", 1),
        bundle().replace(b"Retries", b"\\ud800", 1),
        bundle().replace(b"Retries", b"\xff", 1),
        bundle().replace(b'{"schema', b'{"area": "payments", "schema', 1),
        b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"a": "' + b"x" * 10_000_000 + b'"}',
    ],
    ids=lambda data: data[:12].decode("latin-1") + f" {len(data)}",
)
def test_input_that_is_no_acceptable_json(repo: GitRepo, data: bytes) -> None:
    assert refuse(repo, data)


def test_all_problems_are_told_together(repo: GitRepo) -> None:
    found = refuse(
        repo,
        bundle({**FIRST, "afk": 1}, {**SECOND, "done_when": []}, {**FIRST, "title": ""}, further=1),
    )
    assert {pointer for _, pointer in found} == {
        "/further", "/tasks/0/afk", "/tasks/1/done_when", "/tasks/2/title",
    }  # fmt: skip


def test_a_refused_bundle_leaves_the_review_before_it(repo: GitRepo) -> None:
    review(repo, bundle(FIRST))
    before = shown(repo)
    refuse(repo, bundle(SECOND))
    assert shown(repo) == before


def test_a_closed_area(repo: GitRepo) -> None:
    write_area(repo.path, "old")
    path = repo.path / ".zdev/old/area.toml"
    path.write_text(path.read_text().replace('"open"', '"closed"'))
    data = bundle({**SECOND, "blocked_by": []}, area="old")
    refused("area-closed", "tasks", "review", "old", "--from=-", cwd=repo.path, stdin=data)


def test_nothing_to_show(repo: GitRepo) -> None:
    refused("review-unavailable", "tasks", "review", "payments", "--show", cwd=repo.path)


def test_a_changed_rendering_is_corrupt(repo: GitRepo) -> None:
    path = Path(review(repo, bundle(FIRST))["path"])
    path.write_text(path.read_text().replace("Retries stop where", "Money goes where"))
    refused("review-corrupt", "tasks", "review", "payments", "--show", cwd=repo.path)


def test_an_unreadable_input(repo: GitRepo) -> None:
    refused("unreadable-input", "tasks", "review", "payments", "--from=none", cwd=repo.path)
    refused("unreadable-input", "tasks", "review", "payments", "--from=src", cwd=repo.path)


def test_an_unknown_area(repo: GitRepo) -> None:
    data = bundle(area="other")
    refused("unknown-area", "tasks", "review", "other", "--from=-", cwd=repo.path, stdin=data)
    refused("unknown-area", "tasks", "review", "../payments", "--show", cwd=repo.path)


@pytest.mark.parametrize("words", [(), ("--from=-", "--show")])
def test_it_stores_or_shows(repo: GitRepo, words: tuple[str, ...]) -> None:
    assert zdev("tasks", "review", "payments", *words, cwd=repo.path).status == 2


def test_a_linked_work_tree_has_reviews_of_its_own(repo: GitRepo) -> None:
    repo.git("switch", "-q", "-c", "elsewhere")
    linked = repo.path.parent / "linked"
    repo.git("worktree", "add", "-q", str(linked), "main")
    review(repo, bundle(FIRST))
    refused("review-unavailable", "tasks", "review", "payments", "--show", cwd=linked)


HIDDEN = "".join(chr(0xE0000 + ord(one)) for one in " Also")
SEEN = r"\U000e0020\U000e0041\U000e006c\U000e0073\U000e006f"
TOLD = "the text has 5 hidden characters: U+E0020, U+E0041, U+E006C, U+E0073, U+E006F"


@pytest.mark.parametrize("escaped", [True, False])
def test_a_reviewer_is_told_of_hidden_text(repo: GitRepo, escaped: bool) -> None:
    data = bundle({**FIRST, "outcome": f"The typo is gone.{HIDDEN}"})
    if not escaped:
        data = json.dumps(json.loads(data), ensure_ascii=False).encode()
    document = review(repo, data)
    assert list(document) == ["area", "path", "review", "schema_version", "status", "warnings"]
    assert document["warnings"] == [
        {"code": "hidden-text", "message": TOLD, "pointer": "/tasks/0/outcome"}
    ]
    page = Path(document["path"]).read_text()
    said = page.partition("## Hidden text\n")[2].partition("\n| Key |")[0]
    assert f"- `/tasks/0/outcome`: {TOLD}\n" in said
    assert f"\nThe typo is gone.{SEEN}\n" in page
    assert shown(repo) == page
    coloured = succeed("tasks", "review", "payments", "--show", "--color=always", cwd=repo.path)
    for text in (page, coloured.text):
        assert not any(one in text for one in HIDDEN)
    run = succeed("tasks", "review", "payments", "--from=-", cwd=repo.path, stdin=data)
    assert run.error_text == f"Hidden text: /tasks/0/outcome: {TOLD}.\n"


def test_scripts_and_emoji_are_no_hidden_text(repo: GitRepo) -> None:
    outcome = "خانه\u200cها क्\u200dष \U0001f469\u200d\U0001f680 \u26a0\ufe0f 1\ufe0f\u20e3"
    document = review(repo, bundle({**FIRST, "outcome": outcome}))
    assert "warnings" not in document
    assert f"\n{outcome}\n" in shown(repo)
    assert "Hidden text" not in shown(repo)
