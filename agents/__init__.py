"""Players of the games, and what measures them: agents, tournaments, ratings, reports and self-play training."""
