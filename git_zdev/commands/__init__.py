"""One module a command.

Each has ``ARGUMENTS``, the table of what the command takes, and ``run(session, **values)``, which
gets the values as keywords and returns a result. The module's docstring is its help. ``FORMATS``
names the values of ``--format`` where there are others than text and JSON.
"""
