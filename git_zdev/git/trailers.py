"""The trailer block of a commit message, as git-interpret-trailers(1) finds it.

It is the last paragraph of a message that has a paragraph before it, when every line is a
trailer or the continuation of one, or when at least one line is a trailer that Git itself writes
and at least a quarter of the lines are trailers. A trailer is ``Token: value``; the token holds
letters, digits and hyphens, and may have blanks after it; lines that start with a blank continue
the value. What ``git commit --verbose`` adds below its scissors line, comment lines and a
``Conflicts:`` block at the end are not part of the message.
"""

from __future__ import annotations

_GIT_WRITES = ("Signed-off-by: ", "(cherry picked from commit ")
_BLANK = " \t\r\v\f"
_SCISSORS = "# ------------------------ >8 ------------------------"


def parse(message: str) -> list[tuple[str, str]]:
    """The trailers of a message: token and value, continuation lines joined with a space.

    Nothing continues after a comment line.
    """
    lines = _body(message)
    start = _block_start(lines)
    found: list[tuple[str, str]] = []
    continuing = False
    for line in lines[start:]:
        if line.startswith((" ", "\t")) and continuing:
            name, value = found[-1]
            found[-1] = (name, f"{value} {line.strip(_BLANK)}".strip())
            continue
        token = _token(line)
        continuing = token is not None
        if token is not None:
            found.append((token, line.partition(":")[2].strip(_BLANK)))
    return found


def values(message: str, token: str) -> list[str]:
    """The values of every trailer with this token; letter case does not matter."""
    wanted = token.lower()
    return [value for name, value in parse(message) if name.lower() == wanted]


def append(message: str, token: str, value: str) -> str:
    """The message with one trailer more: in its trailer block, or in a new one at the end.

    Args:
        message: A message without comments.
        token: Letters, digits and hyphens.
        value: One line.

    Returns:
        The message, with one line end at its end.
    """
    text = message.rstrip(_BLANK + "\n")
    lines = text.split("\n")
    gap = "\n" if _block_start(lines) < len(lines) else "\n\n"
    return f"{text}{gap}{token}: {value}\n"


def _body(message: str) -> list[str]:
    """The lines of a message up to what Git leaves out at its end."""
    lines = message.split("\n")
    if _SCISSORS in lines:
        del lines[lines.index(_SCISSORS) :]
    end = 0
    in_conflicts = False
    for number, line in enumerate(lines, 1):
        in_conflicts = line == "Conflicts:" or (in_conflicts and _may_trail(line, in_conflicts))
        if not in_conflicts and not _may_trail(line, in_conflicts):
            end = number
    return lines[:end]


def _may_trail(line: str, in_conflicts: bool) -> bool:
    """Whether a line at the end of a message is not a part of it."""
    return not line or line.startswith("#") or (in_conflicts and line.startswith("\t"))


def _block_start(lines: list[str]) -> int:
    """Index of the block's first line; the number of lines when there is no block."""
    none = len(lines)
    title_end = _title_end(lines)
    trailers = others = open_ended = 0
    written_by_git = False
    for index in range(none - 1, title_end - 1, -1):
        line = lines[index]
        if line.startswith("#"):
            others, open_ended = others + open_ended, 0
        elif not line.strip(_BLANK):
            if not (trailers or others or open_ended):
                continue
            others += open_ended
            mixed = written_by_git and trailers * 3 >= others
            return index + 1 if mixed or (trailers and not others) else none
        elif line.startswith(_GIT_WRITES) or _token(line) is not None:
            written_by_git = written_by_git or line.startswith(_GIT_WRITES)
            trailers, open_ended = trailers + 1, 0
        elif line.startswith((" ", "\t")):
            open_ended += 1
        else:
            others, open_ended = others + 1 + open_ended, 0
    return none


def _title_end(lines: list[str]) -> int:
    """Index of the blank line after the first paragraph."""
    for index, line in enumerate(lines):
        if not line.startswith("#") and not line.strip(_BLANK):
            return index
    return len(lines)


def _token(line: str) -> str | None:
    """The token of a trailer line."""
    before, colon, _ = line.partition(":")
    token = before.rstrip(" \t")
    if not colon or not token or not token.isascii():
        return None
    return token if token.replace("-", "a").isalnum() else None
