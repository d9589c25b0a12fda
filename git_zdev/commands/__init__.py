"""The commands, one module each.

Each has ``ARGUMENTS``, the table of what the command takes, and ``run(session, **values)``, which
gets the values as keywords and returns a result. The module's docstring is its help. ``FORMATS``
lists the values of ``--format`` if the command knows more than text and JSON.
"""
