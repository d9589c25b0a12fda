"""The commands: their words, the module of each, and one line of summary.

Imports next to nothing, so that help, completion and dispatch cost nothing.
"""

from __future__ import annotations

import sys

from git_zdev.ground.values import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType


@dataclass(frozen=True, slots=True)
class Command:
    """One command.

    Attributes:
        words: What the user types after ``git zdev``.
        module: Module below ``git_zdev.commands`` with ``ARGUMENTS`` and ``run``.
        summary: One line for the help.
        group: The heading of the help under which it is listed.
    """

    words: str
    module: str
    summary: str
    group: str

    def load(self) -> ModuleType:
        """Its module; importing ``importlib`` would cost more than many modules."""
        name = f"git_zdev.commands.{self.module}"
        __import__(name)
        return sys.modules[name]


PLAN = "Plan"
WORK = "Work"
GATES = "Handoff gates"
COMMITS = "Commits"
TOOLS = "Tools"

COMMANDS: tuple[Command, ...] = (
    Command("init", "init", "create the plan of this repository", PLAN),
    Command("config show", "config_show", "list the project's settings", PLAN),
    Command("config get", "config_get", "print one setting", PLAN),
    Command("config set", "config_set", "change a setting", PLAN),
    Command("config unset", "config_unset", "remove a setting", PLAN),
    Command("config trunk", "config_trunk", "print or change the trunk", PLAN),
    Command("area create", "area_create", "record an area and its branch", PLAN),
    Command("area list", "area_list", "list the areas", PLAN),
    Command("area close", "area_close", "close an area whose tasks are done", PLAN),
    Command("area reopen", "area_reopen", "reopen a closed area", PLAN),
    Command("area bind", "area_bind", "bind an area to another branch", PLAN),
    Command("area parent", "area_parent", "give an area another base than the trunk", PLAN),
    Command("area rebase", "area_rebase", "bring an area's branch onto its base", PLAN),
    Command("slice create", "slice_create", "record a smaller brief inside an area", PLAN),
    Command("slice list", "slice_list", "list the slices of an area", PLAN),
    Command("slice show", "slice_show", "show a slice", PLAN),
    Command("tasks review", "tasks_review", "store a task bundle for a person to read", PLAN),
    Command("tasks import", "tasks_import", "add the tasks of a bundle", PLAN),
    Command("tasks list", "tasks_list", "list the tasks of an area", PLAN),
    Command("tasks index", "tasks_index", "write the area's TASKS.md", PLAN),
    Command("tasks graph", "tasks_graph", "show which task waits for which", PLAN),
    Command("goal", "goal", "show the objective and the task to work on", WORK),
    Command("next", "next", "select the next task", WORK),
    Command("status", "status", "show the state of an area", WORK),
    Command("task show", "task_show", "show a task", WORK),
    Command("task done", "task_done", "complete a task", WORK),
    Command("task reopen", "task_reopen", "reopen a done task", WORK),
    Command("tasks derive review", "tasks_derive_review", "store derived tasks for review", WORK),
    Command("tasks derive apply", "tasks_derive_apply", "publish derived tasks at once", WORK),
    Command("verify admit", "verify_admit", "store a snapshot before a verifier runs", GATES),
    Command("verify accept", "verify_accept", "judge a verifier's reply", GATES),
    Command("verify complete", "verify_complete", "complete a task when nothing moved", GATES),
    Command("verify envelope", "verify_envelope", "check a worker's reply", GATES),
    Command("commit", "commit", "commit what is staged, with a change id", COMMITS),
    Command("change-id", "change_id", "print a new change id", COMMITS),
    Command("change inspect", "change_inspect", "show a commit's change id", COMMITS),
    Command("change lookup", "change_lookup", "list the commits of a change id", COMMITS),
    Command("cleanup squash", "cleanup_squash", "remove a pull request's plan", COMMITS),
    Command("work-context", "work_context", "collect plan and Git state as a document", WORK),
    Command("context remove", "context_remove", "remove stored documents and reviews", WORK),
    Command("check", "check", "check the whole plan", TOOLS),
    Command("recover", "recover", "finish or undo an interrupted command", TOOLS),
    Command("schema list", "schema_list", "list the JSON Schemas", TOOLS),
    Command("schema show", "schema_show", "print a JSON Schema", TOOLS),
    Command("hooks list", "hooks_list", "list the hooks that can be installed", TOOLS),
    Command("hooks install", "hooks_install", "install a hook that checks the plan", TOOLS),
    Command("completion", "completion", "print the completion script of a shell", TOOLS),
    Command("help", "help", "print a page of the manual", TOOLS),
)
"""All commands, in the order of the help."""


def find(words: list[str]) -> tuple[Command, int] | None:
    """The command that the first words name, and the number of those words."""
    for count in range(min(3, len(words)), 0, -1):
        name = " ".join(words[:count])
        for command in COMMANDS:
            if command.words == name:
                return command, count
    return None


def below(prefix: str) -> list[Command]:
    """The commands whose words start with ``prefix`` and continue after it."""
    return [command for command in COMMANDS if command.words.startswith(f"{prefix} ")]
