"""``git status --short --untracked-files=all``: one line for each path.

Git's rules (git-status(1), "Short Format"): tracked paths first, then the untracked ones, each
group in byte order. A rename is listed under its new name, and an unmerged path shows which stages
exist. In the work tree, a repository in place of a file counts as modified, not as another type.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from git_zdev.evidence.filespec import FilePair

_UNMERGED = {
    frozenset({1}): b"DD",
    frozenset({2}): b"AU",
    frozenset({3}): b"UA",
    frozenset({1, 2}): b"UD",
    frozenset({1, 3}): b"DU",
    frozenset({2, 3}): b"AA",
    frozenset({1, 2, 3}): b"UU",
}
"""The two letters of an unmerged path, by the stages that the index holds for it."""


def short_status(
    staged: Iterable[FilePair],
    unstaged: Iterable[FilePair],
    stages: Mapping[bytes, frozenset[int]],
    untracked: Iterable[bytes],
) -> bytes:
    """The status, each line ended by a line feed.

    Args:
        staged: Changes from HEAD to the index, after rename detection.
        unstaged: Changes from the index to the work tree, after rename detection.
        stages: For every unmerged path the stages that exist.
        untracked: Untracked paths, a nested repository with a trailing slash.
    """
    left, sources = _letters(staged, stages)
    right, more_sources = _letters(unstaged, stages)
    sources.update(more_sources)
    right.update(
        (pair.new.path, b"M") for pair in unstaged if pair.new.is_gitlink and pair.old.exists
    )
    codes = {path: left.get(path, b" ") + right.get(path, b" ") for path in left.keys() | right}
    codes.update({path: _UNMERGED[present] for path, present in stages.items()})
    lines = [codes[path] + b" " + _name(path, sources.get(path)) for path in sorted(codes)]
    lines += [b"?? " + quote_for_status(path) for path in sorted(untracked)]
    return b"".join(line + b"\n" for line in lines)


def _letters(
    pairs: Iterable[FilePair], stages: Mapping[bytes, frozenset[int]]
) -> tuple[dict[bytes, bytes], dict[bytes, bytes]]:
    """The letter of each changed path, and the old names of renamed ones."""
    letters: dict[bytes, bytes] = {}
    sources: dict[bytes, bytes] = {}
    for pair in pairs:
        path = pair.new.path
        if path in stages:
            continue
        letters[path] = pair.letter
        if pair.is_rename:
            sources[path] = pair.old.path
    return letters, sources


def _name(path: bytes, source: bytes | None) -> bytes:
    name = quote_for_status(path)
    return name if source is None else quote_for_status(source) + b" -> " + name


_ESCAPES = {
    0x07: b"\\a",
    0x08: b"\\b",
    0x09: b"\\t",
    0x0A: b"\\n",
    0x0B: b"\\v",
    0x0C: b"\\f",
    0x0D: b"\\r",
    0x22: b'\\"',
    0x5C: b"\\\\",
}
_PLAIN = bytes(byte for byte in range(0x20, 0x7F) if byte not in _ESCAPES)


def is_plain(name: bytes) -> bool:
    """Whether Git prints the name without quotes."""
    return not name.translate(None, _PLAIN)


def quote(name: bytes, prefix: bytes = b"") -> bytes:
    """The name after a prefix (``a/``, ``b/`` or nothing), quoted as one word if necessary."""
    if is_plain(name):
        return prefix + name
    return b'"' + prefix + _escape(name) + b'"'


def quote_for_status(name: bytes) -> bytes:
    """The name as ``git status --short`` prints it, which also quotes names with a space."""
    if is_plain(name) and b" " in name:
        return b'"' + name + b'"'
    return quote(name)


def _escape(name: bytes) -> bytes:
    return b"".join(
        _ESCAPES.get(byte) or (b"%c" % byte if 0x20 <= byte < 0x7F else b"\\%03o" % byte)
        for byte in name
    )
