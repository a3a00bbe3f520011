"""Recorded games, served: their pages, what an agent says of them while it thinks, and tables to play on at."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Collection, Sequence
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.types import Receive, Scope, Send

from play.frames import Moments, frames
from play.guard import Guard
from play.judge import judge_game, meaning
from play.page import page
from play.server import Server
from play.table import PERSON, Moment, Table
from play.worker import Worker

MOST_TABLES = 16
"""Tables that are kept; a new one clears the oldest away."""


class Gallery:
    """Recorded games that a browser watches.

    Args:
        names: Of the files.
        games: What they hold.
        judge: Who says how each game stands, one after the other; None: nobody.
        opponent: The agent against whom people play on.
    """

    def __init__(self, names: Sequence[str], games: Sequence[Moments], judge: str | None, opponent: str) -> None:
        self.names, self.games, self.judge, self.opponent = list(names), list(games), judge, opponent
        self.said: list[list[dict[str, Any]]] = [[] for _ in games]
        self.trouble: str | None = None
        self._pages = dict[int, str]()
        self._workers = dict[int, Worker]()
        self._tables = dict[str, tuple[Server, Guard, asyncio.Task[None]]]()
        self._count = 0

    def app(self, hosts: Collection[str]) -> Guard:
        """The application, for these values of ``Host``."""
        self._hosts = hosts
        routes = [
            Route("/", self._page),
            Route("/{number:int}", self._page),
            Route("/{number:int}/judged", self._judged),
            Route("/{number:int}/play", self._play_on, methods=["POST"]),
            Mount("/tables/{key}", app=self._table),
        ]
        return Guard(Starlette(routes=routes, lifespan=self._lifespan), hosts, policy=None)

    @contextlib.asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        judging = asyncio.create_task(asyncio.to_thread(self._judge_all))
        try:
            yield
        finally:
            for _, _, playing in self._tables.values():
                playing.cancel()
            self.close()
            judging.cancel()

    def close(self) -> None:
        """Ends what would not end by itself."""
        self.trouble = "the server ends"
        for server, _, _ in self._tables.values():
            server.close()
        for worker in list(self._workers.values()):
            worker.close()

    # --- pages and judgements ---

    async def _page(self, request: Request) -> Response:
        number = request.path_params.get("number", 0)
        if number >= len(self.games):
            return Response("there is no such replay", 404)
        if number not in self._pages:
            self._pages[number] = await asyncio.to_thread(self._made, number)
        return HTMLResponse(self._pages[number])

    def _made(self, number: int) -> str:
        game = self.games[number]
        more: dict[str, Any] = {"served": f"/{number}"}
        if self.judge:
            more |= {"judge": self.judge, "meaning": meaning(self.judge, game.game), "judged": []}
        return page(frames(self.names[number], game) | more)

    async def _judged(self, request: Request) -> Response:
        """What has been said so far, from a moment on."""
        number, since = request.path_params["number"], request.query_params.get("since", "0")
        if number >= len(self.games) or not (since.isascii() and since.isdecimal() and len(since) < 8):
            return JSONResponse({"error": "there is no such replay or moment"}, 404)
        return JSONResponse({"judged": self.said[number][int(since) :], "trouble": self.trouble})

    def _judge_all(self) -> None:
        """Judges game after game, in a thread that waits for the process of the agents."""
        judge = self.judge
        if judge is None:
            return
        for number, game in enumerate(self.games):
            worker = Worker(game.game)
            self._workers[-1 - number] = worker
            try:
                for judgement in judge_game(game, lambda question, worker=worker: worker.judge(judge, question)):  # type: ignore[misc]
                    self.said[number].append(judgement)
            except RuntimeError as error:
                self.trouble = self.trouble or str(error)
                return
            finally:
                worker.close()

    # --- playing on ---

    async def _play_on(self, request: Request) -> Response:
        """Sets a table at which a person takes a seat of the game as it stood."""
        number = request.path_params["number"]
        try:
            body = await request.json()
            seat, moment = body["seat"], body["moment"]
        except (ValueError, KeyError, TypeError, RecursionError):
            return JSONResponse({"error": "the body must be a JSON object with seat and moment"}, 400)
        if number >= len(self.games) or type(seat) is not int or type(moment) is not int:
            return JSONResponse({"error": "there is no such replay, seat or moment"}, 404)
        game = self.games[number]
        if not (0 <= seat < game.game.num_players and 0 <= moment < len(game.actions)):
            return JSONResponse({"error": "there is no such seat, or the game is over there"}, 404)
        return JSONResponse({"url": self._set_table(number, seat, moment)})

    def _set_table(self, number: int, seat: int, moment: int) -> str:
        shown = self.games[number]
        seats = [PERSON if p == seat else self.opponent for p in range(shown.game.num_players)]
        actions = [None, *shown.actions]
        played = [Moment(record, action) for record, action in zip(shown.records, actions, strict=True)][: moment + 1]
        table = Table(shown.game, seats, shown.seed, played)
        if number not in self._workers:
            self._workers[number] = Worker(shown.game)
        server = Server(table, self._workers[number], ["greedy", "ismcts:400"], pause=0.6)
        while len(self._tables) >= MOST_TABLES:
            self._tables.pop(next(iter(self._tables)))[2].cancel()
        self._count += 1
        key = str(self._count)
        self._tables[key] = server, server.app(self._hosts), asyncio.create_task(server.play())
        return f"/tables/{key}/?token={next(iter(table.tokens))}"

    async def _table(self, scope: Scope, receive: Receive, send: Send) -> None:
        table = self._tables.get(scope["path_params"]["key"])
        app = JSONResponse({"error": "this table has been cleared away"}, 404) if table is None else table[1]
        await app(scope, receive, send)
