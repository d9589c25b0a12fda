"""The console sessions and scripts that documents show, and running them for real.

A session is a block whose commands stand behind ``$ ``; a command goes on after a backslash at the
end of its line, to the end of its here-document, or to the quote that closes. The other lines are
its output, in which three dots or an ellipsis stand for anything: in a line for any text, alone for
any lines. A command without output lines may print what it likes. A command fails exactly when its
output starts with ``error:``.
"""

from __future__ import annotations

import re
import shlex
import subprocess
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from git_zdev.screen import plain, roff

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

PROMPT = "$ "
ANYTHING = "..."


@dataclass
class Step:
    """A command and the lines that it is shown to print."""

    command: str
    output: list[str] = field(default_factory=list)

    @property
    def fails(self) -> bool:
        """Whether it is shown to fail."""
        return self.output[:1] != [] and self.output[0].startswith("error:")

    def pattern(self) -> str:
        """A regular expression for the whole output."""
        parts = []
        for line in (line.replace("…", ANYTHING) for line in self.output):
            if line == ANYTHING:
                parts.append("(?:.*\n)*")
            else:
                parts.append(".*".join(map(re.escape, line.split(ANYTHING))) + "\n")
        return "".join(parts)


def page_blocks(source: str) -> list[str]:
    """The literal blocks of a manual page, as they are shown and without their indent."""
    found = re.findall(r"^\.nf\n(.*?)^\.fi$", source, re.DOTALL | re.MULTILINE)
    shown = (plain.render(roff.render(f".nf\n{block}.fi\n", 80)) for block in found)
    indent = " " * roff.INDENT
    return ["".join(f"{line.removeprefix(indent)}\n" for line in one.splitlines()) for one in shown]


def markdown_blocks(source: str, language: str) -> list[str]:
    """The fenced blocks of a Markdown document in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", source, re.DOTALL | re.MULTILINE)


def steps(blocks: Iterable[str]) -> list[Step]:
    """The commands of all sessions among some blocks, in order."""
    return [step for block in blocks if block.startswith(PROMPT) for step in _session(block)]


def _session(block: str) -> Iterator[Step]:
    step: Step | None = None
    goes_on, here_document = False, ""
    for line in block.splitlines():
        if step is not None and (goes_on or here_document):
            step.command += f"\n{line}"
            if line == here_document:
                here_document = ""
        elif line.startswith(PROMPT):
            if step is not None:
                yield step
            step = Step(line.removeprefix(PROMPT))
        elif step is not None:
            step.output.append(line)
            continue
        goes_on = line.endswith("\\") or (step is not None and _is_open(step.command))
        opened = re.search(r"<<'(\w+)'", line)
        here_document = opened[1] if opened else here_document
    if step is not None:
        yield step


def _is_open(command: str) -> bool:
    """Whether a quote of the command is not closed yet."""
    try:
        shlex.split(command)
    except ValueError:
        return True
    return False


def play(session: Iterable[Step], folder: Path) -> None:
    """Run all commands in one shell, and hold each against what it is shown to do."""
    session = list(session)
    assert session
    script = folder.parent / "session.sh"
    lines = (f"{step.command}\nprintf '\\0%d\\0' $?\n" for step in session)
    script.write_text("exec 2>&1 </dev/null\n" + "".join(lines))
    done = subprocess.run(["bash", script], cwd=folder, capture_output=True, check=False)
    told = done.stdout.decode().split("\0")
    for step, output, status in zip(session, told[::2], told[1::2], strict=False):
        assert (status != "0") == step.fails, f"$ {step.command}\n{output}"
        if step.output:
            assert re.fullmatch(step.pattern(), output), f"$ {step.command}\n{output}"
    assert len(told) == 2 * len(session) + 1, done.stderr.decode()
