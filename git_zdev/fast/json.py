"""JSON written and read by the C functions behind ``json``, without that module.

The module also loads regular expressions, and both cost more than most commands. Its C functions
can be used alone: they write a string, and read text that is JSON.
"""

from __future__ import annotations

try:
    from _json import encode_basestring, make_scanner
except ImportError:  # another Python may have them elsewhere
    from json.encoder import encode_basestring
    from json.scanner import make_scanner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_BLANK = " \t\n\r"


class NotPlain(Exception):
    """The text is not JSON; the full way says why."""


def indented(value: Any, *, sort_keys: bool, margin: str = "\n") -> str:
    """A value as ``json.dumps`` indents it by two spaces, with ``ensure_ascii`` off.

    Args:
        value: The value.
        sort_keys: Sort the keys of every object, at every depth.
        margin: The line feed and the indentation of the value's last line.
    """
    inner = f"{margin}  "
    if isinstance(value, dict) and value:
        pairs = sorted(value.items()) if sort_keys else value.items()
        members = [
            f"{encode_basestring(key)}: {encode_basestring(item)}"
            if isinstance(item, str)
            else f"{encode_basestring(key)}: {indented(item, sort_keys=sort_keys, margin=inner)}"
            for key, item in pairs
        ]
        return f"{{{inner}{f',{inner}'.join(members)}{margin}}}"
    if isinstance(value, list | tuple) and value:
        items = [indented(item, sort_keys=sort_keys, margin=inner) for item in value]
        return f"[{inner}{f',{inner}'.join(items)}{margin}]"
    return "{}" if value == {} else "[]" if value in ([], ()) else _scalar(value)


def compact(value: Any) -> str:
    """A value as ``json.dumps`` writes it without white space."""
    if isinstance(value, dict):
        members = (f"{encode_basestring(key)}:{compact(item)}" for key, item in value.items())
        return f"{{{','.join(members)}}}"
    if isinstance(value, list | tuple):
        return f"[{','.join(map(compact, value))}]"
    return _scalar(value)


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        return encode_basestring(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if type(value) is int:
        return str(value)
    import json  # raises the error for a value that is not JSON

    return json.dumps(value, ensure_ascii=False, allow_nan=False)


class _Scanning:
    """The attributes of a decoder that the C scanner needs."""

    strict = True
    object_hook = None
    parse_float = float
    parse_int = int

    def __init__(self, object_pairs_hook: Any, parse_constant: Any) -> None:
        self.object_pairs_hook = object_pairs_hook
        self.parse_constant = parse_constant


def loads(
    text: str,
    object_pairs_hook: Callable[[list[tuple[str, Any]]], Any] | None,
    parse_constant: Callable[[str], Any],
) -> Any:
    """Read JSON as ``json.loads`` does.

    Raises:
        NotPlain: The text is not one JSON value.
    """
    start = len(text) - len(text.lstrip(_BLANK))
    decoder: Any = _Scanning(object_pairs_hook, parse_constant)
    try:
        value, end = make_scanner(decoder)(text, start)
    except (AttributeError, StopIteration, SystemError, ValueError):
        # without ``json.decoder`` the scanner has no error of its own to raise
        raise NotPlain from None
    if text[end:].strip(_BLANK):
        raise NotPlain
    return value
