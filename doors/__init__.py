"""Doors for which agents are needed: the suite in tools of others. ``envs`` names them by words alone, and imports none."""
