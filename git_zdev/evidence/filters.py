"""From the work tree's bytes to the bytes that Git would store (gitattributes(5)).

In Git's order: ``working-tree-encoding``, line endings (``text``, ``eol``, the older ``crlf``,
``core.autocrlf``, ``core.eol``), ``ident``. A ``filter`` whose driver has a ``clean`` or
``process`` command would need a process. If the content matters the caller refuses it, except for
Git LFS, whose result it computes.
"""

from __future__ import annotations

from git_zdev.ground.errors import ZdevError
from git_zdev.ground.text import printable
from git_zdev.ground.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Final, Literal

    from git_zdev.evidence.attributes import Value

    Endings = Literal["keep", "convert", "guess"]

NAMES = ("crlf", "ident", "filter", "eol", "text", "working-tree-encoding")
"""The attributes that decide about the conversion."""

LFS = "lfs"
"""The name under which Git LFS installs its filter."""

_NONPRINTABLE = bytes(sorted(({*range(32), 127}) - set(b"\b\t\n\r\x1b\x0c")))
_BOMS_16 = (b"\xfe\xff", b"\xff\xfe")
_BOMS_32 = (b"\x00\x00\xfe\xff", b"\xff\xfe\x00\x00")


KEEP: Final = "keep"
CONVERT: Final = "convert"
GUESS: Final = "guess"
"""What happens to CR LF on the way into Git."""


@dataclass(frozen=True, slots=True)
class Conversion:
    """How one path's content is converted.

    Attributes:
        endings: What happens to line endings.
        ident: Whether ``$Id: … $`` is collapsed.
        encoding: The work tree's encoding; None for UTF-8, empty if the attribute is set without a
            name, at which Git stops when it looks at the content.
        driver: The name of the ``filter`` driver; None if there is none.
    """

    endings: Endings = KEEP
    ident: bool = False
    encoding: str | None = None
    driver: str | None = None

    @property
    def does_nothing(self) -> bool:
        """Whether no content is changed, except perhaps by a filter driver."""
        return self.endings == KEEP and not self.ident and self.encoding is None


def conversion(attributes: Mapping[str, Value], autocrlf: str) -> Conversion:
    """The conversion that a path's attributes ask for.

    Args:
        attributes: Those of ``NAMES`` that are specified.
        autocrlf: ``true``, ``input`` or ``false``.
    """
    driver = attributes.get("filter")
    return Conversion(
        endings=_endings(attributes, autocrlf),
        ident=attributes.get("ident") is True,
        encoding=_encoding(attributes.get("working-tree-encoding")),
        driver=driver if isinstance(driver, str) else None,
    )


def _endings(attributes: Mapping[str, Value], autocrlf: str) -> Endings:
    found = _text_attribute(attributes.get("text"))
    if found is None:
        found = _text_attribute(attributes.get("crlf"))
    if found == KEEP:
        return found
    if attributes.get("eol") in ("lf", "crlf") and found != GUESS:
        return CONVERT
    if found is not None:
        return found
    return KEEP if autocrlf == "false" else GUESS


def _text_attribute(value: Value) -> Endings | None:
    if value is True or value == "input":
        return CONVERT
    if value is False:
        return KEEP
    return GUESS if value == "auto" else None


def _encoding(value: Value) -> str | None:
    if value is None or value is False or value == "":
        return None
    if value is True:
        return ""
    return None if _utf_name(value) == "8" else value


def to_git(
    convert: Conversion, path: bytes, data: bytes, has_crlf_in_index: Callable[[], bool]
) -> bytes:
    """The bytes that Git would store.

    Args:
        convert: What applies to the path.
        path: The file's path, for messages.
        data: The work tree's bytes.
        has_crlf_in_index: Whether the version in the index is text with CR LF. It is called only if
            the kind of the file is a guess, and then keeps the file from being converted.

    Raises:
        ZdevError: ``unsupported-encoding`` if Python does not know the encoding;
            ``invalid-attribute`` for ``working-tree-encoding`` without an encoding. Both name the
            path.
    """
    if convert.encoding == "":
        name = printable(path)
        raise ZdevError(
            "invalid-attribute",
            f"{name} has the attribute working-tree-encoding without the name of an encoding",
            "Name one in .gitattributes, as in working-tree-encoding=UTF-16",
            details={"path": name},
        )
    if convert.encoding is not None and data:
        data = _decode(path, data, convert.encoding)
    if convert.endings != KEEP and b"\r\n" in data:
        data = _unix_endings(data, convert.endings, has_crlf_in_index)
    return _collapse_ident(data) if convert.ident and b"$Id:" in data else data


def is_text_with_crlf(data: bytes) -> bool:
    """Whether Git guesses that it is text, and some lines end in CR LF."""
    return b"\r\n" in data and not looks_binary(data)


def looks_binary(data: bytes) -> bool:
    """The guess of the line ending conversion, stricter than the one that diffs use.

    A CR without LF, a NUL, or more than one unprintable byte in 128 make it binary. A final
    Ctrl-Z does not count.
    """
    crlf = data.count(b"\r\n")
    line_feeds = data.count(b"\n") - crlf
    if data.count(b"\r") > crlf or b"\0" in data:
        return True
    unprintable = len(data) - len(data.translate(None, _NONPRINTABLE))
    printable = len(data) - 2 * crlf - line_feeds - unprintable
    if data.endswith(b"\x1a"):
        unprintable -= 1
    return printable >> 7 < unprintable


def _unix_endings(data: bytes, endings: Endings, has_crlf_in_index: Callable[[], bool]) -> bytes:
    if endings == GUESS and (looks_binary(data) or has_crlf_in_index()):
        return data
    return data.replace(b"\r\n", b"\n")


def _collapse_ident(data: bytes) -> bytes:
    """``$Id: anything $`` on one line becomes ``$Id$``."""
    out = []
    at = 0
    while (start := data.find(b"$Id:", at)) >= 0:
        end = data.find(b"$", start + 4)
        if end < 0:
            break
        if b"\n" in data[start:end]:
            out.append(data[at : start + 1])
            at = start + 1
            continue
        out += [data[at:start], b"$Id$"]
        at = end + 1
    out.append(data[at:])
    return b"".join(out)


def _decode(path: bytes, data: bytes, encoding: str) -> bytes:
    """The content as UTF-8; unchanged if it is not valid in its encoding, as in Git."""
    utf = _utf_name(encoding)
    boms = {"16": _BOMS_16, "32": _BOMS_32}.get(utf[:2], ())
    has_bom = data.startswith(boms) if boms else False
    if (utf in ("16", "32") and not has_bom) or (
        utf in ("16be", "16le", "32be", "32le") and has_bom
    ):
        return data
    name = "utf-16" if utf in ("16le-bom", "16be-bom") else encoding
    try:
        return data.decode(name).encode("utf-8")
    except LookupError as error:
        where = printable(path)
        raise ZdevError(
            "unsupported-encoding",
            f"{where} has the working-tree-encoding {encoding}, which is not known here",
            "Use an encoding that Python knows, such as UTF-16",
            details={"path": where},
        ) from error
    except UnicodeError:
        return data


def _utf_name(encoding: str) -> str:
    """What follows ``UTF`` or ``UTF-`` in lower case; empty for any other encoding."""
    name = encoding.lower()
    return name[3:].removeprefix("-") if name.startswith("utf") else ""
