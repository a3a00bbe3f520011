"""A network for Mushroom Rings: a convolution over the hex table reads the garden, everything else is joined to what it read.

Where a tile may close a ring is a matter of shape: two edges of an empty cell at which one path meets itself lie one, two or
three edges apart (a *bend*), and some segment of the tile has to bend as much. Bends of cells and of tiles are put beside the
planes of the garden; an orientation is read from the picture that the tile would show there, by weights that all twelve share.

K decisions, H channels, S side of the table.
"""

from collections.abc import Sequence

import torch as th
from torch import nn

from agents.networks.layers import Scores, layers, logit_layer
from envs.game import Game
from envs.mushroom_rings.components.tables import table_cells, turned
from envs.mushroom_rings.observation import AROUND, PLAYER, STORED
from envs.mushroom_rings.observation.planes import CHOSEN, JOINS, LAID
from envs.mushroom_rings.state import (
    AFTER_CELLS,
    CELL_ACTION,
    DISCARD,
    EDGES,
    OFFER,
    ORIENTATION,
    ORIENTATIONS,
    PLANES,
    SEGMENTS,
    STORAGE,
    TILE_FEATURES,
)

CHANNELS, TILE, TURNED, CELL = 16, 32, 32, 16  # widths of what is read of a cell, a tile, an orientation, and a cell in context
BENDS = EDGES // 2
THERE = 2  # from here on it is said of an edge of the chosen cell: a path there, whose, whether it meets itself


class HexConvolution(nn.Conv2d):
    """A convolution over a cell and its six neighbours: of the square of nine, two corners are not adjacent on a hex table."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__(inputs, outputs, 3, padding=1)
        self.adjacent = th.tensor([[0.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 0.0]])

    def forward(self, planes: th.Tensor) -> th.Tensor:
        """``(K, outputs, S, S)`` for planes ``(K, inputs, S, S)`` over [r, q]."""
        return self._conv_forward(planes, self.weight * self.adjacent, self.bias)


def bends(edges: th.Tensor) -> th.Tensor:
    """Whether two edges 1, 2 or 3 apart are of one path: ``(..., 3)`` for ``edges`` ``(..., 6)``, 0 or the path's number."""
    apart = [((edges > 0) & (edges == edges.roll(bend, -1))).any(-1) for bend in range(1, BENDS + 1)]
    return th.stack(apart, -1).float()


class GardenNetwork(nn.Module):
    """Policy and value for Mushroom Rings.

    Args:
        game: Mushroom Rings under any options.
        widths: Of the hidden layers that join what was read.
    """

    def __init__(self, game: Game, widths: Sequence[int]) -> None:
        super().__init__()
        self.slices = game.slices
        self.planes = game.sections[0].shape
        garden = game.slices["garden"].stop
        self.cells = th.tensor(_cells(self.planes[0] // 2))
        self.turned = th.tensor(_turned_edges())
        last = widths[-1]
        self.near = HexConvolution(PLANES + BENDS + 1, CHANNELS)
        self.far = HexConvolution(CHANNELS, CHANNELS)
        self.tile = layers([TILE_FEATURES + BENDS, TILE])
        self.trunk = layers([game.observation_size - garden + 3 * CHANNELS + TILE, *widths])
        self.tiles = Scores(TILE + BENDS, TILE, last, 2)  # to lay or take, and to discard
        self.turns = Scores(EDGES + SEGMENTS * (AROUND - THERE + 1), TURNED, last, 1)
        self.place = HexConvolution(CHANNELS, CELL)
        self.place_context = nn.Linear(last, CELL)
        self.place_logits = logit_layer(CELL, 1)
        self.plain_logits = logit_layer(last, game.num_actions - len(self.cells))
        self.value = nn.Linear(last, 1)

    def forward(self, observations: th.Tensor) -> tuple[th.Tensor, th.Tensor]:
        """Logits ``(K, A)`` and values ``(K, 1)`` for observations ``(K, D)``."""
        garden = self._section(observations, "garden", *self.planes)
        hand = self._section(observations, "hand_tile", 1, TILE_FEATURES)
        tiles = th.cat([hand, self._section(observations, "offer", OFFER, TILE_FEATURES), self._stored(observations)], 1)
        tile_bends, cell_bends = bends(tiles[:, :, :EDGES]), self._cell_bends(garden)
        fits = (cell_bends * tile_bends[:, :1, None]).sum(-1, keepdim=True)
        near = th.relu(self.near(th.cat([garden, cell_bends, fits], -1).permute(0, 3, 1, 2)))
        planes = th.relu(near + self.far(near))
        cells = planes.permute(0, 2, 3, 1).flatten(1, 2)
        chosen = (garden[..., CHOSEN].flatten(1)[:, None] @ cells)[:, 0]
        read = self.tile(th.cat([tiles, tile_bends], 2))
        rest = observations[:, self.slices["garden"].stop :]
        joined = self.trunk(th.cat([rest, cells.mean(1), cells.amax(1), chosen, read[:, 0]], 1))
        closable = tile_bends * cell_bends.amax((1, 2))[:, None]
        tile_logits = self.tiles(th.cat([read, closable], 2)[:, 1:], joined)
        logits = self._logits(joined, tile_logits, self._turns(observations, hand, joined))
        return th.cat([logits[:, :CELL_ACTION], self._places(planes, joined), logits[:, CELL_ACTION:]], 1), self.value(joined)

    def _section(self, observations: th.Tensor, name: str, *shape: int) -> th.Tensor:
        return observations[:, self.slices[name]].reshape(len(observations), *shape)

    def _stored(self, observations: th.Tensor) -> th.Tensor:
        own = self._section(observations, "players", -1, PLAYER)[:, 0, STORED:]
        return own[:, : (STORAGE + 1) * TILE_FEATURES].reshape(len(own), STORAGE + 1, TILE_FEATURES)

    def _cell_bends(self, garden: th.Tensor) -> th.Tensor:
        """Of every empty cell, how far apart the edges are at which a path meets itself: ``(K, S, S, 3)``."""
        return bends(garden[..., JOINS : JOINS + EDGES] * (garden[..., LAID, None] == 0))

    def _turns(self, observations: th.Tensor, hand: th.Tensor, joined: th.Tensor) -> th.Tensor:
        """Logits of the twelve orientations: from the picture of each, and from what each of its segments would join."""
        around = self._section(observations, "around", EDGES, AROUND)[:, :, THERE:]
        pictures = hand[:, 0, :EDGES][:, self.turned]
        segments = ((pictures[..., None] * SEGMENTS).round() == th.arange(1, SEGMENTS + 1)).float()
        joins = segments.transpose(2, 3) @ around[:, None]
        closes = (joins[..., -1:] > 1).float()
        return self.turns(th.cat([pictures, joins.flatten(2), closes.flatten(2)], 2), joined)[:, :, 0]

    def _places(self, planes: th.Tensor, joined: th.Tensor) -> th.Tensor:
        """Logits of the cells, in the order of their actions."""
        read = self.place(planes).permute(0, 2, 3, 1).flatten(1, 2) + self.place_context(joined)[:, None]
        return self.place_logits(th.relu(read))[:, self.cells, 0]

    def _logits(self, joined: th.Tensor, tiles: th.Tensor, turns: th.Tensor) -> th.Tensor:
        """Logits of all actions but the cells: those read of tiles and orientations are added to those of the whole position."""
        laid = OFFER + STORAGE
        turn, discard = CELL_ACTION + int(AFTER_CELLS[ORIENTATION]), CELL_ACTION + int(AFTER_CELLS[DISCARD])
        plain = self.plain_logits(joined)
        return th.cat(
            [
                plain[:, :laid] + tiles[:, :laid, 0],
                plain[:, laid:turn],
                plain[:, turn : turn + ORIENTATIONS] + turns,
                plain[:, turn + ORIENTATIONS : discard],
                plain[:, discard : discard + STORAGE + 1] + tiles[:, OFFER:, 1],
                plain[:, discard + STORAGE + 1 :],
            ],
            1,
        )


def _cells(radius: int) -> list[int]:
    """Places in the square of side ``2 radius + 1`` of the cells of the table, by r, then q."""
    return [(r + radius) * (2 * radius + 1) + q + radius for q, r in table_cells(radius)]


def _turned_edges() -> list[list[int]]:
    """By orientation (side * 6 + rotation) and edge of the cell: the tile's own edge that lies there."""
    lies_at = [[turned(edge, orientation) for edge in range(EDGES)] for orientation in range(ORIENTATIONS)]
    return [[edges.index(edge) for edge in range(EDGES)] for edges in lies_at]
