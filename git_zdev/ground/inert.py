r"""Text that cannot act on a terminal or hide anything from a reader.

Text from records, from Git and from other people passes :func:`escape` on its way to a screen;
JSON passes :func:`escape_json`, which does not change the decoded value. Both write characters
without a glyph of their own by number: the categories Cc, Cf, Cs, Co, Zl and Zp, characters with
Default_Ignorable_Code_Point, the noncharacters of the first plane, and the blank pattern of
Braille.

The table below defines these, not the Unicode version of the running Python: the same text gives
the same bytes everywhere, as stored reviews and work contexts require. The table is that of Unicode
18.0 and holds for every version since 15.0; it includes the ranges reserved for later default
ignorables.

A few of these characters have a function between others. In text, though not in JSON, they are kept
where they have it:

- a joiner after a virama, or the zero width joiner before one (RFC 5892, appendix A.1 and A.2;
  UAX #31; the Unicode Standard, chapter 12, on ya-phalaa and Sinhala's touching letters);
- the zero width non-joiner between letters of a script that is written joined (RFC 5892, appendix
  A.1, simplified: the forms in which the letters join are ignored);
- a variation selector after a pictograph or in a keycap, the zero width joiner between two
  pictographs, and the tags of the flags of England, Scotland and Wales (UTS #51).

A character written by number looks like the same letters and digits in the text itself;
:func:`unseen` and JSON distinguish them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

_IN_PLANE = (
    "\x7f-\x9f"  # DEL, C1 controls
    "\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb"  # Cf, Zl, Zp
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2065\u3164\ufe00-\ufe0f\uffa0"
    "\ufff0-\ufff8"  # other default ignorables, and the range reserved for more
    "\u2800\ud800-\udfff\ue000-\uf8ff\ufdd0-\ufdef\ufffe\uffff"
)
_BEYOND = (
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # Cf
    "\U000e0000-\U000e0fff"  # default ignorables: tags, variation selectors, and room for more
    "\U000f0000-\U0010ffff"  # private use
)
"""The table: the Basic Multilingual Plane, and what lies beyond it."""

_PRINTABLE = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2065\u2800\u3164\uffa0"
).union(map(chr, (*range(0xFE00, 0xFE10), *range(0xFFF0, 0xFFF9), *range(0xE0100, 0xE01F0))))
"""Characters of the table that Python calls printable, now or with a later Unicode."""

_LONG = 100_000
"""From this many characters on, loading regular expressions costs less than avoiding them."""

_VIRAMA = "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca"
_INDIC = "\u0900-\u0dff"
"""Devanagari to Sinhala; joiners affect their viramas."""

_JOINED = (
    "\u0620-\u064a\u066e\u066f\u0671-\u06d3\u06d5\u06ee\u06ef\u06fa-\u06fc\u06ff\u0750-\u077f"
    "\u0870-\u0887\u0889-\u088e\u08a0-\u08c9\u0710\u0712-\u072f\u074d-\u074f\u07ca-\u07ea"
)
"""Letters of Arabic, Syriac and N'Ko."""

_POINTS = (
    "\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07eb-\u07f3"
)
"""Marks that can come between such a letter and a non-joiner."""

_PICTOGRAPH = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u2199\u21a9\u21aa\u231a\u231b\u2328\u23cf"
    "\u23e9-\u23f3\u23f8-\u23fa\u24c2\u25aa\u25ab\u25b6\u25c0\u25fb-\u25fe\u2600-\u2604\u260e\u2611"
    "\u2614\u2615\u2618\u261d\u2620\u2622\u2623\u2626\u262a\u262e\u262f\u2638-\u263a\u2640\u2642"
    "\u2648-\u2653\u265f\u2660\u2663\u2665\u2666\u2668\u267b\u267e\u267f\u2692-\u2697\u2699\u269b"
    "\u269c\u26a0\u26a1\u26a7\u26aa\u26ab\u26b0\u26b1\u26bd\u26be\u26c4\u26c5\u26c8\u26ce\u26cf"
    "\u26d1\u26d3\u26d4\u26e9\u26ea\u26f0-\u26f5\u26f7-\u26fa\u26fd\u2702\u2705\u2708-\u270d\u270f"
    "\u2712\u2714\u2716\u271d\u2721\u2728\u2733\u2734\u2744\u2747\u274c\u274e\u2753-\u2755\u2757"
    "\u2763\u2764\u2795-\u2797\u27a1\u27b0\u27bf\u2934\u2935\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff"
)
"""Emoji with Extended_Pictographic; beyond the first plane, their blocks with room for new ones,
without flag letters and skin colours."""

_SKIN = "\U0001f3fb-\U0001f3ff"
_FLAG = "\U0001f3f4\U000e0067"
_FLAG_ENDS = "|".join(
    "".join(chr(0xE0000 + ord(letter)) for letter in name) + "\U000e007f"
    for name in ("beng", "bsct", "bwls")
)

_AT_WORK = "|".join(
    (
        f"(?<=[{_INDIC}][{_VIRAMA}][\u200c\u200d])",
        f"(?<=[{_INDIC}]\u200d)(?=[{_VIRAMA}])",
        f"(?<=[{_JOINED}{_POINTS}]\u200c)(?=[{_JOINED}])",
        f"(?<=[{_PICTOGRAPH}][\ufe0e\ufe0f])",
        "(?<=[0-9#*]\ufe0f)(?=\u20e3)",
        f"(?<=[{_PICTOGRAPH}{_SKIN}]\u200d)(?=[{_PICTOGRAPH}])",
        f"(?<=[{_PICTOGRAPH}]\ufe0f\u200d)(?=[{_PICTOGRAPH}])",
        f"(?<={_FLAG})(?:{_FLAG_ENDS})",
    )
)

_CONTROLS = "\x00-\x08\x0b-\x1f"
"""The C0 controls except tab and line feed; JSON never holds them and text does not show them."""

# Patterns are compiled when a text first needs them: most texts are all printable.
_IN_TEXT = f"[{_CONTROLS}{_IN_PLANE}{_BEYOND}](?P<at_work>{_AT_WORK})?"
"""Characters that text output must not show raw; ``at_work`` matches where they can stay."""

_ANY = f"[{_CONTROLS}{_IN_PLANE}{_BEYOND}]"
_ANY_IN_PLANE = f"[{_CONTROLS}{_IN_PLANE}]"


def escape(text: str) -> str:
    r"""Write characters that act on a terminal or hide like ``\x1b`` or ``\U000e0041``."""
    if _is_plain(text):
        return text
    import re

    return re.sub(_IN_TEXT, _visible, text)


def unseen(text: str) -> list[str]:
    """The characters of a text that :func:`escape` would show by number, in their order."""
    if _is_plain(text):
        return []
    import re

    return [found[0] for found in re.finditer(_IN_TEXT, text) if found["at_work"] is None]


def without_styles(text: str) -> str:
    """Remove the terminal styles from text that the program styled."""
    import re

    return re.sub("\x1b\\[[0-9;]*m", "", text)


def escape_json(text: str) -> str:
    r"""Write hiding characters of a JSON text as ``\uXXXX``; beyond U+FFFF as two of these."""
    if text.isascii() and "\x7f" not in text:
        return text
    if _is_plain(text):
        return text
    import re

    return re.sub(_ANY, _json_escape, text)


def _is_plain(text: str) -> bool:
    """Whether nothing in a text is in the table.

    Cheap tests come first. What Python calls printable varies with its Unicode version; the answer
    does not.
    """
    is_ascii = text.isascii()
    if is_ascii or len(text) < _LONG:
        printable = text.replace("\n", "").replace("\t", "").isprintable()
        if printable and (is_ascii or _PRINTABLE.isdisjoint(text)):
            return True
    import re

    # A class with characters beyond the first plane takes three times as long.
    in_plane = len(text.encode("utf-16", "surrogatepass")) == 2 * (1 + len(text))  # with a BOM
    return re.search(_ANY_IN_PLANE if in_plane else _ANY, text) is None


def _visible(match: re.Match[str]) -> str:
    if match["at_work"] is not None:
        return match[0]
    code = ord(match[0])
    if code > 0xFFFF:
        return f"\\U{code:08x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def _json_escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code <= 0xFFFF:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
