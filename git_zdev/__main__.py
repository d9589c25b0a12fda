"""Run the program with ``python -m git_zdev``."""

from git_zdev.cli.main import entry

if __name__ == "__main__":
    entry()
