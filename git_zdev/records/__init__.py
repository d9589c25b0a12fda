"""What stands on disk below ``.zdev``.

``model`` holds the values, ``codec`` turns bytes into values and back and edits them surgically,
``store`` reads whole areas from a work tree, an index or a planned change.
"""
