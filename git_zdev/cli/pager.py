"""The pager for long text: the user's choice, found as Git finds it (git-var(1), GIT_PAGER).

It is the first that is set of ``GIT_PAGER``, ``pager.zdev`` if that is a command, ``core.pager``,
``PAGER`` and ``less``. An empty value or ``cat`` means no pager. ``git --no-pager zdev …`` and
``pager.zdev = false`` reach the program as ``GIT_PAGER=cat``. For ``git -p zdev …`` and
``pager.zdev = true`` Git starts the pager itself, so that standard output is a pipe. Both settings
also apply if the program is run as ``git-zdev``.

Text that fits the screen is printed without a pager, which has the effect of Git's ``less -F``.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from git_zdev.git.config.config import GitConfig

DEFAULT = "less"
NONE = frozenset({"", "cat"})
MANNERS = {"LESS": "FRX", "LV": "-c"}
"""Variables that Git sets for the pagers that it knows, unless the user has set them."""


def command(environment: Mapping[str, str], settings: Callable[[], GitConfig | None]) -> str | None:
    """The command line of the pager; None for no pager.

    Args:
        environment: The environment's variables.
        settings: Reads the configuration; returns None if it cannot be read.
    """
    chosen = environment.get("GIT_PAGER")
    if chosen is None:
        chosen = _configured(settings())
    if chosen is None:
        chosen = environment.get("PAGER", DEFAULT)
    return None if chosen in NONE else chosen


def surroundings(environment: Mapping[str, str]) -> dict[str, str]:
    """The pager's environment."""
    return {**MANNERS, **environment, "GIT_PAGER_IN_USE": "true"}


def rows(text: str, columns: int) -> int:
    """The least number of terminal lines that a text fills."""
    from git_zdev.ground.inert import without_styles
    from git_zdev.screen.plain import width

    return sum(max(1, -(-width(line) // columns)) for line in without_styles(text).splitlines())


def _configured(config: GitConfig | None) -> str | None:
    """The configured pager; an empty string for no pager."""
    from git_zdev.git.config.config_file import parse_bool

    if config is None:
        return None
    own = config.last("pager.zdev")
    if own is not None:
        switch = parse_bool(own.value)
        if switch is None:
            return own.value
        if not switch:
            return ""
    return config.get("core.pager")
