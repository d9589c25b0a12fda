r"""The hooks of a commit that this program makes: the user's own, and one that asks us.

``git commit`` starts from whatever HEAD is when it runs, so it may put a tree that was built from
one commit on top of another. Git has one place where that can still be refused: the
``reference-transaction`` hook (githooks(5)) in its state ``prepared``, when the ref is locked, its
old value is verified, and nothing is visible yet. So the commit runs with ``core.hooksPath`` set to
a folder of ours. It holds that hook, which asks this program, and for each of the user's hooks a
script that becomes it.

The user's hooks do not notice: they run under the names under which Git would have run them, with
the configuration that Git would have given them.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from git_zdev.git.model import Location
    from git_zdev.git.port import Config

ASKS, ANSWERS = 8, 9
"""Descriptors of a commit: questions go out on one, answers come in on the other. The shell knows
descriptors of one digit only."""

SETTINGS = "ZDEV_CONFIG_PARAMETERS"
"""Carries ``GIT_CONFIG_PARAMETERS`` as hooks are to see it."""

GUARD = "reference-transaction"

_OTHERS = (
    "pre-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-commit",
    "post-index-change",
    "pre-auto-gc",
)
"""The other hooks that ``git commit`` may run."""

_AS_WITHOUT_US = f"""\
GIT_CONFIG_PARAMETERS=${SETTINGS}
[ -n "$GIT_CONFIG_PARAMETERS" ] || unset GIT_CONFIG_PARAMETERS
unset {SETTINGS}
exec {ASKS}>&- {ANSWERS}<&-
"""

_FORWARDED = f"""\
#!/bin/sh
{_AS_WITHOUT_US}exec {{hook}} "$@"
"""

_ALONE = f"""\
#!/bin/sh
[ "$1" = prepared ] || exit 0
while read -r zdev_line; do
    printf '%s\\n' "$zdev_line" >&{ASKS} || exit
done
echo end >&{ASKS} && read -r answer <&{ANSWERS} && [ "$answer" = yes ]
"""
"""Asks with the lines that Git gives, ``<old> <new> <ref>`` each, and ``end``."""

_AFTER_ANOTHER = f"""\
#!/bin/sh
zdev_lines=
while read -r zdev_line; do
    zdev_lines="$zdev_lines$zdev_line
"
done
printf '%s' "$zdev_lines" | (
{_AS_WITHOUT_US}exec {{hook}} "$@"
) || exit
[ "$1" = prepared ] || exit 0
printf '%send\\n' "$zdev_lines" >&{ASKS} && read -r answer <&{ANSWERS} && [ "$answer" = yes ]
"""
"""The same once the user's hook has agreed."""


def scripts(location: Location, config: Config) -> dict[str, bytes]:
    """The content of the folder of hooks for a commit: name to script.

    Args:
        location: The repository's parts.
        config: Its configuration.
    """
    folder, named = hooks_folder(location, config), _as_git_names_it(location, config)
    found = {GUARD: _ALONE}
    for name in (GUARD, *_OTHERS):
        path = os.path.join(folder, name)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            form = _AFTER_ANOTHER if name == GUARD else _FORWARDED
            found[name] = form.format(hook=_quoted(f"{named}/{name}"))
    return {name: os.fsencode(script) for name, script in found.items()}


def hooks_folder(location: Location, config: Config) -> str:
    """The absolute path of the folder from which Git runs hooks in a repository.

    It is ``core.hooksPath``, relative to the work tree's root, otherwise ``hooks`` in the Git
    directory that all work trees share (githooks(5)).
    """
    configured = config.get("core.hooksPath")
    if configured is None:
        return f"{location.common_dir}/hooks"
    if not configured:
        return "/"  # an empty value: Git puts a slash and the hook's name after it
    return os.path.join(location.work_tree, os.path.expanduser(configured))


def _as_git_names_it(location: Location, config: Config) -> str:
    """The same folder as Git itself names it to a hook, in ``$0``."""
    configured = config.get("core.hooksPath")
    if configured is not None:
        return os.path.expanduser(configured)
    folder = f"{location.common_dir}/hooks"
    if location.found_in == location.work_tree and location.git_dir == location.common_dir:
        relative = os.path.relpath(folder, location.work_tree)
        return folder if relative.startswith(os.pardir) else relative
    return folder


def _quoted(word: str) -> str:
    """A word quoted for a shell."""
    return "'" + word.replace("'", "'\\''") + "'"


def settings_for_hooks(environment: Mapping[str, str]) -> dict[str, str]:
    """The variable that lets a hook see the configuration as the caller gave it."""
    return {SETTINGS: environment.get("GIT_CONFIG_PARAMETERS", "")}
