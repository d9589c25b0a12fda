"""What Git would show of a work tree, produced without starting Git.

:func:`~git_zdev.evidence.collecting.collect` gives the Git part of a work context: HEAD, and byte
for byte what ``git status --short --untracked-files=all``, ``git diff --cached`` and ``git diff``
print under Git's default presentation (with ``core.quotePath=true`` and no colour), whatever the
user's settings. ``evidence.look`` finds what changed, ``evidence.rules`` what the repository's own
files decide about it, ``evidence.write`` writes what Git would print, and ``evidence.inner`` looks
into repositories inside of the work tree. The modules bear Git's own names.

Nothing is written below ``.git`` (the index is not refreshed), no process is started, no
promisor remote is asked. What cannot be told is an error; there are no partial results. Other
packages use ``collecting`` and the status of ``look.worktree`` alone.
"""
