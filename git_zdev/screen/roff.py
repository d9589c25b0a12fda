"""Manual pages as text, for systems without ``man``: the part of man(7) that the pages use.

``.TH``, ``.SH``, ``.SS``, ``.PP``, ``.TP``, ``.RS``, ``.RE``, ``.nf``, ``.fi``, ``.br``, the font
macros, and the escapes of ``_CHARACTERS``. Anything else is a ``ValueError``: a page that uses more
than this module understands must not be shown with parts missing.
"""

from __future__ import annotations

import re

from git_zdev.screen.result import BLANK, Line, Words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    Word = tuple[Words, ...]

COLUMNS = 80
"""Columns of a page if no terminal sets them."""
INDENT = 7
"""Columns before the text, and before the text of a ``.TP``, as in man."""
_HEADING_INDENT = 3

_STYLES = {"R": "", "B": "heading", "I": "id"}
_CHARACTERS = {
    "\\-": "-",
    "\\e": "\\",
    "\\&": "",
    "\\(aq": "'",
    "\\(dq": '"',
    "\\(ga": "`",
    "\\(ha": "^",
    "\\(ti": "~",
}
_ESCAPE = re.compile(r"\\f[BIRP]|\\\(..|\\.")
_ARGUMENT = re.compile(r'"([^"]*)"|(\S+)')


def title(source: str) -> tuple[str, int]:
    """Name and section of a page, from its ``.TH`` line; the name is in capitals there."""
    words = [_plain(word) for word in _arguments(source.partition("\n")[0])]
    return words[1], int(words[2])


def width_in(columns: int) -> int:
    """The width to which man fills text in a terminal of ``columns`` columns."""
    return columns * 39 // 40


def render(source: str, width: int) -> list[Line]:
    """A page as lines.

    Args:
        source: The page.
        width: The most columns of a filled line; literal lines are kept.

    Raises:
        ValueError: The page uses something that this module does not know.
    """
    page = _Page(width)
    for line in source.splitlines():
        page.take(line)
    return page.finish()


class _Page:
    """The page so far, and the current paragraph."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._lines: list[Line] = []
        self._margins = [INDENT]
        self._hang = 0
        self._label: Word = ()
        self._words: list[Word] = []
        self._wants_label = False
        self._literal = False
        self._gap = False
        self._below_heading = True

    def take(self, line: str) -> None:
        """Take one line of the page."""
        if not line.startswith("."):
            self._text(_spans(line))
            return
        macro, *arguments = _arguments(line)
        action = getattr(self, f"_{macro[1:].lower()}", None)
        if set(macro[1:]) <= set("BIR") and len(macro) in (2, 3):
            self._text(_fonts(macro[1:], arguments))
        elif action is None or len(macro) != len(".TH"):
            raise ValueError(f"unknown macro: {line}")
        else:
            action(" ".join(arguments))

    def finish(self) -> list[Line]:
        self._flush()
        return self._lines

    def _text(self, spans: Word) -> None:
        if self._wants_label:
            self._wants_label = False
            self._label = spans
        elif self._literal:
            self._put(self._margin, spans)
        else:
            self._words += _words(spans)

    @property
    def _margin(self) -> int:
        return sum(self._margins) + self._hang

    def _th(self, _: str) -> None:
        """The title, which is not shown."""

    def _sh(self, heading: str) -> None:
        self._paragraph()
        self._margins = [INDENT]
        self._heading(0, heading)

    def _ss(self, heading: str) -> None:
        self._paragraph()
        self._heading(_HEADING_INDENT, heading)

    def _heading(self, indent: int, text: str) -> None:
        self._put(indent, (Words(_plain(text), "heading"),))
        self._below_heading = True

    def _pp(self, _: str) -> None:
        self._paragraph()

    def _tp(self, _: str) -> None:
        self._paragraph()
        self._hang = INDENT
        self._wants_label = True

    def _rs(self, columns: str) -> None:
        self._flush()
        self._margins.append(int(columns) if columns else INDENT)
        self._hang = 0

    def _re(self, _: str) -> None:
        self._flush()
        self._margins.pop()
        self._hang = 0

    def _nf(self, _: str) -> None:
        self._flush()
        self._literal = True

    def _fi(self, _: str) -> None:
        self._literal = False

    def _br(self, _: str) -> None:
        self._flush()

    def _paragraph(self) -> None:
        self._flush()
        self._hang = 0
        self._gap = not self._below_heading

    def _flush(self) -> None:
        """End the paragraph: put out its label and its filled words."""
        lines = list(_filled(self._words, self._width - self._margin))
        if self._label:
            label, self._label = self._label, ()
            room = INDENT - sum(len(span.text) for span in label)
            if room > 0 and lines:
                lines[0] = (*label, Words(" " * room), *lines[0])
                self._put(self._margin - INDENT, lines.pop(0))
            else:
                margin = self._margin - INDENT
                for line in _filled(_words(label), self._width - margin):
                    self._put(margin, line)
        self._words = []
        for line in lines:
            self._put(self._margin, line)

    def _put(self, indent: int, spans: Sequence[Words]) -> None:
        if self._gap:
            self._lines.append(BLANK)
        self._gap = self._below_heading = False
        shown = (Words(" " * indent), *spans) if indent and spans else tuple(spans)
        self._lines.append(Line(tuple(_merged(shown))))


def _filled(words: Iterable[Word], width: int) -> Iterator[Word]:
    line: list[Words] = []
    column = 0
    for word in words:
        length = sum(len(span.text) for span in word)
        if line and column + 1 + length > width:
            yield tuple(line)
            line, column = [], 0
        if line:
            line.append(Words(" ", line[-1].style if line[-1].style == word[0].style else ""))
            column += 1
        line += word
        column += length
    if line:
        yield tuple(line)


def _merged(spans: Iterable[Words]) -> Iterator[Words]:
    """The same text, with adjacent spans of one style joined."""
    run = Words("")
    for span in spans:
        if span.style == run.style:
            run = Words(run.text + span.text, run.style)
            continue
        if run.text:
            yield run
        run = span
    if run.text:
        yield run


def _words(spans: Word) -> Iterator[Word]:
    """The words of a text, each with its styles; blanks of any font separate them."""
    word: list[Words] = []
    for span in spans:
        for index, part in enumerate(span.text.split(" ")):
            if index and word:
                yield tuple(word)
                word = []
            if part:
                word.append(Words(part, span.style))
    if word:
        yield tuple(word)


def _arguments(line: str) -> list[str]:
    return [quoted or bare for quoted, bare in _ARGUMENT.findall(line)]


def _fonts(fonts: str, arguments: Sequence[str]) -> Word:
    """A font macro's text: one font for all arguments, or two in turn without blanks."""
    if len(fonts) == 1:
        return _spans(" ".join(arguments), fonts)
    parts = (_spans(text, fonts[index % 2]) for index, text in enumerate(arguments))
    return tuple(span for part in parts for span in part)


def _spans(text: str, font: str = "R") -> Word:
    """A text with its escapes resolved and its font changes turned into styles."""
    spans: list[Words] = []
    before, position = font, 0
    for match in _ESCAPE.finditer(text):
        spans.append(Words(text[position : match.start()], _STYLES[font]))
        position = match.end()
        escape = match[0]
        if escape.startswith("\\f"):
            before, font = font, before if escape[2] == "P" else escape[2]
        elif escape in _CHARACTERS:
            spans.append(Words(_CHARACTERS[escape], _STYLES[font]))
        else:
            raise ValueError(f"unknown escape {escape}: {text}")
    spans.append(Words(text[position:], _STYLES[font]))
    return tuple(span for span in spans if span.text)


def _plain(text: str) -> str:
    return "".join(span.text for span in _spans(text))
