"""Step 4 of a turn: gnomes move to paths, rings, the flower market, signposts and the stump, where mushrooms sell.

Part of the slow reference; see `reference.py` for what it is and where it had to choose.
"""

from .reference_bonuses import BonusStep
from .reference_garden import Cell, MushroomPath, Ring


class GnomeStep(BonusStep):
    """Moving a gnome and using the place it moves to."""

    def _gnome_moves(self) -> list[dict]:
        """Gnomes that can go somewhere; two at one place, or both in hand, are one choice (Decisions)."""
        moves: list[dict] = [{"type": "stay"}]
        places = []
        for gnome in range(self.components.gnomes):
            place = self.place_of(self.turn_player, gnome)
            if place not in places and self._destinations(gnome):
                moves.append({"type": "gnome", "gnome": gnome})
            places.append(place)
        return moves

    def _play_gnome(self, move: dict) -> None:
        if move["type"] == "stay":
            self._end_turn()
        else:
            self.hand.gnome = move["gnome"]
            self.phase = "destination"

    def _destinations(self, gnome: int) -> list[dict]:
        """The kinds of place at which the gnome can do something (step 4)."""
        place = self.place_of(self.turn_player, gnome)
        at, where = place or (None, None)
        moves = []
        if self._unclaimed_paths():
            moves.append({"place": "path"})
        if self._rings_to_empty(gnome):
            moves.append({"place": "ring"})
        if at != "flower_market" and self._best_flower() is not None:
            moves.append({"place": "flower_market"})
        for name in self.components.signposts:
            ring = self._ring_of_signpost(name)
            if ring is not None and not (at == "ring" and where == ring) and self._has_effect(name):
                moves.append({"place": "signpost", "name": name})
        if at != "stump" and self._sales():
            moves.append({"place": "stump"})
        return [{"type": "destination", **move} for move in moves]

    def _destination_moves(self) -> list[dict]:
        return self._destinations(self.hand.gnome)

    def _play_destination(self, move: dict) -> None:
        self.hand.place = move["place"]
        match move["place"]:
            case "path" | "ring":
                self.phase = "where"
            case "flower_market":
                self._visit("flower_market")
                self._take_flower()
                self._end_turn()
            case "signpost":
                self._move_to_ring(self.garden.rings[self._ring_of_signpost(move["name"])])
                self._use_signpost(move["name"])
            case "stump":
                self._visit("stump")
                self.phase = "sale"

    def _unclaimed_paths(self) -> list[MushroomPath]:
        return [path for path in self.garden.paths if path.gnome is None]

    def _rings_to_empty(self, gnome: int) -> list[Ring]:
        """Rings with waiting mushrooms, except the one the gnome is in."""
        me = (self.turn_player, gnome)
        return [ring for ring in self.garden.rings if ring.waiting and me not in ring.gnomes]

    def _named_places(self) -> list[tuple[Cell, int, MushroomPath | Ring]]:
        """The paths or rings the gnome in hand can go to: first laid tile, lowest edge there, path or ring."""
        if self.hand.place == "path":
            return [(*self.garden.path_name(path), path) for path in self._unclaimed_paths()]
        return [(*self.garden.ring_name(ring), ring) for ring in self._rings_to_empty(self.hand.gnome)]

    def _where_moves(self) -> list[dict]:
        cells = {cell for cell, _, _ in self._named_places()}
        return [{"type": "cell", "q": q, "r": r} for q, r in cells]

    def _play_where(self, move: dict) -> None:
        self.hand.cell = (move["q"], move["r"])
        self.phase = "edge"

    def _edge_moves(self) -> list[dict]:
        return [{"type": "edge", "edge": edge} for cell, edge, _ in self._named_places() if cell == self.hand.cell]

    def _play_edge(self, move: dict) -> None:
        """Claim an unclaimed path, or take the mushrooms that wait in a ring; no marker moves (step 4)."""
        name = (self.hand.cell, move["edge"])
        target = next(target for *named, target in self._named_places() if tuple(named) == name)
        if self.hand.place == "path":
            self._leave_place()
            target.gnome = (self.turn_player, self.hand.gnome)
        else:
            self._move_to_ring(target)
            self._add_mushrooms(target.mushrooms)
            target.waiting = False
        self._end_turn()

    def _leave_place(self) -> None:
        """A gnome that leaves a path gives up the claim (step 4)."""
        me = (self.turn_player, self.hand.gnome)
        self.visitors.pop(me, None)
        for path in self.garden.paths:
            if path.gnome == me:
                path.gnome = None
        for ring in self.garden.rings:
            if me in ring.gnomes:
                ring.gnomes.remove(me)

    def _visit(self, place: str) -> None:
        self._leave_place()
        self.visitors[self.turn_player, self.hand.gnome] = place

    def _move_to_ring(self, ring: Ring) -> None:
        self._leave_place()
        ring.gnomes.append((self.turn_player, self.hand.gnome))

    # The stump: sales

    def _sales(self) -> list[tuple[str, int]]:
        """Colour and number of each possible sale; the second sale of a visit is of another colour (Stump)."""
        return [
            (color, number)
            for color in self.components.colors
            for number in self.components.sale_sizes
            if color != self.hand.sold and number <= self._player.mushrooms[color] and self._is_free(color, number)
        ]

    def _is_free(self, color: str, number: int) -> bool:
        """The pair always sells; another number while it is not blocked and the colour has blockers left (Stump)."""
        if number == self.components.never_blocked:
            return True
        return number not in self.blocked[color] and self.blockers[color] > 0

    def _sale_moves(self) -> list[dict]:
        moves: list[dict] = [{"type": "sale", "color": color, "number": number} for color, number in self._sales()]
        return moves if self.hand.sold is None else [*moves, {"type": "enough"}]

    def _play_sale(self, move: dict) -> None:
        if move["type"] == "enough":
            self._end_turn()
            return
        color, number = move["color"], move["number"]
        self._add_mushrooms({color: -number})
        self._player.treasure += self.components.payout(color, number)
        if number != self.components.never_blocked:
            self.blocked[color].append(number)
            self.blockers[color] -= 1
        if self.hand.sold is None:
            self.hand.sold = color
        else:
            self._end_turn()
