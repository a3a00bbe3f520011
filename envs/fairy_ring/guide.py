"""The rules of Fairy Ring in plain words, for people and language models that play by text."""

from envs.fairy_ring.state import MANA_PER_POINT
from envs.game import Game

_GUIDE = """You are one of {players} players of {title}. Whoever has the most points at the end wins; equal points
are decided by mana, and players who are equal in that too share the victory. {mana} mana become 1 point
at once.

The villages of all players, laid end to end, are one ring of mushrooms. Each player has a fairy that stands on a
mushroom. It flies to the left along its own village, then on to the right end of the next player's village, and so
round and round.

A game has two rounds of six turns. At the beginning of a round you hold seven cards. On every turn:
1. All players secretly choose a card of their hand.
2. One after another, from the first player on, each shows the card and puts it into the own village: planted as a new
   mushroom at the left or the right end, or laid on a mushroom of the same type, which grows. A mushroom has at most
   four cards.
3. Your fairy then flies over as many mushrooms as the card says. A mushroom is passed as one, however many cards it
   has. A Spring lets you choose among three numbers.
4. The owner of the mushroom it stops on gathers mana from it. If that is another player, you gather too, from one of
   your own mushrooms of the same type; without one you get nothing.
5. Hands are passed to the left, and so is the tile of the first player. So you know the hands you have already held.
The seventh card of a round is not played.

What a mushroom pays, with all its cards:
- Magidrome: the mana printed on its cards.
- Academy: as much mana as your fairy's card let it fly.
- Lookout: 3, 8, 15 or 24 mana for one, two, three or four cards.
- Luminarium: 1 mana for every visible firefly of your village.
- Pollenarium: 1 mana for every mushroom of your village.
- Spring: nothing when a fairy stops there, but whenever any fairy flies over it, its owner gets the printed mana.
{objectives}
In the text of a game a card is written id:type >flight +mana *, so 7:Mag>5+3* is card 7, a Magidrome that lets the
fairy fly 5, has 3 mana and one firefly. What is written as hidden you are not told."""

_OBJECTIVES = """
Three objectives lie on the table. Who meets one with the own village gets 1 point for it at once, once for each objective.
"""


def guide(game: Game) -> str:
    """The rules under the options of a game, in plain words."""
    objectives = _OBJECTIVES if game.options["objectives"] else ""
    return _GUIDE.format(title=game.title, players=game.num_players, mana=MANA_PER_POINT, objectives=objectives)
