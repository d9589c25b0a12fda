r"""Strict JSON, in and out: what the program prints, stores and accepts.

Output is UTF-8, indented by two spaces, with one final line feed. Characters that act on a terminal
or hide text (the table of :mod:`git_zdev.ground.inert`, the same under every Python) are written as
``\uXXXX``; the decoded value is the same. Input must be one object of RFC 8259 and nothing else:
duplicate keys, ``NaN``, lone surrogates, a byte order mark and text after the value are problems,
and size and nesting are bounded before anything recursive runs.

The standard module is loaded only for cases that :mod:`git_zdev.fast.json` does not handle.
"""

from __future__ import annotations

from git_zdev import fast
from git_zdev.fast import json as fast_json
from git_zdev.ground.errors import InvalidInput, Problem, summary_of
from git_zdev.ground.inert import escape_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from json import JSONDecodeError
    from typing import Any, NoReturn

DEFAULT_SIZE_LIMIT = 8 * 1024 * 1024
DEFAULT_DEPTH_LIMIT = 32

_SURROGATE_ESCAPE = r"\ud"
"""The only source of a lone surrogate in a decoded string: an escape, because UTF-8 has none."""


def encode(document: Any, *, sort_keys: bool = False) -> bytes:
    """Render a JSON value as the bytes that the program prints.

    Args:
        document: Dictionaries, lists or tuples, strings, integers, booleans and None.
        sort_keys: Sort the keys of every object, at every depth.

    Returns:
        UTF-8 bytes, indented by two spaces, with one final line feed.
    """
    if fast.OFF:
        import json

        text = json.dumps(
            document, indent=2, ensure_ascii=False, allow_nan=False, sort_keys=sort_keys
        )
    else:
        text = fast_json.indented(document, sort_keys=sort_keys)
    return escape_json(text).encode() + b"\n"


def encode_compact(document: Any) -> bytes:
    """Render a JSON value without white space and final line feed, keys in their order."""
    if fast.OFF:
        import json

        text = json.dumps(document, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        return text.encode()
    return fast_json.compact(document).encode()


def loads(
    text: str,
    *,
    object_pairs_hook: Callable[[list[tuple[str, Any]]], Any] | None = None,
    parse_constant: Callable[[str], Any] = float,
) -> Any:
    """Read JSON as ``json.loads`` does, with the same errors."""
    if not fast.OFF:
        try:
            return fast_json.loads(text, object_pairs_hook, parse_constant)
        except fast_json.NotPlain:
            pass  # not JSON; the standard module says why
    import json

    return json.loads(text, object_pairs_hook=object_pairs_hook, parse_constant=parse_constant)


def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object that the pairs of a JSON text make; a hook for :func:`loads`.

    Raises:
        ValueError: A key appears twice.
    """
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key appears twice in one object")
    return value


def decode_object(
    data: bytes,
    *,
    code: str,
    what: str,
    hint: str = "",
    size_limit: int = DEFAULT_SIZE_LIMIT,
    depth_limit: int = DEFAULT_DEPTH_LIMIT,
) -> dict[str, Any]:
    """Read one JSON object from outside.

    Args:
        data: The whole input.
        code: Code of the error for input that cannot be read.
        what: The input's name in messages, such as ``task bundle``.
        hint: What to do about input that cannot be read.
        size_limit: The most bytes that are accepted.
        depth_limit: The deepest nesting of arrays and objects that is accepted.

    Returns:
        The object, with keys in the order of the input.

    Raises:
        InvalidInput: With ``code``, for every kind of unreadable input. Duplicate keys, ``NaN``,
            infinities and lone surrogates are reported together, each with its JSON pointer.
    """
    reader = _Reader(code, what, hint)
    if len(data) > size_limit:
        reader.refuse(f"the input has {len(data)} bytes, more than the limit of {size_limit}")
    text = reader.text(data)
    reader.require_depth(text, depth_limit)
    return reader.object(text)


class _Reader:
    """One reading of one input; collects all problems that can be reported together."""

    def __init__(self, code: str, what: str, hint: str) -> None:
        self._code = code
        self._what = what
        self._hint = hint
        self._repeated: dict[int, tuple[dict[str, Any], dict[str, None]]] = {}
        self._constants: dict[int, _NoNumber] = {}

    def refuse(self, message: str, line: int | None = None) -> NoReturn:
        problem = Problem(self._code, message, line=line)
        said = f"the {self._what} cannot be read: {message}"
        raise InvalidInput(self._code, said, [problem], self._hint)

    def text(self, data: bytes) -> str:
        if data.startswith(b"\xef\xbb\xbf"):
            self.refuse("it starts with a byte order mark")
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            self.refuse(f"byte {error.start} on line {line} is not valid UTF-8", line)

    def require_depth(self, text: str, limit: int) -> None:
        """Refuse nesting beyond ``limit`` before anything recursive reads the text.

        Strings are skipped. In text that is not JSON the count can be wrong, but the parser refuses
        such text at its first error.
        """
        if text.count("[") + text.count("{") <= limit:
            return
        import re

        depth = 0
        for match in re.finditer(r'"(?:[^"\\]|\\.)*+"?|[\[\]{}]', text, re.DOTALL):
            token = match[0]
            if token in {"[", "{"}:
                depth += 1
                if depth > limit:
                    self.refuse(f"it is nested deeper than {limit} levels")
            elif token in {"]", "}"}:
                depth -= 1

    def object(self, text: str) -> dict[str, Any]:
        try:
            value = loads(text, object_pairs_hook=self._object, parse_constant=self._constant)
        except ValueError as error:
            from json import JSONDecodeError

            if isinstance(error, JSONDecodeError):
                self.refuse(_syntax(error), error.lineno)
            self.refuse(str(error))  # an integer literal beyond Python's digit limit
        if not isinstance(value, dict):
            self.refuse("it is not a single JSON object")
        if self._repeated or self._constants or may_hold_surrogates(text):
            problems = [*self._problems_in(value, ""), *self._unplaced()]
            if problems:
                message = f"the {self._what} is not acceptable JSON: {summary_of(problems)}"
                raise InvalidInput(self._code, message, problems, self._hint)
        return value

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value: dict[str, Any] = {}
        for key, item in pairs:
            if key in value:
                self._repeated.setdefault(id(value), (value, {}))[1][key] = None
            value[key] = item
        return value

    def _constant(self, name: str) -> _NoNumber:
        constant = _NoNumber(name)
        self._constants[id(constant)] = constant
        return constant

    def _problems_in(self, value: Any, pointer: str) -> Iterator[Problem]:
        """The problems in the decoded value, each with its place, in the order of the input."""
        if isinstance(value, str):
            if _has_surrogate(value):
                yield Problem(self._code, "the string holds a lone surrogate", pointer=pointer)
        elif isinstance(value, dict):
            _, repeated = self._repeated.pop(id(value), (value, {}))
            for key, item in value.items():
                below = f"{pointer}/{escape_pointer(key)}"
                if _has_surrogate(key):
                    yield Problem(self._code, "the key holds a lone surrogate", pointer=below)
                if key in repeated:
                    yield Problem(self._code, "the key appears twice in one object", pointer=below)
                yield from self._problems_in(item, below)
        elif isinstance(value, list):
            for position, item in enumerate(value):
                yield from self._problems_in(item, f"{pointer}/{position}")
        elif isinstance(value, _NoNumber):
            self._constants.pop(id(value))
            yield Problem(self._code, f"{value.name} is not a JSON number", pointer=pointer)

    def _unplaced(self) -> Iterator[Problem]:
        """Problems only in values that a later duplicate of their key replaced."""
        for _, keys in self._repeated.values():
            for key in keys:
                yield Problem(self._code, f'the key "{key}" appears twice in one object')
        for constant in self._constants.values():
            yield Problem(self._code, f"{constant.name} is not a JSON number")


class _NoNumber:
    """``NaN`` or an infinity, until its place is known."""

    def __init__(self, name: str) -> None:
        self.name = name


def _syntax(error: JSONDecodeError) -> str:
    what = "more text follows the value" if error.msg == "Extra data" else error.msg
    return f"line {error.lineno} column {error.colno}: {what}"


def may_hold_surrogates(text: str) -> bool:
    """Whether a string of JSON text can contain a lone surrogate once it is decoded."""
    return _SURROGATE_ESCAPE in text.lower()


def _has_surrogate(text: str) -> bool:
    return not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text)


def escape_pointer(key: str) -> str:
    """One reference token of a JSON pointer (RFC 6901, section 3)."""
    return key.replace("~", "~0").replace("/", "~1")
