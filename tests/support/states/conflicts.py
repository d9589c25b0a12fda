"""Unmerged paths: the seven kinds, combined diffs, and the operations that leave them."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from tests.support.states.repo import BLANKS, lines, numbered, state, states

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.support.states.repo import StateRepo


def _merge(
    repo: StateRepo,
    base: Mapping[str, str | bytes],
    ours: Mapping[str, str | bytes | None],
    theirs: Mapping[str, str | bytes | None],
    *how: str,
) -> None:
    """Commit three versions and merge; None removes a file."""
    repo.write("bystander.txt", "b\n")
    repo.base(base)
    repo.diverge(ours, theirs)
    repo.git(*(how or ("merge", "-q")), "theirs", check=False)


_OURS = numbered(20, {3: "three ours", 12: "twelve ours"})
_THEIRS = numbered(20, {3: "three theirs", 17: "seventeen theirs"})
_HOW = {
    "merge": ("merge", "-q"),
    "cherry-pick": ("cherry-pick",),
    "rebase": ("rebase", "-q"),
    "squash": ("merge", "-q", "--squash"),
}


@states(how=list(_HOW))
def both_modified(repo: StateRepo, how: str) -> None:
    _merge(repo, {"a.txt": numbered(20)}, {"a.txt": _OURS}, {"a.txt": _THEIRS}, *_HOW[how])


@state
def reverted_with_conflict(repo: StateRepo) -> None:
    repo.base({"a.txt": numbered(9)})
    repo.write("a.txt", numbered(9, {4: "four"}))
    commit = repo.commit_all()
    repo.write("a.txt", numbered(9, {4: "4"}))
    repo.commit_all()
    repo.git("revert", "--no-edit", commit, check=False)


@state
def stash_applied_with_conflict(repo: StateRepo) -> None:
    repo.base({"a.txt": numbered(9)})
    repo.write("a.txt", numbered(9, {4: "four"}))
    repo.git("stash", "-q")
    repo.write("a.txt", numbered(9, {4: "4"}))
    repo.commit_all()
    repo.git("stash", "apply", "-q", check=False)


@states(style=["merge", "diff3", "zdiff3"])
def conflict_style(repo: StateRepo, style: str) -> None:
    repo.config("merge.conflictStyle", style)
    _merge(repo, {"a.txt": numbered(20)}, {"a.txt": _OURS}, {"a.txt": _THEIRS})


@state
def both_added(repo: StateRepo) -> None:
    _merge(repo, {"x": "x\n"}, {"a.txt": lines(1, 2, 3)}, {"a.txt": lines(1, 4, 3)})


@states(side=["ours", "theirs"])
def deleted_by(repo: StateRepo, side: str) -> None:
    edited, gone = {"a.txt": _OURS}, {"a.txt": None}
    ours, theirs = (gone, edited) if side == "ours" else (edited, gone)
    _merge(repo, {"a.txt": numbered(20)}, ours, theirs)


@state
def seven_kinds(repo: StateRepo) -> None:
    """Every combination of stages, put into the index by hand."""
    blobs = {
        stage: repo.git(
            "hash-object", "-w", "--stdin", stdin=numbered(9, {stage: f"s{stage}"}).encode()
        )
        for stage in (1, 2, 3)
    }
    repo.base({"bystander.txt": "b\n"})
    entries = []
    for kind in range(1, 8):
        name = f"k{kind}.txt"
        entries += [f"100644 {blobs[s]} {s}\t{name}" for s in (1, 2, 3) if kind & 1 << (s - 1)]
        if kind != 1:
            repo.write(name, numbered(9, {5: "resolved so far"}))
    repo.git("update-index", "--index-info", stdin="".join(f"{e}\n" for e in entries).encode())


@state
def renamed_on_both_sides(repo: StateRepo) -> None:
    repo.base({"a.txt": numbered(20)})
    repo.git("checkout", "-q", "-b", "theirs")
    repo.git("mv", "a.txt", "theirs.txt")
    repo.commit_all()
    repo.git("checkout", "-q", "main")
    repo.git("mv", "a.txt", "ours.txt")
    repo.commit_all()
    repo.git("merge", "-q", "theirs", check=False)


@state
def renamed_and_modified(repo: StateRepo) -> None:
    repo.base({"a.txt": numbered(20)})
    repo.git("checkout", "-q", "-b", "theirs")
    repo.git("mv", "a.txt", "b.txt")
    repo.write("b.txt", _THEIRS)
    repo.commit_all()
    repo.git("checkout", "-q", "main")
    repo.write("a.txt", _OURS)
    repo.commit_all()
    repo.git("merge", "-q", "theirs", check=False)


@states(
    now=["ours", "theirs", "neither", "gone", "empty", "binary", "link", "folder", "run", "base"]
)
def conflict_with_the_work_tree(repo: StateRepo, now: str) -> None:
    """Every kind of file in the work tree at an unmerged path."""
    _merge(repo, {"a.txt": numbered(20)}, {"a.txt": _OURS}, {"a.txt": _THEIRS})
    match now:
        case "gone":
            repo.remove("a.txt")
        case "link":
            repo.link("a.txt", "target")
        case "folder":
            repo.remove("a.txt")
            repo.write("a.txt/inside", "i\n")
        case "run":
            repo.file("a.txt").chmod(0o755)
        case _:
            contents = {"ours": _OURS, "theirs": _THEIRS, "empty": "", "binary": b"\0\1\n"}
            neither = numbered(20, {3: "three", 17: "17", 19: "19"})
            repo.write("a.txt", contents.get(now, neither if now == "neither" else numbered(20)))


@states(content=["text", "binary"])
def conflict_behind_a_link(repo: StateRepo, content: str) -> None:
    """The folder was moved away, and a link leads to its new place."""
    end = "\0\n" if content == "binary" else "\n"
    ours, theirs = {"d/a.txt": _OURS + end}, {"d/a.txt": _THEIRS + end}
    _merge(repo, {"d/a.txt": numbered(20), "d/b.txt": "b\n"}, ours, theirs)
    repo.rename("d", "real")
    repo.link("d", "real")


@states(inside=["repository", "folder"])
def folder_at_a_path_in_conflict(repo: StateRepo, inside: str) -> None:
    """The path is tracked, though not by a merged entry."""
    _merge(repo, {"a.txt": numbered(20), "x": "x\n"}, {"a.txt": None}, {"a.txt": _THEIRS})
    repo.file("a.txt").unlink(missing_ok=True)
    repo.write("a.txt/inside", "i\n")
    if inside == "repository":
        nested = repo.at(repo.file("a.txt"))
        nested.git("init", "-q", "--template=", "-b", "main")
        nested.commit_all()


@states(kind=["both", "ours", "theirs", "attribute"])
def binary_conflict(repo: StateRepo, kind: str) -> None:
    binary = [b"\0one\n", b"\0two\n", b"\0three\n"]
    texts = [b"one\n", b"two\n", b"three\n"]
    ours = binary[1] if kind in ("both", "ours") else texts[1]
    theirs = binary[2] if kind in ("both", "theirs") else texts[2]
    rule = "a.dat -diff\n" if kind == "attribute" else "\n"
    base = {"a.dat": binary[0] if kind == "both" else texts[0], ".gitattributes": rule}
    _merge(repo, base, {"a.dat": ours}, {"a.dat": theirs})


@states(sides=["ours", "theirs", "both"])
def mode_conflict(repo: StateRepo, sides: str) -> None:
    repo.base({"a.sh": numbered(9)})
    for branch, side, word in (("theirs", "theirs", "T"), ("main", "ours", "O")):
        repo.git("checkout", "-q", *(["-b", branch] if branch == "theirs" else [branch]))
        repo.write("a.sh", numbered(9, {5: word}))
        if sides in (side, "both"):
            repo.file("a.sh").chmod(0o755)
        repo.commit_all()
    repo.git("merge", "-q", "theirs", check=False)


@state
def type_conflict(repo: StateRepo) -> None:
    repo.base({"a": "a\n", "b": "b\n"})
    repo.git("checkout", "-q", "-b", "theirs")
    repo.link("a", "target")
    repo.remove("b")
    repo.write("b/inside", "i\n")
    repo.commit_all()
    repo.git("checkout", "-q", "main")
    repo.write("a", "ours\n")
    repo.write("b", "ours\n")
    repo.commit_all()
    repo.git("merge", "-q", "theirs", check=False)


@state
def link_conflict(repo: StateRepo) -> None:
    for branch, target in (("main", "base"), ("theirs", "theirs"), ("main", "ours")):
        if target == "base":
            repo.link("l", target)
        else:
            repo.git("checkout", "-q", *(["-b"] if target == "theirs" else []), branch)
            repo.link("l", target)
        repo.commit_all()
    repo.git("merge", "-q", "theirs", check=False)


@states(ends=["ours", "theirs", "base", "all"])
def conflict_without_final_newline(repo: StateRepo, ends: str) -> None:
    texts = {side: numbered(6, {6: side}) for side in ("base", "ours", "theirs")}
    for side, text in texts.items():
        if ends in (side, "all"):
            texts[side] = text.removesuffix("\n")
    _merge(repo, {"a": texts["base"]}, {"a": texts["ours"]}, {"a": texts["theirs"]})


@states(seed=range(20))
def random_conflict(repo: StateRepo, seed: int) -> None:
    """Combined diffs over several hunks, some resolved, some edited further."""
    chance = random.Random(seed)
    alphabet = ["a", "b", "", "}", "\tcall();", "def f():", "int g(void)"]
    text = [chance.choice(alphabet) for _ in range(chance.randrange(6, 40))]
    sides = []
    for _ in range(3):
        side = list(text)
        for _ in range(chance.randrange(3, 8)):
            at = chance.randrange(len(side))
            side[at : at + chance.randrange(3)] = chance.choices(alphabet, k=chance.randrange(3))
        sides.append(lines(*side))
    _merge(repo, {"a.c": lines(*text)}, {"a.c": sides[0]}, {"a.c": sides[1]})
    match seed % 4:
        case 1:
            repo.write("a.c", sides[2])
        case 2:
            kept = [
                line
                for line in repo.file("a.c").read_text().splitlines()
                if not line.startswith(("<<<<<<<", "=======", ">>>>>>>"))
            ]
            repo.write("a.c", lines(*kept))
        case _:
            pass


@state
def conflict_beside_other_changes(repo: StateRepo) -> None:
    _merge(
        repo,
        {"a.txt": numbered(20), "m.txt": numbered(8), "z.txt": "z\n"},
        {"a.txt": _OURS, "z.txt": "ours\n"},
        {"a.txt": _THEIRS, "m.txt": numbered(9), "z.txt": "theirs\n", "é.txt": "t\n"},
    )
    repo.write("m.txt", numbered(10))
    repo.write("z.txt", "resolved\n")
    repo.add("z.txt")
    repo.write("z.txt", "resolved more\n")
    repo.write("untracked", "u\n")


@states(end=["FF", "VT", "tab", "CR", "FF CR"])
def conflict_below_a_heading_that_ends_in_blanks(repo: StateRepo, end: str) -> None:
    head = f"heading{BLANKS[end]}\n"
    sides = [{"a.txt": head + numbered(12, {10: word})} for word in ("base", "ours", "theirs")]
    _merge(repo, *sides)


@states(name=["with space", 'quote"', "é", "dir/é b"])
def conflict_names(repo: StateRepo, name: str) -> None:
    _merge(repo, {name: numbered(9)}, {name: numbered(9, {4: "o"})}, {name: numbered(9, {4: "t"})})


@state
def conflict_with_line_ends(repo: StateRepo) -> None:
    repo.write(".gitattributes", "*.txt text eol=crlf\n")
    sides = [numbered(9, {4: word}).replace("\n", "\r\n") for word in ("base", "ours", "theirs")]
    _merge(repo, {"a.txt": sides[0]}, {"a.txt": sides[1]}, {"a.txt": sides[2]})


@state
def conflict_in_long_functions(repo: StateRepo) -> None:
    """Headings of combined hunks."""
    body = [
        "int first(void)",
        "{",
        *(f"\ta{n};" for n in range(12)),
        "}",
        "",
        "int second(void)",
        "{",
    ]
    body += [*(f"\tb{n};" for n in range(12)), "}"]
    ours, theirs = list(body), list(body)
    ours[9], theirs[9] = "\tours;", "\ttheirs;"
    ours[25], theirs[25] = "\tours;", "\ttheirs;"
    _merge(repo, {"a.c": lines(*body)}, {"a.c": lines(*ours)}, {"a.c": lines(*theirs)})


@state
def larger_markers(repo: StateRepo) -> None:
    repo.write(".gitattributes", "a.txt conflict-marker-size=12\n")
    _merge(repo, {"a.txt": numbered(20)}, {"a.txt": _OURS}, {"a.txt": _THEIRS})


@states(
    stages=["1", "2", "3", "12", "13", "23", "123"],
    where=["unique base name", "elsewhere", "gone"],
    alike=["the same", "similar", "different"],
)
def deleted_and_alike_in_conflict(repo: StateRepo, stages: str, where: str, alike: str) -> None:
    """Git treats a file at an unmerged path as a rename candidate."""
    repo.base({"d/moved.txt": numbered(20), "keep.txt": "k\n", "z.txt": numbered(20, stem="z")})
    path = "e/moved.txt" if where == "unique base name" else "e/other.txt"
    lines = ""
    for stage in stages:
        blob = repo.git("hash-object", "-w", "--stdin", stdin=numbered(9, stem=stage).encode())
        lines += f"100644 {blob} {stage}\t{path}\n"
    repo.git("update-index", "--index-info", stdin=lines.encode())
    text = {
        "the same": numbered(20),
        "similar": numbered(20, {4: "four"}),
        "different": numbered(20, stem="other"),
    }[alike]
    if where == "gone":
        repo.write("d/moved.txt", text)
        repo.git("add", "-N", "d/moved.txt")
        repo.write("new.txt", numbered(9, {4: "four"}, stem="2"))
        repo.git("add", "-N", "new.txt")
    else:
        repo.write(path, text)
        repo.remove("d/moved.txt")


@states(ours=["120000", "100644"], here=["a file", "a link", "nothing"])
def conflict_without_symbolic_links(repo: StateRepo, ours: str, here: str) -> None:
    """A file is in the place of a link that both sides have."""
    repo.base({"keep.txt": "k\n"})
    lines = ""
    for stage, mode in ((1, "120000"), (2, ours), (3, "120000")):
        blob = repo.git("hash-object", "-w", "--stdin", stdin=f"target{stage}".encode())
        lines += f"{mode} {blob} {stage}\tlink\n"
    repo.git("update-index", "--index-info", stdin=lines.encode())
    repo.config("core.symlinks", "false")
    if here == "a file":
        repo.write("link", "target4")
    elif here == "a link":
        repo.link("link", "target4")
