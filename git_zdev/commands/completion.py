"""Print the completion script of a shell.

The install puts the scripts below share/, where the shells look for them when
the prefix is /usr, /usr/local or ~/.local. Otherwise:

  bash  git zdev completion bash >> ~/.bash_completion
  zsh   git zdev completion zsh > DIRECTORY/_git-zdev   (one of $fpath)
  fish  git zdev completion fish > ~/.config/fish/conf.d/git-zdev.fish

For bash, the package bash-completion must be installed and loaded.
"""

from __future__ import annotations

from git_zdev.commands.shared.arguments import argument
from git_zdev.screen.result import RawResult

TYPE_CHECKING = False
if TYPE_CHECKING:
    from git_zdev.commands.shared.session import Session

SCRIPTS = {"bash": "bash/git-zdev", "zsh": "zsh/_git-zdev", "fish": "fish/git-zdev.fish"}
"""The script of each shell, under the file name that the shell looks for."""

ARGUMENTS = (argument("SHELL", "bash, zsh or fish", choices=tuple(SCRIPTS)),)


def run(_session: Session, *, shell: str) -> RawResult:
    """Print the script."""
    from importlib.resources import files

    return RawResult(files("git_zdev.cli.completions").joinpath(SCRIPTS[shell]).read_bytes())
