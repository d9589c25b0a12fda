"""What several commands share: the session, and pieces of arguments and output.

``session`` opens what one run works on, on first use, and ``look`` ensures that everything an
answer rests on belongs together. The other modules are parts of commands. Only ``commands`` and
``cli`` use this package.
"""
