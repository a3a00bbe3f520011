"""The rules of Mushroom Rings in plain words, for people and language models that play by text."""

from envs.game import Game

_GUIDE = """You are one of {players} players of Mushroom Rings. Most points win: for the variety of your flowers, for
the ring markers you have placed, and for the treasure of your sales. With equal points the one with more
unsold mushrooms wins.

All players build one garden of hexagonal tiles around a stump in the middle. Tiles carry white paths, some with
mushrooms in five colours. A closed loop of path is a ring. On your turn:
1. Lay two of the eight tiles on offer, and up to two more that you have stored. A tile must touch the stump or
   another tile; where it touches one, path must meet path and green must meet green. It may be turned and turned
   over. You may not join two unfinished paths that both have a gnome. {permission}
2. For each ring you close: who has a gnome on that path takes the mushrooms on it; without an owner they wait inside
   the ring. The owner, or you if there is none, moves the next ring marker from the own row to a slot for the number
   of tiles in the ring (the stump counts too) and gets the bonus of that slot and perhaps of the place the marker
   came from: a flower, a tile to store, mushrooms of the ring once more, another marker, a wildflower tile with path
   all round, or a signpost.
3. You may then move one of your gnomes and let it act: onto a free path to claim it; into a finished ring to take
   what waits there; to the flower market for a flower that you have not got; to a signpost to use it; or to the stump
   to sell. A sale is of mushrooms of one colour, as many as you like; it blocks that number of that colour for the
   rest of the game, but two can always be sold. One visit allows two sales, of different colours. A gnome may be
   moved away again later.
{trades}
The game ends with the round in which somebody gets the eighth flower or places the eighth marker, or in which the bag
is empty; then every player may move a gnome once more. A stored tile or an unsold mushroom is worth nothing.

In the text of a game a tile is its number and its paths by the edges they join, 0 to 5 going round, with the colour
of a mushroom that is on it: 8 0-1+yellow is tile 8 with a path from edge 0 to edge 1 and a yellow mushroom."""

_PERMISSION = {
    "ask": "To make a path of another player longer you must ask, and that player may refuse.",
    "refuse": "You may not make a path of another player longer.",
}
_TRADES = "   With the trade board you may trade away some of what a signpost gives for something else.\n"


def guide(game: Game) -> str:
    """The rules under the options of a game, in plain words."""
    permission = _PERMISSION[game.options["permission"]]
    return _GUIDE.format(players=game.num_players, permission=permission, trades=_TRADES * game.options["trade_board"])
