"""What several commands need: the session, and pieces of arguments and output.

``session`` is what one run works on, opened when asked for, and ``look`` sees to it that everything
one answer rests on belongs together. The other modules are parts of commands. Only ``commands`` and
``cli`` use it.
"""
