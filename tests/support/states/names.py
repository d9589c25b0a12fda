"""Names that Git quotes, or that sort and print in surprising ways."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.states.repo import numbered, state, states

if TYPE_CHECKING:
    from tests.support.states.repo import StateRepo

_NAMES: dict[str, bytes] = {
    "space": b"a name",
    "spaces-around": b" lead and trail ",
    "quote": b'say "x"',
    "backslash": b"back\\slash",
    "apostrophe": b"it's",
    "tab": b"a\ttab",
    "newline": b"a\nnewline",
    "controls": b"bell\a back\b vt\v ff\f cr\r esc\x1b del\x7f one\x01",
    "latin": "café".encode(),
    "wide": "漢字/かな".encode(),
    "emoji": "🎉.txt".encode(),
    "decomposed": "cafe\u0301".encode(),
    "dashes": b"-rf",
    "colon": b":(top)x",
    "star": b"a*?[b]",
    "hash": b"#x",
    "bang": b"!x",
    "dollar": b"$HOME",
    "arrow": b"a -> b",
    "a-prefix": b"a/a/b/b",
    "dot": b".hidden",
    "ellipsis": b"...",
    "trailing-dot": b"x.",
    "long": b"n" * 255,
    "long-wide": "é".encode() * 127,
    "deep": b"/".join([b"d" * 60] * 30),
}

_INVALID: dict[str, bytes] = {
    "latin1": b"caf\xe9",
    "lone": b"\xff\xfe",
    "cut": "é".encode()[:1] + b"x",
    "folder": b"d\xe9/plain",
}


@states(name=list(_NAMES))
def named(repo: StateRepo, name: str) -> None:
    """The same name edited, staged, removed and untracked, with a mode change too."""
    path = _NAMES[name]
    repo.base({path: numbered(20), b"second/" + path: numbered(20), b"gone/" + path: "gone\n"})
    repo.write(path, numbered(20, {2: "two"}))
    repo.add(b"./" + path if path.startswith(b":") else path)
    repo.write(path, numbered(20, {19: "nineteen"}))
    repo.file(b"second/" + path).chmod(0o755)
    repo.remove(b"gone/" + path)
    repo.write(b"untracked/" + path, "u\n")


@states(name=list(_NAMES))
def renamed_to(repo: StateRepo, name: str) -> None:
    repo.base({"plain.txt": numbered(20), "exact.txt": numbered(9, stem="exact")})
    repo.rename("plain.txt", b"new/" + _NAMES[name])
    repo.write(b"new/" + _NAMES[name], numbered(20, {7: "seven"}))
    repo.rename("exact.txt", b"moved/" + _NAMES[name])
    repo.add()


@states(name=list(_INVALID))
def named_in_other_bytes(repo: StateRepo, name: str) -> None:
    """A tracked name that is not valid UTF-8 appears quoted, and is ordinary evidence."""
    path = _INVALID[name]
    repo.base(
        {path: numbered(20), b"second/" + path: numbered(20), b"old": numbered(12, stem="old")}
    )
    repo.write(path, numbered(20, {2: "two"}))
    repo.add(path)
    repo.write(b"second/" + path, numbered(20, {19: "nineteen"}))
    repo.write(b"third/" + path, "new\n")
    repo.rename("old", b"fourth/" + path)
    repo.add()
    repo.write(path, numbered(20, {3: "three"}))


@state
def quoted_pairs(repo: StateRepo) -> None:
    """Renames of which only one side is quoted or has a space."""
    pairs = [("a b", "c"), ("d", "e f"), ('g"', "h i"), ("é", "k"), ("l", "ü")]
    repo.base({old: numbered(20, stem=old) for old, _ in pairs})
    for old, new in pairs:
        repo.rename(old, new)
    repo.add()
    for _, new in pairs:
        repo.write(new, "rewritten\n")


@state
def many_names_untracked(repo: StateRepo) -> None:
    repo.base({"a": "a\n"})
    for path in _NAMES.values():
        repo.write(b"u/" + path, b"u\n")
        repo.link(b"l/" + path, b"target of " + path[:40])


@state
def case_alone(repo: StateRepo) -> None:
    repo.base({"Readme": numbered(8), "README": numbered(9), "src/A": "A\n", "SRC/a": "a\n"})
    repo.write("Readme", numbered(7))
    repo.write("README", numbered(7))
    repo.remove("src/A")
    repo.write("readme", "u\n")


@state
def case_ignored(repo: StateRepo) -> None:
    """``core.ignoreCase`` on a file system that does not fold case has its effect in Git."""
    repo.base({"Readme": numbered(8), "src/A": "A\n", ".gitignore": "*.LOG\n"})
    repo.config("core.ignoreCase", "true")
    repo.write("Readme", numbered(9))
    repo.write("x.log", "ignored\n")
    repo.write("src/B", "u\n")


@states(
    what=["file", "folder", "link", "modified", "in a folder", "in conflict", "ignored", "rules"],
    sort=["before", "behind"],
)
def case_ignored_where_it_counts(repo: StateRepo, what: str, sort: str) -> None:
    """Names that differ only in letter case, on a file system that distinguishes them."""
    tracked, other = ("b/File.txt", "b/fILE.TXT") if sort == "before" else ("b/file.txt", "B/FILE")
    repo.base({tracked: numbered(9), "a.txt": "a\n", "c.txt": "c\n", "B.c": "b\n", "b.c": "b\n"})
    repo.config("core.ignoreCase", "true")
    repo.write("b.c", "changed\n")
    match what:
        case "folder":
            repo.write(f"{tracked.upper()}/inside", "x\n")
        case "link":
            repo.link(tracked.swapcase(), "target")
        case "modified":
            repo.write(tracked, numbered(10))
            repo.write(tracked.swapcase(), numbered(11))
        case "in a folder":
            repo.rename("b", "B")
            repo.write("B/new.txt", "n\n")
        case "in conflict":
            blob = repo.rev(f"HEAD:{tracked}")
            lines = "".join(f"100644 {blob} {stage}\tX/Y\n" for stage in (1, 2, 3))
            repo.git("update-index", "--index-info", stdin=lines.encode())
            repo.write("x/y", "y\n")
        case "ignored":
            repo.write(".gitignore", "*.TXT\n!C*\nD/\n")
            repo.write("x.txt", "x\n")
            repo.write("d/x", "x\n")
            repo.write("cc.txt", "x\n")
        case "rules":
            repo.write(".gitattributes", "*.TXT -diff\n")
            repo.write(tracked, numbered(10))
        case _:
            repo.write(other, numbered(9))


@states(what=["gitlink", "file"])
def nested_repository_named_like_another_but_for_case(repo: StateRepo, what: str) -> None:
    repo.base({"a.txt": "a\n", "D/sub" if what == "file" else "D/x": "x\n"})
    nested = repo.at(repo.file("d/sub"))
    nested.path.mkdir(parents=True)
    nested.git("init", "-q", "--template=", "-b", "main")
    nested.base({"n.txt": "n\n"})
    repo.config("core.ignoreCase", "true")
    if what == "gitlink":
        repo.git("update-index", "--add", "--cacheinfo", f"160000,{nested.rev('HEAD')},D/sub")
