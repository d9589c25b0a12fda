"""Whether an area's branch may be worked on, and how it is brought up to date.

``safety`` collects the facts, ``refusals`` words them, ``gate`` is the one question that commands
ask, ``stage`` says how far a rebase came, and ``rebase`` runs one. Git is reached through
``git.port``; nothing here prints.
"""
