"""The SVG builder, the rasteriser and the window, which every game shares."""

import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest

from envs.drawing.raster import Window, svg_to_rgb
from envs.drawing.svg import Svg, mix, number

# --- the SVG builder ---


def test_the_builder_escapes_text_and_attributes():
    picture = Svg(10, 10, "a < b & c")
    picture.text(0, 0, '<script>"&', 3, fill='"red"')
    with picture.group("a > b"):
        picture.circle(1, 2.504, 3, fill=None)
    root = ElementTree.fromstring(picture.to_string())
    assert [element.text for element in root.iter() if element.text and element.text.strip()] == [
        "a < b & c",
        '<script>"&',
        "a > b",
    ]
    assert root[1].get("fill") == '"red"'
    assert root[2][1].attrib == {"cx": "1", "cy": "2.5", "r": "3"}


def test_numbers_and_colours_are_short():
    assert [number(value) for value in (3, 2.50, -0.001, 1 / 3, 100)] == ["3", "2.5", "0", "0.33", "100"]
    assert mix("#000000", "#ff8040", 0.5) == "#804020"


# --- pixels and windows ---


def test_text_needs_no_font_of_the_system():
    picture = Svg(100, 40, "text")
    picture.text(10, 30, "Fairy", 24)
    plain = svg_to_rgb(picture.to_string())
    assert (plain.reshape(-1, 3) == 255).all(axis=1).mean() < 0.95
    bold = Svg(100, 40, "text")
    bold.text(10, 30, "Fairy", 24, font_weight="bold")
    assert (svg_to_rgb(bold.to_string()) < 128).sum() > 1.2 * (plain < 128).sum()


def test_what_is_not_svg_is_refused():
    with pytest.raises(ValueError):
        svg_to_rgb("no picture")


def test_a_window_shows_pictures_of_any_size_and_opens_again(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    import pygame

    window = Window("Fairy Ring")
    window.close()
    for height, width in ((40, 60), (40, 60), (30, 20)):
        rgb = np.zeros((height, width, 3), np.uint8)
        rgb[1, 2] = (10, 20, 30)
        window.show(rgb)
        surface = pygame.display.get_surface()
        assert surface.get_size() == (width, height)
        assert surface.get_at((2, 1))[:3] == (10, 20, 30)
        assert pygame.display.get_caption()[0] == "Fairy Ring"
    window.close()
    assert not pygame.display.get_init()
    window.show(rgb)
    assert pygame.display.get_surface().get_size() == (20, 30)
    window.close()


@pytest.mark.parametrize("module", ["resvg_py", "PIL.Image"])
def test_a_missing_package_is_named_with_the_way_to_install_it(monkeypatch, module):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=r"fairy-rings\[render\]"):
        svg_to_rgb(Svg(1, 1, "empty").to_string())


def test_a_missing_window_package_is_named_with_the_way_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(ImportError, match=r"pygame.*fairy-rings\[render\]"):
        Window("Fairy Ring").show(np.zeros((2, 2, 3), np.uint8))


def test_drawing_libraries_are_imported_only_when_pictures_are_made():
    heavy = "{'pygame', 'PIL', 'resvg_py', 'matplotlib'}"
    code = f"import sys, envs.drawing.raster, envs.drawing.svg; print(*sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
