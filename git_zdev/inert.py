r"""Text that can do nothing to a terminal and hide nothing from a reader.

Text from records, from Git and from other people passes :func:`escape` on its way to a screen;
JSON passes :func:`escape_json`, which leaves the decoded value as it is.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

_HIDING = "\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
"""DEL, C1 controls, bidirectional controls, zero-width characters, line separators."""

HOSTILE = f"[\x00-\x08\x0b-\x1f{_HIDING}\ud800-\udfff]"
"""A pattern for what text output never shows raw: the above, and every C0 control but tab and line
feed. Patterns are compiled when a text first needs them: most texts are all printable."""

HOSTILE_IN_JSON = f"[{_HIDING}\ud800-\udfff]"
"""A pattern for what Python's JSON leaves raw in a string and the program escapes all the same."""


def escape(text: str) -> str:
    r"""Show what would act on a terminal or hide as ``\x1b`` or ``\u202e``."""
    if text.replace("\n", "").replace("\t", "").isprintable():
        return text
    import re

    return re.sub(HOSTILE, _visible, text)


def without_styles(text: str) -> str:
    """Text that the program styled for a terminal, without the styles."""
    import re

    return re.sub("\x1b\\[[0-9;]*m", "", text)


def escape_json(text: str) -> str:
    r"""Write hiding characters of a JSON text as ``\uXXXX``."""
    if text.isascii() and "\x7f" not in text:
        return text
    if text.replace("\n", "").isprintable():
        return text
    import re

    return re.sub(HOSTILE_IN_JSON, lambda match: f"\\u{ord(match[0]):04x}", text)


def _visible(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
