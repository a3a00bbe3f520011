"""What the rule-based player of Mushroom Rings uses, in points and shares of points."""

from typing import NamedTuple


class Weights(NamedTuple):
    """What the player uses; found by hand: one or a few changed, then 1,500 two-player games against the first guess.

    Attributes:
        keep: The share of a middle sale's price that mushrooms in hand are worth.
        horizon: With fewer turns left than this, what must still be sold is worth less.
        ring_turns: Turns a player takes for each ring marker until its last, and ...
        flower_turns: ... for each flower, when guessing how long the game goes on.
        chance: That a path is closed whose ends face the same cell, or cells 1, 2, ... steps apart.
        sure: The chance if a tile that closes it can be laid this turn.
        stuck: What is left of the chance if its ends face the same cell and no tile on offer closes it.
        unclaimed: What a path that nobody claims promises, as a share of what it would promise its owner.
        claim: What claiming it counts for, as a share of its promise; more than 1, for it keeps the others off too.
        waiting: What mushrooms are worth that are left waiting in a ring which was just closed, as a share.
        rival: What counts against a play, for each point that it promises another player.
        leave: What counts against a play that needs another's leave.
        flower: What a flower is worth beyond its own points: the next will bring more.
        wild: Worth of a wildflower tile in storage.
        tile: Worth of a stored garden tile.
        ending: Worth of ending the game, for each point ahead.
    """

    keep: float = 0.85
    horizon: float = 3.0
    ring_turns: float = 1.3
    flower_turns: float = 1.6
    chance: tuple[float, ...] = (0.75, 0.5, 0.3, 0.18, 0.1)
    sure: float = 0.97
    stuck: float = 0.5
    unclaimed: float = 0.05
    claim: float = 1.8
    waiting: float = 0.9
    rival: float = 0.2
    leave: float = 6.0
    flower: float = 2.0
    wild: float = 4.0
    tile: float = 1.5
    ending: float = 0.1


WEIGHTS = Weights()
