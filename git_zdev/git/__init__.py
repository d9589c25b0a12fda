"""The only door to Git: values and protocols here, libgit2 and processes behind them.

``port`` has the protocols that the rest of the program uses, and ``model`` the values.
``git.config`` reads configuration as Git reads it, ``git.read`` finds and reads repositories
through libgit2 (the only import of pygit2 is ``git.read.libgit2``), and ``process`` starts the
installed Git for what only Git itself must do: commits (with ``commit_hooks`` and ``cleanup``) and
rebases (``rebasing``). ``wildmatch`` has Git's path patterns and
``trailers`` reads commit messages; ``failures`` has the errors for damaged repositories. Packages
above take the port's protocols; only ``evidence`` sees more.
"""
