"""Machine code on disk: processes that race for it, files that are damaged or in the wrong place, and rules that were edited."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from envs.engine import compiler
from envs.engine.machine_code import MachineCode
from tests.envs.test_engine import ROOT, run

PROGRAM = """
import sys
from envs import engine

@engine.kernel
def double(x):
    return x + x

words = [double(float(word) if "." in word else int(word)) for word in sys.argv[1:]]
print(*words, sum(double.stats.cache_hits.values()))
"""


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


def settings_for(program):
    return {"NUMBA_CACHE_DIR": str(program.parent / "cache"), "PYTHONPATH": str(ROOT)}


def files_of(program):
    return sorted((program.parent / "cache").rglob("*.nbc"))


def test_processes_that_start_at_once_on_an_empty_cache_never_take_the_code_of_another(program):
    environment = {**os.environ, **settings_for(program)}
    commands = [[sys.executable, program, number] for number in ("21", "1.5", "21", "1.5")]
    processes = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for command in commands]
    assert [process.communicate()[0].split()[0] for process in processes] == ["42", "3.0", "42", "3.0"]
    assert run(program, "21", "1.5", **settings_for(program)).split() == ["42", "3.0", "2"]
    assert len(files_of(program)) == 2


def test_damaged_files_are_compiled_again(program):
    run(program, "21", "1.5", **settings_for(program))
    whole, fraction = (path.read_bytes() for path in files_of(program))
    for path, content in zip(files_of(program), (fraction, whole[: len(whole) // 2]), strict=True):
        path.write_bytes(content)  # the code of the other function, and half of one's own
    assert run(program, "21", "1.5", **settings_for(program)).split() == ["42", "3.0", "0"]
    assert [path.read_bytes() for path in files_of(program)] == [whole, fraction] or len(files_of(program)) == 2
    assert run(program, "21", "1.5", **settings_for(program)).split() == ["42", "3.0", "2"]


# --- files ------------------------------------------------------------------------------------------------------------------


def only_file(folder):
    (path,) = folder.glob("*.nbc")
    return path


@pytest.mark.parametrize(
    "change",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(path.read_bytes()[:-1]),
        lambda path: path.write_bytes(path.read_bytes() + b"x"),
        lambda path: path.write_bytes(bytes(byte ^ (place == 40) for place, byte in enumerate(path.read_bytes()))),
        lambda path: path.write_bytes(bytes(1000)),
        lambda path: (path.unlink(), path.mkdir()),
        lambda path: (path.unlink(), path.symlink_to("/dev/null")),
        lambda path: path.unlink(),
    ],
    ids=["empty", "short", "long", "a bit", "zeros", "a folder", "a device", "gone"],
)
def test_what_is_not_whole_is_not_there(tmp_path, change):
    code = MachineCode(tmp_path / "code", "step-3")
    assert code.load("a signature") is None
    code.save("a signature", ("machine", b"code"))
    assert code.load("a signature") == ("machine", b"code") and code.load("another") is None
    change(only_file(tmp_path / "code"))
    assert code.load("a signature") is None


def test_files_in_the_place_of_others_are_not_taken_for_them(tmp_path):
    code, other = MachineCode(tmp_path / "one", "step-3"), MachineCode(tmp_path / "one", "reset-3")
    elsewhere = MachineCode(tmp_path / "two", "step-3")
    code.save("a signature", 1)
    content = only_file(tmp_path / "one").read_bytes()
    for place in (code._path("another"), other._path("a signature"), elsewhere._path("a signature")):
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(content)
    assert [code.load("a signature"), code.load("another"), other.load("a signature")] == [1, None, None]
    assert elsewhere.load("a signature") is None


def test_where_nothing_can_be_written_nothing_is_kept(tmp_path):
    (tmp_path / "file").write_text("")
    code = MachineCode(tmp_path / "file" / "folder", "step-3")
    code.save("a signature", 1)
    assert code.load("a signature") is None
    (tmp_path / "code").mkdir()
    code = MachineCode(tmp_path / "code", "step-3")
    code._path("a signature").mkdir()  # in the way of the rename
    code.save("a signature", 1)
    assert [path.name for path in (tmp_path / "code").iterdir()] == [code._path("a signature").name]


# --- what machine code depends on -------------------------------------------------------------------------------------------


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """The kernels of a game that is installed among the libraries, and of which the rules are in another file."""
    package = tmp_path / "site-packages" / "installed_game"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "rules.py").write_text("import numpy\nimport rich.text\n")
    (package / "kernels.py").write_text("from installed_game import rules\n")
    monkeypatch.syspath_prepend(package.parent)
    import installed_game.kernels

    yield Path(installed_game.kernels.__file__)
    for name in ("installed_game", "installed_game.rules", "installed_game.kernels"):
        del sys.modules[name]


def test_the_rules_of_an_installed_game_are_a_part_of_the_key(installed):
    """Edited, or replaced by another version, they would run stale."""
    sources = compiler.sources_of(installed)
    assert {path.name for path in sources if path.parent == installed.parent} == {"__init__.py", "rules.py", "kernels.py"}
    assert not any("rich" in path.parts for path in sources)


def test_libraries_from_a_folder_that_a_pth_file_names_are_no_part_of_the_key(installed, monkeypatch):
    usual = compiler.sources_of(installed)
    monkeypatch.setattr(compiler, "_is_in_library", lambda file: "rich" in file.parts)
    assert compiler.sources_of(installed) == usual
