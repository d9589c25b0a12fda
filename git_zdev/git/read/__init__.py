"""Repositories, found and read without starting a process.

``discovery`` finds the work tree, the Git directories and the plan's directory without libgit2.
``repository`` opens what was found, after ``ownership`` and ``repository_format`` have accepted it.
Its base class in ``opened`` serves ``index``, ``walks`` and ``worktree``, and the last has
``WorkTree``, which evidence uses. ``refs``, ``ancestry``, ``history`` and ``objects`` answer the
other questions of ``git.port``. ``libgit2`` is the only import of pygit2.
"""
