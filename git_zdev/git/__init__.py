"""The only door to Git: values and protocols in ``port``, libgit2 and processes behind it."""
