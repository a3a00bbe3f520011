"""Mushroom Rings, slow and plain: the second opinion against which the compiled game is compared.

Written from the published rule text and the exact rules made from it alone, not from the compiled game, with lists,
dicts and dataclasses only. This file holds the course of a turn, placing and rings; `reference_bonuses.py` the bonuses,
`reference_gnomes.py` the gnomes, `reference_table.py` what lies on the table, `reference_garden.py` tiles, paths and
rings, `reference_components.py` the printed parts, `reference_state.py` the state dict, `reference_actions.py` the
action ids. Docstrings name the section carried out: "text" is the published rule text, everything else the exact rules.

Where text and exact rules are silent, or leave two readings, this is what was chosen:

The garden
    A hub's edge that faces green or points off the table is in play until a ring uses it up; it counts as an edge of
    the path when the path is named by its lowest edge.
    Both rings of one path in one placement belong to its gnome; the gnome stands in the first, the second has an owner
    and no gnome, and its mushrooms go to the owner.
    A ring without a gnome has waiting mushrooms from the moment it closes; if nothing is printed on it, nothing waits.
    `owner` stays what it was when the ring closed, also when a gnome takes the waiting mushrooms later.
    `owed` is only for rings that somebody else closed; these are not in `closed` before their owner's turn begins.
Placing
    The tile in hand stays in the offer or the storage until it lies, and is named by its id in `hand`.
    `refused` is judged anew by every placement; a wildflower stays legal, since it needs no leave.
Rings and bonuses
    A ring is dealt with to the last of its bonuses before the next ring begins.
    Any of the seven signposts may be chosen for a bonus, also one that has nothing to give at that moment.
    Mushroom N on a ring with N mushrooms or fewer gives all of them without asking; otherwise they are picked one by
    one, and `picked` is empty again when the last is picked.
    A wildflower bonus gives the flower first, then the tile.
Gnomes
    A gnome is counted at its new place before it uses the place. A gnome may not use the signpost or take the
    mushrooms of the ring it is in.
    `place` in `hand` is the kind of place, for every signpost just "signpost"; `sold` is the colour of the first sale.
End
    Rounds count from 1, and the last gnome moves belong to the last round. After the game `turn_player` is the player
    who moved last.
Written form
    Paths are listed by first laid tile and lowest edge, segments and tiles of rings in laying order, flowers, blocked
    numbers and gnomes of a ring ascending. In action ids sales run color by color, leave given comes before refused,
    trades run A, B, none, destinations as in the exact rules with the signposts between flower market and stump.
    One thing the dict does not tell: a player who stops without a tile from the offer and scores a ring looks the same
    as one who scores an owed ring at the start of his turn, if the end is triggered already. Taken over, it is read as
    the latter.
"""

from pathlib import Path

from .reference_actions import LEAVE_ANSWERS, ActionIds
from .reference_components import Components
from .reference_garden import Cell
from .reference_gnomes import GnomeStep
from .reference_state import Hand, check_setup, take_over, write_state

DEFAULT_OPTIONS = {"trade_board": False, "permission": "ask", "table_radius": 12}


class Reference(GnomeStep):
    """One game of Mushroom Rings.

    Args:
        num_players: 2 to 4.
        options: `trade_board`, `permission` and `table_radius`; other keys are ignored.
        state: the full state dict to start from.
        components: the folder with `tiles.csv` and `board.toml`.
        check: whether the dict must be a freshly dealt game; without it any full state dict is taken over.
    """

    def __init__(self, num_players: int, options: dict, state: dict, components: Path, *, check: bool = True):
        chosen = {**DEFAULT_OPTIONS, **options}
        self.num_players = num_players
        self.components = Components(Path(components))
        self.trade_board: bool = chosen["trade_board"]
        self.permission: str = chosen["permission"]
        self.table_radius: int = chosen["table_radius"]
        self._ids = ActionIds(self.components, self.table_radius)
        if check:
            check_setup(self.components, num_players, state)
        take_over(self, state)
        self._legal: list[dict] | None = None
        self._make_forced_decisions()

    # What the outside sees

    def current_player(self) -> int | None:
        """Who decides now: the turn player, an owner asked for leave, or nobody when the game is over."""
        if self.is_over:
            return None
        return self.turn_player if self.asked is None else self.asked

    def legal_moves(self) -> list[dict]:
        """Every legal structured move, ordered by action id (Decisions)."""
        if self._legal is None:
            moves = [] if self.is_over else getattr(self, f"_{self.phase}_moves")()
            self._legal = sorted(moves, key=self.action_id)
        return [dict(move) for move in self._legal]

    def action_id(self, move: dict) -> int:
        """The id of a structured move in the table of action ids."""
        return self._ids.of(move)

    def step(self, move: dict) -> None:
        """Play one move and then every decision that has one legal choice (Decisions)."""
        assert move in self.legal_moves(), f"not legal in phase {self.phase}: {move}"
        self._play(move)
        self._make_forced_decisions()

    def state(self) -> dict:
        """The full state dict."""
        return write_state(self)

    def view(self, seat: int) -> dict:
        """The state dict as a seat sees it (What a seat knows)."""
        assert seat in range(self.num_players), f"no such seat: {seat}"
        return {**write_state(self), "bag": None, "set_aside": None}

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.phase == "over"

    def scores(self) -> list[int]:
        """Points of each player: flowers by number, markers by number, treasures from sales (End)."""
        flowers, markers = self.components.flower_scores, self.components.marker_scores
        return [flowers[len(p.flowers)] + markers[len(p.markers)] + p.treasure for p in self.players]

    def ranks(self) -> list[int]:
        """Places, 1 is best: points, then unsold mushrooms, then shared (End)."""
        results = [(points, sum(player.mushrooms.values())) for points, player in zip(self.scores(), self.players, strict=True)]
        return [1 + sum(other > result for other in results) for result in results]

    def rewards(self, kind: str) -> list[float]:
        """Rewards of each player: `placement`, `win` or `score`."""
        if kind == "score":
            return [float(points) for points in self.scores()]
        ranks = self.ranks()
        if kind == "win":
            return [1 / ranks.count(1) if rank == 1 else 0.0 for rank in ranks]
        assert kind == "placement", f"no such kind of reward: {kind}"
        return [
            (sum(other > rank for other in ranks) - sum(other < rank for other in ranks)) / (self.num_players - 1)
            for rank in ranks
        ]

    # Playing on

    def _play(self, move: dict) -> None:
        self._legal = None
        getattr(self, f"_play_{self.phase}")(move)

    def _make_forced_decisions(self) -> None:
        """A decision with one legal choice is not asked, it is made (Decisions)."""
        while len(self.legal_moves()) == 1:
            self._play(self.legal_moves()[0])
        assert self.is_over or self.legal_moves(), f"no legal move in phase {self.phase}"

    def _begin_turn(self, seat: int) -> None:
        """Start a turn with the rings others closed for this player (A turn, step 2)."""
        self.turn_player = seat
        self.laid, self.refused, self.placing_over = 0, False, False
        self.closed = self._owed_rings(seat)
        self._score_next_ring()

    def _end_turn(self) -> None:
        """Hand on to the next player; a round has as many turns as players (End)."""
        self.hand = Hand()
        following = (self.turn_player + 1) % self.num_players
        round_is_over = following == self.first_player
        if self.last_moves:
            self.turn_player = self.turn_player if round_is_over else following
            self.phase = "over" if round_is_over else "gnome"
        elif round_is_over and self.ending:
            self.last_moves, self.laid, self.refused = True, 0, False
            self._score_last_owed_rings()
        else:
            self.round += round_is_over
            self._begin_turn(following)

    # Step 1: place

    def _place_moves(self) -> list[dict]:
        moves = []
        if self.laid < self.components.tiles_per_turn:
            moves += [{"type": "tile", "slot": i} for i, tile in enumerate(self.offer) if self._has_legal_place(tile)]
        if not moves:
            moves.append({"type": "stop"})
        stored = self._player.storage
        return moves + [{"type": "stored", "slot": i} for i, tile in enumerate(stored) if self._has_legal_place(tile)]

    def _play_place(self, move: dict) -> None:
        if move["type"] == "stop":
            self._stop_placing()
        else:
            source = self.offer if move["type"] == "tile" else self._player.storage
            self.hand.tile = source[move["slot"]]
            self.phase = "cell"

    def _has_legal_place(self, tile: int | None) -> bool:
        return tile is not None and any(self.legal_orientations(tile, cell) for cell in self.garden.frontier)

    def legal_orientations(self, tile: int, cell: Cell) -> list[tuple[int, int]]:
        """The orientations in which the tile may lie on the cell."""
        return [turn for turn in self.components.orientations(tile) if self._is_legal_placement(tile, cell, *turn)]

    def _is_legal_placement(self, tile: int, cell: Cell, side: int, rotation: int) -> bool:
        owners = self.garden.owners_touched(tile, cell, side, rotation, self.turn_player)
        return owners is not None and (not owners or self._may_ask_leave())

    def _may_ask_leave(self) -> bool:
        """Options, permission; Leave: after the first no, nothing that needs leave is legal this turn."""
        return self.permission == "ask" and not self.refused

    def _cell_moves(self) -> list[dict]:
        cells = [cell for cell in self.garden.frontier if self.legal_orientations(self.hand.tile, cell)]
        return [{"type": "cell", "q": q, "r": r} for q, r in cells]

    def _play_cell(self, move: dict) -> None:
        self.hand.cell = (move["q"], move["r"])
        self.phase = "orientation"

    def _orientation_moves(self) -> list[dict]:
        turns = self.legal_orientations(self.hand.tile, self.hand.cell)
        return [{"type": "orientation", "side": side, "rotation": rotation} for side, rotation in turns]

    def _play_orientation(self, move: dict) -> None:
        self.hand.side, self.hand.rotation = move["side"], move["rotation"]
        self._ask_leave_or_lay()

    def _ask_leave_or_lay(self) -> None:
        """Leave: every owner concerned is asked, in turn order after the player, before the tile lies."""
        hand = self.hand
        owners = self.garden.owners_touched(hand.tile, hand.cell, hand.side, hand.rotation, self.turn_player)
        order = self._seats_from(self.turn_player)
        asked_before = 0 if self.asked is None else order.index(self.asked)
        to_ask = [seat for seat in order[asked_before + 1 :] if seat in owners]
        if to_ask:
            self.asked = to_ask[0]
            self.phase = "leave"
        else:
            self.asked = None
            self._lay_tile()

    def _leave_moves(self) -> list[dict]:
        return [{"type": "leave", "give": give} for give in LEAVE_ANSWERS]

    def _play_leave(self, move: dict) -> None:
        if move["give"]:
            self._ask_leave_or_lay()
        else:
            self.asked = None
            self.refused = True
            self.hand = Hand()
            self.phase = "place"

    def _lay_tile(self) -> None:
        hand = self.hand
        if hand.tile in self.offer:
            self.offer[self.offer.index(hand.tile)] = None
            self.laid += 1
        else:
            self._player.storage.remove(hand.tile)
        for number in self.garden.lay(hand.tile, hand.cell, hand.side, hand.rotation):
            self._note_closed_ring(number)
        self.hand = Hand()
        self.phase = "place"

    def _note_closed_ring(self, number: int) -> None:
        """Step 2: own rings and rings without a gnome are scored this turn, another's on his next turn."""
        ring = self.garden.rings[number]
        ring.waiting = ring.owner is None and any(ring.mushrooms.values())
        ring.owed = ring.owner not in (None, self.turn_player)
        if not ring.owed:
            self.closed.append(number)

    def _stop_placing(self) -> None:
        """Fewer than two offered tiles laid triggers the end; the offer is filled before rings and bonuses."""
        if self.laid < self.components.tiles_per_turn:
            self.ending = True
        for slot, tile in enumerate(self.offer):
            if tile is None:
                self._draw_to(slot)
        self.placing_over = True
        self._score_next_ring()

    def _draw_to(self, slot: int) -> None:
        """Fill a slot of the offer: from the bag, then from the tiles set aside, then not at all (End)."""
        self.offer[slot] = None
        if self.bag:
            self.offer[slot] = self.bag.pop(0)
            self.ending = self.ending or not self.bag
        elif self.set_aside:
            self.offer[slot] = self.set_aside.pop(0)

    # Step 2: rings

    def _owed_rings(self, seat: int) -> list[int]:
        return [i for i, ring in enumerate(self.garden.rings) if ring.owed and ring.owner == seat]

    def _score_next_ring(self) -> None:
        """Rings, in the order in which they closed: the owner takes the mushrooms, then a marker moves."""
        self.hand = Hand()
        if not self.closed:
            self._go_on_after_rings()
            return
        self.hand.ring = self.closed[0]
        ring = self._ring_in_hand()
        ring.owed = False
        if ring.owner is not None:
            self._add_mushrooms(ring.mushrooms)
        if self._slot_moves():
            self.phase = "slot"
        else:
            self._finish_ring()

    def _finish_ring(self) -> None:
        self.closed.pop(0)
        self._score_next_ring()

    def _go_on_after_rings(self) -> None:
        if self.last_moves:
            self._score_last_owed_rings()
        else:
            self.phase = "gnome" if self.placing_over else "place"

    def _score_last_owed_rings(self) -> None:
        """End: all owed rings are scored, player by player from the first; then the last gnome moves begin."""
        for seat in self._seats_from(self.first_player):
            if self._owed_rings(seat):
                self.turn_player = seat
                self.closed = self._owed_rings(seat)
                self._score_next_ring()
                return
        self.turn_player = self.first_player
        self.phase = "gnome"

    def _slot_moves(self) -> list[dict]:
        """Marker: the free slots of the ring's column; those with the same bonus and spaces are one choice."""
        slots = self.components.slots
        column = min(self._ring_in_hand().size, max(slot.column for slot in slots))
        if len(self._player.markers) == self.components.markers:
            return []
        choices: dict = {}
        for number, slot in enumerate(slots):
            if slot.column == column and number not in self._player.markers:
                choices.setdefault(slot, number)
        return [{"type": "slot", "slot": number} for number in choices.values()]

    def _play_slot(self, move: dict) -> None:
        """Marker: a slot with two spaces takes two markers at once (one, if only one is left); then its bonus."""
        slot = self.components.slots[move["slot"]]
        markers = self._player.markers
        left = self.components.markers - len(markers)
        markers += [move["slot"]] * min(slot.spaces, left)
        if len(markers) == self.components.markers:
            self.ending = True
        match slot.bonus:
            case "signpost":
                self.phase = "signpost"
            case "tile":
                self._take_tile_or(self._wildflower_bonus)
            case "flower":
                self._take_flower()
                self._wildflower_bonus()
            case "mushroom":
                self._pick_mushrooms(slot.mushrooms)
            case _:
                self._wildflower_bonus()
