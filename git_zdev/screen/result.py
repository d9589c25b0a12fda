"""What a command gives back: the document for programs and the blocks for people."""

from __future__ import annotations

from git_zdev.ground.values import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from git_zdev.screen.blocks import Block


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of a command that did what it was asked.

    Attributes:
        document: The JSON object, keys in the documented order.
        show: Makes the blocks of the text form; called only when text is wanted.
        status: Exit status.
        notes: Sentences for stderr in the text form, such as an advisory.
        forms: Makes the bytes of further formats by the word that ``--format`` takes; an entry
            for ``json`` stands in for encoding ``document`` once more.
    """

    document: Mapping[str, Any]
    show: Callable[[], Sequence[Block]]
    status: int = 0
    notes: tuple[str, ...] = field(default=())
    forms: Mapping[str, Callable[[], bytes]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RawResult:
    """Bytes that are printed as they are in both formats, such as a stored snapshot.

    Attributes:
        data: The bytes.
        show: Blocks for a person at a terminal; None prints the bytes there too.
        status: Exit status.
    """

    data: bytes
    show: Callable[[], Sequence[Block]] | None = None
    status: int = 0


def sorted_document(**values: Any) -> dict[str, Any]:
    """A result document with ``schema_version`` 1 and all top-level keys sorted."""
    return dict(sorted({"schema_version": 1, **values}.items()))


def sentence(text: str) -> Callable[[], Sequence[Block]]:
    """The blocks of a result that one line says."""

    def show() -> Sequence[Block]:
        from git_zdev.screen.blocks import line

        return (line(text),)

    return show
