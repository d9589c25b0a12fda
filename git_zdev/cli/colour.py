"""Whether output is coloured.

The first of these that is set decides:

1. ``--color=always`` or ``--color=never``: what was typed is meant.
2. ``NO_COLOR``, not empty: never (https://no-color.org). Git does not know it; it overrides the
   configuration because it is set for one terminal or one run, and the configuration for all.
3. ``CLICOLOR_FORCE``, neither empty nor ``0``: always, even into a pipe. Git does not know it.
4. ``color.zdev``, then ``color.ui``, as Git reads its own ``color.<command>``: ``never`` or false,
   ``always``, and ``auto`` or true.
5. ``auto``: on a terminal that is not dumb, and into Git's own pager (``GIT_PAGER_IN_USE``) unless
   ``color.pager`` is false.

The configuration is read only for text on a terminal or into a pager. So, unlike in Git, its
``always`` does not colour output into a pipe: a pipe costs no reading of configuration, and a
user's setting never sends escape sequences to programs. An invalid setting decides nothing: the
command has done its work by then.
"""

from __future__ import annotations

from git_zdev.cli import streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from git_zdev.git.config.config import GitConfig

DUMB = frozenset({"", "dumb"})


def is_coloured(
    option: str,
    environment: Mapping[str, str],
    *,
    watched: bool,
    settings: Callable[[], GitConfig | None],
) -> bool:
    """Decide for one stream.

    Args:
        option: The value of ``--color``.
        environment: The environment's variables.
        watched: Whether the stream is a terminal, or a pager that Git started.
        settings: Reads the configuration; returns None if it cannot be read.
    """
    if option != "auto":
        return option == "always"
    if environment.get("NO_COLOR"):
        return False
    if environment.get("CLICOLOR_FORCE", "0") not in {"", "0"}:
        return True
    if not watched:
        return False
    config = settings()
    wish = None if config is None else _configured(config)
    return (
        is_capable(environment) and _pager_takes_it(environment, config) if wish is None else wish
    )


def is_capable(environment: Mapping[str, str]) -> bool:
    """Whether the terminal can do more than print lines, which Git decides by ``TERM``."""
    return environment.get("TERM", "") not in DUMB


def _configured(config: GitConfig) -> bool | None:
    """The configured choice; None for ``auto`` and if nothing is set."""
    from git_zdev.git.config.config_file import parse_bool

    for key in ("color.zdev", "color.ui"):
        entry = config.last(key)
        if entry is None:
            continue
        word = (entry.value or "").lower()
        if word in {"never", "always"}:
            return word == "always"
        if word == "auto" or parse_bool(entry.value):
            return None
        if parse_bool(entry.value) is False:
            return False
    return None


def _pager_takes_it(environment: Mapping[str, str], config: GitConfig | None) -> bool:
    from git_zdev.git.config.config_file import parse_bool

    entry = None if config is None else config.last("color.pager")
    return (
        entry is None
        or parse_bool(entry.value) is not False
        or not streams.pager_in_use(environment)
    )
