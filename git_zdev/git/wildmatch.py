r"""Git's path patterns (gitignore(5), "PATTERN FORMAT"; git-config(1), "Conditional includes").

``?``, ``*`` and brackets do not match a slash; ``**`` does if it fills a whole component, and
``**/`` at a component's start also matches nothing. A backslash takes the next character literally;
at the end of a pattern it never matches. An unclosed bracket never matches, nor does one with an
unknown class.

A match takes time in proportion to the length of the pattern times that of the name, whatever the
pattern: between two stars the first place that fits is as good as any later one, in a component and
among components alike, so nothing is ever tried again.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Test = Callable[[bytes], bool]

_Token = bytes | frozenset[int]
"""One byte of a name: the byte itself, or the bytes that fit."""

_STAR = b""
"""In place of a token: any number of bytes other than a slash."""

_ANY = frozenset(range(256))
_LETTERS = frozenset(b"abcdefghijklmnopqrstuvwxyz")
_CAPITALS = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_DIGITS = frozenset(b"0123456789")
_GRAPH = frozenset(range(0x21, 0x7F))
_CLASSES = {
    b"alnum": _LETTERS | _CAPITALS | _DIGITS,
    b"alpha": _LETTERS | _CAPITALS,
    b"blank": frozenset(b" \t"),
    b"cntrl": frozenset({*range(0x20), 0x7F}),
    b"digit": _DIGITS,
    b"graph": _GRAPH,
    b"lower": _LETTERS,
    b"print": _GRAPH | {0x20},
    b"punct": _GRAPH - _LETTERS - _CAPITALS - _DIGITS,
    b"space": frozenset(b" \t\n\r"),
    b"upper": _CAPITALS,
    b"xdigit": _DIGITS | frozenset(b"abcdefABCDEF"),
}


def wildmatch(pattern: bytes, *, folded: bool = False) -> Test:
    """A test of names.

    Args:
        pattern: The pattern.
        folded: Whether letter case does not count. The names must be in lower case then. As in Git,
            a capital after a backslash matches nothing, and one in a bracket only as part of a
            range or of a class.
    """
    components = _components(pattern, folded=folded)
    if components is None:
        return _never
    if len(components) == 1 and isinstance(components[0], _Component):
        matches = components[0].matches
        return lambda name: b"/" not in name and matches(name)
    return _Path(components).matches


def _never(_name: bytes) -> bool:
    return False


class _Deep:
    """``**`` as a whole component.

    Attributes:
        least: How many components of a name it matches at least.
    """

    def __init__(self, least: int) -> None:
        self.least = least


class _Path:
    """Components of a pattern; runs of them between two ``**`` have a fixed length."""

    def __init__(self, components: Sequence[_Component | _Deep]) -> None:
        self._runs: list[list[_Component]] = [[]]
        self._least: list[int] = []
        for component in components:
            if isinstance(component, _Component):
                self._runs[-1].append(component)
            else:
                self._least.append(component.least)
                self._runs.append([])

    def matches(self, name: bytes) -> bool:
        """Whether the pattern matches all of a name."""
        parts = name.split(b"/")
        first, *others = self._runs
        if not others:
            return len(first) == len(parts) and _fits(first, parts, 0)
        if len(first) > len(parts) or not _fits(first, parts, 0):
            return False
        at = len(first)
        *middle, last = others
        for run, least in zip(middle, self._least, strict=False):
            at += least
            while not _fits(run, parts, at):
                at += 1
                if at + len(run) > len(parts):
                    return False
            at += len(run)
        end = len(parts) - len(last)
        return at + self._least[-1] <= end and _fits(last, parts, end)


def _fits(run: Sequence[_Component], parts: Sequence[bytes], at: int) -> bool:
    return at + len(run) <= len(parts) and all(
        component.matches(parts[at + number]) for number, component in enumerate(run)
    )


class _Component:
    """One component of a pattern: fixed pieces with stars between them."""

    def __init__(self, tokens: Sequence[_Token]) -> None:
        pieces: list[list[_Token]] = [[]]
        for token in tokens:
            if token == _STAR:
                pieces.append([])
            else:
                pieces[-1].append(token)
        self._first, *self._others = map(_Piece, pieces)

    def matches(self, part: bytes) -> bool:
        """Whether it matches all of one component of a name."""
        at, size = self._first.size, len(part)
        if not self._others:
            return at == size and self._first.fits(part, 0)
        end = size - self._others[-1].size
        if at > end or not self._first.fits(part, 0) or not self._others[-1].fits(part, end):
            return False
        for piece in self._others[:-1]:
            at = piece.find(part, at, end)
            if at < 0:
                return False
            at += piece.size
        return True


class _Piece:
    """Tokens without a star.

    Attributes:
        size: How many bytes they match.
    """

    def __init__(self, tokens: Sequence[_Token]) -> None:
        self.size = len(tokens)
        self._tokens = tokens
        literal = [token for token in tokens if isinstance(token, bytes)]
        self._literal = b"".join(literal) if len(literal) == self.size else None

    def fits(self, part: bytes, at: int) -> bool:
        """Whether they match at an offset at which there are enough bytes."""
        if self._literal is not None:
            return part.startswith(self._literal, at)
        return all(part[at + number] in token for number, token in enumerate(self._tokens))

    def find(self, part: bytes, at: int, end: int) -> int:
        """The first offset of a match between two others, -1 without one."""
        if self._literal is not None:
            return part.find(self._literal, at, end)
        return next((n for n in range(at, end - self.size + 1) if self.fits(part, n)), -1)


def _components(pattern: bytes, *, folded: bool) -> list[_Component | _Deep] | None:
    """The components of a pattern; None if it can match nothing."""
    found: list[_Component | _Deep] = []
    tokens: list[_Token] = []
    at, begins = 0, True
    while at < len(pattern):
        byte = pattern[at : at + 1]
        if byte == b"*":
            end = len(pattern) - len(pattern[at:].lstrip(b"*"))
            follows = pattern[end : end + 2]
            if end - at > 1 and begins and (follows[:1] in (b"", b"/") or follows == b"\\/"):
                found.append(_Deep(0 if follows[:1] == b"/" else 1))
                at = end + len(follows.partition(b"/")[0]) + 1
                if not follows:
                    return found
                continue
            tokens.append(_STAR)
            at = end
        elif byte == b"[":
            bracket = _bracket(pattern, at + 1, folded=folded)
            if bracket is None:
                return None
            token, at = bracket
            tokens.append(token)
        elif byte == b"?":
            tokens.append(_ANY)
            at += 1
        else:
            escaped = byte == b"\\"
            literal = pattern[at + 1 : at + 2] if escaped else byte.lower() if folded else byte
            if not literal:
                return None
            at += 1 + escaped
            if literal == b"/":
                found.append(_Component(tokens))
                tokens, begins = [], True
                continue
            tokens.append(literal)
        begins = False
    return [*found, _Component(tokens)]


def _bracket(pattern: bytes, at: int, *, folded: bool) -> tuple[frozenset[int], int] | None:
    """The bytes that a bracket expression matches, and the offset after it; None without an end.

    A ``]`` that comes first is one of the bytes, and so is ``[:`` if ``:`` does not precede the
    next ``]``.
    """
    negated = pattern[at : at + 1] in (b"!", b"^")
    at += negated
    matched: set[int] = set()
    first, before = at, -1
    while at < len(pattern) and (pattern[at] != 0x5D or at == first):
        if pattern.startswith(b"[:", at):
            end = pattern.find(b"]", at + 2)
            if end < 0:
                return None
            if end > at + 2 and pattern[end - 1] == 0x3A:
                named = _CLASSES.get(pattern[at + 2 : end - 1])
                if named is None:
                    return None
                matched |= named
                if folded and named == _CAPITALS:
                    matched |= _LETTERS
                at, before = end + 1, -1
                continue
        ranged = pattern[at] == 0x2D and before > 0 and pattern[at + 1 : at + 2] not in (b"", b"]")
        at += ranged
        at += pattern[at] == 0x5C
        if at >= len(pattern):
            return None
        if ranged:
            matched |= _range(before, pattern[at], folded=folded)
            before = -1
        else:
            before = pattern[at]
            matched.add(before)
        at += 1
    if at >= len(pattern):
        return None
    return (_ANY - matched if negated else frozenset(matched)), at + 1


def _range(first: int, last: int, *, folded: bool) -> set[int]:
    found = set(range(first, last + 1))
    if folded:
        found.update(capital + 32 for capital in _CAPITALS & found)
    return found
