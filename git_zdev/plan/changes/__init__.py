"""What the commands on projects, areas and slices mean: planned changes, as values.

Each ``plan_…`` function takes what was read and what is requested, refuses what the rules forbid,
and returns a :class:`~git_zdev.ground.changeset.ChangeSet`; nothing is written here.
"""
