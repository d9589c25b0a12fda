"""Work that a worker derived from its task: a proposal, from its bytes to one commit.

``proposal`` reads the envelope strictly, ``plan`` checks its drafts against the area and plans the
files, ``path_rules`` and ``ownership`` check the paths of a split, ``current`` checks whether the
repository lets it be applied, ``review`` renders it for a person, ``reviews`` stores that, and
``apply`` makes the commit. Each layer reports all its problems together.
"""
