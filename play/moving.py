"""A recorded game as a moving picture: GIF, or an SVG that moves by itself."""

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from typing import NamedTuple

from envs.checks import integer, real

HELD = 3.0
"""Seconds that the last frame stays."""
WIDEST = 2000  # pixels: some 4 MB a frame
COLOURS = 64


def gif(pictures: Sequence[str], width: int, seconds: float) -> bytes:
    """Pictures as a GIF that begins anew at its end, with its last frame held.

    Args:
        pictures: SVG texts of one size.
        width: In pixels.
        seconds: Of a frame.

    Raises:
        ValueError: A width or time out of range.
        ImportError: A package of the render extra is missing.
    """
    integer("width", width, 16, WIDEST)
    _check_seconds(seconds)
    from PIL import Image

    from envs.drawing.raster import svg_to_rgb

    images: Iterator[Image.Image] = (Image.fromarray(svg_to_rgb(text, width)).quantize(COLOURS) for text in pictures)
    out, times = io.BytesIO(), [round(1000 * seconds)] * (len(pictures) - 1) + [round(1000 * HELD)]
    next(images).save(out, "GIF", save_all=True, append_images=images, duration=times, loop=0, optimize=True)
    return out.getvalue()


def moving_svg(pictures: Sequence[str], seconds: float) -> str:
    """Pictures as one SVG that moves by itself, again and again, with its last frame held.

    What is in several pictures is in the file once. A viewer that does not know animations shows the first picture.

    Args:
        pictures: SVG texts of one size, as ``envs.drawing.svg`` writes them: a line for each element.
        seconds: Of a frame.

    Raises:
        ValueError: A time out of range.
    """
    _check_seconds(seconds)
    elements, writer = _Elements(), _Writer()
    layers = _laid_over_each_other([elements.of(text) for text in pictures])
    drawn = list(writer.layers(layers, _Clock(len(pictures), seconds)))
    head, title = pictures[0].splitlines()[:2]
    return "\n".join([head, title, "<defs>", *writer.definitions, "</defs>", *drawn, "</svg>"]) + "\n"


def _check_seconds(seconds: float) -> None:
    real("seconds", seconds, 0.02, 60)


# --- what several pictures have in common ---------------------------------------------------------------------------------


@dataclass(eq=False)
class _Element:
    """An element of a picture with all it holds; the same one wherever the same is drawn.

    Attributes:
        lines: Its line, or the first and the last line of a group.
        children: What the group holds.
        uses: In how many places it stands.
        name: By which those places call it; empty where it is written out.
    """

    lines: tuple[str, ...]
    children: tuple["_Element", ...] = ()
    uses: int = 0
    name: str = ""


class _Elements:
    """All elements of several pictures, each once."""

    def __init__(self) -> None:
        self._known = dict[tuple[tuple[str, ...], tuple[int, ...]], _Element]()

    def of(self, picture: str) -> list[_Element]:
        """What a picture holds; its titles tell what is under the mouse pointer, which a moving picture leaves out."""
        stack = [("", list[_Element]())]
        for line in picture.splitlines()[1:-1]:
            plain = re.sub(r' data-[\w-]+="[^"]*"', "", line)
            if line == "</g>":
                opening, children = stack.pop()
                stack[-1][1].append(self._one((opening, line), children))
            elif line.startswith("<g") and not line.endswith("/>"):
                stack.append((plain, []))
            elif not line.startswith("<title>"):
                stack[-1][1].append(self._one((plain,), []))
        return stack[0][1]

    def _one(self, lines: tuple[str, ...], children: Sequence[_Element]) -> _Element:
        key = (lines, tuple(map(id, children)))
        if key not in self._known:
            self._known[key] = _Element(lines, tuple(children))
            for child in children:
                child.uses += 1
        return self._known[key]


@dataclass(eq=False)
class _Layer:
    """An element in its place among all the others, and the numbers of the pictures it is in."""

    element: _Element
    frames: list[int]


def _laid_over_each_other(pictures: Iterable[Sequence[_Element]]) -> list[_Layer]:
    """The elements of all pictures in an order that suits every one of them."""
    layers = list[_Layer]()
    for number, elements in enumerate(pictures):
        stay, at = _staying(layers, elements, number), 0
        ends = [*sorted(stay), None]  # the places of those that stay, which others must not pass
        for place, element in enumerate(elements):
            if place == ends[0]:
                ends.pop(0)
            own = stay.get(place) or _hidden(layers, element, at, None if ends[0] is None else stay[ends[0]])
            if own is None:
                own = _Layer(element, [])
                layers.insert(at, own)
                element.uses += 1
            own.frames.append(number)
            at = layers.index(own) + 1
    return layers


def _staying(layers: Sequence[_Layer], elements: Sequence[_Element], number: int) -> dict[int, _Layer]:
    """By their places in a picture the layers that are in the one before it, as many as keep their order."""
    before = [layer for layer in layers if layer.frames[-1] == number - 1]
    matcher = SequenceMatcher(None, [id(layer.element) for layer in before], list(map(id, elements)), autojunk=False)
    return {b + k: before[a + k] for a, b, size in matcher.get_matching_blocks() for k in range(size)}


def _hidden(layers: Sequence[_Layer], element: _Element, at: int, end: _Layer | None) -> _Layer | None:
    """A layer of earlier pictures that can be shown again, from a place on and before another layer."""
    for layer in layers[at:]:
        if layer is end:
            return None
        if layer.element is element:
            return layer
    return None


# --- writing ------------------------------------------------------------------------------------------------------------


class _Clock(NamedTuple):
    """When which picture is shown."""

    frames: int
    seconds: float

    def animation(self, inside: Sequence[int]) -> str:
        """An element that shows what it is in while these pictures are shown."""
        whole, shown = self.seconds * (self.frames - 1) + HELD, set(inside)
        changes = [n for n in range(self.frames) if n == 0 or (n in shown) != (n - 1 in shown)]
        values = ";".join("inline" if n in shown else "none" for n in changes)
        times = ";".join(f"{self.seconds * n / whole:.5g}" for n in changes)
        return (
            f'<animate attributeName="display" values="{values}" keyTimes="{times}" '
            f'dur="{whole:g}s" calcMode="discrete" repeatCount="indefinite"/>'
        )


class _Writer:
    """Writes elements, and those that stand in several places once."""

    def __init__(self) -> None:
        self.definitions = list[str]()

    def layers(self, layers: Iterable[_Layer], clock: _Clock) -> Iterator[str]:
        """All layers; neighbours that come and go together are one group."""
        for frames, group in groupby(layers, key=lambda layer: layer.frames):
            lines = [self._text(layer.element) for layer in group]
            if len(frames) == clock.frames:
                yield from lines
            else:
                hidden = "" if frames[0] == 0 else ' display="none"'
                yield from (f"<g{hidden}>", clock.animation(frames), *lines, "</g>")

    def _text(self, element: _Element) -> str:
        if element.name:
            return f'<use href="#{element.name}"/>'
        text = "\n".join([element.lines[0], *map(self._text, element.children), *element.lines[1:]])
        if element.uses < 2 or len(text) < 40:
            return text
        element.name = f"e{len(self.definitions)}"
        tag = re.match(r"<\w+", text)
        assert tag is not None
        self.definitions.append(f'{tag[0]} id="{element.name}"{text[tag.end() :]}')
        return self._text(element)
