"""Edits, additions, deletions, modes, type changes, empty files and missing line ends."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING

from tests.support.states.repo import lines, numbered, state, states

if TYPE_CHECKING:
    from tests.support.states.repo import StateRepo


@state
def clean(repo: StateRepo) -> None:
    repo.base({"a.txt": numbered(5), "dir/b.txt": "b\n"})


@state
def nothing_but_head(repo: StateRepo) -> None:
    repo.commit("Empty")


@state
def unborn_empty(repo: StateRepo) -> None:
    pass


@state
def unborn_with_files(repo: StateRepo) -> None:
    repo.write("staged.txt", numbered(4))
    repo.add()
    repo.write("staged.txt", numbered(5))
    repo.write("untracked.txt", "u\n")


@state
def detached_head(repo: StateRepo) -> None:
    repo.base({"a.txt": numbered(5)})
    repo.git("checkout", "-q", "--detach")
    repo.write("a.txt", numbered(6))


@states(where=["staged", "unstaged", "both"])
def edited(repo: StateRepo, where: str) -> None:
    repo.base({"a.txt": numbered(30), "dir/sub/b.txt": numbered(30)})
    repo.write("a.txt", numbered(30, {3: "three", 28: "twenty-eight"}))
    repo.write("dir/sub/b.txt", numbered(31))
    if where != "unstaged":
        repo.add()
    if where == "both":
        repo.write("a.txt", numbered(30, {4: "four"}))


@state
def edited_everywhere(repo: StateRepo) -> None:
    repo.base({f"d{n % 7}/f{n}.txt": numbered(n + 3) for n in range(60)})
    for n in range(0, 60, 3):
        repo.write(f"d{n % 7}/f{n}.txt", numbered(n + 4, {2: "two"}))
    repo.git("add", "d1", "d2", "d5")
    for n in range(0, 60, 6):
        repo.write(f"d{n % 7}/f{n}.txt", numbered(n + 2, {1: "one"}))


@state
def added_staged(repo: StateRepo) -> None:
    repo.base({"a.txt": "a\n"})
    repo.write("new.txt", numbered(3))
    repo.write("run.sh", "#!/bin/sh\n").chmod(0o755)
    repo.add()


@state
def added_then_edited(repo: StateRepo) -> None:
    repo.base({"a.txt": "a\n"})
    repo.write("new.txt", numbered(3))
    repo.add()
    repo.write("new.txt", numbered(4))


@state
def added_then_deleted(repo: StateRepo) -> None:
    repo.base({"a.txt": "a\n"})
    repo.write("new.txt", numbered(3))
    repo.add()
    repo.remove("new.txt")


@states(where=["staged", "unstaged", "staged_kept"])
def deleted(repo: StateRepo, where: str) -> None:
    repo.base({"a.txt": numbered(3), "d/b.txt": numbered(4), "d/c.txt": "c\n"})
    match where:
        case "staged":
            repo.git("rm", "-q", "a.txt", "d/b.txt")
        case "unstaged":
            repo.remove("a.txt", "d/b.txt")
        case _:
            repo.git("rm", "-q", "--cached", "a.txt", "d/b.txt")


@state
def deleted_folder(repo: StateRepo) -> None:
    repo.base({"d/e/f.txt": numbered(3), "d/g.txt": "g\n", "h.txt": "h\n"})
    repo.git("rm", "-q", "-r", "d")


@state
def deleted_then_back_as_untracked(repo: StateRepo) -> None:
    repo.base({"a.txt": numbered(5)})
    repo.git("rm", "-q", "--cached", "a.txt")
    repo.write("a.txt", numbered(6))


@states(change=["exec", "plain"], where=["staged", "unstaged"], content=["same", "edited"])
def mode(repo: StateRepo, change: str, where: str, content: str) -> None:
    repo.write("tool", numbered(8)).chmod(0o644 if change == "exec" else 0o755)
    repo.commit_all()
    repo.file("tool").chmod(0o755 if change == "exec" else 0o644)
    if content == "edited":
        repo.write("tool", numbered(9))
    if where == "staged":
        repo.add()


@state
def mode_ignored(repo: StateRepo) -> None:
    repo.base({"tool": numbered(8), "edited": numbered(4)})
    repo.config("core.fileMode", "false")
    repo.file("tool").chmod(0o755)
    repo.file("edited").chmod(0o755)
    repo.write("edited", numbered(5))
    repo.write("untracked.sh", "#!/bin/sh\n").chmod(0o755)


@state
def mode_staged_against_work_tree(repo: StateRepo) -> None:
    repo.base({"tool": numbered(8)})
    repo.git("update-index", "--chmod=+x", "tool")


@state
def group_write_and_set_id_bits(repo: StateRepo) -> None:
    repo.base({"a": "a\n", "b": "b\n"})
    repo.file("a").chmod(0o664)
    repo.file("b").chmod(0o600)


_KINDS = ("file", "link", "folder")


@states(old=_KINDS, new=_KINDS, where=["staged", "unstaged"])
def type_change(repo: StateRepo, old: str, new: str, where: str) -> None:
    _make(repo, old, "before")
    repo.write("other.txt", "other\n")
    repo.commit_all()
    _clear(repo)
    _make(repo, new, "after")
    if where == "staged":
        repo.add()


def _make(repo: StateRepo, kind: str, word: str) -> None:
    match kind:
        case "file":
            repo.write("thing", lines(word, 2, 3))
        case "link":
            repo.link("thing", f"target-{word}")
        case _:
            repo.write("thing/inside.txt", lines(word, 2, 3))
            repo.write(f"thing/{word}.txt", word)


def _clear(repo: StateRepo) -> None:
    thing = repo.file("thing")
    if thing.is_dir() and not thing.is_symlink():
        for inside in thing.iterdir():
            inside.unlink()
        thing.rmdir()
    else:
        thing.unlink()


@state
def parent_turned_into_link(repo: StateRepo) -> None:
    repo.base({"d/a.txt": "a\n", "d/b.txt": "b\n", "real/a.txt": "other\n"})
    repo.remove("d/a.txt", "d/b.txt")
    repo.file("d").rmdir()
    repo.link("d", "real")


@states(where=["staged", "unstaged"])
def links(repo: StateRepo, where: str) -> None:
    for name in ("kept", "moved", "gone"):
        repo.link(name, f"to/{name}")
    repo.commit_all()
    repo.link("moved", "elsewhere")
    repo.remove("gone")
    repo.link("new", "a target with spaces")
    repo.link("loop", "loop")
    if where == "staged":
        repo.add()


@state
def links_as_files(repo: StateRepo) -> None:
    repo.link("link", "target")
    repo.commit_all()
    repo.config("core.symlinks", "false")
    repo.remove("link")
    repo.write("link", "target")


@states(rule=["", "* text eol=lf\n"])
def links_as_changed_files(repo: StateRepo, rule: str) -> None:
    repo.link("link", "target")
    repo.write(".gitattributes", rule)
    repo.commit_all()
    repo.config("core.symlinks", "false")
    repo.remove("link")
    repo.write("link", "another target\r\n")


@states(old=["", "x\n"], new=["", "x\n", "x", None])
def emptiness(repo: StateRepo, old: str, new: str | None) -> None:
    repo.base({"a.txt": old, "b.txt": old, "keep": "k\n"})
    for name in ("a.txt", "b.txt"):
        if new is None:
            repo.remove(name)
        else:
            repo.write(name, new)
    repo.git("add", "-A", "a.txt")


@state
def empty_files_added(repo: StateRepo) -> None:
    repo.base({"a.txt": "a\n"})
    repo.write("empty-staged", "")
    repo.write("empty-run", "").chmod(0o755)
    repo.add()
    repo.write("empty-untracked", "")


_ENDINGS = {"both": ("\n", "\n"), "old": ("", "\n"), "new": ("\n", ""), "none": ("", "")}


@states(ends=list(_ENDINGS), place=["last", "first"])
def final_newline(repo: StateRepo, ends: str, place: str) -> None:
    old, new = _ENDINGS[ends]
    text = numbered(12).removesuffix("\n")
    changed = (
        text.replace("line 12", "twelve") if place == "last" else text.replace("line 1\n", "1\n")
    )
    repo.base({"a.txt": text + old})
    repo.write("a.txt", changed + new)


@state
def final_newline_alone(repo: StateRepo) -> None:
    repo.base({"gains": "a\nb", "loses": "a\nb\n", "one": "only", "two": "only\n"})
    for name, content in (
        ("gains", "a\nb\n"),
        ("loses", "a\nb"),
        ("one", "only\n"),
        ("two", "only"),
    ):
        repo.write(name, content)


@state
def blank_lines_and_blanks(repo: StateRepo) -> None:
    repo.base({"a.txt": "a\n\n\nb\n \n\tc\n\n\n\n", "b.txt": "x y\n\tz\n"})
    repo.write("a.txt", "a\n\n\n\nb\n\n\tc \n\n\n")
    repo.write("b.txt", "x  y\n    z\n")


@state
def hunks_that_touch(repo: StateRepo) -> None:
    repo.base({f"gap{gap}.txt": numbered(40) for gap in range(5, 10)})
    for gap in range(5, 10):
        repo.write(f"gap{gap}.txt", numbered(40, {10: "ten", 10 + gap: "next"}))


@state
def insertions_at_the_edges(repo: StateRepo) -> None:
    repo.base(
        {"top": numbered(10), "bottom": numbered(10), "both": numbered(2), "all": numbered(3)}
    )
    repo.write("top", "first\n" + numbered(10))
    repo.write("bottom", numbered(10) + "last\n")
    repo.write("both", "first\n" + numbered(2) + "last\n")
    repo.write("all", "nothing\nin\ncommon\n")


@state
def lone_carriage_returns(repo: StateRepo) -> None:
    repo.base({"a": b"one\rtwo\rthree\n", "b": b"x\r\r\ny\n", "c": b"end\r"})
    repo.write("a", b"one\rTWO\rthree\n")
    repo.write("b", b"x\r\r\ny\r\n")
    repo.write("c", b"end\r\n")


@state
def long_lines(repo: StateRepo) -> None:
    repo.base({"a": "x" * 70000 + "\n" + "y" * 300 + "\nend\n" + numbered(9)})
    repo.write("a", "x" * 70001 + "\n" + "y" * 300 + "\nend\n" + numbered(9, {8: "eight"}))


@state
def utf8_cut_in_a_heading(repo: StateRepo) -> None:
    words = dict.fromkeys(("even", "odd"), "é" * 60 + "\n")
    words["odd"] = "x" + words["odd"]
    words["wide"] = "xy" + "漢" * 40 + "\n"
    repo.base({name: head + numbered(12, stem="\tline") for name, head in words.items()})
    for name, head in words.items():
        repo.write(name, head + numbered(12, {9: "\tnine"}, stem="\tline"))


@states(seed=range(24))
def random_edits(repo: StateRepo, seed: int) -> None:
    """Lines of a small alphabet, so that many shortest edits exist and sliders abound."""
    chance = random.Random(seed)
    alphabet = [
        "",
        "}",
        "{",
        "\treturn x;",
        "if (a) {",
        "    b",
        "\t}",
        "end",
        "def f():",
        "  pass",
    ]
    files = {
        f"f{n}.txt": [chance.choice(alphabet) for _ in range(chance.randrange(3, 90))]
        for n in range(6)
    }
    repo.base({name: lines(*text) for name, text in files.items()})
    for step in ("staged", "unstaged"):
        for name, text in files.items():
            _mutate(text, chance, alphabet)
            repo.write(name, lines(*text))
        if step == "staged":
            repo.add()


def _mutate(text: list[str], chance: random.Random, alphabet: list[str]) -> None:
    for _ in range(chance.randrange(1, 6)):
        start = chance.randrange(len(text) + 1)
        stop = min(len(text), start + chance.randrange(4))
        block = text[start:stop]
        match chance.randrange(4):
            case 0:
                del text[start:stop]
            case 1:
                text[start:start] = block
            case 2:
                text[start:start] = [chance.choice(alphabet) for _ in range(chance.randrange(1, 5))]
            case _:
                text[start:stop] = [chance.choice(alphabet) for _ in block]


@state
def sliders(repo: StateRepo) -> None:
    function = "def {0}(x):\n    if x:\n        return {0}\n\n    return None\n\n\n"
    brace = "int {0}(void)\n{{\n\tif (x) {{\n\t\tgo();\n\t}}\n\treturn 0;\n}}\n\n"
    names = ["one", "two", "three", "four"]
    for name, form in (("a.py", function), ("b.c", brace), ("c.txt", "{0}\n\n")):
        repo.write(name, "".join(form.format(word) for word in names))
    repo.commit_all()
    for name, form in (("a.py", function), ("b.c", brace), ("c.txt", "{0}\n\n")):
        repo.write(name, "".join(form.format(word) for word in ["one", "new", *names[1:3]]))


@state
def repeated_blocks(repo: StateRepo) -> None:
    block = "<item>\n  <name>x</name>\n</item>\n"
    repo.base({"a.xml": f"<list>\n{block * 4}</list>\n", "b.txt": "a\nb\n" * 9})
    repo.write("a.xml", f"<list>\n{block * 6}</list>\n")
    repo.write("b.txt", "a\nb\n" * 7)


@state
def large_rewrite(repo: StateRepo) -> None:
    """Enough lines that the search for the shortest edit gives up early in places."""
    chance = random.Random(5)
    words = [f"w{chance.randrange(300)}" for _ in range(6000)]
    repo.base({"big.txt": lines(*words)})
    for _ in range(900):
        words[chance.randrange(len(words))] = f"w{chance.randrange(300)}"
    chance.shuffle(words[:1500])
    repo.write("big.txt", lines(*words[3000:], *words[:3000]))


@state
def touched_only(repo: StateRepo) -> None:
    repo.base({"a.txt": numbered(5), "b.txt": numbered(5)})
    os.utime(repo.file("a.txt"), (1, 1))
    repo.write("b.txt", numbered(5))


@state
def same_size_and_time(repo: StateRepo) -> None:
    """A change that only the content shows: the index was written at the same moment."""
    repo.base({"a.txt": "aaaa\n"})
    repo.write("a.txt", "bbbb\n")


@state
def staged_then_put_back(repo: StateRepo) -> None:
    repo.base({"a.txt": numbered(9)})
    repo.write("a.txt", numbered(9, {5: "five"}))
    repo.add()
    repo.write("a.txt", numbered(9))


@state
def names_around_the_slash(repo: StateRepo) -> None:
    """``a-b``, ``a/b``, ``a.b`` and ``a0`` order differently as folders and as names."""
    names = ("a/b", "a-b", "a.b", "a0", "a/c/d", "a/c-d")
    repo.base(dict.fromkeys(names, "1\n"))
    for name in names:
        repo.write(name, "2\n")
    repo.add("a-b", "a/b")
    for name in ("a!", "a/", "b/"):
        repo.write(f"{name}z", "u\n")
