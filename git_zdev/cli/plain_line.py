"""Reads plain command lines without argparse, which costs as much as a small command does.

It takes the declarations that a command makes for argparse. A line is plain when each of its words
is a declared option in full, the value of one, or a positional argument, and nothing is missing.
Whatever else a line holds, or a declaration says, is left to :mod:`git_zdev.cli.parser`, which
explains what is wrong; where this reader answers, its answer is argparse's.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_KNOWN = frozenset({"action", "choices", "default", "dest", "help", "metavar", "nargs", "required"})
_ACTIONS = frozenset({None, "store_true", "append"})


class PlainLine:
    """The declared arguments of one command.

    Attributes:
        arguments: All of them, in the order of their declaration.
    """

    def __init__(self) -> None:
        self.arguments: list[Argument] = []
        self._options: dict[str, Argument] = {}
        self._positional: list[Argument] = []
        self._groups: list[tuple[bool, list[Argument]]] = []
        self._understood = True

    def add_argument(self, *names: str, **traits: Any) -> Argument:
        """Take a declaration as ``ArgumentParser.add_argument`` does."""
        argument = Argument(names, traits)
        self.arguments.append(argument)
        self._understood = self._understood and argument.understood
        if argument.optional:
            self._options |= dict.fromkeys(names, argument)
        else:
            last = self._positional[-1] if self._positional else None
            self._understood &= last is None or last.required or not argument.required
            self._positional.append(argument)
        return argument

    def add_argument_group(self, title: str) -> PlainLine:
        """Groups are for the help alone."""
        del title
        return self

    def add_mutually_exclusive_group(self, *, required: bool = False) -> _Group:
        """A group of options of which one may be given, or must be."""
        members: list[Argument] = []
        self._groups.append((required, members))
        return _Group(self, members)

    def read(self, words: list[str]) -> dict[str, Any] | None:
        """The values by name; None for a line that is not plain."""
        if not self._understood:
            return None
        given: dict[Argument, list[str]] = {}
        free = iter(self._positional)
        rest = iter(words)
        for word in rest:
            if word.startswith("--"):
                argument = self._options.get(word.partition("=")[0])
            elif word.startswith("-") and word != "-":
                argument = self._options.get(word)
            else:
                argument = next(free, None)
            value = None if argument is None else argument.value_of(word, rest)
            if argument is None or value is None:
                return None
            given.setdefault(argument, []).append(value)
        fitting = all(one.fits(given.get(one)) for one in self.arguments)
        if not (fitting and self._complete(given)):
            return None
        return {one.dest: one.result(given.get(one)) for one in self.arguments}

    def _complete(self, given: dict[Argument, list[str]]) -> bool:
        counts = [(needed, sum(one in given for one in group)) for needed, group in self._groups]
        return all(count == 1 or (count == 0 and not needed) for needed, count in counts)


class _Group:
    """Takes the declarations of a mutually exclusive group."""

    def __init__(self, line: PlainLine, members: list[Argument]) -> None:
        self._line = line
        self._members = members

    def add_argument(self, *names: str, **traits: Any) -> None:
        self._members.append(self._line.add_argument(*names, **traits))


class Argument:
    """One declaration.

    Attributes:
        names: The spellings of an option; the one name of a positional argument.
        optional: Whether it is an option.
        dest: The name of its value.
        metavar: What the help calls the value; empty where it says nothing.
        choices: The values that it takes; None for any.
        help: What the help says of it.
        many: Whether it is a positional argument that takes all further words.
    """

    def __init__(self, names: tuple[str, ...], traits: dict[str, Any]) -> None:
        self.names = names
        self.optional = names[0].startswith("-")
        self.metavar: str = traits.get("metavar") or ""
        self.help: str = traits.get("help") or ""
        self.dest: str = traits.get("dest") or names[0].lstrip("-").replace("-", "_")
        self.action = traits.get("action")
        self.choices = traits.get("choices")
        self.default = traits.get("default", False if self.action == "store_true" else None)
        self.many = traits.get("nargs") == "+"
        self.required = traits.get("required", not self.optional and "nargs" not in traits)
        self.understood = (
            _KNOWN.issuperset(traits)
            and self.action in _ACTIONS
            and traits.get("nargs") in ({None} if self.optional else {None, "?"})
            and (self.optional or self.action is None)
        )

    @property
    def takes_value(self) -> bool:
        """Whether a value follows an option's name."""
        return self.optional and self.action != "store_true"

    @property
    def repeatable(self) -> bool:
        """Whether an option may be given again."""
        return self.action == "append"

    def value_of(self, word: str, rest: Iterator[str]) -> str | None:
        """The value that ``word``, or the one behind it, gives; None where that is not plain."""
        if not self.optional:
            return word
        _, equals, value = word.partition("=")
        if self.action == "store_true":
            return None if equals else word
        if equals:
            return value
        value = next(rest, "-?")
        return None if value.startswith("-") and value != "-" else value

    def fits(self, given: list[str] | None) -> bool:
        """Whether the values, None for not given, may be taken."""
        if given is None:
            return not self.required
        if len(given) > 1 and not self.repeatable:
            return False
        return self.choices is None or all(one in self.choices for one in given)

    def result(self, given: list[str] | None) -> Any:
        """What the values come to."""
        if given is None:
            return self.default
        if self.repeatable:
            return [*(self.default or ()), *given]
        return True if self.action == "store_true" else given[0]
