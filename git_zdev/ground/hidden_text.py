"""Text that a reader would not see, in documents and files of other people, and its places.

Such text deserves a look but is not an error of form: it can be what a task is about. So a review
shows it, and input that nobody has reviewed is refused if it contains some.
"""

from __future__ import annotations

from git_zdev.ground.errors import InvalidInput, Problem, summary_of
from git_zdev.ground.inert import unseen
from git_zdev.ground.jsontext import escape_pointer
from git_zdev.ground.text import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

CODE = "hidden-text"

NAMED = 10
"""The most code points that a sentence names, and places that a result's notes name."""


def in_document(value: object, pointer: str = "") -> Iterator[Problem]:
    """Report each string of a JSON value that holds hidden characters.

    Args:
        value: The decoded value.
        pointer: Its JSON pointer.

    Yields:
        A ``hidden-text`` problem with the pointer of the string, in the order of the document; for
        a key, with the pointer of its value.
    """
    if isinstance(value, str):
        found = unseen(value)
        if found:
            yield Problem(CODE, _message("text", found), pointer=pointer)
    elif isinstance(value, dict):
        for key, item in value.items():
            below = f"{pointer}/{escape_pointer(key)}"
            found = unseen(key)
            if found:
                yield Problem(CODE, _message("key", found), pointer=below)
            yield from in_document(item, below)
    elif isinstance(value, list | tuple):
        for place, item in enumerate(value):
            yield from in_document(item, f"{pointer}/{place}")


def in_file(data: bytes, path: str) -> Iterator[Problem]:
    """Report each line of a record file that holds hidden characters; bytes are read as UTF-8.

    Args:
        data: The file's bytes.
        path: Its path.
    """
    text = data.decode("utf-8", "replace").replace("\r\n", "\n")
    if not unseen(text):
        return
    for number, line in enumerate(text.split("\n"), 1):
        found = unseen(line)
        if found:
            yield Problem(CODE, _message("line", found), path, number)


def require_none(problems: Sequence[Problem], what: str, hint: str) -> None:
    """Refuse an input with hidden text that nobody has reviewed.

    Args:
        problems: Its hidden text; empty to refuse nothing.
        what: The input's name, such as ``task bundle``.
        hint: What to do about it.

    Raises:
        InvalidInput: ``hidden-text``, with every place.
    """
    if problems:
        message = f"the {what} holds hidden text: {summary_of(problems)}"
        raise InvalidInput(CODE, message, problems, hint)


def warnings(problems: Sequence[Problem]) -> dict[str, Any]:
    """The key ``warnings`` of a result; no key if nothing is hidden."""
    return {"warnings": [one.as_document() for one in problems]} if problems else {}


def notes(problems: Sequence[Problem]) -> tuple[str, ...]:
    """Notes about hidden text for a result: some places, and how many more."""
    named = [f"Hidden text: {one.sentence()}." for one in problems[:NAMED]]
    if len(problems) > NAMED:
        places = counted(len(problems) - NAMED, "more place")
        named.append(f"Hidden text: {places} (all with --format json).")
    return tuple(named)


def _message(where: str, found: Sequence[str]) -> str:
    distinct = [f"U+{ord(one):04X}" for one in dict.fromkeys(found)]
    more = f" and {len(distinct) - NAMED} more" if len(distinct) > NAMED else ""
    named = ", ".join(distinct[:NAMED]) + more
    return f"the {where} has {counted(len(found), 'hidden character')}: {named}"
