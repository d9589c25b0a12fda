"""The manual pages that come with the program, found by the names that users type."""

from __future__ import annotations

import os

from git_zdev.ground import shipped

PREFIX = "git-zdev"
_ALIASES = {"tutorial": "git-zdevtutorial", "": PREFIX}
_PAGE_OF = {
    "init": "config",
    "goal": "status",
    "next": "status",
    "check": "status",
    "change-id": "commit",
    "change": "commit",
    "cleanup": "commit",
    "context": "work-context",
    "tasks derive": "derive",
}
"""Commands that another command's page describes; each other one has the page of its first word."""


def folder() -> str:
    """The folder of the pages."""
    return shipped.folder("man")


def pages() -> dict[str, str]:
    """The file of every page by the page's name, sorted by section and name.

    The other files only redirect man to these from the names that ``git help`` looks for.
    """
    found = {}
    for section in sorted(os.listdir(folder())):
        if section.startswith("man"):
            for name in sorted(os.listdir(os.path.join(folder(), section))):
                if name.startswith(PREFIX):
                    found[name.rpartition(".")[0]] = os.path.join(folder(), section, name)
    return found


def short_names() -> list[str]:
    """The short name to type for each page, in the order of the pages."""
    given = {page: name for name, page in _ALIASES.items() if name}
    return [given.get(page, page.removeprefix(f"{PREFIX}-")) for page in pages()]


def find(words: str) -> str | None:
    """The page that ``words`` refers to.

    Args:
        words: A page's name as ``man`` or ``git help`` takes it, that name without its prefix, or
            the words of a command, separated by blanks or hyphens.
    """
    known = pages()
    name = "-".join(words.split())
    for beginning in (PREFIX, "zdev"):
        name = "" if name == beginning else name.removeprefix(f"{beginning}-")
    names = (name, f"git-{name}", f"{PREFIX}-{name}", _ALIASES.get(name, ""))
    named = next((one for one in names if one in known), None)
    groups = {group.replace(" ", "-"): page for group, page in _PAGE_OF.items()}
    while named is None and name:
        page = f"{PREFIX}-{groups.get(name, name)}"
        named = page if page in known else None
        name = name.rpartition("-")[0]
    return named


def read(page: str) -> str:
    """The source of a page."""
    with open(pages()[page], encoding="utf-8") as file:
        return file.read()
