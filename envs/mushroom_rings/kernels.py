"""The compiled loops over a batch of games of Mushroom Rings: its verbs, and what ``engine.install`` makes of them."""

from envs import engine
from envs.mushroom_rings.action_features import describe
from envs.mushroom_rings.observation import observe, observe_again
from envs.mushroom_rings.redeal import redeal
from envs.mushroom_rings.rules import legal, reset, score, step
from envs.mushroom_rings.validity import fault_of

loops = engine.install(globals())
