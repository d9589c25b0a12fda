"""Blocks to text: ``plain`` for pipes, ``terminal`` (the only import of rich) for people."""
