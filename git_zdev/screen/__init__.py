"""Results as people see them.

``result`` defines the values that commands return. ``plain`` prints blocks without a library;
``terminal``, with ``page``, prints the same words with rich, which nothing else imports.
``manual`` and ``roff`` show the pages that come with the program. Only commands and ``cli`` use
this package.
"""
