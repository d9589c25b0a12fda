"""States of a work tree, each built by one named function with the real git.

``STATES`` maps every name to its builder. A builder gets an empty repository and gives the work
tree to look at where it is another one; it is deterministic, down to the ids of the commits.
"""

from tests.support.states import (
    conflicts,
    content,
    edits,
    ignores,
    index_kinds,
    indexes,
    layouts,
    links,
    names,
    renames,
    userdiff,
)
from tests.support.states.repo import STATES, StateRepo, make_state_repo

__all__ = [
    "STATES",
    "StateRepo",
    "conflicts",
    "content",
    "edits",
    "ignores",
    "index_kinds",
    "indexes",
    "layouts",
    "links",
    "make_state_repo",
    "names",
    "renames",
    "userdiff",
]
