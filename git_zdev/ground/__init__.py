"""The foundation of every other package; it imports only ``fast``.

Errors and their places (``errors``), plain values (``values``), text for messages and terminals
(``text``, ``inert``, ``hidden_text``, ``markup``), JSON (``jsontext``) and its schemas (``schema``,
``compiled``), planned file changes (``changeset``), path rules (``paths``), progress, threads
and the files that come with the program (``shipped``). Every package can import it.
"""
