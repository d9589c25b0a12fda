"""What Git would show of a work tree, produced without starting Git.

:func:`~git_zdev.evidence.collecting.collect` gives the Git part of a work context: HEAD, and byte
for byte what ``git status --short --untracked-files=all``, ``git diff --cached`` and ``git diff``
print under Git's default presentation (with ``core.quotePath=true`` and no colour), whatever the
user's settings. The modules bear Git's own names.

- What is looked at: ``survey`` (status and diffs of one work tree, or its changed paths),
  ``changes`` (HEAD, index and work tree compared), ``contents`` (either side of a change),
  ``untracked``, ``nested`` (repositories inside the work tree), ``filespec``.
- What the repository's own files decide: ``attributes``, ``ignore``, ``filters``, ``userdiff``.
- What Git would print: ``status``, ``diff``, ``combined``, ``binary``, ``rename``,
  ``abbreviation``; and ``strings`` for bytes as values of JSON.

All of them see the repository through one value, :class:`~git_zdev.git.read.worktree.WorkTree`.

Nothing is written below ``.git`` (the index is not refreshed), no process is started, no
promisor remote is asked. What cannot be found out is an error; there are no partial results. Other
packages use ``collecting``, the surveys, and ``nested.require_clean`` alone.
"""
