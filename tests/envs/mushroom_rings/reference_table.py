"""What lies on the table in Mushroom Rings, and the few acts every step of a turn uses.

Part of the slow reference; see `reference.py` for what it is and where it had to choose.
"""

from .reference_components import Components
from .reference_garden import Garden, Gnome, MushroomPath, Ring
from .reference_state import Hand, Player


class Table:
    """The whole state of a game; the steps of a turn are built on it, in `reference_bonuses.py` and so on.

    Attributes:
        phase: the kind of decision that is due.
        asked: the owner who is being asked for leave.
        placing_over: whether step 1 of this turn is over; the rings scored before it are those others closed.
        visitors: gnomes at the flower market or at the stump.
    """

    num_players: int
    components: Components
    trade_board: bool
    permission: str
    table_radius: int
    round: int
    phase: str
    turn_player: int
    first_player: int
    ending: bool
    last_moves: bool
    laid: int
    refused: bool
    hand: Hand
    closed: list[int]
    bag: list[int]
    set_aside: list[int]
    offer: list[int | None]
    garden: Garden
    flower_market: list[int]
    wildflowers: list[int | None]
    blocked: dict[str, list[int]]
    blockers: dict[str, int]
    players: list[Player]
    visitors: dict[Gnome, str]
    asked: int | None
    placing_over: bool

    # Told by the course of the turn, in `reference.py`

    def _end_turn(self) -> None:
        raise NotImplementedError

    def _finish_ring(self) -> None:
        raise NotImplementedError

    # Looked up and done in several steps

    @property
    def _player(self) -> Player:
        return self.players[self.turn_player]

    def _seats_from(self, first: int) -> list[int]:
        return [(first + i) % self.num_players for i in range(self.num_players)]

    def place_of(self, seat: int, gnome: int) -> tuple[str, MushroomPath | int | None] | None:
        """Where a gnome is: on a path, in a ring (by number), at the flower market, at the stump, or in hand (None)."""
        for path in self.garden.paths:
            if path.gnome == (seat, gnome):
                return "path", path
        for number, ring in enumerate(self.garden.rings):
            if (seat, gnome) in ring.gnomes:
                return "ring", number
        place = self.visitors.get((seat, gnome))
        return None if place is None else (place, None)

    def _ring_in_hand(self) -> Ring:
        return self.garden.rings[self.hand.ring]

    def _add_mushrooms(self, mushrooms: dict[str, int]) -> None:
        for color, number in mushrooms.items():
            self._player.mushrooms[color] += number

    def _draw_to(self, slot: int) -> None:
        """Fill a slot of the offer: from the bag, then from the tiles set aside, then not at all (End)."""
        self.offer[slot] = None
        if self.bag:
            self.offer[slot] = self.bag.pop(0)
            self.ending = self.ending or not self.bag
        elif self.set_aside:
            self.offer[slot] = self.set_aside.pop(0)
