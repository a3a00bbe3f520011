"""``python -m play watch FILE...``: replays as a page, as one file that needs no server, or as a moving picture."""

import argparse
import html
import json
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from envs.files import write_aside
from envs.replay import Named, add_named, named_by
from play.frames import frames, moments, seen
from play.views import ALL

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

    game, _, records, actions = moments(path, named)
    pictures, _ = seen(game, records, actions, ALL)
    from PIL import Image

    images = [Image.fromarray(svg_to_rgb(text, width)).quantize(64) for text in pictures]
    out, times = io.BytesIO(), [round(1000 * seconds)] * (len(images) - 1) + [3000]
    images[0].save(out, "GIF", save_all=True, append_images=images[1:], duration=times, loop=0, optimize=True)
    return out.getvalue()


def main(argv: Sequence[str]) -> int:
    """Runs the command line; returns the exit code."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    named = named_by(arguments)
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
    add_named(parser)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0: any that is free")
    parser.add_argument("--no-browser", action="store_true", help="print the link and open none")
    return parser


def _serve(pages: Sequence[str], arguments: argparse.Namespace) -> None:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import HTMLResponse, Response
    from starlette.routing import Route

    from play.guard import Guard
    from play.listening import listen_as, serve

    async def show(request: Request) -> Response:
        number = request.path_params.get("number", 0)
        return HTMLResponse(pages[number]) if number < len(pages) else Response("there is no such replay", 404)

    listener, base, hosts = listen_as(arguments.host, arguments.port)
    links = [f"{base}/{number}" for number in range(len(pages))]
    print("\n".join(links), flush=True)
    if not arguments.no_browser:
        webbrowser.open(links[0])
    routes = [Route("/", show), Route("/{number:int}", show)]
    app = Guard(Starlette(routes=routes), hosts, policy=None)
    serve(app, listener)
