"""The page of a table on this machine: its files, what happened, and what people do."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from play.guard import Guard
from play.table import PERSON, Refused, Table
from play.worker import Worker

STATIC = Path(__file__).with_name("static")
_FILES = ("play.js", "board.js", "style.css")
_BEAT = 15.0  # seconds after which a silent stream says that it is alive


class Server:
    """A table, the agents that play at it, and the guests that look at it.

    Args:
        table: The game.
        worker: The agents.
        hints: Agents that give hints; the first one unless another is asked for.
        pause: Seconds between two decisions of agents, so that one can follow.
    """

    def __init__(self, table: Table, worker: Worker, hints: Sequence[str], pause: float) -> None:
        self.table, self.worker, self.hints, self.pause = table, worker, list(hints), pause
        self.trouble: str | None = None
        self.thinking = False
        self.has_answered = False  # the worker's first answer waits for the compiler
        self._changed = asyncio.Event()
        self._ends = False

    def app(self, hosts: Collection[str]) -> Guard:
        """The application, for these values of ``Host``."""
        routes = [
            Route("/", self._page),
            Route("/static/{name}", self._file),
            Route("/api/state", self._state),
            Route("/api/stream", self._stream),
            *(Route(f"/api/{name}", self._action(act), methods=["POST"]) for name, act in self._actions().items()),
            Route("/api/hints", self._hints, methods=["POST"]),
        ]
        return Guard(Starlette(routes=routes, lifespan=self._lifespan), hosts)

    def close(self) -> None:
        """Ends what would not end by itself: streams, and answers that wait for an agent."""
        self._ends = True
        self.worker.close()
        self._say()

    # --- agents ---

    @contextlib.asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        playing = asyncio.create_task(self.play())
        try:
            yield
        finally:
            playing.cancel()
            self.close()

    async def play(self) -> None:
        """Lets agents decide whenever it is their turn; a server inside another one has nobody else who begins this."""
        while True:
            changed = self._changed
            seat = self.table.to_act
            if seat < 0 or self.table.seats[seat] == PERSON or self.trouble:
                await changed.wait()
            else:
                await self._let_think(seat)
                await asyncio.sleep(self.pause)

    async def _let_think(self, seat: int) -> None:
        revision, question = self.table.revision, self.table.question()
        self._say(thinking=True)
        try:
            action = await asyncio.to_thread(self.worker.act, self.table.seats[seat], question)
        except RuntimeError as error:
            self.trouble = str(error)
        else:
            self.has_answered = True
            if self.table.revision == revision:  # nobody has taken a move back meanwhile
                self.table.play(action)
        self._say(thinking=False)

    def _say(self, *, thinking: bool | None = None) -> None:
        """Tells all guests that something has changed."""
        self.thinking = self.thinking if thinking is None else thinking
        self._changed.set()
        self._changed = asyncio.Event()

    # --- what is sent ---

    async def _page(self, request: Request) -> Response:
        return FileResponse(STATIC / "play.html", media_type="text/html")

    async def _file(self, request: Request) -> Response:
        name = request.path_params["name"]
        return FileResponse(STATIC / name) if name in _FILES else _refuse("there is no such file", 404)

    async def _state(self, request: Request) -> Response:
        since = request.query_params.get("since", "0")
        try:
            state = self.table.state(request.query_params.get("token", ""), _integer(since))
        except Refused as error:
            return _refuse(error)
        return JSONResponse(state | self._status())

    def _status(self) -> dict[str, Any]:
        compiling = self.thinking and not self.has_answered
        return {"thinking": self.thinking, "compiling": compiling, "trouble": self.trouble, "hints": self.hints}

    async def _stream(self, request: Request) -> Response:
        try:
            self.table.viewer(request.query_params.get("token", ""))
        except Refused as error:
            return _refuse(error)
        return StreamingResponse(self._changes(), media_type="text/event-stream")

    async def _changes(self) -> AsyncIterator[str]:
        """Server-sent events: that something has changed, not what."""
        while not self._ends:
            changed = self._changed
            yield f"data: {json.dumps({'revision': self.table.revision})}\n\n"
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(changed.wait(), _BEAT)

    # --- what people do ---

    def _actions(self) -> dict[str, Callable[[str, dict[str, Any]], None]]:
        table = self.table
        return {
            "move": lambda token, body: table.move(token, body.get("action"), body.get("number")),
            "undo": lambda token, body: table.undo(token),
            "name": lambda token, body: table.rename(token, body.get("name")),
            "new": lambda token, body: table.again(token),
        }

    def _action(self, act: Callable[[str, dict[str, Any]], None]) -> Callable[[Request], Any]:
        async def answer(request: Request) -> Response:
            try:
                token, body = await _read(request)
                self.table.viewer(token)
                act(token, body)
            except Refused as error:
                return _refuse(error)
            self._say()
            return JSONResponse({"revision": self.table.revision})

        return answer

    async def _hints(self, request: Request) -> Response:
        """What an agent thinks of the moves of a person whose turn it is."""
        try:
            token, body = await _read(request)
            agent = body.get("agent", self.hints[0] if self.hints else None)
            if self.table.viewer(token) != self.table.to_act:
                raise Refused("hints are for the seat to act")
            if agent not in self.hints:
                raise Refused(f"hints come from {', '.join(self.hints) or 'nobody here'}")
            number, question = self.table.number, self.table.question()
            found = await asyncio.to_thread(self.worker.hints, agent, question)
        except (Refused, RuntimeError) as error:
            return _refuse(error)
        self.has_answered = True
        return JSONResponse({"number": number, "agent": agent, "hints": found})


def _integer(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 8 else 0


async def _read(request: Request) -> tuple[str, dict[str, Any]]:
    """Token and fields of a request.

    Raises:
        Refused: It is no JSON object with a token.
    """
    try:
        body = json.loads(await request.body())
    except (ValueError, RecursionError) as error:
        raise Refused("the body is no JSON") from error
    if not isinstance(body, dict) or not isinstance(body.get("token"), str):
        raise Refused("the body must be a JSON object with a token")
    return body["token"], body


def _refuse(error: Exception | str, status: int = 403) -> Response:
    return JSONResponse({"error": str(error)}, status)
