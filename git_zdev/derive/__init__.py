"""Work that a worker derived from its task: a proposal, from its bytes to one commit.

``proposal`` reads the envelope strictly, ``semantics`` holds its drafts against the area,
``path_rules`` and ``ownership`` judge which paths a split hands out, ``current`` says whether the
repository is in a state to apply it, ``review`` renders all of it for a person, and ``plan`` turns
it into the files and the commit. Each layer reports all its problems together.
"""
