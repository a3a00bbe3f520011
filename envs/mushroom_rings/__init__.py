"""Mushroom Rings: lay garden tiles, close rings of mushroom paths, send gnomes to market.

Rule set
    ``mushroom_rings``; the variant with the mushroom trade board is the option ``trade_board``.

Source
    The rule text of *Mushroom Rings*, made exact where it leaves room. Sections named in the docstrings: "The garden" (tiles,
    paths, rings, ban and leave), "A turn" with its five steps, "End", "Decisions", "State as a dict".

Rules in brief
    On a turn a player lays two of eight tiles on offer and up to two stored ones; path meets path, green meets green. A closed
    loop of path is a ring: its owner, whose gnome was on the path, takes the mushrooms, else they wait in it; a ring marker
    moves to a slot for the ring's size, and its bonus is had. Then a gnome may move: claim a path, take what waits, visit a
    signpost or the flower market, or sell at the stump. The 8th flower, the 8th marker or the empty bag ends the game; flowers,
    markers and treasure score, then unsold mushrooms.

Where a rule is
    ==============  ===============================================================================================
    ``garden``      a tile is laid and joins its neighbours; ``paths`` how parts hang together, ``cells`` the open cells,
                    ``rings`` closing a ring, ``claims`` whose path it is
    ``placing``     step 1: where a tile may lie, the ban, leave
    ``bonuses``     steps 2 and 3: a ring is scored, markers, bonuses, signposts
    ``gnomes``      step 4: where a gnome may go and what it does there
    ``market``      flowers, sales, trades
    ``offer``       the pile, the offer, the storage
    ``turns``       the course of turns and rounds, the end, the score
    ``rules``       setup, and the table of decisions
    ==============  ===============================================================================================

Fidelity of the component data
    The published tile mix, slots, payouts and scores are not public. ``tiles.csv`` and ``board.toml`` are a RECONSTRUCTION that
    agrees with everything known; each part of ``board.toml`` says where its numbers come from. Option ``components`` takes a
    folder with other data in the same format; ``components/loading.py`` checks it.

Actions (106 + C, C cells: 469 for radius 12)
    offered tile 8, stored tile 2, stop; cell C; orientation 12 (side * 6 + rotation); leave given, refused; slot 12; signpost 7;
    discard 3; mushroom 5; gnome 0, gnome 1, stay; destination 11 (path, ring, flower market, seven signposts, stump); edge 6;
    sale 30 (colour by colour), enough; trade A, B, none. A decision with one choice is made, not asked.

Observation
    See ``observation.sections``; ``game.slice_table()`` prints it. The planes of the garden come with the plane last:
    ``planes.permute(0, 3, 1, 2)`` makes them channels for a convolution.

Choices where the texts are silent
    * A hub's edge that faces green or points off the table is in play until a ring uses it up.
    * A ring is dealt with to the last of its bonuses before the next ring begins.
    * Any of the seven signposts may be chosen for a bonus, also one that has nothing to give at that moment.
    * A ring without printed mushrooms is never waiting.
    * A state dict in which a ring is being scored and nothing was laid or refused this turn is read as the start of a turn.

Games
    1,000 games a column (``python -m benchmarks.games mushroom_rings``), players of one kind among themselves: random, and the
    rule-based ones of ``agents.greedy``. Several things can end a game in the same round.

    =====================================  ===========  ===========  ===========  ===========  ===========  ===========
    Players                                   2 random     2 greedy     3 random     3 greedy     4 random     4 greedy
    =====================================  ===========  ===========  ===========  ===========  ===========  ===========
    Decisions, largest in brackets         312.6 (349)  249.7 (386)  312.3 (347)  350.5 (403)  325.7 (373)  388.6 (426)
    Score                                          5.3        102.5          1.4         82.8          1.0         60.1
    Best score of a game                           6.3        118.8          2.8        109.7          2.5         86.6
    Rounds                                        20.0         12.7         13.0         11.9         10.0          9.9
    Ended by the 8th flower, %                     0.0         37.8          0.0         19.5          0.0          8.0
    by the 8th marker, %                           0.0         79.9          0.0         73.3          0.0         24.8
    by the empty bag, %                          100.0          0.1        100.0         43.3        100.0         93.4
    Tiles laid                                    80.1         54.6         78.1         76.9         80.1         85.1
    Steps of a tile from the stump                 4.9          3.7          4.8          4.4          4.9          4.6
    Steps of the farthest, largest           10.0 (12)     7.4 (12)    10.0 (12)     8.9 (12)    10.1 (12)     9.5 (12)
    Games with a tile at the rim, %               14.8          1.1         12.6          4.6         14.3          9.7
    Rings                                          1.5         14.9          1.4         20.4          1.4         22.9
    Markers of a player                            0.6          6.9          0.4          6.3          0.3          5.2
    Flowers of a player                            2.1          5.8          0.1          4.6          0.1          3.8
    Treasure of a player                           0.7         48.4          0.4         39.5          0.3         28.1
    =====================================  ===========  ===========  ===========  ===========  ===========  ===========

    So the rim of a table of radius 12 matters little: 0.3 % of all tiles lie on it in random games, 0.2 % or less in others.

Versions
    v0: first version.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from envs.checks import show
from envs.game import Game, Tuned
from envs.mushroom_rings import pictures, words
from envs.mushroom_rings.action_features import action_sections, describe_tools
from envs.mushroom_rings.components import Components
from envs.mushroom_rings.components.loading import load_components
from envs.mushroom_rings.components.tables import build_tables, max_rings, num_types
from envs.mushroom_rings.events import tell
from envs.mushroom_rings.kernels import loops
from envs.mushroom_rings.observation import HIGH, LOW, sections
from envs.mushroom_rings.observation.planes import trace_size
from envs.mushroom_rings.state import NUM_KINDS, NUM_MARKERS, OTHER_ACTIONS, num_cells, state_dtype
from envs.options import Option, complete_options

VERSION = 0
PLAYERS = range(2, 5)
OPTIONS = {
    "trade_board": Option(False, "the mushroom trade board: a trade after each visit to a signpost", (False, True)),
    "permission": Option("ask", "a tile that lengthens another's path: ask the owner, or refuse it", ("ask", "refuse")),
    "table_radius": Option(12, "how many steps from the stump tiles may lie", range(8, 17)),
    "components": Option(None, "a folder with other component data in the shipped format (tiles.csv and board.toml)"),
}
TUNED = Tuned(
    greedy="agents.greedy.mushroom_rings:Greedy",
    network="agents.networks.mushroom_rings:GardenNetwork",
    search={"exploration": 1.0, "prior": 0.5, "scale": 100_000.0, "depth": 30},
    # 126 KB per decision with the features of 575 actions: fewer games. Standings count a point 10,000.
    training={
        "network": "candidates", "timesteps": 500_000, "num_envs": 64, "num_steps": 64, "batch_size": 512, "epochs": 3,
        "gae_lambda": 0.97, "final_learning_rate": 2e-5, "shaping": 2e-6,
    },
    taught={"labels": 1024, "timesteps": 16_384, "batch_size": 256, "learning_rate": 5e-4, "eval_every": 8},
    # Games are so long that a search of 400 simulations, or the usual number of deals, would take hours.
    baselines=("random", "greedy", "ppo", "ismcts:25", "ismcts:100"),
    deals={2: 10, 4: 5},
)  # fmt: skip


def make_game(name: str, num_players: int, options: Mapping[str, Any]) -> Game:
    """Mushroom Rings under a choice of options.

    Raises:
        ValueError: A number of players, an option, a value or component data that does not fit.
    """
    if num_players not in PLAYERS:
        raise ValueError(f"{name} is for 2 to 4 players, not {show(num_players)}")
    chosen = complete_options(OPTIONS, options, name)
    components = load_components(chosen["components"])
    radius, tiles = chosen["table_radius"], len(components.tiles) + NUM_KINDS
    return Game(
        name=name,
        version=VERSION,
        title="Mushroom Rings",
        num_players=int(num_players),
        options=chosen,
        state_dtype=state_dtype(
            num_players, radius, tiles, components.num_garden_tiles, num_types(components.tiles), max_rings(components)
        ),
        rules=_tables(num_players, **chosen),
        num_actions=OTHER_ACTIONS + num_cells(radius),
        sections=sections(num_players, radius, num_types(components.tiles)),
        observation_high=HIGH,
        observation_low=LOW,
        trace_size=trace_size(tiles),
        action_sections=action_sections(),
        describe_tools=describe_tools,
        max_decisions=_max_decisions(components, num_players),
        kernels=loops,
        package=__name__,
        words=words,
        pictures=pictures,
        tell=tell,
        facts={"components": components},
    )


def _tables(num_players: int, **options: Any) -> np.ndarray:
    """The component tables; those of the shipped data are made once, for copying an environment makes its game anew."""
    make = _shipped_tables if options["components"] is None else _shipped_tables.__wrapped__
    return make(num_players, **options)


@cache
def _shipped_tables(num_players: int, **options: Any) -> np.ndarray:
    return build_tables(load_components(options["components"]), num_players, options)


def _max_decisions(components: Components, num_players: int) -> int:
    """A bound: every turn but those of the last round draws tiles or triggers the end."""
    turns = components.num_garden_tiles // 2 + 2 * num_players
    placements = 4 * (3 + num_players - 1) + 3 + 1
    gnome = 7
    rings = 8 * max_rings(components)
    return turns * (placements + gnome) + rings + num_players * (gnome + NUM_MARKERS)
