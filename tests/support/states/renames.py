"""Renames on the index side: exact, similar, ambiguous, too many."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from tests.support.states.repo import lines, numbered, state, states

if TYPE_CHECKING:
    from tests.support.states.repo import StateRepo


@state
def renamed_exactly(repo: StateRepo) -> None:
    repo.base({"a/one.txt": numbered(5), "two.txt": numbered(6), "three": numbered(7)})
    repo.git("mv", "a/one.txt", "one.txt")
    repo.git("mv", "two.txt", "b.txt")
    repo.git("mv", "three", "a")


@states(changed=range(6, 15))
def renamed_around_half(repo: StateRepo, changed: int) -> None:
    """Twenty lines of equal length, of which some changed: scores on both sides of 50 %."""
    text = [f"line {n:04}" for n in range(20)]
    repo.base({"old.txt": lines(*text)})
    repo.git("mv", "old.txt", "new.txt")
    text[:changed] = [f"edit {n:04}" for n in range(changed)]
    repo.write("new.txt", lines(*text))
    repo.add()


@states(ending=["", "\n"], size=[3, 63, 64, 65, 200])
def renamed_with_other_end(repo: StateRepo, ending: str, size: int) -> None:
    repo.base({"old.txt": "head\n" + "x" * size, "blob": b"\1" * size + b"\0" + b"\2" * size})
    repo.git("mv", "old.txt", "new.txt")
    repo.git("mv", "blob", "moved")
    repo.write("new.txt", "head\n" + "x" * size + ending + "y")
    repo.write("moved", b"\1" * size + b"\0" + b"\2" * (size + 1))
    repo.add()


@states(seed=range(16))
def random_renames(repo: StateRepo, seed: int) -> None:
    """Many similar files, moved and edited at once, between a few folders and base names."""
    chance = random.Random(seed)
    words = [f"word{n}" for n in range(40)]
    stock = [chance.choices(words, k=chance.randrange(4, 40)) for _ in range(4)]
    files: dict[str, list[str]] = {}
    for n in range(14):
        text = list(chance.choice(stock))
        _scatter(text, chance, words)
        files[f"d{n % 3}/{chance.choice(['a', 'b', 'c'])}{n}.txt"] = text
    repo.base({name: _text(text, chance) for name, text in files.items()})
    for name, text in files.items():
        if chance.random() < 0.8:
            repo.remove(name)
            _scatter(text, chance, words)
            base = name.rpartition("/")[2] if chance.random() < 0.5 else f"new{chance.randrange(9)}"
            repo.write(f"e{chance.randrange(3)}/{base}", _text(text, chance))
    repo.add()


def _scatter(text: list[str], chance: random.Random, words: list[str]) -> None:
    for _ in range(chance.randrange(0, max(1, len(text) // 2))):
        text[chance.randrange(len(text))] = chance.choice(words)


def _text(text: list[str], chance: random.Random) -> str:
    return lines(*text).removesuffix("\n") + chance.choice(["", "\n", "\n"])


@state
def renamed_among_twins(repo: StateRepo) -> None:
    """Equal contents: the pairing of old and new names."""
    repo.base(dict.fromkeys(("a/x", "b/y", "c/z", "d/w"), "same\ncontent\n"))
    repo.git("mv", "a/x", "n1")
    repo.git("mv", "b/y", "n2")
    repo.git("mv", "c/z", "e-z")
    repo.write("d/copy", "same\ncontent\n")
    repo.add()


@state
def renamed_with_the_base_name_kept(repo: StateRepo) -> None:
    text = [f"l{n}" for n in range(30)]
    repo.base(
        {"src/tool.py": lines(*text), "lib/tool.py": lines(*text[:25], "x"), "src/b.py": "b\n" * 9}
    )
    for old, new in (
        ("src/tool.py", "pkg/tool.py"),
        ("lib/tool.py", "pkg/other.py"),
        ("src/b.py", "b.py"),
    ):
        repo.file(new).parent.mkdir(exist_ok=True)
        repo.git("mv", old, new)
    repo.write("pkg/tool.py", lines(*text[:18], "y"))
    repo.write("pkg/other.py", lines(*text[:28]))
    repo.add()


@state
def renamed_and_mode(repo: StateRepo) -> None:
    repo.base({"a": numbered(9), "b": numbered(8, stem="b")})
    repo.git("mv", "a", "c")
    repo.git("mv", "b", "d")
    repo.file("c").chmod(0o755)
    repo.write("d", numbered(8, {1: "one"}, stem="b")).chmod(0o755)
    repo.add()


@state
def renamed_links(repo: StateRepo) -> None:
    repo.link("a", "target/one")
    repo.link("b", "target/two")
    repo.base({"f": "target/three"})
    repo.git("mv", "a", "c")
    repo.git("rm", "-q", "b", "f")
    repo.link("d", "target/twp")
    repo.link("g", "target/three")
    repo.add()


@state
def renamed_then_edited(repo: StateRepo) -> None:
    repo.base({"a": numbered(20), "b": numbered(21)})
    repo.git("mv", "a", "c")
    repo.git("mv", "b", "d")
    repo.write("c", numbered(20, {9: "nine"}))
    repo.remove("d")


@state
def renamed_unstaged(repo: StateRepo) -> None:
    """An unstaged rename is a deletion and an untracked file."""
    repo.base({"a": numbered(20)})
    repo.rename("a", "b")


@state
def renamed_to_intent(repo: StateRepo) -> None:
    """With ``git add -N`` the unstaged side can hold a rename too."""
    repo.base({"a": numbered(20), "x": numbered(9, stem="x")})
    repo.rename("a", "b")
    repo.rename("x", "y")
    repo.write("y", numbered(9, {4: "four"}, stem="x"))
    repo.git("add", "--intent-to-add", "b", "y")


@state
def swapped(repo: StateRepo) -> None:
    repo.base({"a": numbered(20), "b": numbered(20, stem="other")})
    repo.rename("a", "t")
    repo.rename("b", "a")
    repo.rename("t", "b")
    repo.add()


@state
def replaced_and_renamed(repo: StateRepo) -> None:
    """The old name still exists with other content, so nothing was renamed."""
    repo.base({"a": numbered(20)})
    repo.git("mv", "a", "b")
    repo.write("a", "new content\n")
    repo.add()


@state
def empty_files_moved(repo: StateRepo) -> None:
    repo.base({"a": "", "b": "", "c": "c\n"})
    repo.git("mv", "a", "x")
    repo.git("mv", "c", "y")
    repo.git("rm", "-q", "b")
    repo.write("z", "")
    repo.add()


@state
def small_files_moved(repo: StateRepo) -> None:
    texts = ["a\n", "ab\n", "b", "x\ny\n", "z\nz\n"]
    repo.base({f"old{n}": text for n, text in enumerate(texts)})
    for n, text in enumerate(texts):
        repo.remove(f"old{n}")
        repo.write(f"new{n}", text + "q")
    repo.add()


@states(count=[1000, 1001], edited=[True, False])
def rename_limit(repo: StateRepo, count: int, edited: bool) -> None:
    """Beyond a thousand candidates squared, only exact and base-name renames are found."""
    for n in range(count):
        repo.write(f"old/{n}", lines(*(f"{n} {k}" for k in range(4))))
    repo.commit_all()
    repo.file("old").rename(repo.file("new"))
    for n in range(count):
        repo.file(f"new/{n}").rename(repo.file(f"new/{n}.txt"))
    if edited:
        for n in range(count):
            repo.write(f"new/{n}.txt", lines(*(f"{n} {k}" for k in range(3)), "x"))
    else:
        repo.write("new/7.txt", lines(*(f"7 {k}" for k in range(3)), "x"))
    repo.add()


@state
def renamed_folder_of_similar_files(repo: StateRepo) -> None:
    repo.base({f"src/m{n}/mod.rs": numbered(12 + n) for n in range(12)})
    repo.git("mv", "src", "crates")
    for n in range(12):
        repo.write(f"crates/m{n}/mod.rs", numbered(13 + n, {3: "three"}))
    repo.add()


@state
def renamed_with_line_ends(repo: StateRepo) -> None:
    repo.base({"a.txt": numbered(20), "b.txt": numbered(20).replace("\n", "\r\n")})
    repo.remove("a.txt", "b.txt")
    repo.write("c.txt", numbered(20).replace("\n", "\r\n"))
    repo.write("d.txt", numbered(20, stem="other"))
    repo.add()
