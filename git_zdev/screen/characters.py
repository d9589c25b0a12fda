"""Which characters a screen shows: all of them, or those of ASCII alone.

Text from outside passes :meth:`Characters.show` on its way to any screen; what the program draws
and says itself has a form in ASCII.
"""

from __future__ import annotations

from git_zdev.ground.inert import escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_OWN: Mapping[str, str] = {"—": "-", "…": "..."}
"""What the program says itself beyond ASCII, and how it says that in ASCII."""


class Characters:
    """A set of characters.

    Attributes:
        ascii_only: Whether only ASCII can be shown.
        fork: In front of a tree's node that others follow below the same one.
        corner: In front of the last one.
        pipe: In front of what stands below a ``fork``.
        gap: In front of what stands below a ``corner``.
    """

    def __init__(self, *, ascii_only: bool) -> None:
        self.ascii_only = ascii_only
        drawn = ("|-- ", "`-- ", "|   ") if ascii_only else ("├── ", "└── ", "│   ")
        self.fork, self.corner, self.pipe = drawn
        self.gap = "    "

    def show(self, text: str) -> str:
        r"""Text from outside; what cannot be shown, or would act or hide, as ``\u202e``."""
        shown = escape(text)
        if not self.ascii_only or shown.isascii():
            return shown
        return _OWN.get(shown) or shown.encode("ascii", "backslashreplace").decode()

    def own(self, text: str) -> str:
        """Text of the program."""
        return (
            text.translate({ord(one): plain for one, plain in _OWN.items()})
            if self.ascii_only
            else text
        )

    def page(self, text: str) -> str:
        """A page of the program with text from outside in it, and trees that it drew."""
        if not self.ascii_only:
            return escape(text)
        unicode = UNICODE
        for drawn, plain in (
            (unicode.fork, self.fork),
            (unicode.corner, self.corner),
            (unicode.pipe, self.pipe),
        ):
            text = text.replace(drawn, plain)
        return self.show(text)


UNICODE = Characters(ascii_only=False)
ASCII = Characters(ascii_only=True)
