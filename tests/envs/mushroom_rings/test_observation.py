"""Every section of the observation, against what plain Python makes of the seat's view and the tile list."""

from collections import Counter

import numpy as np
import pytest

from agents.registry import make_agent
from envs.mushroom_rings.state import Phase
from envs.vector import VectorAECEnv

from .table import COLORS, new_game

SIGNPOSTS = ("red", "yellow", "blue", "pink", "purple", "tile", "flower")
PHASES = (
    "place", "take", "cell", "where", "orientation", "leave", "slot", "signpost", "discard", "mushroom", "gnome",
    "destination", "edge", "sale", "trade",
)  # fmt: skip
AROUND = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))
NO_TILE = [0] * 22
EACH_PHASE = 8  # positions in which all seats' views are compared


class Expectation:
    """What a seat should observe, section by section, egocentric: the own seat first, then in turn order.

    Which step of a turn it is and which edges of a hub are used up are not in the view and taken from the record.
    """

    def __init__(self, game, record, seat):
        self.game, self.record, self.seat, self.seats = game, record, seat, game.num_players
        self.view = game.to_dict(record, seat)
        self.hand = self.view["hand"]
        self.tiles = game.facts["components"].tiles
        self.radius = game.options["table_radius"]
        self.others = [self.view["players"][(seat + steps) % self.seats] for steps in range(self.seats)]
        self.laid = {(tile["q"], tile["r"]): number for number, tile in enumerate(self.view["garden"])}
        self.path_of = {tuple(part): path for path in self.view["paths"] for part in path["segments"]}

    # --- tiles and paths ---

    def segment_at(self, tile, side=0, rotation=0):
        """The segment at each edge of the cell on which a tile lies, None at green ones."""
        if tile >= len(self.tiles):
            return [0] * 6
        lies = {((-e if side else e) + rotation) % 6: s for s, segment in enumerate(self.tiles[tile]) for e in segment.edges}
        return [lies.get(edge) for edge in range(6)]

    def shares(self, tile, side=0, rotation=0):
        segments = self.segment_at(tile, side, rotation)
        return [1 if tile >= len(self.tiles) else 0 if s is None else (s + 1) / 3 for s in segments]

    def mushrooms(self, tile, segment):
        printed = () if tile >= len(self.tiles) or segment >= len(self.tiles[tile]) else self.tiles[tile][segment].mushrooms
        return np.array([printed.count(color) / 2 for color in COLORS])

    def features(self, tile, side=0, rotation=0):
        if tile is None:
            return NO_TILE
        mushrooms = [self.mushrooms(tile, segment) for segment in range(3)]
        return [*self.shares(tile, side, rotation), *np.concatenate(mushrooms), tile >= len(self.tiles)]

    def whose(self, path):
        if path["gnome"] is None:
            return 1 / 4
        steps = (path["gnome"][0] - self.seat) % self.seats
        return 1 if steps == 0 else -steps / (self.seats - 1)

    def is_used(self, cell, edge):
        return self.record["edge_ring"][0][self.laid[cell], edge] >= 0

    def path_at(self, cell, edge):
        """The path that ends at the far side of a cell's edge, None where there is none."""
        beside, facing = (cell[0] + AROUND[edge][0], cell[1] + AROUND[edge][1]), (edge + 3) % 6
        if beside not in self.laid:
            return None
        tile = self.view["garden"][self.laid[beside]]
        segment = self.segment_at(tile["tile"], tile["side"], tile["rotation"])[facing]
        return None if segment is None or self.is_used(beside, facing) else self.path_of[*beside, segment]

    def meets(self, cell):
        """By edge of an empty cell whether the path there ends at another edge of it too."""
        paths = [self.path_at(cell, edge) for edge in range(6)]
        return [path is not None and sum(path is other for other in paths) > 1 for path in paths]

    # --- sections ---

    def garden(self):
        planes = np.zeros((2 * self.radius + 1, 2 * self.radius + 1, 16))
        for r in range(-self.radius, self.radius + 1):
            for q in range(-self.radius, self.radius + 1):
                if abs(q + r) <= self.radius:
                    show = self.laid_cell if (q, r) in self.laid else self.empty_cell
                    show((q, r), planes[r + self.radius, q + self.radius])
        if self.hand["cell"] is not None:
            q, r = self.hand["cell"]
            planes[r + self.radius, q + self.radius, 15] = 1
        return planes

    def laid_cell(self, cell, numbers):
        index = self.laid[cell]
        tile = self.view["garden"][index]
        numbers[0] = 1 - min(len(self.laid) - 1 - index, 8) / 16
        shares = self.shares(tile["tile"], tile["side"], tile["rotation"])
        numbers[1:7] = [-share if self.is_used(cell, edge) else share for edge, share in enumerate(shares)]
        for segment in range(3):
            if path := self.path_of.get((*cell, segment)):
                numbers[7 + segment] = self.whose(path)
                numbers[10:15] += self.mushrooms(tile["tile"], segment)

    def empty_cell(self, cell, numbers):
        numbers[1:7] = meets = self.meets(cell)
        paths = [self.path_at(cell, edge) for edge in range(6) if meets[edge]]
        if paths:
            claimed = [path for path in paths if path["gnome"] is not None]
            numbers[7] = self.whose((claimed or paths)[0])

    def phase(self):
        return [self.view["phase"] == name for name in PHASES]

    def clock(self):
        flags = [self.view[key] for key in ("refused", "ending", "last_moves")]
        counts = [self.view["round"] / 20, self.view["bag_size"] / 80, self.view["laid"] / 2]
        return [*counts, *flags, self.record["turn_step"][0] == 0]

    def seat_of(self, p):
        return [p is not None and (p - self.seat) % self.seats == steps for steps in range(self.seats)]

    def turn_player(self):
        return self.seat_of(self.view["turn_player"])

    def current_player(self):
        return self.seat_of(self.view["current_player"])

    def first_player(self):
        return self.seat_of(self.view["first_player"])

    def hand_tile(self):
        return self.features(self.hand["tile"], self.hand["side"] or 0, self.hand["rotation"] or 0)

    def hand_orientation(self):
        return [(self.hand["side"], self.hand["rotation"]) == divmod(turn, 6) for turn in range(12)]

    def around(self):
        cell = self.hand["cell"] and tuple(self.hand["cell"])
        if cell is None or cell in self.laid:
            return np.zeros((6, 5))
        meets = self.meets(cell)
        return [[*self.needed(cell, edge), *self.there(cell, edge), meets[edge]] for edge in range(6)]

    def needed(self, cell, edge):
        """Whether an edge has to be path, and whether it has to be green."""
        beside = cell[0] + AROUND[edge][0], cell[1] + AROUND[edge][1]
        if beside not in self.laid:
            return False, False
        tile = self.view["garden"][self.laid[beside]]
        if tile["tile"] >= len(self.tiles):  # a wildflower matches anything
            return False, False
        is_path = self.segment_at(tile["tile"], tile["side"], tile["rotation"])[(edge + 3) % 6] is not None
        return is_path, not is_path

    def there(self, cell, edge):
        path = self.path_at(cell, edge)
        return (0, 0) if path is None else (1, self.whose(path))

    def hand_gnome(self):
        return [self.hand["gnome"] == gnome for gnome in range(2)]

    def hand_place(self):
        signpost = None
        if self.hand["place"] == "signpost":
            gnome = self.view["players"][self.view["turn_player"]]["gnomes"][self.hand["gnome"]]
            signpost = self.view["rings"][gnome["ring"]]["signpost"]
        plain = [self.hand["place"] == place for place in ("path", "ring", "flower_market")]
        return [*plain, *(signpost == name for name in SIGNPOSTS), self.hand["place"] == "stump"]

    def hand_sold(self):
        return [self.hand["sold"] == color for color in COLORS]

    def hand_ring(self):
        if self.hand["ring"] is None:
            return [0] * 12
        ring, picked = self.view["rings"][self.hand["ring"]], self.hand["picked"] or []
        return [1, ring["size"] / 7, *self.fifths(ring["mushrooms"]), *(picked.count(color) / 5 for color in COLORS)]

    def fifths(self, mushrooms):
        return [mushrooms[color] / 5 for color in COLORS]

    def offer(self):
        return [self.features(tile) for tile in self.view["offer"]]

    def first_tile(self, ring):
        q, r = ring["tiles"][0]
        return [q / self.radius, r / self.radius]

    def signposts(self):
        rows = np.zeros((7, 4))
        for ring in self.view["rings"]:
            if ring["signpost"] is not None:
                own = any(player == self.seat for player, _ in ring["gnomes"])
                rows[SIGNPOSTS.index(ring["signpost"])] = [1, own, *self.first_tile(ring)]
        return rows

    def rings(self):
        rows = [
            [ring["waiting"], ring["owed"], *self.first_tile(ring), *self.fifths(ring["mushrooms"]), *self.seat_of(ring["owner"])]
            for ring in self.view["rings"]
            if ring["waiting"] or ring["owed"]
        ]
        return [*rows, *[[0] * (9 + self.seats)] * 8][:8]

    def flower_market(self):
        return [count / self.seats for count in self.view["flower_market"]]

    def wildflowers(self):
        return [stack is not None for stack in self.view["wildflowers"]]

    def blocked(self):
        return [[number in self.view["market"]["blocked"][color] for number in range(2, 8)] for color in COLORS]

    def blockers(self):
        return self.fifths(self.view["market"]["blockers"])

    def players(self):
        return [self.player(player) for player in self.others]

    def player(self, player):
        components, flowers, markers = self.game.facts["components"], player["flowers"], player["markers"]
        points = components.flower_scores[len(flowers)] + components.marker_scores[len(markers)] + player["treasure"]
        stored = [*player["storage"], None, None, None][:3]
        return [
            *(player["mushrooms"][color] / 10 for color in COLORS),
            *(kind in flowers for kind in range(8)),
            *(slot in markers for slot in range(12)),
            *(len(flowers) / 8, len(markers) / 8, player["treasure"] / 50, points / 100),
            *(number for tile in stored for number in self.features(tile)),
            *(number for gnome in player["gnomes"] for number in self.gnome(gnome)),
        ]

    def gnome(self, gnome):
        at = "hand" if gnome is None else gnome["at"]
        q, r = 0, 0
        if at == "path":
            q, r = gnome["q"] / self.radius, gnome["r"] / self.radius
        elif at == "ring":
            q, r = self.first_tile(self.view["rings"][gnome["ring"]])
        return [*(at == place for place in ("hand", "path", "ring", "flower_market", "stump")), q, r]

    def unseen(self):
        """Of the tiles in the bag and set aside, which no seat sees apart, those of each type."""
        whole = self.game.to_dict(self.record)
        types = Counter(int(self.game.rules[0]["type"][tile]) for tile in whole["bag"] + whole["set_aside"])
        return [types[kind] / 4 for kind in range(len(self.record["unseen"][0]))]


@pytest.mark.parametrize(("num_players", "options"), [(2, {"trade_board": True}), (3, {}), (4, {})])
def test_every_section_says_what_the_slice_table_says(num_players, options):
    game = new_game(num_players, **options)
    agent, env = make_agent("greedy", game), VectorAECEnv(game, 6, seed=num_players)
    phases, told = Counter(), set()
    for decision in range(260):
        for row, phase in enumerate(env.states["phase"].tolist()):
            due = decision % 6 == row and decision % 36 < 6  # a position of each game now and then, whatever the phase
            if due or phases[phase] < EACH_PHASE:
                phases[phase] += 1
                told |= compare(game, env, row)
        view = env.last()[0]
        env.step(agent.act(view["observation"], view["action_mask"], env.worlds(np.full(6, decision, np.uint64))))
    assert set(Phase) - {Phase.OVER, Phase.TAKE, Phase.DISCARD, Phase.TRADE} <= set(phases)
    assert told == {section.name for section in game.sections}


def compare(game, env, row):
    """Compares all sections of all seats of one game; returns the names of those that say anything but zeros."""
    record, told = env.states[row : row + 1], set()
    for seat in range(game.num_players):
        expected, found = Expectation(game, record, seat), env.observe(seat)["observation"][row]
        for section in game.sections:
            wanted = np.array(getattr(expected, section.name)(), np.float32).reshape(section.shape)
            assert np.allclose(game.section(found, section.name), wanted, atol=1e-6), (section.name, seat, expected.view)
            told |= {section.name} if wanted.any() else set()
    return told
