"""Mushroom Rings in words: records as plain data and back, moves in structured form, sentences."""

from envs.mushroom_rings.guide import guide
from envs.mushroom_rings.words.from_dict import from_dict
from envs.mushroom_rings.words.moves import move, sentence
from envs.mushroom_rings.words.to_dict import to_dict

__all__ = ["from_dict", "guide", "move", "sentence", "to_dict"]
