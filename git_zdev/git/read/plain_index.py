"""What :mod:`git_zdev.fast.index` finds in a plain index, as values."""

from __future__ import annotations

from git_zdev.fast import index
from git_zdev.git.model import IndexEntry
from git_zdev.git.read import files
from git_zdev.ground.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Marks:
    """The entries of an index that need more than a comparison.

    Attributes:
        special: The numbers of the entries that are gitlinks, unmerged, assumed to be unchanged, or
            carry an extended flag.
        named: The paths of the entries below the root whose last component was asked for.
        racy: The numbers of the entries whose content changed in the given second.
        paths: The paths of all entries, in index order.
    """

    special: list[int]
    named: list[bytes]
    racy: list[int]
    paths: list[bytes]


def entries(path: str, prefix: bytes) -> list[IndexEntry] | None:
    """The entries whose path starts with ``prefix``, in index order.

    Args:
        path: The index file; one that is not there is empty.
        prefix: The start of the wanted paths.

    Returns:
        None if the index is not plain.
    """
    try:
        found = index.entries(files.read(path), prefix)
    except FileNotFoundError:
        return []
    except OSError:
        return None
    return None if found is None else [IndexEntry(*entry) for entry in found]


def marks(data: bytes, names: Iterable[bytes], second: int) -> Marks | None:
    """The marks of an index; see :func:`git_zdev.fast.index.marks`.

    Raises:
        ValueError: Names that are out of order, or not as long as recorded.
    """
    found = index.marks(data, names, second)
    return None if found is None else Marks(*found)
