"""Results as people see them.

``result`` has the values that commands return. ``plain`` prints blocks without a library;
``terminal``, with ``page``, prints the same words with rich, which nothing else imports. ``manual``
and ``roff`` show the manual pages. Only commands and ``cli`` use this package.
"""
