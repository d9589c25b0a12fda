"""git-zdev: a plan beside the code, and work context that can be trusted.

The package, in the order in which its story is told:

1. ``records``: what stands on disk below ``.zdev``: model, codec, store.
2. ``graph``: task dependencies: validity, order, the ready frontier. ``relations``: what holds
   between areas. ``areas`` reads whole areas, ``bundle`` plans new tasks, ``check`` tells all that
   is wrong.
3. ``branch_safety``: whether an area's branch may be worked on.
4. ``evidence``: what ``git status`` and ``git diff`` would print, without starting Git.
5. ``snapshot``: canonical bytes and content ids of work contexts.
6. ``context``: the work context, put together from 1 to 5, and the projections.
7. ``publication``: many files and one commit, or nothing.
8. ``derive``: tasks that a task gave rise to, from a proposal's bytes to one commit.
9. ``verify``, ``handoff``, ``workflow``: the gates between a coordinator and its workers.

Around them: ``git`` (the only door to libgit2 and to Git processes), ``storage`` (locks and atomic
files), ``schema`` (JSON Schema), ``render`` (terminal output), ``commands`` (one module a
command) and ``cli`` (from ``argv`` to an exit status).
"""

__version__ = "0.1.0"
