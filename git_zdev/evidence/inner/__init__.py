"""Repositories inside of the work tree: submodules, nested repositories, untracked ones."""
