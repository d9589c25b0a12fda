"""The conditions of ``includeIf`` (git-config(1), "Conditional includes")."""

from __future__ import annotations

import os
import re

from git_zdev.git.read import files
from git_zdev.ground.errors import ZdevError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def git_dir_matches(
    pattern: str, git_dir: str, folder: str | None, *, ignore_case: bool = False
) -> bool:
    """Whether a Git directory is one that ``gitdir:<pattern>`` means.

    Args:
        pattern: The pattern, its ``~/`` expanded.
        git_dir: Absolute path of the work tree's own Git directory.
        folder: Where the file with the condition is; None on the command line.
        ignore_case: Whether it was ``gitdir/i``.
    """
    if pattern.startswith("./"):
        if folder is None:
            raise ZdevError(
                "invalid-git-config",
                f"the command line has an include condition with the relative path {pattern!r}",
                "Put the condition into a configuration file, or make the path absolute",
            )
        fixed, pattern = folder, pattern[1:]
    else:
        fixed = ""
        pattern = pattern if pattern.startswith("/") else f"**/{pattern}"
    expression = re.escape(fixed) + wildmatch(_open_ended(pattern))
    matches = re.compile(expression, re.DOTALL | (re.IGNORECASE if ignore_case else 0)).fullmatch
    return bool(matches(os.path.realpath(git_dir)) or matches(git_dir))


def branch_matches(pattern: str, git_dir: str) -> bool:
    """Whether the checked-out branch is one that ``onbranch:<pattern>`` means."""
    try:
        head = os.fsdecode(files.read(f"{git_dir}/HEAD"))
    except OSError:
        return False
    target = head.removeprefix("ref:").strip()
    if not head.startswith("ref:") or not target.startswith("refs/heads/"):
        return False
    expression = re.compile(wildmatch(_open_ended(pattern)), re.DOTALL)
    return bool(expression.fullmatch(target.removeprefix("refs/heads/")))


def any_url_matches(pattern: str, urls: Iterable[str]) -> bool:
    """Whether one of the remotes' URLs is what ``hasconfig:remote.*.url:<pattern>`` means."""
    expression = re.compile(wildmatch(pattern), re.DOTALL)
    return any(expression.fullmatch(url) for url in urls)


def _open_ended(pattern: str) -> str:
    return f"{pattern}**" if pattern.endswith("/") else pattern


def wildmatch(pattern: str, *, lowered: bool = False) -> str:
    """A path pattern as a regular expression.

    ``?``, ``*`` and brackets do not match a slash; ``**`` does when it fills a whole component
    (``**/`` at a component's start also matches nothing); a backslash takes the next character
    literally (gitignore(5)).

    Args:
        pattern: The pattern.
        lowered: Whether the text is in lower case because letter case does not count. Then a
            capital in a bracket matches only as a part of a range or a class, as in Git.
    """
    parts: list[str] = []
    at = 0
    while at < len(pattern):
        char = pattern[at]
        if char == "*":
            end = at + len(pattern[at:]) - len(pattern[at:].lstrip("*"))
            whole = end - at > 1 and pattern[at - 1 : at] in ("", "/")
            if whole and pattern[end : end + 1] == "/":
                parts.append("(?:.*/)?")
                end += 1
            else:
                parts.append(".*" if whole and end == len(pattern) else "[^/]*")
            at = end
        elif char == "[":
            text, at = _bracket(pattern, at, lowered=lowered)
            parts.append(text)
        else:
            if char == "\\" and at + 1 < len(pattern):
                at += 1
            literal = re.escape(pattern[at].lower() if lowered else pattern[at])
            parts.append("[^/]" if char == "?" else literal)
            at += 1
    return "".join(parts)


def _bracket(pattern: str, at: int, *, lowered: bool) -> tuple[str, int]:
    """A bracket expression as one of ours, and the offset after it.

    An unclosed one and one with an unknown class match nothing, nor does a range that runs
    backwards.
    """
    end = at + 1
    negated = pattern[end : end + 1] in ("!", "^") and end < len(pattern)
    end += negated
    parts: list[str] = []
    first, before = end, ""
    while end < len(pattern) and (pattern[end] != "]" or end == first):
        if pattern.startswith("[:", end) and (close := pattern.find(":]", end)) > 0:
            known = _CLASSES.get(pattern[end + 2 : close])
            if known is None:
                return "(?!)", len(pattern)
            parts.append("a-z" if lowered and "A-Z" in known else known)
            before, end = "", close + 2
        elif before and pattern[end] == "-" and pattern[end + 1 : end + 2] not in ("", "]"):
            last, end = _literal(pattern, end + 1)
            parts += _range(before, last, lowered=lowered)
            before = ""
        else:
            before, end = _literal(pattern, end)
            parts.append(re.escape(before))
    if end >= len(pattern):
        return "(?!)", end
    if not parts:
        return "[^/]" if negated else "(?!)", end + 1
    return f"(?!/)[{'^' if negated else ''}{''.join(parts)}]", end + 1


def _range(first: str, last: str, *, lowered: bool) -> Iterator[str]:
    if first <= last:
        yield f"{re.escape(first)}-{re.escape(last)}"
        low, high = max(first, "A"), min(last, "Z")
        if lowered and low <= high:
            yield f"{low}-{high}".lower()


def _literal(pattern: str, at: int) -> tuple[str, int]:
    """The character at an offset, after a backslash if there is one, and the offset after it."""
    at += pattern[at] == "\\" and at + 1 < len(pattern)
    return pattern[at], at + 1


_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": " \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\s",
    "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}
