"""Repositories, found and read without starting a process.

``discovery`` finds the work tree, the Git directories and the plan's directory without libgit2.
``repository`` opens what was found once ``ownership`` and ``repository_format`` agree; its base,
``opened``, is what ``index``, ``walks`` and ``worktree`` read by, and ``WorkTree`` in the last is
what evidence gets to see. ``refs``, ``ancestry``, ``history`` and ``objects`` answer the other
questions of ``git.port``. ``libgit2`` is the only import of pygit2.
"""
