"""The console command."""

import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

import fairy_rings

PYPROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("command", fairy_rings.COMMANDS)
def test_every_command_tells_its_usage(command, capsys):
    with pytest.raises(SystemExit) as stop:
        fairy_rings.main([command, "--help"])
    assert stop.value.code == 0 and "usage:" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["fairy-rings", "fairy_rings.py"])
def test_help_and_errors_name_the_command_as_it_was_called(name, capsys, monkeypatch):
    for words, usage in (["train"], "train"), (["replay"], "replay"), (["replay", "check"], "replay check"):
        monkeypatch.setattr("sys.argv", [f"bin/{name}", *words])
        with pytest.raises(SystemExit):
            fairy_rings.main([*words, "--help"])
        assert capsys.readouterr().out.startswith(f"usage: fairy-rings {usage} [")
        with pytest.raises(SystemExit):
            fairy_rings.main([*words, "--no-such-option"])
        assert capsys.readouterr().err.startswith(f"fairy-rings {usage}: error: ")


def test_without_a_command_it_lists_them(capsys):
    assert fairy_rings.main([]) == 2 and fairy_rings.main(["--help"]) == 0
    printed = capsys.readouterr().out
    assert all(name in printed and what in printed for name, (_, what) in fairy_rings.COMMANDS.items())


def test_an_unknown_command_is_one_line(capsys):
    assert fairy_rings.main(["trian"]) == 2
    assert re.fullmatch("fairy-rings: error: there is no command 'trian'; choose from [a-z, ]+\n", capsys.readouterr().err)


def test_arguments_are_handed_on(capsys, tmp_path):
    out = ["--out", str(tmp_path)]
    assert fairy_rings.main(["replay", "record", "--env", "dance_of_eights", *out]) == 0
    assert fairy_rings.main(["replay", "check", *map(str, tmp_path.iterdir())]) == 0
    assert "all as recorded" in capsys.readouterr().out


def test_the_wheel_installs_no_module_of_a_common_name():
    installed = PYPROJECT["tool"]["setuptools"]
    assert installed["py-modules"] == ["fairy_rings"]
    packages = {pattern.rstrip("*") for pattern in installed["packages"]["find"]["include"]}
    assert not packages & {"train", "evaluate", "tests", "examples", "benchmarks"}
    module, _, function = PYPROJECT["project"]["scripts"]["fairy-rings"].partition(":")
    assert callable(getattr(import_module(module), function))
