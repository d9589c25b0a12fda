"""The only code that writes files: folders, safe reading, atomic replacement, locks, the journal.

It knows the format of a journal and nothing of plans or Git. ``publish`` is its main user; the few
others are listed in the import test.
"""
