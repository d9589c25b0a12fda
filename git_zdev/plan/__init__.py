"""The plan of a repository: its records, the rules between them, and the changes of commands.

``plan.records`` has the files and their formats, ``areas`` the rules between them, ``graph`` the
order of tasks, ``bundle`` the drafts of tasks, ``bases`` the base of a branch, ``check`` the list
of all problems. ``plan.changes`` plans what a command writes, as a value. Nothing here writes a
file or prints; all access to Git goes through ``git.port``.
"""
