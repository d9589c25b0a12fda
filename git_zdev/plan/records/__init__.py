"""The files below ``.zdev``: their format, read and written.

``model`` holds the records as values and the tables of their fields, ``fields`` the rules for
values and names. Reading: ``store`` reads files safely, ``tracked`` reads them from Git; ``text``
and ``markdown`` take the bytes apart, and ``codec`` builds the records. Writing: ``render`` for
new files, ``edit`` for surgical changes, ``index_file`` for ``TASKS.md``. ``toml`` reads and edits
hand-written TOML; commands that only read the program's own form never load it.
"""
