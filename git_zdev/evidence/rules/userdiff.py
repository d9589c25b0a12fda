"""What the ``diff`` attribute says about a path: binary or text, and which lines open a function.

gitattributes(5), "Defining a custom hunk-header": a driver's pattern is a list of regular
expressions, one a line; the first that matches a line decides, one that starts with ``!`` against
it. The text shown is the first group, or the whole match. Without a driver's pattern, a line that
starts with a letter, ``_`` or ``$`` counts.
"""

from __future__ import annotations

from git_zdev.evidence.rules.drivers import built_in
from git_zdev.ground.errors import ZdevError
from git_zdev.ground.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from git_zdev.evidence.rules.attributes import Value
    from git_zdev.git.port import Config

    _LineTest = tuple[bool, Callable[[bytes], bytes | None]]
    """Whether a line that fits opens nothing, and what is shown of a line that fits."""

    FunctionLine = Callable[[bytes], bytes | None]
    """Gives the text that a hunk header shows for a line (with its line feed), None for most."""

_SHOWN = 80
_SPACE = b" \t\n\r"


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

    def _read(self, name: str) -> Driver:
        binary = self._configured_binary(name)
        configured = self._configured_tests(name)
        if configured is not None:
            return Driver(binary, _function_line(configured))
        pattern, ignore_case = built_in(name)
        if pattern is None:
            return Driver(binary)
        return Driver(binary, _function_line(lambda: _built_in_tests(pattern, ignore_case)))

    def _configured_tests(self, name: str) -> Callable[[], list[_LineTest]] | None:
        """The pattern that the user gave the driver; the extended one where there are both."""
        extended = self._config.get(f"diff.{name}.xfuncname")
        basic = self._config.get(f"diff.{name}.funcname")
        pattern = basic if extended is None else extended
        if pattern is None:
            return None
        return lambda: _configured_tests(name, pattern, extended is not None)

    def _configured_binary(self, name: str) -> bool | None:
        value = self._config.get(f"diff.{name}.binary")
        if value is None or value.lower() == "auto":
            return None
        return self._config.get_bool(f"diff.{name}.binary", default=False)


def usual_function_line(line: bytes) -> bytes | None:
    """Git's usual test: a letter, ``_`` or ``$`` at the start."""
    first = line[:1]
    if not first or not (first.isalpha() or first in b"_$"):
        return None
    return line[:_SHOWN].rstrip(_SPACE)


def _function_line(read: Callable[[], list[_LineTest]]) -> FunctionLine:
    """A driver's test; its expressions are compiled when it is first used."""
    tests: list[_LineTest] = []

    def test(line: bytes) -> bytes | None:
        if not tests:
            tests.extend(read())
        text = line.removesuffix(b"\n")
        if len(text) < len(line):
            text = text.removesuffix(b"\r")
        for negated, shown in tests:
            found = shown(text)
            if found is not None:
                return None if negated else found[:_SHOWN].rstrip(_SPACE)
        return None

    return test


def _built_in_tests(pattern: str, ignore_case: bool) -> list[_LineTest]:
    import re

    def compiled(expression: str) -> _LineTest:
        negated = expression.startswith("!")
        flags = re.IGNORECASE if ignore_case else 0
        search = re.compile(expression[negated:].encode("ascii"), flags).search

        def shown(text: bytes) -> bytes | None:
            match = search(text)
            if match is None:
                return None
            group: bytes | None = match.group(1) if match.re.groups else None
            return match.group(0) if group is None else group

        return negated, shown

    return [compiled(expression) for expression in pattern.split("\n")]


def _configured_tests(name: str, pattern: str, extended: bool) -> list[_LineTest]:
    from git_zdev.evidence.rules.posix_regex import PosixRegex

    tests: list[_LineTest] = []
    for line in pattern.encode("utf-8", "surrogateescape").split(b"\n"):
        negated = line.startswith(b"!")
        try:
            tests.append((negated, PosixRegex(line[negated:], extended=extended).search))
        except ValueError as error:
            key = f"diff.{name}.{'xfuncname' if extended else 'funcname'}"
            raise ZdevError(
                "invalid-git-config",
                f"{key} is no regular expression: {line.decode('utf-8', 'replace')}",
                "Correct the expression, or remove it",
            ) from error
    return tests
