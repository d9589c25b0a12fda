"""The one exception that users see, and the problems it carries.

Every refusal is a :class:`ZdevError` with a stable kebab-case ``code``, what happened, and what to
do about it. If several things are wrong with one input, each is a :class:`Problem` and all are
reported together. This module imports no other module of the package.
"""

from __future__ import annotations

import errno

from git_zdev.ground.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from types import TracebackType
    from typing import Any

NAMED_PATHS = 10
"""The most paths that a sentence names; the error's details hold all."""

LACKING = {
    errno.EMFILE: "Raise the limit of open files (`ulimit -n`) or close some, then retry",
    errno.ENFILE: "Too many files are open on this machine: end what opened them, then retry",
    errno.ENOMEM: "Free memory or raise its limit (`ulimit -v`), then retry",
}
"""Hints for errors in which the system lacks a resource, by error number."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with an input, and where.

    Attributes:
        code: Stable kebab-case reference, listed in the manual.
        message: What is wrong and what was expected, one sentence without a final full stop.
        path: Repository-relative path of the file, ``/`` separated, if the input is a file.
        line: 1-based line number in ``path``, if it is known.
        pointer: JSON pointer (RFC 6901) into the input, if the input is a JSON document.
    """

    code: str
    message: str
    path: str | None = None
    line: int | None = None
    pointer: str | None = None

    @property
    def place(self) -> str:
        """Where the problem is, as ``path:line``, ``path`` or the pointer; can be empty."""
        if self.path is not None:
            return self.path if self.line is None else f"{self.path}:{self.line}"
        return self.pointer or ""

    def sentence(self) -> str:
        """The place and the message, as one line of text output."""
        return f"{self.place}: {self.message}" if self.place else self.message

    def as_document(self) -> dict[str, Any]:
        """The problem for ``details.problems``, without unknown places."""
        document: dict[str, Any] = {"code": self.code, "message": self.message}
        for key in ("path", "line", "pointer"):
            value = getattr(self, key)
            if value is not None:
                document[key] = value
        return document


def summary_of(problems: Sequence[Problem], *, placed: bool = True) -> str:
    """The problems of an error in one phrase: the only one, or how many there are.

    Args:
        problems: At least one.
        placed: Whether the only one is given with its place. A problem with an option's value
            names the option itself.
    """
    if len(problems) > 1:
        return f"{len(problems)} problems"
    return problems[0].sentence() if placed else problems[0].message


class Moved(Exception):
    """What was read may not belong together: a publication began or ended meanwhile.

    This is not a refusal: the reader begins again.
    """


class ZdevError(Exception):
    """A command was refused or failed, for a reason that the user can act on.

    Attributes:
        code: Stable kebab-case reference, listed in the manual with its remedy.
        message: What happened, one sentence without a final full stop.
        hint: What to do, one sentence without a final full stop; empty if the message says it.
        details: JSON values for programs; ``details.problems`` lists :class:`Problem` documents.
        said: What Git or a hook printed about it, shown line by line between message and hint.
        status: The exit status of the process.
    """

    def __init__(
        self,
        code: str,
        message: str,
        hint: str = "",
        *,
        details: Mapping[str, Any] | None = None,
        said: str = "",
        status: int = 1,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.details: dict[str, Any] = dict(details or {})
        self.said = said
        self.status = status

    @property
    def said_indented(self) -> str:
        """The printed output, indented and without a final line end."""
        return "\n".join(f"  {line}" if line else "" for line in self.said.split("\n"))

    def __str__(self) -> str:
        if self.said:
            return f"{self.message}:\n{self.said_indented}" + (
                f"\n{self.hint}." if self.hint else ""
            )
        return f"{self.message}. {self.hint}." if self.hint else f"{self.message}."


class UsageError(ZdevError):
    """The command line itself is wrong (exit status 2)."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__("usage", message, hint, status=2)


class InvalidInput(ZdevError):
    """An input or the records have one or more problems, which the error carries.

    Attributes:
        problems: The problems in the order in which they were found, at least one.
    """

    def __init__(
        self, code: str, message: str, problems: Iterable[Problem], hint: str = ""
    ) -> None:
        self.problems = tuple(problems)
        super().__init__(
            code,
            message,
            hint,
            details={"problems": [problem.as_document() for problem in self.problems]},
        )


class Translating:
    """A ``with`` block that turns some errors into others."""

    __slots__ = ()

    def translated(self, error: BaseException) -> BaseException | None:
        """The error to raise instead; None to let this one pass."""
        raise NotImplementedError

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        instead = None if error is None else self.translated(error)
        if instead is not None:
            raise instead from error


def paths_error(code: str, message: str, hint: str, paths: Sequence[bytes]) -> ZdevError:
    """An error about paths: the sentence names some of them, ``details.paths`` all."""
    listed = [path.decode("utf-8", "backslashreplace") for path in paths]
    more = f" and {len(listed) - NAMED_PATHS} more" if len(listed) > NAMED_PATHS else ""
    named = ", ".join(listed[:NAMED_PATHS]) + more
    return ZdevError(code, f"{message}: {named}", hint, details={"paths": listed})
