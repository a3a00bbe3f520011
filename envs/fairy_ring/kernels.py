"""The compiled loops over a batch of games of Fairy Ring: its verbs, and what ``engine.install`` makes of them."""

from envs import engine
from envs.fairy_ring.action_features import describe
from envs.fairy_ring.observation import observe
from envs.fairy_ring.redeal import redeal
from envs.fairy_ring.rules import legal, reset, score, step
from envs.fairy_ring.validity import POSSIBLE, fault_of

loops = engine.install(globals())
