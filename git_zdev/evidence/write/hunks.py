"""The hunks of a textual diff, with Git's hunk headers.

libgit2 finds the hunks (Myers, indent heuristic, three lines of context); the text behind the
second ``@@`` is the nearest line before the hunk that opens a function, cut at 80 bytes and at
the first byte that is no UTF-8.
"""

from __future__ import annotations

from git_zdev.evidence.rules.userdiff import usual_function_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from git_zdev.evidence.rules.userdiff import FunctionLine

_HEADER_BUFFER = 128


def with_functions(patch: bytes, old: bytes, function_line: FunctionLine | None) -> bytes:
    """The hunks of libgit2's patch, each header with Git's function text.

    Args:
        patch: libgit2's patch, its file header included.
        old: The content before, in which functions are looked for.
        function_line: The driver's test, None for the usual one.
    """
    test = function_line or usual_function_line
    lines = old.splitlines(keepends=True) if b"\r" not in old else _lines(old)
    function = b""
    searched = 0
    out = []
    for ranges, start, body in _hunks(patch):
        for position in range(start - 1, searched - 1, -1):
            found = test(lines[position])
            if found is not None:
                function = found
                break
        searched = max(searched, start)
        out += [_header(ranges, function), body]
    return b"".join(out)


def _hunks(patch: bytes) -> Iterator[tuple[bytes, int, bytes]]:
    """Each hunk: ``@@ … @@``, how many old lines stand before it, and the lines below."""
    for hunk in (b"\n" + patch).split(b"\n@@ -")[1:]:
        header, _, body = hunk.partition(b"\n")
        ranges = header[: header.index(b" @@")]
        first, _, count = ranges[: ranges.index(b" ")].partition(b",")
        before = int(first) - (count != b"0")
        yield b"@@ -" + ranges + b" @@", before, body if body.endswith(b"\n") else body + b"\n"


def _header(ranges: bytes, function: bytes) -> bytes:
    if not function:
        return ranges + b"\n"
    text = function[: _HEADER_BUFFER - len(ranges) - 2]
    return ranges + b" " + valid_prefix(text) + b"\n"


def valid_prefix(text: bytes) -> bytes:
    """What stands before the first byte that is no UTF-8 (nor one of two noncharacters)."""
    if text.isascii():
        return text
    try:
        decoded = text.decode("utf-8")
    except UnicodeDecodeError as error:
        decoded = text[: error.start].decode("utf-8")
    for noncharacter in ("\ufffe", "\uffff"):
        decoded = decoded.partition(noncharacter)[0]
    return decoded.encode("utf-8")


def _lines(data: bytes) -> list[bytes]:
    lines = [line + b"\n" for line in data.split(b"\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines
