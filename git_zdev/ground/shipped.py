"""The location of files that come with the program and are not modules: schemas, manual pages."""

from __future__ import annotations

import os


def folder(name: str) -> str:
    """A folder of such files: package data when installed, the package's sibling in a checkout."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    installed = os.path.join(package, name)
    return installed if os.path.isdir(installed) else os.path.join(os.path.dirname(package), name)
