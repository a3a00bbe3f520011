"""A small writer of SVG pictures: shapes, text and groups in, the same bytes for the same calls out."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from xml.sax.saxutils import escape, quoteattr

# DejaVu Sans is the face that envs.drawing.raster ships to the rasteriser; the others are as wide or narrower.
FONT = "DejaVu Sans, Verdana, Arial, sans-serif"

Attribute = str | float | None
Point = tuple[float, float]


class Svg:
    """A picture being drawn.

    Attributes of a shape are keyword arguments with ``_`` for ``-`` (``stroke_width=2``); None leaves one out.

    Args:
        width: Width of the canvas.
        height: Height of the canvas.
        title: What the picture shows, for those who cannot see it.
    """

    def __init__(self, width: float, height: float, title: str) -> None:
        box = f"0 0 {number(width)} {number(height)}"
        size: dict[str, Attribute] = {"width": width, "height": height, "viewBox": box}
        self._lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg"{_attributes(size)} font-family="{FONT}">',
            f"<title>{escape(title)}</title>",
        ]

    def add(self, tag: str, **attributes: Attribute) -> None:
        """Add one empty element."""
        self._lines.append(f"<{tag}{_attributes(attributes)}/>")

    def rect(self, x: float, y: float, width: float, height: float, **attributes: Attribute) -> None:
        """Add a rectangle by its top left corner and size."""
        self.add("rect", x=x, y=y, width=width, height=height, **attributes)

    def circle(self, x: float, y: float, radius: float, **attributes: Attribute) -> None:
        """Add a circle by its centre."""
        self.add("circle", cx=x, cy=y, r=radius, **attributes)

    def ellipse(self, x: float, y: float, radius_x: float, radius_y: float, **attributes: Attribute) -> None:
        """Add an upright ellipse by its centre."""
        self.add("ellipse", cx=x, cy=y, rx=radius_x, ry=radius_y, **attributes)

    def path(self, data: str, **attributes: Attribute) -> None:
        """Add a path from its drawing commands."""
        self.add("path", d=data, **attributes)

    def polyline(self, points: Iterable[Point], **attributes: Attribute) -> None:
        """Add an open line through the points."""
        self.add("polyline", points=_points(points), **{"fill": "none", **attributes})

    def polygon(self, points: Iterable[Point], **attributes: Attribute) -> None:
        """Add a closed shape through the points."""
        self.add("polygon", points=_points(points), **attributes)

    def text(self, x: float, y: float, content: object, size: float, **attributes: Attribute) -> None:
        """Add one line of text whose baseline starts at (x, y), or ends or is centred there by ``text_anchor``."""
        named = _attributes({"x": x, "y": y, "font-size": size, **attributes})
        self._lines.append(f"<text{named}>{escape(str(content))}</text>")

    @contextmanager
    def group(self, title: str | None = None, **attributes: Attribute) -> Iterator[None]:
        """Put what is drawn inside the ``with`` block into a group.

        Args:
            title: What the group shows: viewers show it under the mouse pointer.
            **attributes: Of the group, such as ``transform``.
        """
        self._lines.append(f"<g{_attributes(attributes)}>")
        if title is not None:
            self._lines.append(f"<title>{escape(title)}</title>")
        yield
        self._lines.append("</g>")

    def to_string(self) -> str:
        """The whole picture as an SVG document."""
        return "\n".join([*self._lines, "</svg>", ""])


def number(value: float) -> str:
    """A coordinate with at most two decimals and no trailing zeros."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def mix(colour: str, other: str, share: float) -> str:
    """The colour ``#rrggbb`` that is this share (0 to 1) of the way from one to another."""
    pairs = ((int(colour[i : i + 2], 16), int(other[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def lighter(colour: str, share: float) -> str:
    """The colour this share of the way to white."""
    return mix(colour, "#ffffff", share)


def darker(colour: str, share: float) -> str:
    """The colour this share of the way to black."""
    return mix(colour, "#000000", share)


def _points(points: Iterable[Point]) -> str:
    return " ".join(f"{number(x)},{number(y)}" for x, y in points)


# A picture repeats a few hundred values thousands of times.
_quoted = lru_cache(maxsize=4096)(quoteattr)


def _attributes(attributes: dict[str, Attribute]) -> str:
    parts = []
    for name, value in attributes.items():
        if value is not None:
            text = value if isinstance(value, str) else number(value)
            parts.append(f" {name.replace('_', '-')}={_quoted(text)}")
    return "".join(parts)
