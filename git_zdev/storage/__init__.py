"""The only code that writes files: locks, temporary files, replacement, the journal."""
