"""Task bundles for the hand-written area ``payments``."""

from __future__ import annotations

import json
from typing import Any

FIRST: dict[str, Any] = {
    "key": "retry-policy",
    "title": "Apply the retry policy",
    "complexity": "advanced",
    "afk": True,
    "priority": "high",
    "slice": "api",
    "blocked_by": ["payments-001"],
    "outcome": "Retries stop where they should.",
    "context": "The boundary is settled.\n\nSee the notes.",
    "boundaries": ["Keep the public policy."],
    "done_when": ["Retries stop.", "It is shown."],
    "validation": ["Run the retry tests."],
}
SECOND: dict[str, Any] = {
    "key": "retry-docs",
    "title": "Document the policy",
    "blocked_by": ["retry-policy"],
    "outcome": "The policy can be read.",
    "done_when": ["The page exists."],
}
FIRST_TEXT = """\
+++
schema_version = 1
id = "payments-005"
key = "retry-policy"
area = "payments"
status = "open"
complexity = "advanced"
afk = true
priority = "high"
slice = "api"
blocked_by = ["payments-001"]
+++
# Apply the retry policy

## Outcome

Retries stop where they should.

## Context

The boundary is settled.

See the notes.

## Boundaries

- Keep the public policy.

## Done when

- [ ] Retries stop.
- [ ] It is shown.

## Validation

- Run the retry tests.
"""
SECOND_TEXT = """\
+++
schema_version = 1
id = "payments-006"
key = "retry-docs"
area = "payments"
status = "open"
blocked_by = ["payments-005"]
+++
# Document the policy

## Outcome

The policy can be read.

## Done when

- [ ] The page exists.

## Validation

- Let the verifier choose the smallest useful checks.
"""
FIRST_PATH = ".zdev/payments/tasks/005-apply-the-retry-policy.md"
SECOND_PATH = ".zdev/payments/tasks/006-document-the-policy.md"


def bundle(*drafts: dict[str, Any], **keys: Any) -> bytes:
    """A bundle of these drafts (FIRST and SECOND when none are given); ``keys`` replace keys."""
    tasks = list(drafts or (FIRST, SECOND))
    return json.dumps({"schema_version": 1, "area": "payments", "tasks": tasks, **keys}).encode()


CANONICAL = (
    b'{"schema_version":1,"area":"payments","tasks":[{"key":"retry-docs","title":"Document '
    b'the policy","blocked_by":["payments-001"],"outcome":"The policy can be read.",'
    b'"done_when":["The page exists."]}]}'
)
"""One draft as canonical JSON, by hand."""
