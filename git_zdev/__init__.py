"""git-zdev: a plan beside the code, and work context that can be trusted.

The package, from the bottom up; each package imports itself and those above it in this list:

1. ``fast``: what saves milliseconds beside a full way.
2. ``ground``: errors, values, text, JSON, schemas.
3. ``disk``: safe reading for all, and the only code that writes files.
4. ``git``: the only door to libgit2 and to Git's processes.
5. ``evidence``: what ``git status`` and ``git diff`` would print, without starting Git.
6. ``plan``: records, areas and tasks, and how commands change them, as values.
7. ``branch``: whether an area's branch may be worked on, and its rebase.
8. ``context``: the work context and the other projections, stored and compared.
9. ``publish``: many files and one commit, or nothing.
10. ``derive``: tasks that a task gave rise to, and the reviews of drafts.
11. ``handoff``: the gates between a coordinator and its workers.
12. ``screen``: results as people see them.
13. ``commands``: one module a command.
14. ``cli``: from ``argv`` to an exit status.
"""

__version__ = "0.1.0"
