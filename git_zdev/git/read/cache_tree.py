"""The trees that an index remembers for its folders (gitformat-index(5), "Cache tree").

Git writes trees from them. It skips a folder whose remembered tree is the one with which it
compares, without a look at the entries. A change of an entry makes it forget the folders above. So
if an entry differs from HEAD's although a folder above it is remembered with HEAD's tree, the index
contradicts itself, and what Git shows depends on where it looks.
"""

from __future__ import annotations

from git_zdev.ground.paths import folder_above, unknown_folders

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from git_zdev.git.read.objects import ObjectStore

_NAME = b"TREE"
_CHECKSUM = 20
_ID = 20
_DIRECTORY = 0o040000


def extension(data: bytes) -> bytes:
    """The content of the extension, empty if an index has none.

    The search runs back from the end; each extension has its length.
    """
    end = len(data) - _CHECKSUM
    at = data.rfind(_NAME, 0, end)
    while at >= 0:
        size = int.from_bytes(data[at + 4 : at + 8], "big")
        if _leads_to(data, at, end):
            return data[at + 8 : at + 8 + size]
        at = data.rfind(_NAME, 0, at)
    return b""


def _leads_to(data: bytes, at: int, end: int) -> bool:
    """Whether a row of extensions from ``at`` ends where the checksum begins."""
    while at + 8 <= end:
        at += 8 + int.from_bytes(data[at + 4 : at + 8], "big")
    return at == end


def remembered(content: bytes) -> dict[bytes, str]:
    """The remembered tree of each folder, which has a trailing slash, empty for the root.

    Folders that have changed since are left out.

    Raises:
        ValueError: The extension is damaged.
    """
    found: dict[bytes, str] = {}
    above: list[tuple[bytes, int]] = []
    at = 0
    while at < len(content):
        end = content.index(b"\0", at)
        line = content.index(b"\n", end)
        count, folders = map(int, content[end + 1 : line].split(b" "))
        name = content[at:end]
        at = line + 1
        folder = b""
        if above:
            parent, left = above.pop()
            folder = parent + name + b"/"
            if left > 1:
                above.append((parent, left - 1))
        if count >= 0:
            found[folder] = content[at : at + _ID].hex()
            at += _ID
        if folders:
            above.append((folder, folders))
    return found


def contradicted(
    trees: dict[bytes, str], head: str, changed: Iterable[bytes], objects: ObjectStore
) -> bytes | None:
    """A changed path below a folder that is remembered to have HEAD's tree; None without one.

    Args:
        trees: What the index remembers.
        head: HEAD's tree.
        changed: The paths whose entries differ from HEAD's.
        objects: Reads trees.
    """
    known: dict[bytes, str] = {b"": head}

    def tree_of(folder: bytes) -> str:
        """The id of HEAD's tree for a folder, empty if it has none."""
        for inner in unknown_folders(folder, known):
            outer = folder_above(inner)
            entries = objects.tree(known[outer]) if known[outer] else ()
            known.update(
                (outer + name + b"/", one) for mode, name, one in entries if mode == _DIRECTORY
            )
            known.setdefault(inner, "")
        return known[folder]

    for path in changed:
        end = path.rfind(b"/") + 1
        while True:
            folder = path[:end]
            if folder in trees and trees[folder] == tree_of(folder):
                return path
            if not end:
                break
            end = path.rfind(b"/", 0, end - 1) + 1
    return None
