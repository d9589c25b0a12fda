"""What Git would show of a work tree, produced without starting Git.

:func:`collect` gives the Git part of a work context: HEAD, and byte for byte what ``git status
--short --untracked-files=all``, ``git diff --cached`` and ``git diff`` print under Git's default
presentation (with ``core.quotePath=true`` and no colour), whatever the user's settings. The
modules bear Git's own names: ``status``, ``diff``, ``hunks``, ``combined``, ``rename``,
``similarity``, ``quoting``, ``abbreviation``, ``attributes``, ``filters``, ``userdiff``;
``changes`` finds what changed, ``contents`` reads both sides of it.

Nothing is written below ``.git`` (the index is not refreshed), no process is started, no
promisor remote is asked. What cannot be told is an error; there are no partial results.
"""
