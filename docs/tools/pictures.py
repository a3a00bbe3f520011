"""Remakes the pictures of README.md and the site: ``python -m docs.tools.pictures``.

For each rule set a game of ``greedy`` against itself as a moving SVG, and with ``--screenshots`` (which needs Chromium and the
test extra) the page of ``python -m play`` in it. The same seeds give the same games, so files change only where pictures do.
"""

import argparse
import io
from pathlib import Path

from PIL import Image

from agents.registry import make_agent
from benchmarks.play import PATIENCE, browser, table
from envs import GAMES, make_game
from envs.files import write_aside
from envs.replay import record_game
from envs.vector import VectorAECEnv
from play.frames import moments, seen
from play.moving import moving_svg
from play.views import ALL

FOLDER = Path(__file__).parents[1] / "pictures"
PARTS = {"fairy_ring": (18, 46), "fairy_ring_objectives": (18, 46), "dance_of_eights": (0, 40), "mushroom_rings": (60, 118)}
"""The moments of each game that are shown: some seconds of its middle, or so much as keeps a file below 300 kB."""
SEED = 7


def moving(name: str, folder: Path) -> str:
    """A part of a game of a rule set as a moving SVG."""
    game = make_game(name, 2)
    env = VectorAECEnv(game, 1, seed=0, autoreset=False)
    path = folder / f"{name}.jsonl"
    write_aside(path, record_game(env, [make_agent("greedy", game)] * 2, SEED).text().encode())
    first, last = PARTS[name]
    return moving_svg(seen(moments(path), ALL)[0][first : last + 1], 0.8)


def screenshot(name: str, moves: int = 8) -> bytes:
    """The page of a table after some moves of a person, with hints, as a PNG with a palette."""
    with browser() as chromium, table(name, SEED) as address:
        page = chromium.new_page(viewport={"width": 1280, "height": 800})
        page.set_default_timeout(PATIENCE)
        page.goto(address)
        for _ in range(moves):
            page.wait_for_selector("#moves button:enabled")
            page.locator("#moves button:enabled").first.click()
        page.wait_for_selector("#moves button:enabled")
        page.check("#hints")
        page.wait_for_selector("#moves .bar", state="attached")  # a bar of nothing is not visible
        return few_colours(page.screenshot())


def few_colours(png: bytes) -> bytes:
    """A picture with a palette, a third of the size; rare colours stay, such as that of one mushroom."""
    out = io.BytesIO()
    Image.open(io.BytesIO(png)).convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE).save(out, "PNG", optimize=True)
    return out.getvalue()


def main() -> None:
    """Makes the pictures."""
    import tempfile

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--env", nargs="+", choices=list(GAMES), default=list(GAMES))
    parser.add_argument("--screenshots", action="store_true")
    parser.add_argument("--out", type=Path, default=FOLDER)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name in arguments.env:
        with tempfile.TemporaryDirectory() as folder:
            text = moving(name, Path(folder))
        write_aside(arguments.out / f"{name}.svg", text.encode())
        if arguments.screenshots:
            write_aside(arguments.out / f"{name}-page.png", screenshot(name))
    print("\n".join(f"{path}: {path.stat().st_size / 1000:.0f} kB" for path in sorted(arguments.out.iterdir())))


if __name__ == "__main__":
    main()
