"""What the ``diff`` attribute says about a path: binary or text, and which lines open a function.

gitattributes(5), "Defining a custom hunk-header": a driver's pattern is a list of regular
expressions, one a line; the first that matches a line decides, one that starts with ``!`` against
it. The text shown is the first group, or the whole match. Without a driver's pattern, a line that
starts with a letter, ``_`` or ``$`` counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from git_zdev.evidence.drivers import built_in

if TYPE_CHECKING:
    from git_zdev.evidence.attributes import Value
    from git_zdev.git.port import Config

FunctionLine = Callable[[bytes], bytes | None]
"""Gives the text that a hunk header shows for a line (with its line feed), None for most lines."""

_SHOWN = 80
_SPACE = b" \t\n\v\f\r"


@dataclass(frozen=True, slots=True)
class Driver:
    """A diff driver.

    Attributes:
        binary: True or False where it is settled; None leaves it to the content.
        function_line: The driver's own test for lines that open a function, None for Git's usual.
    """

    binary: bool | None = None
    function_line: FunctionLine | None = None


_TEXT = Driver(binary=False)
_BINARY = Driver(binary=True)


class Drivers:
    """The drivers of one repository, read when they are first asked for."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._named: dict[str, Driver | None] = {}

    @property
    def default(self) -> Driver:
        """The driver of paths whose attribute is unspecified or names no driver."""
        return self._find("default") or Driver()

    def of(self, attribute: Value) -> Driver:
        """The driver for a value of the ``diff`` attribute."""
        if isinstance(attribute, str):
            return self._find(attribute) or self.default
        if attribute is None:
            return self.default
        return _TEXT if attribute else _BINARY

    def _find(self, name: str) -> Driver | None:
        if name not in self._named:
            self._named[name] = self._read(name)
        return self._named[name]

    def _read(self, name: str) -> Driver | None:
        pattern, ignore_case = built_in(name)
        configured = self._configured_pattern(name)
        binary = self._configured_binary(name)
        if configured is not None:
            return Driver(binary, _regex_test(configured, ignore_case=False))
        if pattern is not None:
            return Driver(binary, _regex_test(pattern, ignore_case=ignore_case))
        return Driver(binary)

    def _configured_pattern(self, name: str) -> str | None:
        """The pattern with a Python expression a line, from either of its two dialects."""
        extended = self._config.get(f"diff.{name}.xfuncname")
        basic = self._config.get(f"diff.{name}.funcname")
        if extended is None and basic is None:
            return None
        from git_zdev.evidence.posix_regex import basic_to_python, extended_to_python

        if extended is not None:
            return _translated(extended, extended_to_python)
        return _translated(basic or "", basic_to_python)

    def _configured_binary(self, name: str) -> bool | None:
        value = self._config.get(f"diff.{name}.binary")
        if value is None or value.lower() == "auto":
            return None
        return self._config.get_bool(f"diff.{name}.binary", default=False)


def _translated(pattern: str, translate: Callable[[str], str]) -> str:
    lines = pattern.split("\n")
    return "\n".join(
        "!" + translate(line[1:]) if line.startswith("!") else translate(line) for line in lines
    )


def usual_function_line(line: bytes) -> bytes | None:
    """Git's usual test: a letter, ``_`` or ``$`` at the start."""
    first = line[:1]
    if not (first.isalpha() or first in (b"_", b"$")) or not first:
        return None
    return line[:_SHOWN].rstrip(_SPACE)


def _regex_test(pattern: str, *, ignore_case: bool) -> FunctionLine:
    """A test for a driver's pattern, compiled when it is first used."""
    compiled: list[tuple[bool, Callable[[bytes], object]]] = []

    def test(line: bytes) -> bytes | None:
        if not compiled:
            compiled.extend(_compiled(pattern, ignore_case=ignore_case))
        text = line.removesuffix(b"\n")
        if len(text) < len(line):
            text = text.removesuffix(b"\r")
        for negated, search in compiled:
            match = search(text)
            if match is not None:
                return None if negated else _shown(match)
        return None

    return test


def _shown(match: object) -> bytes:
    found = match.group(1) if match.re.groups else None  # type: ignore[attr-defined]
    text: bytes = match.group(0) if found is None else found  # type: ignore[attr-defined]
    return text[:_SHOWN].rstrip(_SPACE)


def _compiled(pattern: str, *, ignore_case: bool) -> list[tuple[bool, Callable[[bytes], object]]]:
    import re

    flags = re.IGNORECASE if ignore_case else 0
    tests: list[tuple[bool, Callable[[bytes], object]]] = []
    for line in pattern.split("\n"):
        negated = line.startswith("!")
        source = line[negated:].encode("utf-8", "surrogateescape")
        tests.append((negated, re.compile(source, flags).search))
    return tests
