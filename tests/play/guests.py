"""Tables and agents for the tests of the page."""

import numpy as np

import envs
from play.server import Server
from play.table import PERSON, Table

HOST = "127.0.0.1:8000"


class Quick:
    """Stands for the process of the agents: picks by the random word, at once; hints share evenly."""

    def act(self, agent, question):
        legal = np.flatnonzero(question[1][0])
        return int(legal[int(question[2]["rng"][0] % np.uint64(len(legal)))])

    def hints(self, agent, question):
        legal = np.flatnonzero(question[1][0]).tolist()
        return {action: {"share": 1 / len(legal), "visits": 3, "value": 0.25, "error": 0.5} for action in legal}

    def close(self):
        pass


def table_of(name, *seats, seed=4, **options):
    """A table of a rule set; ``None`` is a person."""
    return Table(envs.make_game(name, len(seats), **options), [seat or PERSON for seat in seats], seed)


def token_of(table, seat):
    """The token of a seat."""
    return next(token for token, own in table.tokens.items() if own == seat)


def server_of(table):
    """The server of a table whose agents answer at once."""
    return Server(table, Quick(), ["greedy", "random"], pause=0)


def application(table, hosts=(HOST,)):
    """Its application."""
    return server_of(table).app(set(hosts))
