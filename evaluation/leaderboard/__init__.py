"""Leaderboards: who plays, their files, making them and checking them."""
