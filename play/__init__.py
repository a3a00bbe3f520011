"""Play and watch in the browser or the terminal: people, agents and replays at one table.

``python -m play --env fairy_ring --agents greedy`` serves a page on this machine and opens it, ``python -m play watch FILE``
shows replays. The game runs with its rules uncompiled, so that the first board is there at once; agents run in a process of
their own (``worker``) that compiles meanwhile. ``table`` holds a game and says what each seat may see, ``server`` sends that and
nothing else.
"""
