"""One module a command.

Each has ``configure(parser)``, which adds its arguments, and ``run(session, **values)``, which
takes the parsed values as keywords and returns a result. The module's docstring is its help.
"""
