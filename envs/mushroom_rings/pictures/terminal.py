"""The game as a picture: characters for a terminal."""

from collections.abc import Iterable, Mapping

from envs.events import View
from envs.mushroom_rings.components import Components

GNOME_LETTERS = "abcd"
"""Players in the map of the garden; capital where a player's gnome sits in a ring."""


def text(view: View, components: Components) -> str:
    """A picture of a state dict for a terminal: who plays, the garden as a map, and everything that lies on the table."""
    return "\n".join(
        [
            _headline(view),
            *_hand_lines(view),
            "offer: " + ", ".join("-" if tile is None else f"{tile} {_paths(components, tile)}" for tile in view["offer"]),
            f"bag: {view['bag_size']} tiles",
            *_map(view),
            *(_path_line(path) for path in view["paths"] if len(path["segments"]) > 1 or path["gnome"] is not None),
            f"paths of one segment: {sum(len(path['segments']) == 1 and path['gnome'] is None for path in view['paths'])}",
            *(f"ring {i}: {_ring_words(ring)}" for i, ring in enumerate(view["rings"])),
            "flower market: " + _numbered(view["flower_market"]),
            "wildflowers: " + " ".join(str(kind) for kind, stack in enumerate(view["wildflowers"]) if stack is not None),
            *(f"{color}: blocked {numbers or '-'}, {view['market']['blockers'][color]} blockers left"
              for color, numbers in view["market"]["blocked"].items()),
            *(line for p in range(len(view["players"])) for line in _player_lines(view, components, p)),
        ]
    )  # fmt: skip


def _headline(view: View) -> str:
    if view["phase"] == "over":
        return f"Mushroom Rings, over after round {view['round']}"
    ends = ", last moves" if view["last_moves"] else ", last round" if view["ending"] else ""
    turn = f"turn of player {view['turn_player']}"
    return f"Mushroom Rings, round {view['round']}{ends}, {turn}, player {view['current_player']}: {view['phase']}"


def _hand_lines(view: View) -> list[str]:
    chosen = [f"{name} {value}" for name, value in view["hand"].items() if value is not None]
    return ["chosen: " + ", ".join(chosen)] if chosen else []


def _paths(components: Components, tile: int) -> str:
    if tile > components.num_garden_tiles:
        return "wildflower"
    return " ".join(
        "-".join(map(str, segment.edges)) + "".join(f"+{color}" for color in segment.mushrooms)
        for segment in components.tiles[tile]
    )


def _map(view: View) -> list[str]:
    """The tiles by number, each row half a cell to the right of the one above; letters tell who claims a path there."""
    labels = {(tile["q"], tile["r"]): str(tile["tile"] or "**") for tile in view["garden"]}
    for p, player in enumerate(view["players"]):
        for gnome in player["gnomes"]:
            if gnome is not None and gnome["at"] == "path":
                labels[gnome["q"], gnome["r"]] += GNOME_LETTERS[p]
    left = min(2 * q + r for q, r in labels)
    lines = []
    for row in range(min(r for _, r in labels), max(r for _, r in labels) + 1):
        line = ""
        for q, r in sorted(cell for cell in labels if cell[1] == row):
            line = line.ljust(3 * (2 * q + r - left)) + labels[q, r].rjust(4)
        lines.append(f"r {row:3}|{line}")
    return lines


def _path_line(path: View) -> str:
    q, r, _ = path["segments"][0]
    owner = "" if path["gnome"] is None else f", gnome {path['gnome'][1]} of player {path['gnome'][0]}"
    return f"path from ({q}, {r}): {len(path['segments'])} segments{owner}"


def _ring_words(ring: View) -> str:
    marks = [f"of player {ring['owner']}"] if ring["owner"] is not None else []
    marks += [word for word in ("waiting", "owed") if ring[word]]
    marks += [f"signpost {ring['signpost']}"] if ring["signpost"] else []
    marks += [f"gnome {gnome} of player {player}" for player, gnome in ring["gnomes"]]
    q, r = ring["tiles"][0]
    return f"({q}, {r}), size {ring['size']}, {_amounts(ring['mushrooms'])}" + "".join(f", {mark}" for mark in marks)


def _amounts(amounts: Mapping[str, int]) -> str:
    return " ".join(f"{number} {name}" for name, number in amounts.items() if number) or "nothing"


def _numbered(counts: Iterable[int]) -> str:
    return " ".join(f"{kind}:{count}" for kind, count in enumerate(counts) if count) or "empty"


def _player_lines(view: View, components: Components, p: int) -> list[str]:
    player = view["players"][p]
    stored = ", ".join(f"{tile} {_paths(components, tile)}" for tile in player["storage"]) or "-"
    gnomes = ", ".join("in hand" if gnome is None else _place(gnome) for gnome in player["gnomes"])
    flowers, markers = components.flower_scores[len(player["flowers"])], components.marker_scores[len(player["markers"])]
    points = f"{flowers} + {markers} + {player['treasure']} = {flowers + markers + player['treasure']}"
    return [
        f"player {p} ({GNOME_LETTERS[p]}): flowers + markers + treasure {points} points; {_amounts(player['mushrooms'])}",
        f"  flowers {player['flowers']}, markers on slots {player['markers']}, stored {stored}, gnomes {gnomes}",
    ]


def _place(gnome: View) -> str:
    if gnome["at"] == "path":
        return f"on the path at ({gnome['q']}, {gnome['r']}) edge {gnome['edge']}"
    return f"in ring {gnome['ring']}" if gnome["at"] == "ring" else f"at the {gnome['at'].replace('_', ' ')}"
