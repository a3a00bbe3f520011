"""The compiled loops over a batch of games of Dance of Eights: its verbs, and what ``engine.install`` makes of them."""

from envs import engine
from envs.dance_of_eights.action_features import describe
from envs.dance_of_eights.observation import observe
from envs.dance_of_eights.redeal import redeal
from envs.dance_of_eights.rules import legal, reset, score, step
from envs.dance_of_eights.validity import POSSIBLE, fault_of

loops = engine.install(globals())
