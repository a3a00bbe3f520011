"""The far side of hosting: processes in which foreign agents play, see ``evaluation.hosted`` for the near side.

One *server* (``python -m agents.host``) is started for a game. It imports the suite and makes the game, nothing of others, and
forks a *keeper* for each agent; the keeper forks a *player*, the only process in which the agent's own code runs, and another
one whenever that ends. So a new player costs a fork, not a start of Python. When a player ends, its keeper ends all processes
that it has left behind; when the judging process ends, in whatever way, the keepers see it by their sockets and end with all
they keep.

None of the three is ever given a schedule, a seed, a secret, a name of another agent or a result.
"""
