"""Step 3 of a turn: the bonuses of slots, which are the gifts of signposts too, and the trade board.

Part of the slow reference; see `reference.py` for what it is and where it had to choose.
"""

from collections.abc import Callable

from .reference_actions import NO_TRADE
from .reference_table import Table


class BonusStep(Table):
    """Bonuses, signposts, storage, flowers and trades."""

    def _signpost_moves(self) -> list[dict]:
        return [{"type": "signpost", "name": name} for name in self.components.signposts]

    def _play_signpost(self, move: dict) -> None:
        """Signpost bonus: an unused one goes into this ring and is used, one that is out is used where it is."""
        if self._ring_of_signpost(move["name"]) is None:
            self._ring_in_hand().signpost = move["name"]
        self._use_signpost(move["name"])

    def _ring_of_signpost(self, name: str) -> int | None:
        for number, ring in enumerate(self.garden.rings):
            if ring.signpost == name:
                return number
        return None

    def _has_effect(self, name: str) -> bool:
        gives = self.components.signposts[name]
        if "tile" in gives:
            return any(tile is not None for tile in self.offer)
        return "flower" not in gives or self._best_flower() is not None

    def _use_signpost(self, name: str) -> None:
        """Tables, signposts: mushrooms, a tile from the offer, or a flower from the market."""
        gives = self.components.signposts[name]
        if "tile" in gives:
            self._take_tile_or(self._after_signpost)
            return
        if "flower" in gives:
            self._take_flower()
        else:
            self._add_mushrooms(gives)
        self._after_signpost()

    def _after_signpost(self) -> None:
        if self.hand.gnome is None:
            self._wildflower_bonus()
        elif self._trades():
            self.phase = "trade"
        else:
            self._end_turn()

    def _take_tile_or(self, go_on: Callable[[], None]) -> None:
        """Ask for a tile on offer; if there is none, the bonus is lost and play goes on with `go_on`."""
        if any(tile is not None for tile in self.offer):
            self.phase = "take"
        else:
            go_on()

    def _take_moves(self) -> list[dict]:
        return [{"type": "tile", "slot": slot} for slot, tile in enumerate(self.offer) if tile is not None]

    def _play_take(self, move: dict) -> None:
        """Tile bonus: taken and replaced at once; on a gnome's visit the trade is asked before it is stored."""
        tile = self.offer[move["slot"]]
        self._draw_to(move["slot"])
        if self.hand.gnome is not None and self._trades():
            self.hand.tile = tile
            self.phase = "trade"
        else:
            self._store(tile)

    def _store(self, tile: int) -> None:
        """Storage: a second wildflower leaves the game unasked; a third tile makes the player discard one of three."""
        storage = self._player.storage
        wildflowers = sum(self.components.is_wildflower(stored) for stored in storage)
        if not self.components.is_wildflower(tile) or wildflowers < self.components.stored_wildflowers:
            storage.append(tile)
        if len(storage) > self.components.storage_size:
            self.phase = "discard"
        else:
            self._after_storing(tile)

    def _discard_moves(self) -> list[dict]:
        return [{"type": "discard", "slot": slot} for slot in range(len(self._player.storage))]

    def _play_discard(self, move: dict) -> None:
        stored = self._player.storage[-1]
        self._player.storage.pop(move["slot"])
        self._after_storing(stored)

    def _after_storing(self, tile: int) -> None:
        """A gnome's visit is over; a wildflower ends the bonuses of a ring, another tile was the bonus of the slot."""
        if self.hand.gnome is not None:
            self._end_turn()
        elif self.components.is_wildflower(tile):
            self._finish_ring()
        else:
            self._wildflower_bonus()

    def _best_flower(self) -> int | None:
        """The lowest kind in the flower market that the player does not own (Bonuses: nobody is asked which)."""
        for kind, tokens in enumerate(self.flower_market):
            if tokens and kind not in self._player.flowers:
                return kind
        return None

    def _take_flower(self) -> None:
        kind = self._best_flower()
        if kind is not None:
            self.flower_market[kind] -= 1
            self._gain_flower(kind)

    def _gain_flower(self, kind: int) -> None:
        self._player.flowers.append(kind)
        if len(self._player.flowers) == self.components.flower_kinds:
            self.ending = True

    def _pick_mushrooms(self, number: int) -> None:
        """Mushroom N: exactly N picks among this ring's mushrooms, or all it has."""
        ring = self._ring_in_hand()
        if sum(ring.mushrooms.values()) > number:
            self.phase = "mushroom"
        else:
            self._add_mushrooms(ring.mushrooms)
            self._wildflower_bonus()

    def _mushroom_moves(self) -> list[dict]:
        picked = self.hand.picked or []
        colors = [color for color, number in self._ring_in_hand().mushrooms.items() if number > picked.count(color)]
        return [{"type": "mushroom", "color": color} for color in colors]

    def _play_mushroom(self, move: dict) -> None:
        self._add_mushrooms({move["color"]: 1})
        self.hand.picked = [*(self.hand.picked or []), move["color"]]
        if len(self.hand.picked) == self.components.slots[self._player.markers[-1]].mushrooms:
            self.hand.picked = None
            self._wildflower_bonus()

    def _wildflower_bonus(self) -> None:
        """One wildflower bonus if one of the markers just moved was the 2nd, 4th or 6th (Bonuses)."""
        markers = self._player.markers
        moved = markers.count(markers[-1])
        numbers = range(len(markers) - moved + 1, len(markers) + 1)
        if not any(number in self.components.wildflower_markers for number in numbers):
            self._finish_ring()
            return
        kinds = [kind for kind, tokens in enumerate(self.wildflowers) if tokens and kind not in self._player.flowers]
        if kinds:
            self._gain_wildflower(kinds[0])
        else:
            self._take_flower()
            self._finish_ring()

    def _gain_wildflower(self, kind: int) -> None:
        """One flower of the kind, the rest to the flower market, the tile into the storage (Bonuses)."""
        self.flower_market[kind] += self.wildflowers[kind] - 1
        self.wildflowers[kind] = None
        self._gain_flower(kind)
        self._store(self.components.wildflower_tile(kind))

    # Trade board

    def _visited_signpost(self) -> str | None:
        """The signpost of the ring in which the gnome in hand has just arrived."""
        _, ring = self.place_of(self.turn_player, self.hand.gnome)
        return self.garden.rings[ring].signpost

    def _trades(self) -> list[str]:
        """The trades beside the signpost just visited (text, Variant; Trade board)."""
        if not self.trade_board:
            return []
        trades = self.components.trades.get(self._visited_signpost(), {})
        return [
            choice
            for choice, trade in trades.items()
            if all(color == "tile" or self._player.mushrooms[color] >= number for color, number in trade.pay.items())
        ]

    def _trade_moves(self) -> list[dict]:
        choices = [*self._trades(), NO_TRADE]
        return [{"type": "trade", "choice": choice} for choice in choices]

    def _play_trade(self, move: dict) -> None:
        """At most one trade; a tile traded away leaves the game, one kept goes into the storage (Trade board)."""
        tile, self.hand.tile = self.hand.tile, None
        if move["choice"] != NO_TRADE:
            trade = self.components.trades[self._visited_signpost()][move["choice"]]
            if tile is None:
                self._add_mushrooms({color: -number for color, number in trade.pay.items()})
            self._player.treasure += trade.get.get("point", 0)
            self._add_mushrooms({color: number for color, number in trade.get.items() if color != "point"})
            self._end_turn()
        elif tile is not None:
            self._store(tile)
        else:
            self._end_turn()
