"""The only module that starts processes: Git, and a person's pager.

Git is started to write, where it does what libgit2 would not: keep every extension and every other
entry of an index, run hooks, sign, follow the user's configuration. A pager is started for long
text on a terminal.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import signal

from git_zdev.git.cleanup import keeping
from git_zdev.git.commit_hooks import ANSWERS, ASKS, settings_for_hooks
from git_zdev.git.model import RefMove
from git_zdev.git.read.files import read
from git_zdev.git.read.refs import require_files_of_a_commit
from git_zdev.ground.errors import LACKING, ZdevError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import BinaryIO

    from git_zdev.git.model import CommitFiles, Location

    Agree = Callable[[Sequence[RefMove]], bool]

_GATE = f'read -r go <&{ANSWERS} || exit 125; exec "$@"'
"""A shell that becomes Git once a line arrives, and ends when the pipe does.

Forking this process instead would do the same, but copies whatever libraries run in it.
"""

_GATE_ALONE = f'read -r go <&{ANSWERS} || exit 125; exec {ANSWERS}<&-; exec "$@"'
"""The same for a Git that asks nothing later."""

_LOOK_AGAIN = 50
"""Milliseconds after which a commit that asks nothing is looked at: a background process of a hook
may hold the pipe of its questions forever."""

_PIPE = 65536


_SHELL = "/bin/sh"

_IGNORED_HERE = (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD)
"""Signals that Python ignores, or whoever uses this package as a library, and that a new program
would go on to ignore. Git with SIGCHLD ignored cannot learn how its hooks ended."""

_UNTOLD = 255
"""Stands in for an exit status that the system did not keep; Git itself ends with no such one."""

_NO_MAINTENANCE = ("-c", "gc.auto=0", "-c", "maintenance.auto=false")
"""Automatic maintenance would go on in the background when this program is done."""

_SHARED_KEPT = ("-c", "splitIndex.sharedIndexExpire=never")
"""Git working on a copy of a split index may write another shared file, and would remove that of
the index itself, which is needed as long as the copy may be given up."""


class InstalledGit:
    """Git in one work tree.

    Args:
        location: The repository's parts.
        environment: What Git sees, besides what each call adds.

    Raises:
        ZdevError: ``foreign-repository``.
    """

    def __init__(self, location: Location, environment: Mapping[str, str]) -> None:
        self._location = location
        self._directory = location.work_tree
        self._environment = dict(environment)
        if location.found_in != location.work_tree:
            # The work tree is named by a setting or a variable, and variables may be relative.
            # Git trusts what GIT_DIR names, so what was only found is judged first.
            from git_zdev.git.read.ownership import require_trust

            require_trust(location, environment)
            self._environment["GIT_DIR"] = location.git_dir
            self._environment["GIT_WORK_TREE"] = location.work_tree

    def stage(self, index: str, paths: Sequence[str]) -> None:
        """Put files as they are, or their absence, into an index.

        Unlike ``git add``, ``git update-index`` touches no other entry and takes ignored paths.
        """
        names = b"".join(os.fsencode(path) + b"\0" for path in paths)
        self._run("update-index", "--add", "--remove", "-z", "--stdin", index=index, stdin=names)

    def reset_index(self, index: str, commit: str | None) -> None:
        """Make an index hold the tree of ``commit`` (nothing for None), stat data kept."""
        if commit is None:
            self._run("read-tree", "--empty", index=index)
        else:
            self._run("read-tree", "-m", "-i", commit, index=index)

    def write_tree(self, index: str) -> str:
        """Write the tree that an index stands for; give its id."""
        return self._run("write-tree", index=index).decode().strip()

    def differs(self, index: str, tree: str) -> bool:
        """Whether an index has anything other than ``tree``, a submodule's commit included."""
        return bool(self._differences(index, tree))

    def _differences(self, index: str, tree: str) -> bytes:
        words = ("--cached", "--raw", "-z", "--no-renames", "--ignore-submodules=none")
        return self._run("diff-index", *words, tree, index=index)

    def transfer(self, source: str, tree: str, target: str) -> list[str]:
        """Bring what one index has other than ``tree`` into another; give the paths."""
        fields = self._differences(source, tree).split(b"\0")[:-1]
        changes = list(zip(fields[::2], fields[1::2], strict=True))
        entries = b""
        for change, path in changes:
            _, mode, _, blob, _ = change.lstrip(b":").split(b" ")
            entries += mode + b" " + blob + b"\t" + path + b"\0"
        self._run("update-index", "-z", "--index-info", index=target, stdin=entries)
        return [os.fsdecode(path) for _, path in changes]

    def start_commit(self, index: str, files: CommitFiles, publication: str) -> GatedCommit:
        """Start a gated ``git commit`` of an index.

        Hooks and pinentry get the terminal; what they print goes to a file.
        """
        hooks = () if files.hooks is None else ("-c", f"core.hooksPath={files.hooks}")
        settings, words = keeping(read(files.message))
        command = ("commit", f"--file={files.message}", *words)
        options = (*_NO_MAINTENANCE, *_SHARED_KEPT, *settings, *hooks)
        arguments = ["git", "-C", self._directory, *options, *command]
        environment = {
            **self._environment,
            **settings_for_hooks(self._environment),
            "GIT_INDEX_FILE": index,
            "ZDEV_PUBLICATION": publication,
        }
        return GatedCommit(arguments, environment, files)

    def move_ref(self, ref: str, new: str | None, old: str, reason: str) -> None:
        """Set a ref from ``old`` to ``new`` (None deletes it); fails when it is not ``old``."""
        if new is None:
            self._run("update-ref", "-m", reason, "-d", ref, old)
        else:
            self._run("update-ref", "-m", reason, ref, new, old)

    def commit_index(self, message: str) -> tuple[str, str]:
        """Commit the index as it is, with hooks and signing as configured.

        The message is taken as it is, lines that start with ``#`` included.

        Returns:
            The new commit's id, and what the hooks and Git said.
        """
        require_files_of_a_commit(self._location)
        text = message.encode()
        settings, words = keeping(text)
        options = (*_NO_MAINTENANCE, *settings)
        _, said = self._finished("commit", "--file=-", *words, options=options, stdin=text)
        commit = self._run("rev-parse", "--verify", "HEAD").decode().strip()
        return commit, said.decode("utf-8", "replace")

    def rebase(self, onto: str, upstream: str, started: Callable[[int], object]) -> None:
        """Replay ``upstream..HEAD`` onto a commit and move the checked-out branch there.

        Other branches stay, and nothing is stashed. Git merges, whatever ``rebase.backend`` says:
        what it keeps meanwhile can be read. A conflict is a failure that leaves Git's own state
        in place.
        """
        words = ("--merge", "--no-update-refs", "--no-autostash", "--no-rebase-merges")
        self._rebase(*words, "--onto", onto, upstream, started=started)

    def continue_rebase(self, started: Callable[[int], object]) -> None:
        """Go on with the rebase in progress; commit messages stay as they are."""
        self._rebase("--continue", started=started)

    def abort_rebase(self, started: Callable[[int], object]) -> None:
        """Give the rebase in progress up and restore the branch."""
        self._rebase("--abort", started=started)

    def quit_rebase(self) -> None:
        """Drop what is kept of the rebase in progress; HEAD, index and files stay as they are."""
        self._rebase("--quit")

    def attach_head(self, branch: str) -> None:
        """Put HEAD on a branch that is at the same commit."""
        reason = f"rebase (finish): returning to refs/heads/{branch}"
        self._run("symbolic-ref", "-m", reason, "HEAD", f"refs/heads/{branch}")

    def switch_back(self, branch: str) -> None:
        """Check a branch out, in place of whatever the index and its files hold."""
        self._run("switch", "--discard-changes", "--no-guess", branch)

    def clean(self, paths: Sequence[str]) -> None:
        """Remove files that Git does not track, paths from the work tree; ignored ones stay."""
        literally = ("--literal-pathspecs",)
        self._run("clean", "--force", "--quiet", "--", *paths, options=literally)

    def _rebase(self, *words: str, started: Callable[[int], object] | None = None) -> None:
        require_files_of_a_commit(self._location)
        self._run(
            "rebase", *words, options=_NO_MAINTENANCE, more={"GIT_EDITOR": ":"}, started=started
        )

    def _run(
        self,
        *words: str,
        options: Sequence[str] = (),
        index: str | None = None,
        stdin: bytes = b"",
        more: Mapping[str, str] | None = None,
        started: Callable[[int], object] | None = None,
    ) -> bytes:
        """Run Git to its end; its output. See :meth:`_finished`."""
        return self._finished(
            *words, options=options, index=index, stdin=stdin, more=more, started=started
        )[0]

    def _finished(
        self,
        word: str,
        *arguments: str,
        options: Sequence[str] = (),
        index: str | None = None,
        stdin: bytes = b"",
        more: Mapping[str, str] | None = None,
        started: Callable[[int], object] | None = None,
    ) -> tuple[bytes, bytes]:
        """Run Git to its end; its output, and what it said on standard error.

        Args:
            word: The Git command.
            arguments: Its arguments.
            options: What precedes the command.
            index: Absolute path of the index file, where it is not the usual one.
            stdin: What the command reads.
            more: Further environment variables.
            started: Told the pid before Git does anything. Where it raises, Git does nothing.

        Raises:
            ZdevError: ``git-failed`` with what it said; ``git-outcome-unknown``.
        """
        environment = {**self._environment, **(more or {})}
        if index is not None:
            environment["GIT_INDEX_FILE"] = index
            options = (*_SHARED_KEPT, *options)
        command = ["git", "-C", self._directory, *options, word, *arguments]
        try:
            status, output, said = _finish(command, environment, stdin, started)
        except OSError as error:
            raise _not_started(word, error) from error
        if status is None:
            raise _outcome_unknown(word, (output + said).decode("utf-8", "replace"))
        if status:
            raise git_failed(word, (output + said).decode("utf-8", "replace"), status)
        return output, said


class GatedCommit:
    """A ``git commit`` that waits at a pipe until :meth:`release`, and asks before a ref moves.

    When this process ends before it is let go, so does the other; when this process ends later,
    no question is answered any more, and no ref moves.

    Attributes:
        pid: Its pid, the same before and after it becomes Git.
    """

    def __init__(
        self, arguments: Sequence[str], environment: Mapping[str, str], files: CommitFiles
    ) -> None:
        questions, asks = _high_pipe()
        answers, self._answers = _high_pipe()
        self._questions = questions
        self._released = False
        writing = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        try:
            self.pid = os.posix_spawn(
                _SHELL,
                ["sh", "-c", _GATE, "sh", *arguments],
                environment,
                file_actions=[
                    (os.POSIX_SPAWN_OPEN, 1, files.summary, writing, 0o666),
                    (os.POSIX_SPAWN_OPEN, 2, files.said, writing, 0o666),
                    (os.POSIX_SPAWN_DUP2, asks, ASKS),
                    (os.POSIX_SPAWN_DUP2, answers, ANSWERS),
                ],
                setsigdef=_IGNORED_HERE,
            )
        except OSError as error:
            self._close()
            raise _not_started("commit", error, needed=_SHELL) from error
        finally:
            os.close(asks)
            os.close(answers)

    def release(self) -> None:
        """Let it go."""
        self._say(b"go\n")
        self._released = True

    def wait(self, agree: Agree) -> int:
        """Wait for its end: the exit status, or minus the number of the signal that ended it.

        255 where the system did not keep it, see :func:`_end_of`.

        Args:
            agree: Asked before refs move, whether they may: all of them, or none.
        """
        try:
            status = self._attend(agree) if self._released else None
        finally:
            self._close()
        while status is None:
            status = self._status()
        return status

    def _attend(self, agree: Agree) -> int | None:
        """Answer what it asks; its status, None once nobody can ask any more."""
        from select import POLLIN, poll

        waiting = poll()
        waiting.register(self._questions, POLLIN)
        asked = b""
        while (status := self._status(os.WNOHANG)) is None:
            if not waiting.poll(_LOOK_AGAIN):
                continue
            heard = os.read(self._questions, _PIPE)
            if not heard:
                break
            *complete, asked = (asked + heard).split(b"\nend\n")
            for question in complete:
                self._say(b"yes\n" if agree(_moves(question)) else b"no\n")
        return status

    def _status(self, options: int = 0) -> int | None:
        try:
            pid, status = os.waitpid(self.pid, options)
        except ChildProcessError:
            return _UNTOLD
        return os.waitstatus_to_exitcode(status) if pid else None

    def _say(self, line: bytes) -> None:
        with contextlib.suppress(BrokenPipeError):  # a signal ended it; wait() says so
            os.write(self._answers, line)

    def _close(self) -> None:
        os.close(self._answers)
        os.close(self._questions)


def _high_pipe() -> tuple[int, int]:
    """A pipe whose descriptors are none of those that a commit gets."""
    ends = os.pipe()
    try:
        reading, writing = (fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends)
    finally:
        for end in ends:
            os.close(end)
    return reading, writing


def _moves(question: bytes) -> list[RefMove]:
    """The moves that a commit asks about, a line each: ``<old> <new> <ref>``."""
    moves = []
    for line in os.fsdecode(question).split("\n"):
        old, _, rest = line.partition(" ")
        new, _, ref = rest.partition(" ")
        moves.append(RefMove(ref, old, new))
    return moves


_CANNOT_RUN = frozenset({126, 127})
"""Exit statuses with which a shell says that it could not run its command."""


def show_in_pager(command: str, environment: Mapping[str, str], text: bytes) -> bool:
    """Show a text in a pager and wait until the person leaves it.

    Ctrl-C is for the pager while it runs, and leaving it before the end is not a failure.

    Args:
        command: A command line for the shell.
        environment: What the pager sees.
        text: All that there is to show.

    Returns:
        False when it cannot be run and has shown nothing.
    """
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        try:
            pager, writing = _started_pager(command, environment)
        except OSError:
            return False
        with contextlib.suppress(BrokenPipeError), open(writing, "wb", buffering=0) as stream:
            rest = memoryview(text)
            while rest:
                rest = rest[stream.write(rest) or 0 :]
        status = _end_of(pager)
    finally:
        signal.signal(signal.SIGINT, before)
    return status not in _CANNOT_RUN


def _started_pager(command: str, environment: Mapping[str, str]) -> tuple[int, int]:
    """Start a pager; its pid, and the descriptor that it reads the other end of."""
    reading, writing = os.pipe()
    try:
        pager = os.posix_spawn(
            _SHELL,
            ["sh", "-c", command],
            environment,
            file_actions=[(os.POSIX_SPAWN_DUP2, reading, 0)],
            setsigdef=[signal.SIGINT, *_IGNORED_HERE],
        )
    except OSError:
        os.close(writing)
        raise
    finally:
        os.close(reading)
    return pager, writing


def _finish(
    command: Sequence[str],
    environment: Mapping[str, str],
    stdin: bytes,
    started: Callable[[int], object] | None = None,
) -> tuple[int | None, bytes, bytes]:
    """Run a command to its end; exit status as :func:`_end_of`, output and standard error.

    Files without a name are between the two, so that neither waits for the other, nor we for
    what a hook left running. The standard library's way to do this takes longer to load than Git
    to stage a file.

    Args:
        command: The words.
        environment: Its variables.
        stdin: What it reads.
        started: Told the pid before the command does anything; it never begins where that raises.
    """
    program = _program(command[0], environment)
    with _nameless_file() as given, _nameless_file() as output, _nameless_file() as said:
        given.write(stdin)
        given.seek(0)
        streams = (given, output, said)
        actions: list[tuple[int, int, int]] = [
            (os.POSIX_SPAWN_DUP2, file.fileno(), number) for number, file in enumerate(streams)
        ]
        if started is None:
            pid = _spawn(program, command, environment, actions)
        else:
            pid = _spawn_told(command, environment, actions, started)
        status = _end_of(pid)
        output.seek(0)
        said.seek(0)
        return status, output.read(), said.read()


def _spawn(
    program: str,
    command: Sequence[str],
    environment: Mapping[str, str],
    actions: Sequence[tuple[int, int, int]],
) -> int:
    return os.posix_spawn(
        program, list(command), environment, file_actions=actions, setsigdef=_IGNORED_HERE
    )


def _spawn_told(
    command: Sequence[str],
    environment: Mapping[str, str],
    actions: Sequence[tuple[int, int, int]],
    started: Callable[[int], object],
) -> int:
    """Start a command that begins once its pid was passed on; it ends at once if that fails."""
    gate, key = _high_pipe()
    try:
        words = ["sh", "-c", _GATE_ALONE, "sh", *command]
        gated = [*actions, (os.POSIX_SPAWN_DUP2, gate, ANSWERS)]
        pid = _spawn("/bin/sh", words, environment, gated)
        try:
            started(pid)
            with contextlib.suppress(BrokenPipeError):  # a signal ended it; its status says so
                os.write(key, b"go\n")
        except BaseException:
            os.close(key)
            key = -1
            os.waitpid(pid, 0)
            raise
    finally:
        os.close(gate)
        if key >= 0:
            os.close(key)
    return pid


def _nameless_file() -> BinaryIO:
    if hasattr(os, "memfd_create"):
        return open(os.memfd_create("git-zdev"), "w+b")
    import tempfile

    return tempfile.TemporaryFile()


def _program(name: str, environment: Mapping[str, str]) -> str:
    """Where PATH has a program.

    Raises:
        FileNotFoundError: Nowhere.
        PermissionError: There only is one that cannot be run.
    """
    barred = None
    for folder in environment.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            if os.access(path, os.X_OK):
                return path
            barred = barred or path
    if barred is not None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), barred)
    raise FileNotFoundError(errno.ENOENT, "PATH does not have it", name)


def _end_of(pid: int) -> int | None:
    """Wait for a child's end: its exit status, or minus the number of the signal that ended it.

    Ctrl-C reaches Git as well, and it is given the time to put its files in order.

    Returns:
        None if the system did not keep the status: the process ignores SIGCHLD (then waitpid(2)
        waits and fails), or another part of it has taken the end of this child. The command line
        begins with SIGCHLD at its default; a library leaves its caller's signals alone.
    """
    try:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    except ChildProcessError:
        return None
    except KeyboardInterrupt:
        with contextlib.suppress(ChildProcessError):  # its end may have been noted already
            os.waitpid(pid, 0)
        raise


def git_failed(word: str, said: str, status: int = 1) -> ZdevError:
    """The error for a Git command that failed; ``details.said`` is all that it printed."""
    shown = without_advice(said)
    what = "failed" if shown else "failed: it gave no reason"
    if status < 0:
        what = f"was ended by {_signal_name(-status)}"
    return ZdevError(
        "git-failed",
        f"`git {word}` {what}",
        "Fix the cause that Git names, then retry",
        details={"said": said, "status": status},
        said=shown,
    )


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return f"signal {number}"


_REMEDIES = {
    **LACKING,
    errno.EACCES: "Make it executable for you, or put another Git on PATH",
    errno.ENOEXEC: "Put a Git that is made for this system on PATH",
    errno.EAGAIN: "Raise the limit of processes (`ulimit -u`) or end some, then retry",
    errno.E2BIG: "Make the environment smaller: `env | wc -c` says how large it is",
    errno.ENOSPC: "Make room for temporary files, in TMPDIR or in memory, then retry",
    errno.EDQUOT: "Make room for temporary files, in TMPDIR or in memory, then retry",
}
"""What helps against an error of the system when a program is started; see execve(2), fork(2)."""


def _not_started(word: str, error: OSError, needed: str = "") -> ZdevError:
    """The error for a Git command that the system did not start.

    Args:
        word: The command.
        error: What the system said.
        needed: What else had to be there for it.
    """
    remedy = _REMEDIES.get(error.errno or 0)
    if remedy is None and error.errno in {errno.ENOENT, errno.ENOTDIR}:
        remedy = f"Git and its hooks need {needed}: put it back" if needed else "Put Git on PATH"
        remedy += ", then retry"
    named = error.filename if error.errno in {errno.EACCES, errno.ENOEXEC} else None
    place = f"{os.fsdecode(named)}: " if named else ""
    return ZdevError(
        "git-failed",
        f"`git {word}` cannot be started: {place}{error.strerror or error}",
        remedy or "Look at what the system says, then retry",
        details={"said": ""},
    )


def _outcome_unknown(word: str, said: str) -> ZdevError:
    """The error for a Git command of which nobody learns how it ended."""
    return ZdevError(
        "git-outcome-unknown",
        f"`git {word}` has ended with an unknown status: this process ignores SIGCHLD, "
        "or something else waits for its children",
        "Let SIGCHLD have its default while this runs, and wait for your own children only",
        details={"said": said},
        said=without_advice(said),
    )


def without_advice(said: str) -> str:
    """What Git printed, without overwritten progress and without its own advice."""
    lines = [line.rpartition("\r")[2].rstrip() for line in said.split("\n")]
    return "\n".join(line for line in lines if not line.startswith("hint:")).strip("\n")
