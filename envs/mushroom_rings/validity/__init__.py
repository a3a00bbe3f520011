"""Whether a record that comes from outside is a possible position: exactly, and whatever its bytes are.

A position is made anew (``rebuilding``) from what does not follow from anything else: the tiles in the order in which they were
laid, the other pieces, what is in hand. A record is accepted if that works and gives the same bytes. ``from_dict`` makes its
records by the same function, so that a record is accepted if and only if ``from_dict`` takes its dict and gives it back, with
these exceptions:

* ``rng`` and ``decisions`` may be anything; nothing is indexed with them.
* ``turn_step`` is in no dict. While a ring is scored in a turn in which nothing was laid from the offer or refused, and the end
  is triggered, it may say that rings owed from before are scored (OWED) or those of the turn (RINGS); ``from_dict`` says OWED.

Why no accepted record can lead compiled code outside its arrays
    1. ``rebuild`` indexes with no number of the record that it has not found to be in its range (``ranges``), and it lays no
       tile twice (``pieces``). Each tile lies once, so the garden has room for all tiles, for the open cells beside them and for
       the rings that they can close; paths, rings and cells come from the functions that lay tiles in a game.
    2. An accepted record has the bytes that ``rebuild`` made, gaps included: every number in it is one that the rules would
       have written into the same position.
    3. The lists that grow in a game stay inside their arrays, because ``pieces`` and ``hands`` hold for a position and every
       step keeps them: a third tile is in the storage only while one is discarded; a wildflower tile is taken only
       while it is nowhere else, and with it a flower that nobody has, so there is no ninth; mushrooms are picked again
       only up to the number of the slot; there is a choice whenever one is asked for.
    4. The tests play on from accepted records with bounds checked, and check that every position that follows is accepted too.

A possible position need not be one that a game can lead to: rings may have been closed by anybody, turns may have been played in
any order, tiles and mushrooms may have come from anywhere.
"""

from envs.engine import merged
from envs.engine.fields import first_difference
from envs.mushroom_rings.validity.rebuilding import rebuild


@merged
def fault_of(state, rules, scratch):
    """0 for a possible position, else 1 + the place in ``state.dtype.names`` of a field that is impossible.

    Of several such fields it is the first that was found. ``state`` may hold any bytes and is left as it is. ``scratch`` is
    another record of the same dtype, made by ``np.zeros`` and used for nothing else, so that its gaps are zeros.
    """
    fault = rebuild(state, rules, scratch)
    return fault if fault != 0 else first_difference(state, scratch)
