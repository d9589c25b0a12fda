"""What may have changed, and what is there instead: index, work tree, untracked files."""
