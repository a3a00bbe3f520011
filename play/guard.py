"""What the server refuses before it looks at a request: other hosts, other origins, large bodies."""

from collections.abc import Collection, Mapping

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES = 2048  # of a request's body
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
}


class Guard:
    """Lets only requests of the own page through, and gives every answer the same strict headers.

    A page elsewhere cannot read or change a game through the browser of somebody who plays: a name that was pointed at this
    machine has another ``Host``, a foreign page another ``Origin``.

    Args:
        app: The application.
        hosts: Values of ``Host`` that are this server's, as ``127.0.0.1:8000``.
        policy: What its pages may load; None for pages that say so themselves.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str], policy: str | None = POLICY) -> None:
        self.app, self.hosts = app, set(hosts)
        self.headers = _HEADERS | ({} if policy is None else {"content-security-policy": policy})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request, or hands it on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        refusal = self._refusal(Headers(scope=scope), scope["method"])
        body, whole = (b"", True) if refusal or scope["method"] != "POST" else await _read(receive)
        if not whole:
            refusal = (413, f"the body is larger than {MOST_BYTES} bytes")
        if refusal:
            await JSONResponse({"error": refusal[1]}, refusal[0], self.headers)(scope, receive, send)
            return
        await self.app(scope, _again(body, receive) if scope["method"] == "POST" else receive, _with_headers(send, self.headers))

    def _refusal(self, headers: Headers, method: str) -> tuple[int, str] | None:
        if headers.getlist("host") != [headers.get("host")] or headers.get("host") not in self.hosts:
            return 421, "this server has another name"
        origin = headers.get("origin")
        if origin is not None and origin not in {f"http://{host}" for host in self.hosts}:
            return 403, "requests of other pages are refused"
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return 403, "requests of other pages are refused"
        if method == "POST" and headers.get("content-type", "").partition(";")[0] != "application/json":
            return 415, "the body must be application/json"
        return None


async def _read(receive: Receive) -> tuple[bytes, bool]:
    """The body of a request, and whether it is no larger than allowed."""
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > MOST_BYTES:
            return b"", False
        if not message.get("more_body", False):
            return body, True


def _again(body: bytes, receive: Receive) -> Receive:
    """A body that was read, for the application to read; then what the connection says next."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def read() -> Message:
        return waiting.pop() if waiting else await receive()

    return read


def _with_headers(send: Send, headers: Mapping[str, str]) -> Send:
    added = [(name.encode(), value.encode()) for name, value in headers.items()]

    async def answer(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = [pair for pair in message.get("headers", []) if pair[0] not in dict(added)]
            message = {**message, "headers": [*given, *added]}
        await send(message)

    return answer
