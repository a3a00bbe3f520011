"""Pictures of a game: what ``render.py`` draws, with the cards and options of the game at hand."""

from collections.abc import Mapping
from typing import Any

from envs.fairy_ring import render
from envs.game import Game


def text(game: Game, view: Mapping[str, Any]) -> str:
    """A picture of a state dict for a terminal."""
    return render.text(view, game.facts["cards"], fireflies=game.options["fireflies"])


def svg(game: Game, view: Mapping[str, Any]) -> str:
    """A picture of a state dict as SVG text."""
    return render.svg(view, game.facts["cards"], fireflies=game.options["fireflies"])
