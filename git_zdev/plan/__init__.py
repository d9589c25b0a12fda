"""The plan of a repository: its records, what holds between them, and how commands change it.

``plan.records`` has the files and their formats, ``areas`` what holds between them, ``graph`` the
order of tasks, ``bundle`` drafts of tasks, ``bases`` what a branch is measured against, ``check``
everything that is wrong. ``plan.changes`` plans what a command writes, as a value. Nothing here
writes a file or prints; Git is asked through ``git.port`` alone.
"""
