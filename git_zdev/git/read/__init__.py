"""Repositories, found and read without starting a process.

``discovery`` finds the work tree, the Git directories and the plan's directory without libgit2.
``repository`` opens what was found once ``ownership`` and ``repository_format`` agree. ``refs``,
``ancestry``, ``history``, ``objects`` and ``index`` answer the questions of ``git.port``; ``walks``
and ``worktree`` serve the evidence. ``libgit2`` is the only import of pygit2.
"""
