"""Whether an area's branch may be worked on, and how it is brought up to date.

``safety`` collects the facts, ``refusals`` has the messages, ``gate`` is the check that commands
use, ``stage`` says how far a rebase came, and ``rebase`` runs one. Git is reached through
``git.port``; nothing here prints.
"""
