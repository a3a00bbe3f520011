"""Comparing agents: games on equal deals, ratings with intervals, reports and leaderboards."""

PLAYERS, GAMES = 2, 1000
"""Seats of a match, and its games, unless asked otherwise."""
