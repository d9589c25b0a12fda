"""Stored reviews: an input, its rendering, and an identity that is never reused.

A review is below the work tree's own Git directory, in ``zdev/<kind>/<area>/``::

    current             the id of the current review, and LF
    <id>/<content>      the reviewed bytes, exactly (bundle.json or proposal.json)
    <id>/metadata.json  as schemas/review-metadata.schema.json has it
    <id>/review.md      the rendering that was shown
    <id>/seal           HMAC-SHA256 of the id, metadata and rendering in hexadecimal, and LF

The *fingerprint* is the SHA-256 of the content in hexadecimal, the *nonce* is 16 random bytes in
hexadecimal, and the id is a letter and the first 32 hexadecimal digits of the SHA-256 of
the fingerprint's 32 bytes followed by the nonce's 16. The same content reviewed again gets another
id. The seal covers what the id does not. Its key is the secret of this Git directory
(``disk.binding``), so a review from an archive is not accepted and cannot claim another HEAD.
Readers recompute all of it. Writers hold the state lock; a new review replaces the one before it,
whose folder is removed.
"""

from __future__ import annotations

import os

from git_zdev.disk.atomic import Disk, storage_error
from git_zdev.disk.binding import hmac_sha256, known_secret, secret_of
from git_zdev.disk.folders import create_private, open_private, remove_all
from git_zdev.ground import jsontext, schema
from git_zdev.ground.errors import InvalidInput, ZdevError, summary_of
from git_zdev.ground.text import quoted, sha256_of
from git_zdev.ground.values import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from git_zdev.disk.atomic import Folder

_HOME = "zdev"

NONCE_BYTES = 16
ID_DIGITS = 32
RENDERING = "review.md"
METADATA = "metadata.json"
SEAL = "seal"
CURRENT = "current"

_SIZES = {METADATA: 64 * 1024, SEAL: 256, CURRENT: 256}
"""Maximum size in bytes of the small files."""

_SIZE_LIMIT = 256 * 1024 * 1024
"""Maximum size in bytes of the others: a rendering can be many times as long as the input, which
has a limit of its own."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of review.

    Attributes:
        folder: Folder below ``zdev`` in the Git directory.
        letter: First character of its ids.
        content: Name of the file with the reviewed bytes.
        command: The command that stores one, for messages.
        extra: Further keys of its metadata, all with string values.
    """

    folder: str
    letter: str
    content: str
    command: str
    extra: tuple[str, ...] = ()


BUNDLES = Kind("reviews", "R", "bundle.json", "git zdev tasks review")
PROPOSALS = Kind(
    "derived-reviews", "D", "proposal.json", "git zdev tasks derive review", ("source_task",)
)


@dataclass(frozen=True, slots=True)
class Review:
    """One stored review, verified.

    Attributes:
        id: The opaque identity.
        content: The reviewed bytes.
        rendering: The bytes of ``review.md``.
        fingerprint: SHA-256 of ``content``, 64 lowercase hexadecimal digits.
        created_head: Commit id of HEAD when it was stored; None if HEAD was unborn.
        path: Absolute path of ``review.md``.
        extra: The further metadata of its kind.
    """

    id: str
    content: bytes
    rendering: bytes
    fingerprint: str
    created_head: str | None
    path: str
    extra: Mapping[str, str] = field(default_factory=dict)


def fingerprint(content: bytes) -> str:
    """The SHA-256 of reviewed bytes, in hexadecimal."""
    return sha256_of(content)


def identity(kind: Kind, content_fingerprint: str, nonce: str) -> str:
    """The id of a review from its fingerprint and its nonce, both hexadecimal."""
    digest = sha256_of(bytes.fromhex(content_fingerprint) + bytes.fromhex(nonce))
    return kind.letter + digest[:ID_DIGITS]


def _is_id(word: str, kind: Kind) -> bool:
    return word.startswith(kind.letter) and _is_hex(word[len(kind.letter) :], ID_DIGITS)


def _is_hex(word: str, digits: int) -> bool:
    """Whether a word is that many lowercase hexadecimal digits."""
    return len(word) == digits and not word.strip("0123456789abcdef")


def _seal(secret: bytes, review_id: str, files: Mapping[str, bytes]) -> bytes:
    """The content of the seal: the id covers the input, and a length separates the two files."""
    metadata = files[METADATA]
    start = f"{review_id} {len(metadata)}\n".encode()
    return hmac_sha256(secret, start + metadata + files[RENDERING]).encode() + b"\n"


class ReviewStore:
    """The reviews of one kind and one area in one work tree."""

    def __init__(self, git_dir: str, kind: Kind, area: str, disk: Disk | None = None) -> None:
        """Name the store; nothing is opened yet.

        Args:
            git_dir: The work tree's own Git directory, absolute.
            kind: The kind of review.
            area: The area's tag.
            disk: The file system.
        """
        self._git_dir = git_dir
        self._kind = kind
        self._area = area
        self._disk = disk or Disk()

    def save(
        self,
        content: bytes,
        rendering: bytes,
        *,
        created_head: str | None,
        extra: Mapping[str, str] | None = None,
    ) -> Review:
        """Store a review and make it the current one. The caller holds the state lock.

        Args:
            content: The reviewed bytes.
            rendering: The page for a person.
            created_head: Commit id of HEAD; None while it is unborn.
            extra: The further metadata of the kind.

        Returns:
            The new review.

        Raises:
            ZdevError: ``unsafe-path`` when a link is on the path of the store.
            OSError: When it cannot be written; then the previous review stays current.
        """
        nonce = os.urandom(NONCE_BYTES).hex()
        content_fingerprint = fingerprint(content)
        review_id = identity(self._kind, content_fingerprint, nonce)
        metadata = {
            "area": self._area,
            "fingerprint": content_fingerprint,
            "nonce": nonce,
            "schema_version": 1,
            "created_head": created_head,
            **(extra or {}),
        }
        files = {
            self._kind.content: content,
            METADATA: jsontext.encode(metadata),
            RENDERING: rendering,
        }
        with create_private(self._disk, self._git_dir, _HOME) as home:
            files[SEAL] = _seal(secret_of(self._disk, home), review_id, files)
        with create_private(self._disk, self._git_dir, *self._names) as store:
            self._replace(store, review_id, files)
            for name in self._disk.names(store):
                if name not in (CURRENT, review_id):
                    remove_all(self._disk, store.at(name))
            path = f"{store.path}/{review_id}/{RENDERING}"
        return Review(
            review_id, content, rendering, content_fingerprint, created_head, path, extra or {}
        )

    def current(self) -> Review:
        """The current review, verified.

        Raises:
            ZdevError: ``review-unavailable`` when no review is stored, ``review-corrupt`` when
                the stored files contradict each other.
        """
        with self._existing() as store:
            return self._load(store, self._current_id(store))

    def require(self, review_id: str) -> Review:
        """The review with this id, verified; it must be the current one.

        Raises:
            ZdevError: ``review-malformed-id``, ``review-unavailable``, ``review-corrupt``, or
                ``review-replaced`` when another review is current.
        """
        self._require_id(review_id)
        with self._existing() as store:
            current = self._current_id(store)
            if review_id != current:
                raise ZdevError(
                    "review-replaced",
                    f"the review {review_id} of {self._area} was replaced: {current} is current",
                    f"Read it with `{self._kind.command} {self._area} --show`, and approve that",
                    details={"review": review_id, "current": current},
                )
            return self._load(store, current)

    def require_stored(self, review_id: str) -> None:
        """Require that a review exists, to remove it; its content does not matter.

        Raises:
            ZdevError: ``review-malformed-id``, ``review-unavailable``, or ``unsafe-path`` when a
                link is on the path of the store.
        """
        self._require_id(review_id)
        with self._existing() as store:
            if self._disk.stat(store.at(review_id)) is None:
                raise ZdevError(
                    "review-unavailable",
                    f"no review {review_id} of {self._area} is stored in this work tree",
                    f"The stored ones are in {store.path}",
                )

    def remove(self, review_id: str) -> None:
        """Remove a review, and any remains of killed review commands beside it.

        The caller holds the state lock. A link in its place is removed, not followed.

        Args:
            review_id: Its id, as :meth:`require_stored` accepts it.

        Raises:
            ZdevError: ``unsafe-path`` when a link is on the path of the store, or the system's
                refusal.
        """
        try:
            with self._existing() as store:
                if self._names_no_other(store, review_id):
                    remove_all(self._disk, store.at(CURRENT))
                for name in self._disk.names(store):
                    if name == review_id or name.startswith("."):
                        remove_all(self._disk, store.at(name))
                self._disk.sync_folder(store)
        except OSError as error:
            raise storage_error(error) from error

    def _names_no_other(self, store: Folder, review_id: str) -> bool:
        """Whether ``current`` names this review, or no readable review."""
        try:
            return self._current_id(store) == review_id
        except ZdevError:
            return True

    def _require_id(self, review_id: str) -> None:
        if not _is_id(review_id, self._kind):
            raise ZdevError(
                "review-malformed-id",
                f"{quoted(review_id)} is not a review id",
                f"An id is {self._kind.letter} and 32 lowercase hexadecimal digits, as "
                f"`{self._kind.command}` prints it",
            )

    def corrupt(self, why: str, review_id: str | None = None) -> ZdevError:
        """The error for a store whose files contradict each other."""
        named = f"the review {review_id}" if review_id else "the stored review"
        return ZdevError(
            "review-corrupt",
            f"{named} of {self._area} is corrupt: {why}",
            f"Review the input again with `{self._kind.command} {self._area} --from <file>`",
        )

    @property
    def _names(self) -> tuple[str, str, str]:
        return (_HOME, self._kind.folder, self._area)

    def _replace(self, store: Folder, review_id: str, files: Mapping[str, bytes]) -> None:
        """Rename the folder, complete with its files, into place, then point ``current`` at it."""
        disk = self._disk
        aside, folder = store.at(f".{review_id}"), store.at(review_id)
        pointer = store.at(f".{CURRENT}.{review_id}")
        try:
            disk.make_folder(aside, 0o700)
            with disk.open_folder(aside) as opened:
                for name, data in files.items():
                    disk.create(opened.at(name), data, 0o600)
                disk.sync_folder(opened)
            disk.rename(aside, folder)
            disk.sync_folder(store)
            disk.create(pointer, f"{review_id}\n".encode(), 0o600)
            disk.rename(pointer, store.at(CURRENT))
        except BaseException:
            for spot in (pointer, folder, aside):
                remove_all(disk, spot)
            raise
        disk.sync_folder(store)

    def _existing(self) -> Folder:
        store = open_private(self._disk, self._git_dir, *self._names)
        if store is None:
            raise self._unavailable()
        return store

    def _unavailable(self) -> ZdevError:
        return ZdevError(
            "review-unavailable",
            f"no review of {self._area} is stored in this work tree",
            f"Store one with `{self._kind.command} {self._area} --from <file>`",
        )

    def _current_id(self, store: Folder) -> str:
        content = self._read(store, CURRENT)
        if content is None:
            raise self._unavailable()
        review_id, line_end, rest = content.decode("ascii", "replace").partition("\n")
        if not line_end or rest or not _is_id(review_id, self._kind):
            raise self.corrupt(f"{store.path}/{CURRENT} names no review")
        return review_id

    def _load(self, store: Folder, review_id: str) -> Review:
        files = self._files(store, review_id)
        content = files[self._kind.content]
        values = self._metadata(files[METADATA], review_id)
        if values["fingerprint"] != fingerprint(content):
            raise self.corrupt(f"{self._kind.content} is not what was reviewed", review_id)
        if identity(self._kind, values["fingerprint"], values["nonce"]) != review_id:
            raise self.corrupt(f"{METADATA} does not give its id", review_id)
        if values["area"] != self._area:
            raise self.corrupt(f"it belongs to the area {quoted(values['area'])}", review_id)
        if files[SEAL] != self._seal_of(review_id, files):
            raise self.corrupt("it was not stored here, or was changed since", review_id)
        return Review(
            review_id,
            content,
            files[RENDERING],
            values["fingerprint"],
            values["created_head"],
            f"{store.path}/{review_id}/{RENDERING}",
            {key: values[key] for key in self._kind.extra},
        )

    def _files(self, store: Folder, review_id: str) -> dict[str, bytes]:
        """The files of a review by name."""
        found = {}
        try:
            folder = self._disk.open_folder(store.at(review_id))
        except FileNotFoundError:
            raise self.corrupt("its folder is missing", review_id) from None
        except ZdevError as error:
            raise self.corrupt(error.message, review_id) from error
        with folder:
            for name in (self._kind.content, METADATA, RENDERING, SEAL):
                content = self._read(folder, name, review_id)
                if content is None:
                    raise self.corrupt(f"{name} is missing", review_id)
                found[name] = content
        return found

    def _read(self, folder: Folder, name: str, review_id: str | None = None) -> bytes | None:
        """The bytes of a regular file within its size limit; None if it is missing."""
        try:
            content = self._disk.read(folder.at(name), _SIZES.get(name, _SIZE_LIMIT))
        except ZdevError as error:
            raise self.corrupt(error.message, review_id) from error
        return None if content is None else content.data

    def _seal_of(self, review_id: str, files: Mapping[str, bytes]) -> bytes | None:
        """The seal that a review must have here; None if nothing was ever sealed here."""
        home = open_private(self._disk, self._git_dir, _HOME)
        if home is None:
            return None
        with home:
            try:
                secret = known_secret(self._disk, home)
            except ZdevError as error:
                raise self.corrupt(error.message, review_id) from error
        return None if secret is None else _seal(secret, review_id, files)

    def _metadata(self, data: bytes, review_id: str) -> dict[str, Any]:
        try:
            values = jsontext.decode_object(data, code="review-corrupt", what=METADATA)
        except InvalidInput as error:
            raise self.corrupt(error.message, review_id) from error
        found = schema.problems("review-metadata", values, code="review-corrupt")
        if found:
            raise self.corrupt(f"{METADATA} is not acceptable: {summary_of(found)}", review_id)
        if {"source_task"}.intersection(values) != set(self._kind.extra):
            raise self.corrupt(f"{METADATA} is that of another kind of review", review_id)
        return values
