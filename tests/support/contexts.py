"""Work contexts written by hand, one of each form, for tests of what is stored."""

from __future__ import annotations

from typing import Any

HEAD = "a1" * 20
BLOB = "b2" * 20


def goal(*, lifecycle: str = "open", queue: str = "ready") -> dict[str, Any]:
    """A goal projection."""
    ready = queue == "ready"
    document: dict[str, Any] = {
        "area": {
            "objective": "Take payments",
            "path": ".zdev/payments",
            "tag": "payments",
            "title": "Payments",
        },
        "counts": {"blocked": 0, "done": 1, "open": int(ready), "ready": int(ready), "total": 2},
        "lifecycle": lifecycle,
        "queue": queue,
        "schema_version": 1,
        "task": None,
    }
    if ready:
        document["native_goal"] = "Do it"
        document["task"] = {
            "blocked_by": ["payments-001"],
            "boundaries": "- Keep the API.",
            "complexity": "standard",
            "context": "Some.",
            "done_when": "- [ ] It works.",
            "id": "payments-002",
            "key": "retry",
            "outcome": "Retries stop.",
            "path": ".zdev/payments/tasks/002-retry.md",
            "slice": {
                "boundaries": "- Only the API.",
                "key": "api",
                "objective": "The API.",
                "path": ".zdev/payments/slices/api.md",
                "title": "API",
            },
            "title": "Retry",
            "validation": "- Run the tests.",
        }
    return document


def status(*, queue: str = "ready") -> dict[str, Any]:
    """A status projection of an open area on its own branch."""
    ready = queue == "ready"
    return {
        "advisory": None,
        "area": {
            "base_commit": HEAD,
            "branch": "payments",
            "lifecycle": "open",
            "mode": "isolated",
            "objective": "Take payments",
            "parent": "platform",
            "schema_version": 1,
            "tag": "payments",
            "title": "Payments",
        },
        "branch_status": {
            "anchor_valid": True,
            "base_commit": HEAD,
            "branch": "payments",
            "branch_matches": True,
            "checked_out_branch": "payments",
            "diagnostics": ["fresh"],
            "effective_base": {"area": "platform", "branch": "platform", "kind": "area"},
            "finalized": True,
            "fresh": True,
            "linear_history": True,
            "mode": "isolated",
            "parent_area": "platform",
            "task_work": {
                "git_operation": None,
                "safe": True,
                "stale_advisory": False,
                "structurally_safe": True,
            },
        },
        "counts": {"blocked": 0, "done": 1, "ready": int(ready), "total": 2},
        "lifecycle": "open",
        "next": "payments-002" if ready else None,
        "next_complexity": "standard" if ready else None,
        "project": "shop",
        "queue": queue,
        "schema_version": 1,
        "slices": [
            {
                "blocked": 0,
                "done": 0,
                "key": "api",
                "path": ".zdev/payments/slices/api.md",
                "ready": 1,
                "title": "API",
            }
        ],
        "trunk": "main",
    }


def untracked() -> dict[str, Any]:
    """One entry of each kind."""
    return {
        "a file": {"hash": BLOB, "kind": "file"},
        "link": {"kind": "symlink", "target": "nowhere"},
        "nested/": {
            "git_diff": "",
            "git_diff_cached": "",
            "git_status": "",
            "git_untracked": {"inner": {"hash": BLOB, "kind": "file"}},
            "head": None,
            "kind": "repository",
        },
    }


def open_context(*, queue: str = "ready") -> dict[str, Any]:
    """The work context of an open area, with a task or without work."""
    return {
        "area": "payments",
        "git_diff": "diff --git a/x b/x\n",
        "git_diff_cached": "",
        "git_status": " M x\n",
        "git_untracked": untracked(),
        "goal": goal(queue=queue),
        "head": HEAD,
        "lifecycle": "open",
        "queue": queue,
        "schema_version": 1,
        "stale_advisory": False,
        "status": status(queue=queue),
        "task_id": "payments-002" if queue == "ready" else None,
    }


def closed_context() -> dict[str, Any]:
    """The work context of a closed area."""
    return {
        "area": "payments",
        "goal": goal(lifecycle="closed", queue="exhausted"),
        "lifecycle": "closed",
        "queue": "exhausted",
        "schema_version": 1,
        "task_id": None,
    }
