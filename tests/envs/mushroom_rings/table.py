"""A table of Mushroom Rings for tests: a garden laid by hand, whatever lies beside it, and moves in words."""

from collections.abc import Callable, Iterable

import numpy as np

import envs
from envs.game import Game
from envs.mushroom_rings.components.tables import table_cells
from envs.mushroom_rings.state import NONE, Phase
from envs.mushroom_rings.words.rebuild import rebuild_single

COLORS = ("red", "yellow", "blue", "pink", "purple")

Placement = tuple[int, int, int, int]  # tile, q, r, rotation; side 0


def new_game(num_players: int = 3, **options) -> Game:
    """The rule set."""
    return envs.make_game("mushroom_rings", num_players, **options)


class Table:
    """One running game that begins with a garden laid by hand; it is player 0's turn to lay tiles.

    Args:
        game: The rule set.
        garden: The tiles laid beside the stump, in order.
        offer: Tiles on offer; the first tiles that are nowhere else fill it up.
        change: Gets the state dict and changes it before the game begins.
    """

    def __init__(
        self,
        game: Game,
        garden: Iterable[Placement] = (),
        offer: Iterable[int] = (),
        change: Callable[[dict], None] | None = None,
    ) -> None:
        self.game = game
        self.env = envs.make_vec(game, 1, seed=0, autoreset=False)
        state = game.to_dict(self.env.states) | self._laid(list(garden))
        state |= {"turn_player": 0, "current_player": 0, "first_player": 0, "closed": []}
        used = {tile["tile"] for tile in state["garden"]} | set(offer)
        free = [tile for tile in range(1, 93) if tile not in used]
        missing = 8 - len(list(offer))
        state["offer"] = [*offer, *free[:missing]]
        aside = 2 * game.num_players
        state["bag"], state["set_aside"] = free[missing:-aside], free[-aside:]
        if change is not None:
            change(state)
        state["bag_size"] = len(state["bag"])
        self.set(state)

    def _laid(self, garden: list[Placement]) -> dict:
        """Garden, paths and rings as they come to be when the tiles are laid without any gnome."""
        number = {cell: i for i, cell in enumerate(table_cells(self.game.options["table_radius"]))}
        rows = [(0, number[0, 0], 0), *((tile, number[q, r], rotation) for tile, q, r, rotation in garden)]
        given, record = self.env.states.copy(), np.zeros(1, self.game.state_dtype)
        given["num_laid"], given["phase"] = len(rows), Phase.OVER
        given["current_player"] = given["offer"] = given["wildflowers"] = NONE
        given["top"] = len(given["pile"][0])
        for name, column in zip(("tile", "cell", "orientation"), zip(*rows, strict=True), strict=True):
            given[name][0, : len(rows)] = column
        rebuild_single(given, self.game.rules, record)  # a fault if rings have closed: they are not told of
        assert record["num_laid"] == len(rows)
        laid = self.game.to_dict(record)
        return {key: laid[key] for key in ("garden", "paths", "rings")}

    def set(self, state: dict) -> None:
        """Goes on from a state dict, in which the wildflower tiles need not have left that must have."""
        _take_away_wildflowers(state)
        self.env.set_records(self.game.from_dict(state))

    @property
    def state(self) -> dict:
        """The whole state."""
        return self.game.to_dict(self.env.states)

    @property
    def moves(self) -> list[dict]:
        """The legal moves."""
        return [self.game.move(self.env.states, action) for action in self.game.legal_actions(self.env.states)]

    def do(self, kind: str, **details) -> dict:
        """Plays a move and returns the state after it."""
        self.env.step(np.array([self.game.action(self.env.states, {"type": kind, **details})]))
        return self.state

    def lay(self, tile: int, q: int, r: int, rotation: int = 0, side: int = 0) -> dict:
        """Lays a tile from the offer or the storage, up to the point where anybody else is asked."""
        state = self.state
        if tile in state["offer"]:
            state = self.do("tile", slot=state["offer"].index(tile))
        else:
            state = self.do("stored", slot=state["players"][state["turn_player"]]["storage"].index(tile))
        if state["phase"] == "cell" and state["hand"]["cell"] is None:
            state = self.do("cell", q=q, r=r)
        if state["phase"] == "orientation":
            state = self.do("orientation", side=side, rotation=rotation)
        return state

    def lay_far(self, count: int = 1) -> dict:
        """Lays tiles of one path from the offer on the first legal cell that closes nothing and needs nobody's leave."""
        for _ in range(count):
            rings = len(self.state["rings"])
            self.do("tile", slot=self.moves[0]["slot"])
            self.put_down()
            assert len(self.state["rings"]) == rings
        return self.state

    def put_down(self) -> dict:
        """Lays the tile in hand on the last legal cell."""
        while self.state["phase"] in ("cell", "orientation"):
            self.do(**_kind(self.moves[-1]))
        return self.state


def _take_away_wildflowers(state: dict) -> None:
    """The wildflower tiles whose flowers are in the market or with a player have left, and so have those that are seen."""
    tiles = {row["tile"] for row in state["garden"]}.union(*(player["storage"] for player in state["players"]))
    for kind, count in enumerate(state["flower_market"]):
        if count or 93 + kind in tiles or any(kind in player["flowers"] for player in state["players"]):
            state["wildflowers"][kind] = None


def _kind(move: dict) -> dict:
    return {"kind" if key == "type" else key: value for key, value in move.items()}


def claim(state: dict, player: int, gnome: int, q: int, r: int, edge: int, segments: list[list[int]]) -> None:
    """Puts a gnome on the path with these segments, named by a cell and an edge."""
    state["players"][player]["gnomes"][gnome] = {"at": "path", "q": q, "r": r, "edge": edge}
    path = next(path for path in state["paths"] if sorted(path["segments"]) == sorted(segments))
    path["gnome"] = [player, gnome]


def with_player(**details):
    """A change that gives player 0 these things; the mushrooms by colour."""

    def change(state):
        player = state["players"][0]
        player["mushrooms"] |= details.get("mushrooms", {})
        for key, value in details.items():
            if key != "mushrooms":
                (player if key in player else state)[key] = value
        for tile in player["storage"]:
            for pile in ("bag", "set_aside"):
                if tile in state[pile]:
                    state[pile].remove(tile)
        state["set_aside"], state["bag"] = _full(state)

    return change


def _full(state):
    """Set aside and bag, with as many set aside as there must be."""
    pile, aside = state["bag"] + state["set_aside"], 2 * len(state["players"])
    return pile[-aside:], pile[:-aside]
