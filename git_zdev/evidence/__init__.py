"""What ``git status`` and ``git diff`` print, and what is untracked, without starting Git."""
