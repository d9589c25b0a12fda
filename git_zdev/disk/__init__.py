"""The disk: one half that reads, for everybody, and one half that writes, for a few.

``reading`` opens regular files and folders safely. Everything else belongs to writing: single calls
(``atomic``), folders, the lock, the journal. Nothing outside of this package changes a file below
``.zdev`` or ``zdev``. It knows the format of a journal and nothing of plans or Git. ``publish`` is
the main user of the writing half; the few others are listed in the import test.
"""
