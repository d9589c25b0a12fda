"""Output of results to a person or a program: form, characters, colour, pager."""

from __future__ import annotations

import sys

from git_zdev.cli import streams
from git_zdev.ground.progress import UNSEEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from git_zdev.git.config.config import GitConfig
    from git_zdev.ground.progress import Progress
    from git_zdev.screen.plain import Characters
    from git_zdev.screen.result import Block, RawResult, Result


class Output:
    """The two streams of one run.

    Args:
        environment: The environment's variables.
        form: The value of ``--format``.
        option: The value of ``--color``.
        settings: Reads the configuration; returns None if it cannot be read. Called only for text
            on a terminal.
    """

    def __init__(
        self,
        environment: Mapping[str, str],
        form: str,
        option: str,
        settings: Callable[[], GitConfig | None],
    ) -> None:
        self._environment = environment
        self._form = form
        self._option = option
        self._settings = settings
        self.on_terminal = streams.is_terminal(streams.STDOUT)
        self.watched = self.on_terminal or streams.pager_in_use(environment)

    def print(self, result: Result | RawResult) -> int:
        """Print a result, and return its exit status."""
        from git_zdev.screen.result import RawResult

        if isinstance(result, RawResult):
            if result.show is None or self._form != "text" or not self.watched:
                streams.write_stdout(result.data)
            else:
                self._text(result.show())
        elif self._form in result.forms:
            streams.write_stdout(result.forms[self._form]())
        elif self._form == "json":
            from git_zdev.ground import jsontext

            streams.write_stdout(jsontext.encode(result.document))
        else:
            self._text(result.show())
            self.notes(result.notes)
        return result.status

    def progress(self) -> Progress:
        """Progress that is shown on a terminal, and nowhere else."""
        if not streams.is_terminal(streams.STDERR):
            return UNSEEN
        from git_zdev.cli import progress
        from git_zdev.screen import plain

        unicode = self.characters() is plain.UNICODE
        return progress.bar(self._environment, unicode=unicode)

    def say(self, text: str) -> None:
        """Print a text of the program itself, such as its help, unchanged."""
        text = self.characters().own(text)
        streams.write_stdout(text.encode(errors="backslashreplace"))

    def notes(self, notes: Sequence[str]) -> None:
        """Print the notes of a result on standard error."""
        if notes:
            from git_zdev.screen.result import Words, line

            self.complain([line(Words(note, "warning")) for note in notes])

    def also(self, notes: Sequence[str]) -> None:
        """Print notes of a run before its result or error; JSON output omits them."""
        if self._form != "json":
            self.notes(notes)

    def complain(self, blocks: Sequence[Block]) -> None:
        """Print blocks on standard error."""
        watched = streams.is_terminal(streams.STDERR)
        streams.write_stderr(self._rendered(blocks, streams.STDERR, watched=watched).encode())

    def characters(self) -> Characters:
        """The characters that the locale can show."""
        from git_zdev.screen import plain

        utf8 = is_utf8(self._environment, coerced=bool(sys.flags.utf8_mode))
        return plain.UNICODE if utf8 else plain.ASCII

    def _text(self, blocks: Sequence[Block]) -> None:
        text = self._rendered(blocks, streams.STDOUT, watched=self.watched)
        if not (self.on_terminal and self._paged(text)):
            streams.write_stdout(text.encode())

    def _rendered(self, blocks: Sequence[Block], descriptor: int, *, watched: bool) -> str:
        from git_zdev.cli import colour

        environment = self._environment
        coloured = colour.is_coloured(
            self._option, environment, watched=watched, settings=self._settings
        )
        if not coloured and not (watched and colour.is_capable(environment)):
            from git_zdev.screen import plain

            return plain.render(blocks, self.characters())
        from git_zdev.screen import terminal

        width, _ = streams.size(descriptor, environment)
        return terminal.render(blocks, width, colour=coloured, characters=self.characters())

    def _paged(self, text: str) -> bool:
        """Show a text longer than the screen in the user's pager; return False if none did."""
        from git_zdev.cli import pager

        columns, lines = streams.size(streams.STDOUT, self._environment)
        if text.count("\n") < lines and pager.rows(text, columns) < lines:
            return False
        command = pager.command(self._environment, self._settings)
        if command is None:
            return False
        from git_zdev.git import process

        return process.show_in_pager(command, pager.surroundings(self._environment), text.encode())


def is_utf8(environment: Mapping[str, str], *, coerced: bool) -> bool:
    """Whether the locale uses UTF-8, judged by its name (setlocale(3)).

    Args:
        environment: The environment's variables. UTF-8 is assumed if none of them names a locale.
        coerced: Whether Python runs in its UTF-8 mode. It does so if it finds the C locale, and
            then sets ``LC_CTYPE`` in its own environment (PEP 538): that is not the user's choice.
    """
    names = ["LC_ALL", "LC_CTYPE", "LANG"]
    if coerced and environment.get("LC_CTYPE") in {"C.UTF-8", "C.utf8", "UTF-8"}:
        names.remove("LC_CTYPE")
    given = next((environment[name] for name in names if environment.get(name)), "UTF-8")
    return given.partition("@")[0].upper().replace("-", "").endswith("UTF8")
