"""``python -m play watch FILE...``: replays as a page, as one file that needs no server, or as a moving picture."""

import argparse
import html
import json
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from envs.files import write_aside
from envs.replay import Named, open_game, read_lines, transitions
from play.frames import frames, picture
from play.views import ALL, events_of, opening_of

_STATIC = Path(__file__).with_name("static")
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
{body}
<script type="application/json" id="replay">{data}</script>
<script>{script}</script>
</body>
</html>
"""


def page(replay: dict[str, Any]) -> str:
    """One self-contained page that shows a replay, see ``frames``."""
    board, watch = ((_STATIC / name).read_text(encoding="utf-8") for name in ("board.js", "watch.js"))
    # As one script: a page from a file may not load modules.
    script = "(() => {\n" + board.replace("export function", "function") + watch + "})();"
    data = json.dumps(replay, separators=(",", ":")).replace("<", "\\u003c")
    return _PAGE.format(
        title=html.escape(replay["title"]),
        style=(_STATIC / "style.css").read_text(encoding="utf-8"),
        body=(_STATIC / "watch.html").read_text(encoding="utf-8"),
        data=data,
        script=script,
    )


def gif(path: Path, named: Named, width: int, seconds: float) -> bytes:
    """A replay as a moving picture, everything in sight, with its last frame held.

    Raises:
        ReplayError: A line is broken, or an action is illegal.
        ImportError: A package of the render extra is missing.
    """
    import io

    from envs.drawing.raster import svg_to_rgb

    lines = read_lines(path)
    game, env = open_game(lines[0], named)
    first = env.states.copy()
    pictures = [picture(game, first, opening_of(game, first, ALL), ALL)]
    for before, action, after in transitions(lines, game, env):
        pictures.append(picture(game, after, events_of(game, before, action, after, ALL), ALL))
    from PIL import Image

    images = [Image.fromarray(svg_to_rgb(text, width)).quantize(64) for text in pictures]
    out, times = io.BytesIO(), [round(1000 * seconds)] * (len(images) - 1) + [3000]
    images[0].save(out, "GIF", save_all=True, append_images=images[1:], duration=times, loop=0, optimize=True)
    return out.getvalue()


def main(argv: Sequence[str]) -> int:
    """Runs the command line; returns the exit code."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    named = Named(arguments.env, dict(option.partition("=")[::2] for option in arguments.option))
    if (arguments.html or arguments.gif) and len(arguments.files) != 1:
        parser.error("--html and --gif take one replay")
    try:
        if arguments.html:
            write_aside(arguments.html, page(frames(arguments.files[0], named)).encode())
        if arguments.gif:
            write_aside(arguments.gif, gif(arguments.files[0], named, arguments.width, arguments.seconds))
        if not arguments.html and not arguments.gif:
            _serve([page(frames(path, named)) for path in arguments.files], arguments)
    except (ValueError, OSError, ImportError) as error:
        parser.error(str(error))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m play watch", description="Show replays, see python -m envs.replay record.")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--html", type=Path, metavar="FILE", help="write one page that needs no server")
    parser.add_argument("--gif", type=Path, metavar="FILE", help="write a moving picture")
    parser.add_argument("--width", type=int, default=800, help="of the moving picture, in pixels")
    parser.add_argument("--seconds", type=float, default=0.6, help="of a frame of the moving picture")
    parser.add_argument("--env", action="append", default=[], help="PACKAGE.MODULE: your own game")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=PATH", help="a file they were played with")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0: any that is free")
    parser.add_argument("--no-browser", action="store_true", help="print the link and open none")
    return parser


def _serve(pages: Sequence[str], arguments: argparse.Namespace) -> None:
    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import HTMLResponse, Response
    from starlette.routing import Route

    from play.guard import Guard
    from play.listening import listen

    async def show(request: Request) -> Response:
        number = request.path_params.get("number", 0)
        return HTMLResponse(pages[number]) if number < len(pages) else Response("there is no such replay", 404)

    listener = listen(arguments.host, arguments.port)
    port = listener.getsockname()[1]
    links = [f"http://{arguments.host}:{port}/{number}" for number in range(len(pages))]
    print("\n".join(links), flush=True)
    if not arguments.no_browser:
        webbrowser.open(links[0])
    hosts = {f"{host}:{port}" for host in (arguments.host, "127.0.0.1", "localhost")}
    routes = [Route("/", show), Route("/{number:int}", show)]
    app = Guard(Starlette(routes=routes), hosts, policy=None)
    uvicorn.Server(uvicorn.Config(app, log_level="warning", server_header=False)).run(sockets=[listener])
