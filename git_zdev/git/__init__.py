"""The only door to Git: values and protocols in ``port``, libgit2 and processes behind it.

In the order in which a command meets them:

1. ``discovery``: the work tree, the Git directories and the plan's directory, without libgit2.
2. ``config`` (with ``config_file``, ``command_config``, ``conditions``, ``values``): configuration
   as Git reads it.
3. ``repository``: opens what was found, once ``ownership`` and ``repository_format`` agree;
   ``config_bridge`` tells libgit2 the configuration, ``libgit2`` is the only import of pygit2.
4. ``refs``, ``ancestry``, ``history``, ``objects``, ``index``, ``trailers``: the questions that a
   repository answers, ``failures`` what it says when it cannot.
5. ``walks`` and ``worktree``: what the evidence needs besides.
6. ``process``: the installed Git, for what must be done by it: commits and rebases.
"""
