"""The plan of a repository: its records, how they relate, and how commands change it.

``plan.records`` has the files and their formats, ``areas`` their relations, ``graph`` the order of
tasks, ``bundle`` drafts of tasks, ``bases`` what a branch is compared with, and ``check`` finds
everything that is wrong. ``plan.changes`` plans what a command writes, as a value. Nothing here
writes a file or prints, and Git is reached only through ``git.port``.
"""
