"""What is fuzzed: a proposal's way from its bytes to the page that a reviewer reads."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

from git_zdev.derive.path_rules import NameFolding, path_problem
from git_zdev.derive.plan import derive
from git_zdev.derive.proposal import first_line, read_proposal
from git_zdev.derive.review import render_review
from git_zdev.ground.errors import InvalidInput
from git_zdev.ground.inert import unseen
from git_zdev.plan.areas import load_area
from git_zdev.plan.check import check
from git_zdev.plan.records.store import PlannedSource
from tests.support.plan import IN_MEMORY

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDING = NameFolding(ignore_case=True, precompose=True)


RECORDS = load_area(IN_MEMORY, "payments")


def _require_reasons(refused: InvalidInput) -> None:
    assert refused.code == "invalid-proposal"
    assert refused.problems


def follow(data: bytes) -> bool:
    """Follow one input; whether it is a valid proposal. Only a refusal with reasons is fine."""
    try:
        proposal = read_proposal(data, "payments")
        derivation = derive(proposal, RECORDS)
    except InvalidInput as refused:
        _require_reasons(refused)
        return False
    assert first_line("payments", proposal.source_task) + proposal.json == data
    planned = PlannedSource(IN_MEMORY, {one.path: one.new for one in derivation.changes})
    assert check(planned) == []
    page = render_review(derivation, ["a reason"], ["a\nb"]).decode()
    assert unseen(page) == []
    if proposal.ownership is not None:
        for child in proposal.ownership.children:
            for path in child.paths:
                path_problem(path, FOLDING)
    return True


def mutate(data: bytes, seed: int) -> bytes:
    """Replace one value of a proposal by another one, so that the object stays one."""
    chance = random.Random(seed)
    opening, _, body = data.partition(b"\n")
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return data
    places = list(_places(document))
    if not places:
        return data
    owner, key = chance.choice(places)
    other_owner, other_key = chance.choice(places)
    match chance.randrange(4):
        case 0:
            owner[key] = other_owner[other_key]
        case 1:
            del owner[key]
        case 2 if isinstance(owner[key], str):
            cut = chance.randrange(len(owner[key]) + 1)
            owner[key] = owner[key][:cut] + chance.choice(TEXTS) + owner[key][cut:]
        case _:
            owner[key] = chance.choice([*TEXTS, *VALUES])
    try:
        return opening + b"\n" + json.dumps(document, ensure_ascii=chance.random() < 0.5).encode()
    except (ValueError, RecursionError):  # it holds itself now, or half a surrogate pair
        return data


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    keys = value.keys() if isinstance(value, dict) else range(len(value))
    for key in list(keys):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from _places(value[key])


TEXTS = (
    "\n## Result\n",
    "```",
    "\u202e",
    "\x1b[31m",
    "`",
    "|",
    "# ",
    "- [x] ",
    " ",
    "Initial task-owned path allocation: []",
    "payments-001",
    "payments-002",
    "payments-003",
    "wire-policy",
    "../",
    ".git/",
    "\u2028",
    "\ud800",
    "<b>",
)
VALUES = (None, True, 1, 1.5, [], {}, "", ["a"], [[]], 10**30)
