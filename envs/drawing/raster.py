"""From an SVG picture to pixels, and from pixels to a window, for every game.

The packages come with ``pip install 'fairy-rings[render]'`` and are imported when they are first needed.
"""

import importlib
import importlib.util
import io
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

_INSTALL = "pip install 'fairy-rings[render]'"
# The faces that the pictures use, in the folder where matplotlib keeps its own: no font of the system is needed,
# and every machine draws the same pixels.
_FONT_FILES = ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf")
_FONT_FOLDER = Path("mpl-data", "fonts", "ttf")


def svg_to_rgb(svg: str, width: int | None = None) -> NDArray[np.uint8]:
    """Rasterise an SVG picture.

    Args:
        svg: A self-contained SVG document.
        width: Width in pixels, the height follows; None for the size the document names.

    Returns:
        `(H, W, 3)` uint8, on white.

    Raises:
        ImportError: A package of the render extra is missing.
        ValueError: The document is not SVG.
    """
    png = _need("resvg_py").svg_to_bytes(
        svg_string=svg,
        width=width,
        background="#ffffff",
        skip_system_fonts=True,
        font_files=list(_font_files()),
        font_family="DejaVu Sans",
        sans_serif_family="DejaVu Sans",
    )
    with _need("PIL.Image").open(io.BytesIO(png)) as image:
        return np.array(image.convert("RGB"))


class Window:
    """A window on the screen that shows one picture after another (render mode "human").

    Args:
        title: Text of the title bar.
    """

    def __init__(self, title: str) -> None:
        self.title = title
        self._pygame: Any = None
        self._screen: Any = None

    def show(self, rgb: NDArray[np.uint8]) -> None:
        """Show a picture; the window opens with the first one and takes the size of each.

        Args:
            rgb: `(H, W, 3)` uint8.

        Raises:
            ImportError: A package of the render extra is missing.
        """
        if self._pygame is None:
            self._pygame = _need("pygame")
            self._pygame.display.init()
        height, width = rgb.shape[:2]
        if self._screen is None or self._screen.get_size() != (width, height):
            self._screen = self._pygame.display.set_mode((width, height))
            self._pygame.display.set_caption(self.title)
        # pygame's surfaces are indexed by column first.
        self._pygame.surfarray.blit_array(self._screen, rgb.swapaxes(0, 1))
        self._pygame.display.flip()
        # Without reading its events the desktop takes the window for one that hangs.
        self._pygame.event.pump()

    def close(self) -> None:
        """Close the window, if it is open; a later ``show`` opens it again."""
        if self._pygame is not None:
            self._pygame.display.quit()
        self._pygame = None
        self._screen = None


def _need(module: str) -> ModuleType:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"pictures need the package of {module!r}: {_INSTALL}") from error


@cache
def _font_files() -> tuple[str, ...]:
    # Finding the folder does not import matplotlib, which would take most of a second.
    found = importlib.util.find_spec("matplotlib")
    folders = [] if found is None else list(found.submodule_search_locations or [])
    if not folders:
        raise ImportError(f"text in pictures needs the fonts that come with 'matplotlib': {_INSTALL}")
    return tuple(str(Path(folders[0]) / _FONT_FOLDER / name) for name in _FONT_FILES)
