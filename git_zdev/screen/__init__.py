"""Results as people see them.

``result`` and ``blocks`` are the values that commands return. ``plain`` prints blocks without a
library, ``terminal`` prints the same words with rich, its only import, with ``page`` and
``characters``. ``manual`` and ``roff`` show the pages that come with the program. Only commands and
``cli`` use it.
"""
