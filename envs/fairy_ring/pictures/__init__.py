"""Pictures of Fairy Ring: a state dict, whole or as one seat sees it, as text or SVG."""

from collections.abc import Mapping
from typing import Any

from envs.drawing.marks import NO_MARKS, Marks
from envs.fairy_ring.pictures import svg as _svg
from envs.fairy_ring.pictures import terminal
from envs.fairy_ring.pictures.view import flight, mushroom_piece
from envs.game import Game


def text(game: Game, view: Mapping[str, Any]) -> str:
    """A picture of a state dict for a terminal."""
    return terminal.text(view, game.facts["cards"], fireflies=game.options["fireflies"])


def svg(game: Game, view: Mapping[str, Any], marks: Marks = NO_MARKS) -> str:
    """A picture of a state dict as SVG text."""
    return _svg.svg(view, game.facts["cards"], fireflies=game.options["fireflies"], marks=marks)


def target(game: Game, view: Mapping[str, Any], move: Mapping[str, Any]) -> str:
    """The piece that a structured move acts on: a card, a place for one, a mushroom; of a flight, where it ends."""
    p = view["current_player"]
    if move["type"] == "choose":
        return f"hand:{p}:{move['card']}"
    if move["type"] == "plant":
        return f"plant:{p}:{move['side']}"
    if move["type"] == "fly":
        fairy = view["players"][p]["fairy"]
        return mushroom_piece(*flight(view, (fairy["player"], fairy["mushroom"]), move["movement"])[-1])
    return mushroom_piece(p, move["mushroom"])
