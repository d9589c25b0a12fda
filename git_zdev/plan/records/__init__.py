"""What stands on disk below ``.zdev``.

``model`` holds the values. Reading: ``store`` gives the bytes of files safely, ``text`` and
``toml`` and ``markdown`` take them apart, ``fields`` and ``body`` say what may stand there, and
``codec`` makes records of them. Writing: ``render`` for new files, ``edit`` for surgical changes,
``index_file`` for ``TASKS.md``. ``names`` holds the rules for names and lines.
"""
