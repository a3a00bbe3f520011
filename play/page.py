"""A recorded game as one page, alone in a file or served."""

import html
import json
from pathlib import Path
from typing import Any

_STATIC = Path(__file__).with_name("static")
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; connect-src {connect}">
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
    """One self-contained page that shows a replay.

    Args:
        replay: What ``frames`` gives. Besides ``judged`` (what ``judge_game`` gives, for ``judge``, an agent, who tells
            ``meaning``), and in a page that is served ``served``: the address to which it may say where to play on.
    """
    board, watch = ((_STATIC / name).read_text(encoding="utf-8") for name in ("board.js", "watch.js"))
    # As one script: a page from a file may not load modules.
    script = "(() => {\n" + board.replace("export function", "function") + watch + "})();"
    data = json.dumps(replay, separators=(",", ":")).replace("<", "\\u003c")
    return _PAGE.format(
        title=html.escape(replay["title"]),
        connect="'self'" if "served" in replay else "'none'",
        style=(_STATIC / "style.css").read_text(encoding="utf-8"),
        body=(_STATIC / "watch.html").read_text(encoding="utf-8"),
        data=data,
        script=script,
    )
