"""The conditions of ``includeIf`` (git-config(1), "Conditional includes")."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from git_zdev.errors import ZdevError

if TYPE_CHECKING:
    from collections.abc import Iterable


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
        with open(f"{git_dir}/HEAD", "rb") as file:
            head = os.fsdecode(file.read())
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


def wildmatch(pattern: str) -> str:
    """A path pattern as a regular expression.

    ``?``, ``*`` and brackets do not match a slash; ``**`` does when it fills a whole component
    (``**/`` at a component's start also matches nothing); a backslash takes the next character
    literally (gitignore(5)).
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
            text, at = _bracket(pattern, at)
            parts.append(text)
        else:
            if char == "\\" and at + 1 < len(pattern):
                at += 1
            parts.append("[^/]" if char == "?" else re.escape(pattern[at]))
            at += 1
    return "".join(parts)


def _bracket(pattern: str, at: int) -> tuple[str, int]:
    """A bracket expression as one of ours, and the offset behind it; unclosed matches nothing."""
    end = at + 1
    negated = pattern[end : end + 1] in ("!", "^") and end < len(pattern)
    end += negated
    parts: list[str] = []
    first = end
    while end < len(pattern) and (pattern[end] != "]" or end == first):
        if pattern.startswith("[:", end) and (close := pattern.find(":]", end)) > 0:
            parts.append(_CLASSES.get(pattern[end + 2 : close], ""))
            end = close + 2
            continue
        if pattern[end] == "\\" and end + 1 < len(pattern):
            end += 1
            parts.append(re.escape(pattern[end]))
        else:
            parts.append("-" if pattern[end] == "-" else re.escape(pattern[end]))
        end += 1
    if end >= len(pattern):
        return "(?!)", end
    return f"(?!/)[{'^' if negated else ''}{''.join(parts)}]", end + 1


_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": " \t",
    "digit": "0-9",
    "lower": "a-z",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\s",
    "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}
