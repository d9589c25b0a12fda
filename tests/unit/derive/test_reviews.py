"""A stored review says of itself what it is, and a replaced one never comes back."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from git_zdev.derive.reviews import BUNDLES, PROPOSALS, ReviewStore
from git_zdev.disk.atomic import Disk
from git_zdev.ground.errors import ZdevError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from git_zdev.derive import reviews

HEAD = "a1" * 20
CONTENT = b'{"schema_version":1}'
RENDERING = b"# Bundle\n"


@pytest.fixture
def git_dir(tmp_path: Path) -> Path:
    folder = tmp_path / "git"
    folder.mkdir()
    return folder


def bundles(git_dir: Path, disk: Disk | None = None) -> ReviewStore:
    return ReviewStore(str(git_dir), BUNDLES, "payments", disk)


def save(store: ReviewStore, content: bytes = CONTENT) -> reviews.Review:
    return store.save(content, RENDERING, created_head=HEAD)


def refusal(action: Callable[[], Any]) -> str:
    with pytest.raises(ZdevError) as caught:
        action()
    return caught.value.code


def test_a_review_is_four_files_and_a_pointer(git_dir: Path) -> None:
    review = save(bundles(git_dir))
    store = git_dir / "zdev/reviews/payments"
    assert (store / "current").read_text() == f"{review.id}\n"
    folder = store / review.id
    assert sorted(os.listdir(folder)) == ["bundle.json", "metadata.json", "review.md", "seal"]
    assert (folder / "bundle.json").read_bytes() == CONTENT
    assert (folder / "review.md").read_bytes() == RENDERING
    assert review.path == str(folder / "review.md")
    metadata = json.loads((folder / "metadata.json").read_bytes())
    assert sorted(metadata) == ["area", "created_head", "fingerprint", "nonce", "schema_version"]
    assert metadata["fingerprint"] == hashlib.sha256(CONTENT).hexdigest() == review.fingerprint
    secret = (git_dir / "zdev/secret").read_bytes()
    stored = (folder / "metadata.json").read_bytes()
    sealed = f"{review.id} {len(stored)}\n".encode() + stored + RENDERING
    seal = hmac.digest(secret, sealed, "sha256").hex()
    assert (folder / "seal").read_text() == f"{seal}\n"
    digest = hashlib.sha256(
        hashlib.sha256(CONTENT).digest() + bytes.fromhex(metadata["nonce"])
    ).hexdigest()
    assert review.id == f"R{digest[:32]}"
    assert (metadata["area"], metadata["created_head"]) == ("payments", HEAD)
    assert bundles(git_dir).current() == bundles(git_dir).require(review.id) == review


def test_a_proposal_keeps_its_source_task(git_dir: Path) -> None:
    store = ReviewStore(str(git_dir), PROPOSALS, "payments")
    review = store.save(
        b"PROPOSE", RENDERING, created_head=None, extra={"source_task": "payments-007"}
    )
    assert review.id.startswith("D")
    assert (git_dir / "zdev/derived-reviews/payments" / review.id / "proposal.json").exists()
    assert store.require(review.id).extra == {"source_task": "payments-007"}
    assert store.require(review.id).created_head is None


def test_the_same_content_again_is_another_review(git_dir: Path) -> None:
    first = save(bundles(git_dir))
    second = save(bundles(git_dir))
    assert first.fingerprint == second.fingerprint
    assert first.id != second.id
    assert refusal(lambda: bundles(git_dir).require(first.id)) == "review-replaced"
    assert bundles(git_dir).require(second.id) == second
    assert sorted(os.listdir(git_dir / "zdev/reviews/payments")) == [second.id, "current"]


def test_the_answer_for_a_replaced_review_says_so(git_dir: Path) -> None:
    first = save(bundles(git_dir))
    second = save(bundles(git_dir))
    with pytest.raises(ZdevError, match="was replaced") as caught:
        bundles(git_dir).require(first.id)
    assert caught.value.details == {"review": first.id, "current": second.id}


def test_a_folder_put_back_does_not_revive_a_replaced_review(git_dir: Path, tmp_path: Path) -> None:
    first = save(bundles(git_dir))
    (git_dir / "zdev/reviews/payments" / first.id).rename(tmp_path / "kept")
    save(bundles(git_dir))
    (tmp_path / "kept").rename(git_dir / "zdev/reviews/payments" / first.id)
    assert refusal(lambda: bundles(git_dir).require(first.id)) == "review-replaced"


@pytest.mark.parametrize("review_id", ["", "R", "D" + "0" * 32, "R" + "0" * 31, "R" + "G" * 32])
def test_a_malformed_id_is_told(git_dir: Path, review_id: str) -> None:
    save(bundles(git_dir))
    assert refusal(lambda: bundles(git_dir).require(review_id)) == "review-malformed-id"


def test_without_a_review_there_is_none(git_dir: Path) -> None:
    assert refusal(bundles(git_dir).current) == "review-unavailable"
    assert refusal(lambda: bundles(git_dir).require("R" + "0" * 32)) == "review-unavailable"
    assert os.listdir(git_dir) == []


def rewrite(path: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    document = json.loads(path.read_bytes())
    change(document)
    path.write_text(json.dumps(document))


@pytest.mark.parametrize(
    "damage",
    [
        lambda folder: (folder / "bundle.json").write_bytes(b"{}"),
        lambda folder: (folder / "bundle.json").unlink(),
        lambda folder: (folder / "review.md").unlink(),
        lambda folder: (folder / "metadata.json").write_bytes(b"{"),
        lambda folder: (folder / "metadata.json").write_bytes(b"[]"),
        lambda folder: rewrite(folder / "metadata.json", lambda m: m.update(nonce="0" * 32)),
        lambda folder: rewrite(folder / "metadata.json", lambda m: m.update(nonce="0")),
        lambda folder: rewrite(folder / "metadata.json", lambda m: m.update(area="other")),
        lambda folder: rewrite(folder / "metadata.json", lambda m: m.update(schema_version=True)),
        lambda folder: rewrite(folder / "metadata.json", lambda m: m.update(created_head="HEAD")),
        lambda folder: rewrite(folder / "metadata.json", lambda m: m.update(further=1)),
        lambda folder: rewrite(folder / "metadata.json", lambda m: m.update(created_head=None)),
        lambda folder: rewrite(
            folder / "metadata.json", lambda m: m.update(created_head="b2" * 20)
        ),
        lambda folder: rewrite(folder / "metadata.json", lambda m: None),
        lambda folder: (folder / "review.md").write_bytes(b"# Another\n"),
        lambda folder: (folder / "seal").write_bytes(b"0" * 64 + b"\n"),
        lambda folder: (folder / "seal").write_bytes(b""),
        lambda folder: (folder / "seal").unlink(),
        lambda folder: (folder.parents[2] / "secret").write_bytes(b"x" * 32),
        lambda folder: (folder.parents[2] / "secret").write_bytes(b""),
        lambda folder: (folder.parents[2] / "secret").unlink(),
        lambda folder: os.truncate(folder / "review.md", 1 << 40),
        lambda folder: os.truncate(folder / "metadata.json", 1 << 20),
        lambda folder: os.truncate(folder.parent / "current", 1 << 40),
        lambda folder: rewrite(folder / "metadata.json", lambda m: m.pop("created_head")),
        lambda folder: (folder.parent / "current").write_bytes(b"R1\n"),
        lambda folder: (folder.parent / "current").write_text(folder.name),
        lambda folder: folder.rename(folder.parent / "elsewhere"),
    ],
)
def test_whatever_was_changed_is_corrupt(git_dir: Path, damage: Callable[[Path], Any]) -> None:
    review = save(bundles(git_dir))
    damage(git_dir / "zdev/reviews/payments" / review.id)
    assert refusal(bundles(git_dir).current) == "review-corrupt"


def test_a_review_of_another_repository_is_corrupt(git_dir: Path, tmp_path: Path) -> None:
    """An archive brings it along whole; only the secret is missing."""
    review = save(bundles(git_dir))
    other = tmp_path / "other"
    shutil.copytree(git_dir, other)
    assert bundles(other).current().id == review.id
    (other / "zdev/secret").unlink()
    assert refusal(bundles(other).current) == "review-corrupt"
    assert not (other / "zdev/secret").exists()


@pytest.mark.parametrize("name", ["current", "R", "R/bundle.json", "R/seal", "secret"])
@pytest.mark.parametrize("kind", ["FIFO", "link", "folder"])
def test_every_file_must_be_one(git_dir: Path, tmp_path: Path, name: str, kind: str) -> None:
    review = save(bundles(git_dir))
    store = git_dir / "zdev/reviews/payments"
    spot = git_dir / "zdev/secret" if name == "secret" else store / name.replace("R", review.id)
    spot.rename(tmp_path / "kept")
    if kind == "FIFO":
        os.mkfifo(spot)
    elif kind == "link":
        spot.symlink_to(tmp_path / "kept")
    else:
        spot.mkdir()
    assert refusal(bundles(git_dir).current) == "review-corrupt"


def test_a_linked_file_is_corrupt(git_dir: Path, tmp_path: Path) -> None:
    review = save(bundles(git_dir))
    path = git_dir / "zdev/reviews/payments" / review.id / "review.md"
    path.rename(tmp_path / "review.md")
    path.symlink_to(tmp_path / "review.md")
    assert refusal(bundles(git_dir).current) == "review-corrupt"


def test_a_fifo_is_corrupt_and_not_waited_for(git_dir: Path) -> None:
    review = save(bundles(git_dir))
    path = git_dir / "zdev/reviews/payments" / review.id / "bundle.json"
    path.unlink()
    os.mkfifo(path)
    assert refusal(bundles(git_dir).current) == "review-corrupt"


def failing_at(number: int) -> type[Disk]:
    """A disk whose call with that number fails."""

    class Failing(Disk):
        left = number

        def _count(self) -> None:
            type(self).left -= 1
            if type(self).left == -1:
                raise OSError(28, "No space left on device")

    for name in ("open_root", "open_folder", "make_folder", "create", "rename", "sync_folder"):
        original = getattr(Disk, name)

        def call(self: Any, *arguments: Any, _call: Any = original, **options: Any) -> Any:
            self._count()
            return _call(self, *arguments, **options)

        setattr(Failing, name, call)
    return Failing


def test_a_failed_save_leaves_the_review_before_it_current(git_dir: Path) -> None:
    first = save(bundles(git_dir))
    succeeded = False
    for number in range(100):
        disk = failing_at(number)
        try:
            second = save(bundles(git_dir, disk()), b"other")
        except OSError:
            names = os.listdir(git_dir / "zdev/reviews/payments")
            current = bundles(git_dir).current()
            if current == first:
                assert sorted(names) == sorted([first.id, "current"])
            continue
        assert bundles(git_dir).current() == second
        succeeded = True
        break
    assert succeeded
    assert number > 5
