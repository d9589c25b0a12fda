"""The files below ``.zdev``: their format, read and written.

``model`` holds the records as values and the tables of their fields, ``fields`` what a field and a
name may be. Reading: ``store`` gives the bytes of files safely, ``tracked`` those that Git has;
``text`` and ``markdown`` take them apart, and ``codec`` makes records of them. Writing: ``render``
for new files, ``edit`` for surgical changes, ``index_file`` for ``TASKS.md``. ``toml`` reads what
was written by hand and edits it; what only reads the program's own form never loads it.
"""
