"""The foundation of every other package; it imports none of them.

Errors and their places (``errors``), plain values (``values``), text for messages and terminals
(``text``, ``inert``, ``hidden_text``, ``markup``), JSON (``jsontext``) and its schemas (``schema``,
``compiled``), planned changes of files (``changeset``), path rules (``paths``), progress, threads
and the files that come with the program (``shipped``). Every package may import it.
"""
