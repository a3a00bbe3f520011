"""Information-set Monte Carlo tree search as a player of any game: ``ismcts:400``, ``ismcts:seconds=0.1,rollout=random``."""

from agents.search.agent import Found, SearchAgent
from agents.search.options import Settings, default_settings, parse_settings

__all__ = ["Found", "SearchAgent", "Settings", "default_settings", "parse_settings"]
