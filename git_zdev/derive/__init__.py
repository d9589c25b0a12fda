"""Work that a worker derived from its task: a proposal, from its bytes to one commit.

``proposal`` reads the envelope strictly, ``plan`` compares its drafts with the area and turns it
into files and a commit, ``path_rules`` and ``ownership`` check the paths that a split assigns,
``current`` says whether the repository is in a state to apply it, and ``review`` renders all of it
for a person. Each layer reports all its problems together.
"""
