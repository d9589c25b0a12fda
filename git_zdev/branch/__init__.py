"""The safety of an area's branch for task work, and its rebase.

``safety`` collects the facts, ``refusals`` puts them into words, ``gate`` is the single check that
commands use, ``stage`` determines how far a rebase came, and ``rebase`` runs one. All access to
Git goes through ``git.port``; nothing here prints.
"""
