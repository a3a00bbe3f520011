"""What happened in Mushroom Rings, told from what a seat sees before and after a decision.

A decision may lead to several things at once, for what is no choice is not asked; so all is read from what has changed.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from envs.events import CHOICE, EFFECT, HEADING, MOVE, Event, View, plural, reckoning
from envs.game import Game
from envs.mushroom_rings.components import Components
from envs.mushroom_rings.words.moves import describe_laid, describe_tile
from envs.mushroom_rings.words.to_dict import components_of

_LAYING = ("orientation", "cell")
_OF_THE_CHOICE = ("hand", "phase", "current_player")
"""What changes in a state when a part of a decision is made."""


def tell(game: Game, before: View | None, move: View | None, after: View, sentence: str) -> list[Event]:
    """What a move led to; of the deal, where there is neither a move nor anything before."""
    if before is None or move is None:
        return [_heading(after)]
    p = before["current_player"]
    if after["phase"] != "over" and all(before[key] == after[key] for key in before if key not in _OF_THE_CHOICE):
        return [Event(CHOICE, sentence, p, _chosen(after))]
    told = [Event(MOVE, sentence, p, _touched(before, move, after))]
    told += _laid(game, before, move, after)
    told += _rings(before, after)
    for q, (old, new) in enumerate(zip(before["players"], after["players"], strict=True)):
        told += _player(game, old, new, q)
    told += _table(before, after)
    if after["phase"] == "over":
        return told + _reckoning(components_of(game), after)
    if (before["round"], before["turn_player"]) != (after["round"], after["turn_player"]):
        told.append(_heading(after))
    return told


def _heading(view: View) -> Event:
    p = view["turn_player"]
    last = " (last round)" if view["ending"] else ""
    return Event(HEADING, f"Round {view['round']}{last}: the turn of player {p}", p)


def cell_piece(q: int, r: int) -> str:
    """The name of a cell among the pieces of a picture."""
    return f"cell:{q}:{r}"


def _chosen(after: View) -> tuple[str, ...]:
    hand = after["hand"]
    if hand["cell"] is not None:
        return (cell_piece(*hand["cell"]),)
    if hand["tile"] is not None and hand["tile"] in after["offer"]:
        return (f"offer:{after['offer'].index(hand['tile'])}",)
    return ()


def _touched(before: View, move: View, after: View) -> tuple[str, ...]:
    """The pieces by which the last move is seen: tiles laid, slots filled, places that gnomes came to."""
    pieces = [cell_piece(tile["q"], tile["r"]) for tile in after["garden"][len(before["garden"]) :]]
    for p, (old, new) in enumerate(zip(before["players"], after["players"], strict=True)):
        pieces += [f"slot:{p}:{slot}" for slot in new["markers"][len(old["markers"]) :]]
        pieces += [f"gnome:{p}:{g}" for g, (was, now) in enumerate(zip(old["gnomes"], new["gnomes"], strict=True)) if was != now]
    if move["type"] == "sale":
        pieces.append(f"sale:{move['color']}:{move['number']}")
    return tuple(pieces)


# --- the garden ---------------------------------------------------------------------------------------------------------


def _laid(game: Game, before: View, move: View, after: View) -> Iterator[Event]:
    """The tiles that came to lie, where the move does not say so itself."""
    new = after["garden"][len(before["garden"]) :]
    for tile in new[move["type"] in _LAYING :]:
        q, r = tile["q"], tile["r"]
        text = f"lays {describe_laid(game, tile['tile'], tile['side'], tile['rotation'])} at ({q}, {r})"
        yield Event(MOVE, f"player {before['turn_player']} {text}", before["turn_player"], (cell_piece(q, r),))


def _rings(before: View, after: View) -> Iterator[Event]:
    for number, ring in enumerate(after["rings"]):
        path = tuple(cell_piece(q, r) for q, r in ring["tiles"])
        if number >= len(before["rings"]):
            whose = "" if ring["owner"] is None else f" of player {ring['owner']}"
            yield Event(EFFECT, f"a ring of {ring['size']}{whose} is closed ({_amounts(ring['mushrooms'])})", ring["owner"], path)
            if ring["owed"]:
                yield Event(EFFECT, f"player {ring['owner']} gets it at the start of the next turn", ring["owner"])
            elif ring["waiting"]:
                yield Event(EFFECT, "its mushrooms wait in it")
        elif before["rings"][number]["signpost"] != ring["signpost"]:
            yield Event(EFFECT, f"the signpost {ring['signpost']} goes into the ring of {ring['size']}", None, path)


# --- players ------------------------------------------------------------------------------------------------------------


def _player(game: Game, old: View, new: View, p: int) -> Iterator[Event]:
    """What a player got, gave and moved."""
    gained = _changes(old["mushrooms"], new["mushrooms"], 1)
    paid = _changes(old["mushrooms"], new["mushrooms"], -1)
    flowers = len(new["flowers"]) - len(old["flowers"])
    markers = len(new["markers"]) - len(old["markers"])
    treasure = new["treasure"] - old["treasure"]
    if any(gained.values()):
        yield Event(EFFECT, f"player {p} takes {_amounts(gained)}", p)
    if any(paid.values()):
        yield Event(EFFECT, f"player {p} gives {_amounts(paid)}", p)
    if treasure:
        yield Event(EFFECT, f"player {p} earns {plural(treasure, 'treasure')}, {new['treasure']} in all", p)
    if markers:
        yield Event(EFFECT, f"player {p} moves {plural(markers, 'ring marker')}, {len(new['markers'])} in all", p)
    if flowers:
        yield Event(EFFECT, f"player {p} gets {plural(flowers, 'flower')}, {len(new['flowers'])} in all", p)
    stored = [tile for tile in new["storage"] if tile not in old["storage"]]
    yield from (Event(EFFECT, f"player {p} stores {describe_tile(game, tile)}", p) for tile in stored)
    for g, (was, now) in enumerate(zip(old["gnomes"], new["gnomes"], strict=True)):
        if was != now:
            yield Event(EFFECT, f"gnome {g} of player {p} is now {_where(now)}", p, (f"gnome:{p}:{g}",))


def _changes(old: Mapping[str, int], new: Mapping[str, int], sign: int) -> dict[str, int]:
    return {color: max(0, sign * (new[color] - old[color])) for color in new}


def _amounts(amounts: Mapping[str, int]) -> str:
    return ", ".join(f"{number} {color}" for color, number in amounts.items() if number) or "no mushrooms"


def _where(gnome: Any) -> str:
    if gnome is None:
        return "in hand"
    if gnome["at"] == "path":
        return f"on the path of the tile at ({gnome['q']}, {gnome['r']})"
    return f"in ring {gnome['ring']}" if gnome["at"] == "ring" else f"at the {gnome['at'].replace('_', ' ')}"


# --- the table ----------------------------------------------------------------------------------------------------------


def _table(before: View, after: View) -> Iterator[Event]:
    for kind, (old, new) in enumerate(zip(before["wildflowers"], after["wildflowers"], strict=True)):
        if old is not None and new is None:
            yield Event(EFFECT, f"wildflower {kind} leaves its stack; its flowers are in the flower market")
    for color, numbers in after["market"]["blocked"].items():
        for number in numbers:
            if number not in before["market"]["blocked"][color]:
                yield Event(EFFECT, f"the space for {number} {color} mushrooms is blocked", None, (f"sale:{color}:{number}",))
    if after["ending"] and not before["ending"]:
        yield Event(EFFECT, "this is the last round")
    if after["last_moves"] and not before["last_moves"]:
        yield Event(EFFECT, "the last rings are scored, and each player may make a last gnome move")


def _reckoning(components: Components, after: View) -> list[Event]:
    lines = []
    for player in after["players"]:
        flowers, markers = components.flower_scores[len(player["flowers"])], components.marker_scores[len(player["markers"])]
        total, left = flowers + markers + player["treasure"], sum(player["mushrooms"].values())
        text = f"{flowers} for flowers + {markers} for markers + {player['treasure']} treasure"
        lines.append(((total, left), f"{text} = {plural(total, 'point')}; {left} mushrooms unsold"))
    return reckoning(lines, ("points", "unsold mushrooms"))
