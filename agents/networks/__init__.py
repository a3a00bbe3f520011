"""The networks that learn: one for every game, and those that read the parts of one game's observation."""

KINDS = ("own", "flat")
"""What a training run may be told to learn with: the game's own network where it has one, or the flat one."""
