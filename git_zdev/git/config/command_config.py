"""Configuration from the command line, as Git hands it to the programs it starts.

``git -c key=value`` reaches a sub-command in ``GIT_CONFIG_PARAMETERS``: words in single quotes,
either ``'key=value'`` or ``'key'='value'``. Scripts use ``GIT_CONFIG_COUNT``,
``GIT_CONFIG_KEY_<n>`` and ``GIT_CONFIG_VALUE_<n>`` (git(1), git-config(1) "ENVIRONMENT").
"""

from __future__ import annotations

from git_zdev.git.config import config_file
from git_zdev.ground.errors import ZdevError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def command_entries(environment: Mapping[str, str]) -> Iterator[tuple[str, str | None]]:
    """Keys and values, the counted ones first, which is Git's order.

    Raises:
        ZdevError: ``invalid-git-config``, naming the variable.
    """
    yield from _counted(environment)
    yield from _parameters(environment.get("GIT_CONFIG_PARAMETERS", ""))


def _counted(environment: Mapping[str, str]) -> Iterator[tuple[str, str | None]]:
    count = environment.get("GIT_CONFIG_COUNT", "")
    if not count:
        return
    if not (count.isascii() and count.isdigit()):
        raise _fault("GIT_CONFIG_COUNT", f"is {count!r}, but must be a number")
    for number in range(int(count)):
        for name in (f"GIT_CONFIG_KEY_{number}", f"GIT_CONFIG_VALUE_{number}"):
            if name not in environment:
                raise _fault(name, f"is missing, but GIT_CONFIG_COUNT is {count}")
        key = environment[f"GIT_CONFIG_KEY_{number}"]
        yield _canonical(key, f"GIT_CONFIG_KEY_{number}"), environment[f"GIT_CONFIG_VALUE_{number}"]


def _parameters(text: str) -> Iterator[tuple[str, str | None]]:
    name = "GIT_CONFIG_PARAMETERS"
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        word, at = _quoted(text, at)
        value: str | None
        if text[at : at + 1] == "=":
            value, at = (None, at + 1)
            if text[at : at + 1] == "'":
                value, at = _quoted(text, at)
        else:
            word, equals, rest = word.partition("=")
            value = rest if equals else None
        if at < len(text) and not text[at].isspace():
            raise _fault(name, "is not what Git writes")
        yield _canonical(word, name), value


def _quoted(text: str, at: int) -> tuple[str, int]:
    """A word in single quotes at ``at``, and the offset after it; backslashes are outside."""
    parts: list[str] = []
    if text[at] != "'":
        raise _fault("GIT_CONFIG_PARAMETERS", "holds a word without quotes")
    while True:
        end = text.find("'", at + 1)
        if end < 0:
            raise _fault("GIT_CONFIG_PARAMETERS", "ends inside a quoted word")
        parts.append(text[at + 1 : end])
        if text[end + 1 : end + 2] == "\\" and text[end + 3 : end + 4] == "'":
            parts.append(text[end + 2])
            at = end + 3
        else:
            return "".join(parts), end + 1


def _canonical(key: str, variable: str) -> str:
    canonical = config_file.canonical_key(key)
    if canonical is None:
        raise _fault(variable, f"names {key!r}, which is not a configuration key")
    return canonical


def _fault(variable: str, what: str) -> ZdevError:
    return ZdevError("invalid-git-config", f"{variable} {what}", "Correct or unset the variable")
