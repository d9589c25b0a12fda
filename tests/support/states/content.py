"""Content that Git converts or does not show: line endings, filters, encodings, binary files."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING

from tests.support.states.repo import numbered, state, states

if TYPE_CHECKING:
    from tests.support.states.repo import StateRepo

_TEXTS = {
    "lf": b"one\ntwo\nthree\n",
    "crlf": b"one\r\ntwo\r\nthree\r\n",
    "mixed": b"one\r\ntwo\nthree\r\n",
    "lone-cr": b"one\rtwo\r\nthree\n",
    "nul": b"one\r\n\0two\r\nthree\r\n",
}

_RULES = {
    "none": "",
    "auto": "* text=auto\n",
    "text": "* text\n",
    "off": "* -text\n",
    "eol-lf": "* text eol=lf\n",
    "eol-crlf": "* text eol=crlf\n",
    "auto-crlf": "* text=auto eol=crlf\n",
    "auto-lf": "* text=auto eol=lf\n",
    "eol-alone": "* eol=crlf\n",
    "legacy": "* crlf\n",
    "legacy-off": "* -crlf\n",
    "legacy-input": "* crlf=input\n",
    "binary": "* binary\n",
}


@states(autocrlf=["false", "true", "input"], eol=["unset", "lf", "crlf"], rule=list(_RULES))
def line_ends(repo: StateRepo, autocrlf: str, eol: str, rule: str) -> None:
    """Every content was committed as it is, and is now in the work tree in each other form."""
    names = {f"{old}-to-{new}": (_TEXTS[old], _TEXTS[new]) for old in _TEXTS for new in _TEXTS}
    repo.base({name: old for name, (old, _) in names.items()})
    repo.config("core.autocrlf", autocrlf)
    if eol != "unset":
        repo.config("core.eol", eol)
    repo.write(".gitattributes", _RULES[rule])
    for name, (_, new) in names.items():
        repo.write(name, new)
        repo.write(f"{name}.edited", new + b"four\r\n")
    repo.git("-c", "core.safecrlf=false", "add", "lf-to-crlf", "crlf-to-lf", "mixed-to-lf")
    repo.git("add", "--intent-to-add", "lf-to-crlf.edited")
    repo.write("lf-to-lf", b"one\n2\r\nthree\n")
    repo.write("crlf-to-crlf", b"one\r\n2\r\nthree\r\n")


@states(safe=["true", "warn", "false"])
def safe_line_ends(repo: StateRepo, safe: str) -> None:
    repo.base({"a.txt": "one\ntwo\n", "b.txt": "one\r\ntwo\r\n"})
    repo.config("core.autocrlf", "true")
    repo.config("core.safecrlf", safe)
    repo.write("a.txt", "one\r\ntwo\nthree\n")
    repo.write("b.txt", "one\ntwo\n")


@state
def ident(repo: StateRepo) -> None:
    text = "$Id$\n$Id: 0123456789 $\n$Id: not closed\n$Ident$ $Id$ $Id:$\nend\n"
    repo.base({".gitattributes": "*.c ident\n", "a.c": text, "b.c": text, "c.txt": text})
    repo.git("checkout", "-q", "--", ".")
    repo.remove("a.c", "b.c")
    repo.git("checkout", "-q", "--", ".")
    expanded = repo.file("a.c").read_text()
    repo.write("a.c", expanded + "more\n")
    repo.write("b.c", expanded.replace("$Id: ", "$Id:  "))
    repo.write("c.txt", expanded)
    repo.write("new.c", expanded)
    repo.add("new.c")
    repo.write("new.c", expanded + "$Id: x$\n")


@states(encoding=["UTF-16", "UTF-16LE-BOM", "UTF-16BE", "UTF-32", "ISO-8859-1", "SHIFT-JIS"])
def work_tree_encoding(repo: StateRepo, encoding: str) -> None:
    codec = {"UTF-16LE-BOM": "UTF-16LE", "SHIFT-JIS": "shift_jis"}.get(encoding, encoding)
    mark = "\ufeff" if encoding == "UTF-16LE-BOM" else ""
    word = "かな" if encoding == "SHIFT-JIS" else "été"

    def encoded(text: str) -> bytes:
        return (mark + text).encode(codec)

    repo.write(".gitattributes", f"*.txt working-tree-encoding={encoding}\n")
    repo.base({name: encoded(f"{word}\n" + numbered(8)) for name in ("a.txt", "b.txt", "same.txt")})
    repo.write("a.txt", encoded(f"{word}\n" + numbered(8, {4: word})))
    repo.write("b.txt", encoded(f"{word}\n" + numbered(9)))
    repo.add("b.txt")
    repo.write("same.txt", encoded(f"{word}\n" + numbered(8)))
    repo.write("new.txt", encoded(f"{word}\n"))


@state
def work_tree_encoding_with_line_ends(repo: StateRepo) -> None:
    repo.write(".gitattributes", "*.txt text eol=crlf working-tree-encoding=UTF-16LE\n")
    repo.base({"a.txt": "one\r\ntwo\r\n".encode("UTF-16LE")})
    repo.write("a.txt", "one\r\n2\r\nthree\r\n".encode("UTF-16LE"))


_SEEN = ["racy", "in the same second", "a second later", "settled", "touched"]
_SECOND = 1_700_000_000


def _seen(repo: StateRepo, seen: str, *names: str) -> None:
    """Give files and index times that make Git more or less likely to read a file again."""
    nanoseconds = {
        "racy": _SECOND * 10**9,
        "in the same second": _SECOND * 10**9 + 500,
        "a second later": (_SECOND + 1) * 10**9,
    }.get(seen, 4_000_000_000 * 10**9)
    if seen == "touched":
        for name in names:
            os.utime(repo.file(name), (1, 1))
    os.utime(repo.file(".git/index"), ns=(nanoseconds, nanoseconds))


_CONVERTIBLE: dict[str | bytes, str | bytes] = {
    "crlf.txt": "one\r\ntwo\r\n",
    "d/lf.txt": "one\ntwo\n",
    "lone.txt": "one\rtwo\r\nthree\n",
    "nul.txt": "one\r\n\0two\r\n",
    "id.txt": "$Id: old $\none\n",
    "utf.txt": "one\r\ntwo\n".encode("utf-16"),
}


def _convertible(repo: StateRepo) -> None:
    """Files that Git recorded without any conversion."""
    for name, content in _CONVERTIBLE.items():
        os.utime(repo.write(name, content), ns=(_SECOND * 10**9 + 100,) * 2)
    repo.commit_all()


@states(
    rule=[
        "text", "text=auto", "text=auto eol=crlf", "eol=lf", "eol=crlf", "-text eol=lf", "crlf",
        "crlf=input", "ident", "binary", "filter=mine", "working-tree-encoding=UTF-16",
    ],
    seen=_SEEN,
)  # fmt: skip
def rule_added_afterwards(repo: StateRepo, rule: str, seen: str) -> None:
    """The change counts only if Git has a reason to read the content again."""
    _convertible(repo)
    repo.write(".gitattributes", f"*.txt {rule}\n")
    _seen(repo, seen, *map(str, _CONVERTIBLE))


@states(where=["d/.gitattributes", "d/e/.gitattributes", ".git/info/attributes"], seen=_SEEN)
def rule_added_elsewhere(repo: StateRepo, where: str, seen: str) -> None:
    repo.write("d/e/x.txt", "one\r\ntwo\r\n")
    repo.write("d/y.txt", "one\r\ntwo\r\n")
    for name in ("d/e/x.txt", "d/y.txt"):
        os.utime(repo.file(name), ns=(_SECOND * 10**9 + 100,) * 2)
    repo.commit_all()
    repo.file(where).parent.mkdir(exist_ok=True)
    repo.write(where, "* text\n")
    _seen(repo, seen, "d/e/x.txt", "d/y.txt")


@states(where=["", "d/"], seen=_SEEN)
def rule_taken_away_afterwards(repo: StateRepo, where: str, seen: str) -> None:
    """The staged rules differ from those in the work tree."""
    repo.write(f"{where}.gitattributes", "*.txt text\n")
    repo.write("d/crlf.txt", "one\r\ntwo\r\n")
    os.utime(repo.file("d/crlf.txt"), ns=(_SECOND * 10**9 + 100,) * 2)
    repo.commit_all()
    repo.write(f"{where}.gitattributes", "*.c diff=cpp\n")
    _seen(repo, seen, "d/crlf.txt")


@states(key=["autocrlf-true", "autocrlf-input", "eol-crlf"], seen=_SEEN, safe=["true", "false"])
def line_end_setting_changed_afterwards(repo: StateRepo, key: str, seen: str, safe: str) -> None:
    _convertible(repo)
    name, value = key.split("-")
    repo.config(f"core.{name}", value)
    repo.config("core.safecrlf", safe)
    _seen(repo, seen, *map(str, _CONVERTIBLE))


@states(seen=_SEEN, what=["content", "link"])
def changed_with_time_and_size_kept(repo: StateRepo, seen: str, what: str) -> None:
    """Git notices it only by whole seconds; the time of the state change cannot be preserved."""
    repo.config("core.trustctime", "false")
    repo.config("core.checkStat", "minimal")
    put = repo.link if what == "link" else repo.write
    for content in ("one\n", "two\n"):
        put("a.txt", content)
        times = (_SECOND * 10**9 + 100,) * 2
        os.utime(repo.file("a.txt"), ns=times, follow_symlinks=False)
        if content == "one\n":
            repo.commit_all()
    _seen(repo, seen)


@states(setting=["default", "minimal", "no-ctime"], seen=_SEEN)
def replaced_by_another_file_of_its_time(repo: StateRepo, setting: str, seen: str) -> None:
    """The inode and the change time of the file differ."""
    if setting == "minimal":
        repo.config("core.checkStat", "minimal")
    elif setting == "no-ctime":
        repo.config("core.trustctime", "false")
    for name, content in (("a.txt", "one\n"), ("other", "two\n")):
        os.utime(repo.write(name, content), ns=(_SECOND * 10**9 + 100,) * 2)
        if name == "a.txt":
            repo.commit_all()
    repo.rename("other", "a.txt")
    _seen(repo, seen)


@states(
    seen=["racy", "settled", "touched", "touched long ago"],
    rules=[".gitattributes", "d/.gitattributes", ".git/info/attributes"],
)
def work_tree_encoding_demanded_afterwards(repo: StateRepo, seen: str, rules: str) -> None:
    """Git notices the change only if it has a reason to read the content again."""
    utf16 = "one\ntwo\n".encode("utf-16")
    repo.base({"d/raw.txt": utf16, "d/plain.txt": "plain\n", "d/odd.txt": "odd"})
    repo.file(rules).parent.mkdir(exist_ok=True)
    repo.write(rules, "*.txt working-tree-encoding=UTF-16LE-BOM\n")
    index = repo.file(".git/index")
    for name in ("d/raw.txt", "d/plain.txt", "d/odd.txt"):
        if seen == "touched long ago":
            os.utime(repo.file(name), (1, 1))
        elif seen == "touched":
            os.utime(repo.file(name))
    if seen == "racy":
        os.utime(index, (1, 1))
    else:
        os.utime(index, (4_000_000_000, 4_000_000_000))


@states(where=["staged", "unstaged"])
def binary(repo: StateRepo, where: str) -> None:
    chance = random.Random(1)
    old = {name: chance.randbytes(3000) for name in ("edited", "gone", "moved", "run", "typed")}
    repo.base({**old, "text-to-binary": "text\n", "binary-to-text": b"\0\n", "late": "x" * 9000})
    repo.write("edited", old["edited"][:2000] + b"more")
    repo.remove("gone", "typed")
    repo.rename("moved", "renamed")
    repo.write("renamed", old["moved"] + b"tail")
    repo.file("run").chmod(0o755)
    repo.link("typed", "target")
    repo.write("text-to-binary", b"text\0\n")
    repo.write("binary-to-text", b"text\n")
    repo.write("late", b"x" * 8500 + b"\0")
    repo.write("early", b"x" * 7999 + b"\0")
    repo.write("new", chance.randbytes(100))
    if where == "staged":
        repo.add()


_DIFF_RULES = {
    "minus": "* -diff\n",
    "binary": "* binary\n",
    "plus": "* diff\n",
    "macro": "[attr]opaque -diff -text\n* opaque\n",
    "unset-again": "* -diff\n*.txt !diff\n",
    "driver": "*.bin diff=other\n*.txt diff=absent\n",
}


@states(rule=list(_DIFF_RULES))
def diff_attribute(repo: StateRepo, rule: str) -> None:
    repo.write(".gitattributes", _DIFF_RULES[rule])
    repo.config("diff.other.binary", "true")
    repo.base({"a.txt": numbered(9), "b.bin": b"x\0y\n", "c.bin": "plain\n", "r.txt": numbered(7)})
    repo.write("a.txt", numbered(9, {5: "five"}))
    repo.write("b.bin", b"x\0z\n")
    repo.write("c.bin", "changed\n")
    repo.rename("r.txt", "s.txt")
    repo.add("r.txt", "s.txt", "b.bin")
    repo.write("s.txt", numbered(7, {6: "six"}))
    repo.write("new.txt", "n\n")
    repo.add("new.txt")


@state
def nul_shown_as_text(repo: StateRepo) -> None:
    repo.base({".gitattributes": "* diff\n", "a.txt": b"one\0\ntwo\nthree\n"})
    repo.write("a.txt", b"one\0\n2\0\nthree\n")


@states(threshold=["100", "1k"])
def big_files(repo: StateRepo, threshold: str) -> None:
    repo.base({"small.txt": "a\n", "big.txt": numbered(400), "gone.txt": numbered(300)})
    repo.config("core.bigFileThreshold", threshold)
    repo.write("small.txt", "b\n")
    repo.write("big.txt", numbered(401))
    repo.rename("gone.txt", "moved.txt")
    repo.add("gone.txt", "moved.txt")
    repo.write("moved.txt", numbered(299))
    repo.write("new.txt", numbered(200))
    repo.add("new.txt")


@states(
    convert=["none", "true", "input", "* text", "* ident", "* -text"],
    sizes=["both big", "big before", "big now", "mode too"],
)
def big_files_that_are_converted(repo: StateRepo, convert: str, sizes: str) -> None:
    """If a file may be converted, Git must read it to know its size."""
    repo.base({"a.txt": numbered(2 if sizes == "big now" else 30), "b.txt": "b\n"})
    if convert.startswith("*"):
        repo.write(".git/info/attributes", f"{convert}\n")
    elif convert != "none":
        repo.config("core.autocrlf", convert)
    repo.config("core.bigFileThreshold", "100")
    path = repo.write("a.txt", numbered(2 if sizes == "big before" else 31, {2: "two"}))
    if sizes == "mode too":
        path.chmod(0o755)


@states(
    names=["unique", "other", "ambiguous"],
    alike=["the same", "similar", "less similar", "of other size", "different"],
    where=["staged", "later", "later, with a link gone"],
)
def big_files_that_moved(repo: StateRepo, names: str, alike: str, where: str) -> None:
    """The search for renames reads content, and Git keeps its verdict about it."""
    repo.base({"d/a.txt": numbered(40), "d/z.txt": numbered(60, stem="z"), "keep.txt": "k\n"})
    if where == "later, with a link gone":
        repo.link("l", "keep.txt")
        repo.commit_all()
        repo.remove("l")
    repo.config("core.bigFileThreshold", "100")
    edits = {n: f"edited {n}" for n in range(1, {"similar": 3, "less similar": 16}.get(alike, 0))}
    text = {
        "different": numbered(40, stem="other"),
        "of other size": numbered(400),
    }.get(alike, numbered(40, edits))
    new = "e/b.txt" if names == "other" else "e/a.txt"
    repo.write(new, text)
    if names == "ambiguous":
        repo.write("f/a.txt", numbered(50, stem="f"))
    repo.remove("d/a.txt")
    if where == "staged":
        repo.add()
    else:
        repo.git("add", "-N", ".")


@states(
    threshold=["5", "100"],
    where=["staged", "unstaged", "later"],
)
def big_links(repo: StateRepo, threshold: str, where: str) -> None:
    repo.link("l", "target-of-a-link")
    repo.base({"a.txt": "a\n"})
    repo.config("core.bigFileThreshold", threshold)
    repo.link("later" if where == "later" else "l", "another-target-of-a-link")
    if where == "staged":
        repo.add()
    elif where == "later":
        repo.git("add", "-N", ".")


@state
def big_file_threshold_below_a_submodule_line(repo: StateRepo) -> None:
    repo.base({"a.txt": "a\n"})
    inner = repo.at(repo.file("sub"))
    inner.path.mkdir()
    inner.git("init", "-q", "--template=", "-b", "main")
    inner.commit()
    repo.config("core.bigFileThreshold", "5")
    repo.git("-c", "advice.addEmbeddedRepo=false", "add", "sub")


@state
def big_files_same_size(repo: StateRepo) -> None:
    """Above the threshold, but of unchanged size: Git has read the content by then."""
    repo.base({"a.txt": numbered(40), "b.txt": numbered(40), "c.txt": numbered(40)})
    repo.config("core.bigFileThreshold", "100")
    repo.write("a.txt", numbered(40, {9: "LINE 9"}))
    repo.write("b.txt", numbered(40, {9: "LINE 9"})).chmod(0o755)
    repo.write("c.txt", numbered(40, {9: "LINE 9"}))
    repo.add("c.txt")


@state
def attributes_of_every_source(repo: StateRepo) -> None:
    """Folder files win over the root's, ``info/attributes`` over both, the user's file loses."""
    repo.base({f"{d}x.{e}": numbered(6) for d in ("", "d/", "d/e/") for e in ("a", "b", "c", "g")})
    repo.write(".gitattributes", "*.a -diff\n*.b -diff\nd/** -diff\n")
    repo.write("d/.gitattributes", "*.a diff\n")
    repo.write("d/e/.gitattributes", "*.b diff\nx.a -diff\n")
    repo.write(".git/info/attributes", "*.c -diff\n")
    repo.write(repo.home / "user-attributes", "*.g -diff\n")
    repo.config("core.attributesFile", str(repo.home / "user-attributes"))
    for d in ("", "d/", "d/e/"):
        for e in ("a", "b", "c", "g"):
            repo.write(f"{d}x.{e}", numbered(6, {3: "three"}))


@state
def attributes_staged_only(repo: StateRepo) -> None:
    """``.gitattributes`` missing in the work tree is read from the index."""
    repo.base(
        {".gitattributes": "*.bin -diff\n*.crlf text eol=crlf\n", "a.bin": "a\n", "b.crlf": "b\r\n"}
    )
    repo.remove(".gitattributes")
    repo.write("a.bin", "b\n")
    repo.write("b.crlf", "b\r\nc\r\n")


@state
def attributes_differ_in_index(repo: StateRepo) -> None:
    repo.base({".gitattributes": "*.x -diff\n", "a.x": "a\n"})
    repo.write(".gitattributes", "*.y -diff\n")
    repo.write("a.x", "b\n")
    repo.write("b.y", "b\n")
    repo.add("a.x", "b.y")


@state
def attributes_with_quotes_and_comments(repo: StateRepo) -> None:
    repo.base({"a b": "1\n", "c#": "1\n", "é.txt": "1\n", "!n": "1\n"})
    repo.write(
        ".gitattributes", '# comment\n"a b" -diff\nc# -diff\n"\\303\\251.txt" -diff\n\n  !n -diff\n'
    )
    for name in ("a b", "c#", "é.txt", "!n"):
        repo.write(name, "2\n")


@state
def filter_without_a_process(repo: StateRepo) -> None:
    """A filter that no configuration defines does nothing."""
    repo.base({".gitattributes": "*.x filter=unknown\n", "a.x": "a\n"})
    repo.write("a.x", "b\n")
    repo.write("c.x", "c\n")


@state
def work_tree_converts_to_the_same(repo: StateRepo) -> None:
    """Stat-dirty, other bytes, equal once normalized."""
    repo.base({".gitattributes": "*.txt text\n", "a.txt": "one\ntwo\n", "b.txt": "b\n"})
    repo.write("a.txt", "one\r\ntwo\r\n")
    repo.write("b.txt", "b\n")


@state
def not_normalized_in_the_index(repo: StateRepo) -> None:
    """Committed with CRLF before ``text`` was set: Git shows it as changed once it is touched."""
    repo.base({"a.txt": "one\r\ntwo\r\n", "b.txt": "one\r\ntwo\r\n", "c.txt": "one\r\n"})
    repo.write(".gitattributes", "* text\n")
    repo.commit_all()
    repo.write("b.txt", "one\r\ntwo\r\nthree\r\n")
    repo.write("c.txt", "one\n")
