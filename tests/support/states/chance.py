"""States that nobody designed: a work tree changed at random, the same for the same seed.

Each step is something that people or programs do to a work tree, an index or a configuration. What
git refuses on the way is not a harm: the state is what has come of it.
"""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from tests.support.repo import git

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from tests.support.states.repo import StateRepo

_NAMES = [
    b"a", b"b.txt", b"A.txt", b"a b", b" lead", b"tab\there", b"line\nfeed", b'say "x"', b"back\\",
    b"caf\xc3\xa9", b"cafe\xcc\x81", b"odd\xff", b"-dash", b"glob*", b"[ab]", b"~", b"#hash",
    b"!bang", b"x.py", b"x.c", b"x.md", b"x.java", b"x.rb", b"x.html", b"Makefile", b"n" * 255,
]  # fmt: skip
_FOLDERS = [b"", b"", b"", b"d/", b"d/e/", b"d-e/", b"d.e/", b"D/", b"sp ace/", b"\xc3\xa4/"]
_LINES = [
    b"", b"", b"{", b"}", b"alpha", b"beta", b"int f() {", b"\treturn x;", b"def g(x):",
    b"class A:", b"# Heading", b"<h1>x</h1>", b"$Id$", b"$Id: old $", b"caf\xc3\xa9",
    b"@@ -1 +1 @@", b"public void m() {", b"x" * 90, b"not \xff utf-8",
]  # fmt: skip
_ATTRIBUTES = [
    b"text", b"-text", b"text=auto", b"eol=lf", b"eol=crlf", b"crlf", b"-crlf", b"ident", b"binary",
    b"diff", b"-diff", b"!diff", b"diff=python", b"diff=cpp", b"diff=java", b"diff=mine",
    b"working-tree-encoding=UTF-16", b"working-tree-encoding=latin1", b"filter=none",
]  # fmt: skip
_PATTERNS = [b"*", b"*.txt", b"*.c", b"a*", b"/a", b"d/*", b"d/**", b"**/x.py", b"[a-c]*", b"e/"]
_IGNORED = [
    b"*.txt", b"/a", b"d/", b"!b.txt", b"*", b"!*/", b"!d/e/", b"**/e", b"/d/e/*", b"x.*", b"!x.md",
    b"[a-c]*", b"\\#hash", b"\\!bang", b"# comment", b"D/", b"trail\\ ",
]  # fmt: skip
_SETTINGS = {
    "core.autocrlf": ["true", "input", "false"],
    "core.eol": ["lf", "crlf", "native"],
    "core.safecrlf": ["true", "false", "warn"],
    "core.fileMode": ["false", "true"],
    "core.symlinks": ["false"],
    "core.ignoreCase": ["true"],
    "core.checkStat": ["minimal"],
    "core.trustctime": ["false"],
    "core.bigFileThreshold": ["5", "100", "1k"],
    "core.sparseCheckout": ["true"],
    "core.untrackedCache": ["true"],
    "diff.mine.xfuncname": ["^[a-z].*$", "!^#\n^(.*[{])$", "^(al|be)"],
    "diff.mine.binary": ["true", "false"],
    "status.showUntrackedFiles": ["no"],
}
_SECOND = 1_700_000_000 * 10**9


class Wanderer:
    """Changes one repository step by step.

    Args:
        repo: An empty repository.
        chance: What decides everything.
    """

    def __init__(self, repo: StateRepo, chance: random.Random) -> None:
        self._repo = repo
        self._chance = chance
        self._names = chance.sample(_NAMES, 6)
        self._steps: list[tuple[Callable[[], object], int]] = [
            (self.edit, 12), (self.create, 5), (self.remove, 5), (self.move, 5), (self.stage, 8),
            (self.unstage, 3), (self.touch, 4), (self.change_mode, 3), (self.change_kind, 4),
            (self.intend, 3), (self.hide, 3), (self.enter_by_hand, 2), (self.conflict, 3),
            (self.nest, 3), (self.record_repository, 1), (self.add_rules, 4), (self.configure, 3),
            (self.convert_line_ends, 2), (self.keep_time, 2), (self.make_folder, 2),
            (self.rewrite_index, 1), (self.commit, 1), (self.merge, 1), (self.replace, 1),
            (self.pack, 1), (self.make_pipe, 1), (self.link_folder, 1), (self.date_index, 2),
        ]  # fmt: skip

    def run(self) -> None:
        """Make a first commit, or none, and some steps."""
        for _ in range(self._chance.choice([0, 0, 1, 2])):
            self.configure()
        for _ in range(self._chance.choice([2, 6, 15])):
            self.create()
        if self._chance.random() < 0.95:
            self._git("add", "--all", "--force")
            self.commit()
        steps, weights = zip(*self._steps, strict=True)
        for _ in range(self._chance.choice([1, 3, 8, 16])):
            self._chance.choices(steps, weights)[0]()

    # Choosing

    def _git(self, *words: str | bytes, stdin: bytes = b"") -> bytes:
        return git(
            "-c", "advice.addEmbeddedRepo=false", "-c", "maintenance.auto=false",
            "--literal-pathspecs", *words,
            cwd=self._repo.path, stdin=stdin, check=False,
        ).stdout  # fmt: skip

    def _place(self, name: bytes) -> bytes:
        return os.fsencode(self._repo.path) + b"/" + name

    def _name(self) -> bytes:
        return self._chance.choice(_FOLDERS) + self._chance.choice(self._names)

    def _tracked(self) -> bytes:
        """A tracked path, or any path if none is tracked."""
        listed = self._git("ls-files", "-z").split(b"\0")[:-1]
        return self._chance.choice(listed) if listed else self._name()

    def _file(self) -> bytes | None:
        """A tracked path that is a regular file."""
        name = self._tracked()
        place = self._place(name)
        return name if os.path.isfile(place) and not os.path.islink(place) else None

    def _read(self, name: bytes) -> bytes:
        with open(self._place(name), "rb") as file:
            return file.read()

    def _put(self, name: bytes, content: bytes) -> None:
        """Write a file, removing anything in its way."""
        self._clear(name)
        with open(self._place(name), "wb") as file:
            file.write(content)

    def _clear(self, name: bytes) -> None:
        """Make room for a path."""
        for end in [at for at, byte in enumerate(name) if byte == 0x2F]:
            above = self._place(name[:end])
            if os.path.islink(above) or os.path.isfile(above):
                os.unlink(above)
        place = self._place(name)
        if os.path.isdir(place) and not os.path.islink(place):
            shutil.rmtree(place)
        elif os.path.lexists(place):
            os.unlink(place)
        os.makedirs(os.path.dirname(place), exist_ok=True)

    def _content(self) -> bytes:
        count = self._chance.choice([0, 1, 2, 5, 20, 60])
        end = self._chance.choice([b"\n", b"\n", b"\n", b"\r\n"])
        parts = []
        for number in range(count):
            parts += [self._chance.choice(_LINES), b" %d" % number if number % 3 else b""]
            parts.append(
                end if self._chance.random() < 0.97 else self._chance.choice([b"\r", b"\n"])
            )
        content = b"".join(parts)
        kind = self._chance.random()
        if kind < 0.1:
            return content.rstrip(b"\r\n")
        if kind < 0.15:
            return content + b"\0" + self._chance.randbytes(50)
        if kind < 0.18:
            return content.decode("utf-8", "replace").encode("utf-16")
        return content

    def _edited(self, content: bytes) -> bytes:
        lines = content.splitlines(keepends=True)
        for _ in range(self._chance.choice([1, 1, 3])):
            start = self._chance.randrange(len(lines) + 1)
            stop = start + self._chance.randrange(4)
            lines[start:stop] = [
                self._chance.choice(_LINES) + b"\n" for _ in range(self._chance.randrange(4))
            ]
        return b"".join(lines)

    # Changes

    def edit(self) -> None:
        """Change some lines of a file."""
        name = self._file()
        if name is not None:
            self._put(name, self._edited(self._read(name)))

    def create(self) -> None:
        """Write a file, perhaps a copy of another, or make a link."""
        name, source = self._name(), self._file()
        if self._chance.random() < 0.1:
            self._link(name)
        elif source is not None and self._chance.random() < 0.3:
            self._put(name, self._read(source))
        else:
            self._put(name, self._content())

    def _link(self, name: bytes) -> None:
        self._clear(name)
        os.symlink(
            self._chance.choice([b"a", b"nowhere", b"d", b"\xff", b"l" * 300]), self._place(name)
        )

    def remove(self) -> None:
        """Remove a file, or a whole folder."""
        name = self._tracked()
        folder = os.path.dirname(name)
        if folder and self._chance.random() < 0.2:
            self._clear(folder)
        elif os.path.lexists(self._place(name)) and not os.path.isdir(self._place(name)):
            os.unlink(self._place(name))

    def move(self) -> None:
        """Move a file, perhaps edited, and stage the move completely, partly or not at all."""
        old, new = self._file(), self._name()
        if old is None or old == new or new.startswith(old + b"/"):
            return
        content = self._read(old)
        os.unlink(self._place(old))
        self._put(new, content if self._chance.random() < 0.5 else self._edited(content))
        words: tuple[str, ...] = self._chance.choice([("-A",), ("-N",), ()])
        if words:
            self._git("add", *words, "-f", "--", old, new)
            self._git("add", *words, "-f", "--", new)

    def stage(self) -> None:
        """Stage one path, or everything."""
        if self._chance.random() < 0.3:
            self._git("add", "--all")
        else:
            self._git("add", "-f", "--", self._chance.choice([self._tracked(), self._name()]))

    def unstage(self) -> None:
        """Untrack a path, or unstage changes."""
        if self._chance.random() < 0.3:
            self._git("reset", "-q")
        else:
            self._git("rm", "-q", "-r", "--cached", "--", self._tracked())

    def touch(self) -> None:
        """Give a path another time, in the distant past or the future."""
        place = self._place(self._tracked())
        if os.path.lexists(place):
            second = self._chance.choice([1, 1_600_000_000, 2_000_000_000])
            os.utime(place, (second, second), follow_symlinks=False)

    def change_mode(self) -> None:
        """Toggle a file's executable bit, in the work tree or in the index."""
        name = self._file()
        if name is not None and self._chance.random() < 0.6:
            os.chmod(self._place(name), self._chance.choice([0o644, 0o755, 0o600, 0o654]))
        else:
            self._git(
                "update-index", f"--chmod={self._chance.choice('+-')}x", "--", self._tracked()
            )

    def change_kind(self) -> None:
        """Replace a path by a link, a file, or a folder."""
        name = self._tracked()
        match self._chance.randrange(3):
            case 0:
                self._link(name)
            case 1:
                self._put(name, self._content())
            case _:
                self._put(name + b"/" + self._chance.choice(self._names), self._content())

    def intend(self) -> None:
        """Record the intent to add."""
        self._git("add", "-N", "-f", "--", self._chance.choice([self._name(), self._tracked()]))

    def hide(self) -> None:
        """Set or clear the flag that makes Git skip a path."""
        mark = self._chance.choice(
            ["--assume-unchanged", "--no-assume-unchanged", "--skip-worktree", "--no-skip-worktree"]
        )
        self._git("update-index", mark, "--", self._tracked())

    def _blob(self, content: bytes) -> bytes:
        return self._git("hash-object", "-w", "--no-filters", "--stdin", stdin=content).strip()

    def enter_by_hand(self) -> None:
        """Write an entry into the index."""
        mode = self._chance.choice([b"100644", b"100755", b"120000"])
        name = self._chance.choice([self._tracked(), self._name()])
        line = b"%s %s 0\t%s\0" % (mode, self._blob(self._content()), name)
        self._git("update-index", "-z", "--index-info", stdin=line)

    def conflict(self) -> None:
        """Write stages into the index, some of them equal to the work tree."""
        name = self._tracked()
        place = self._place(name)
        here = self._read(name) if os.path.isfile(place) else b""
        lines = b"0 %s\t%s\0" % (b"0" * 40, name)
        for stage in self._chance.sample([1, 2, 3], self._chance.choice([1, 2, 3, 3])):
            content = self._edited(here) if self._chance.random() < 0.6 else self._content()
            mode = self._chance.choice([b"100644", b"100644", b"100755", b"120000"])
            lines += b"%s %s %d\t%s\0" % (mode, self._blob(content), stage, name)
        self._git("update-index", "-z", "--index-info", stdin=lines)

    def nest(self, name: bytes = b"") -> None:
        """Make a nested repository, with some commits or none."""
        name = name or self._chance.choice([b"nested", b"d/nested", self._name()])
        self._clear(name)
        os.makedirs(self._place(name))
        inner = self._repo.at(self._repo.file(name))
        inner.git("init", "-q", "--template=", "-b", "main")
        for number in range(self._chance.randrange(3)):
            inner.write("file", b"%d\n" % number)
            inner.commit_all()
        if self._chance.random() < 0.3:
            inner.write("new", self._content())

    def record_repository(self) -> None:
        """Track a nested repository, and perhaps commit in it afterwards."""
        name = self._chance.choice([b"sub", b"d/sub"])
        self.nest(name)
        self._git("add", "--", name)
        if self._chance.random() < 0.5:
            git(
                "commit",
                "-q",
                "--allow-empty",
                "-m",
                "More",
                cwd=self._repo.file(name),
                check=False,
            )

    def add_rules(self) -> None:
        """Write attributes or ignore rules, in a folder or for the repository."""
        if self._chance.random() < 0.6:
            name, words = (
                b"attributes",
                [
                    self._chance.choice(_PATTERNS)
                    + b" "
                    + b" ".join(self._chance.sample(_ATTRIBUTES, 2))
                    for _ in range(self._chance.choice([1, 2, 4]))
                ],
            )
        else:
            name, words = b"ignore", self._chance.sample(_IGNORED, self._chance.choice([1, 2, 4]))
        text = b"".join(word + b"\n" for word in words)
        if self._chance.random() < 0.2:
            folder = self._repo.file(".git/info")
            folder.mkdir(exist_ok=True)
            (folder / {"attributes": "attributes", "ignore": "exclude"}[name.decode()]).write_bytes(
                text
            )
        else:
            self._put(self._chance.choice(_FOLDERS) + b".git" + name, text)

    def configure(self) -> None:
        """Change a setting that affects content."""
        key = self._chance.choice(list(_SETTINGS))
        self._git("config", key, self._chance.choice(_SETTINGS[key]))

    def convert_line_ends(self) -> None:
        """Write a file with the other line ends."""
        name = self._file()
        if name is not None:
            plain = self._read(name).replace(b"\r\n", b"\n")
            self._put(name, self._chance.choice([plain, plain.replace(b"\n", b"\r\n")]))

    def keep_time(self) -> None:
        """Change a byte of a file, but neither its size nor its time."""
        name = self._file()
        if name is None or not self._read(name):
            return
        found, content = os.stat(self._place(name)), bytearray(self._read(name))
        content[self._chance.randrange(len(content))] = self._chance.choice(b"ab\n")
        with open(self._place(name), "r+b") as file:
            file.write(content)
        os.utime(self._place(name), ns=(found.st_atime_ns, found.st_mtime_ns))

    def make_folder(self) -> None:
        """Make an empty folder, or an empty one called .git in a folder of tracked files."""
        folder = os.path.dirname(self._tracked())
        inside = folder + b"/.git" if folder and self._chance.random() < 0.4 else self._name()
        if not os.path.lexists(self._place(inside)) and os.path.isdir(
            self._place(os.path.dirname(inside))
        ):
            os.mkdir(self._place(inside))

    def rewrite_index(self) -> None:
        """Write the index in another version."""
        self._git("update-index", "--index-version", self._chance.choice("234"))

    def date_index(self) -> None:
        """Date the index to a second in which files changed too, or to another one."""
        index = self._repo.file(".git/index")
        if index.exists():
            moment = index.stat().st_mtime_ns + self._chance.choice([0, -(10**9), 10**9])
            os.utime(index, ns=(moment, moment))

    def commit(self) -> None:
        """Commit the index."""
        self._git("commit", "-q", "--allow-empty", "-m", "Step")

    def merge(self) -> None:
        """Merge two lines of work, and leave conflicts."""
        self._git("branch", "-f", "side")
        for branch in ("side", "main"):
            self._git("checkout", "-q", "-f", branch)
            for _ in range(3):
                self.edit()
            self._git("add", "--all")
            self.commit()
        self._git(self._chance.choice(["merge", "cherry-pick"]), "--no-commit", "side")

    def replace(self) -> None:
        """Let one blob replace another."""
        lines = self._git("ls-files", "-s").splitlines()
        blobs = [line.split()[1] for line in lines if line.startswith(b"100")]
        if len(set(blobs)) > 1:
            self._git("replace", "-f", *self._chance.sample(sorted(set(blobs)), 2))

    def pack(self) -> None:
        """Put the objects into a pack."""
        self._git("repack", "-a", "-d", "-q")

    def make_pipe(self) -> None:
        """Make a FIFO at a free path."""
        name = self._name()
        folder = self._place(os.path.dirname(name))
        if os.path.isdir(folder) and not os.path.lexists(self._place(name)):
            os.mkfifo(self._place(name))

    def link_folder(self) -> None:
        """Move a folder away, and put a link to it in its place."""
        top, slash, _ = self._tracked().partition(b"/")
        place = self._place(top)
        if slash and os.path.isdir(place) and not os.path.islink(place):
            os.rename(place, place + b".real")
            os.symlink(top + b".real", place)
