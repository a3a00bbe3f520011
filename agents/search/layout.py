"""The records that a search works with."""

from functools import cache

import numpy as np

NO_NODE = -1

SETTINGS = np.dtype(
    [
        ("exploration", np.float64),  # how much an action may be better than its mean
        ("prior", np.float64),  # the part of the exploration that goes to the action of the rule-based player, 0 to 1
        ("advice", np.float64),  # the part of it that is shared out as a policy plays, at the root; 0: there is no policy
        ("scale", np.float64),  # the lead, in standings, that is worth 1/2; 0: placements alone count
        ("expand", np.int64),  # visits of a node before it gets children
        ("rollouts", np.int64),  # from a new node
        ("depth", np.int64),  # most decisions of a rollout
        ("greedy", np.bool_),  # the rule-based player makes them, else chance
        ("even", np.bool_),  # every action of the root gets as many simulations as the others
        ("waits", np.bool_),  # there are no rollouts: a new node's value is brought from outside
    ],
    align=True,
)

TREE = np.dtype(
    [
        ("word", np.uint64),  # what all simulations are dealt from
        ("decisions", np.int64),  # simulated so far
        ("simulations", np.int32),  # run so far
        ("size", np.int32),  # nodes in use, 0 before the tree is planted
        ("leaf", np.int32),  # the node that waits for its value
        ("choices", np.int32),  # legal actions at the root
        ("first_legal", np.int32),  # the first of them
        ("waiting", np.bool_),  # whether a node waits
    ],
    align=True,
)


@cache
def node_dtype(num_players: int) -> np.dtype:
    """A node: an action after those of its parents. Nodes are known by their places in one array."""
    return np.dtype(
        [
            ("total", np.float64, (num_players,)),  # of the values of all simulations through here, for each seat
            ("visits", np.int32),  # how many those are
            ("available", np.int32),  # how many visits of the parent found the action legal
            ("first_child", np.int32),  # or NO_NODE
            ("next_sibling", np.int32),  # the next child of the parent, or NO_NODE
            ("parent", np.int32),  # NO_NODE for the root
            ("action", np.int16),
            ("mover", np.int8),  # the seat that plays it
        ],
        align=True,
    )
