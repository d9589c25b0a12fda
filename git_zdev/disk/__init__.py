"""The disk: a half that reads, for every package, and a half that writes, for a few.

``reading`` opens regular files and folders safely. Everything else belongs to writing: single calls
(``atomic``), folders, the lock, the journal. Only this package changes files below
``.zdev`` or ``zdev``. It knows the format of a journal, but neither plans nor Git. ``publish`` is
the main user of the writing half; the import test lists the few others.
"""
