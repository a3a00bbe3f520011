"""Makes the environment that an example needs, and runs it there: ``python -m examples.clients rllib --decisions 50000``."""

import argparse
import os
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path

from examples.clients import CLIENTS, ROOT, Client

INSTALLED = "fairy-rings-client.txt"
"""A file in an environment that tells what was installed into it; written last."""


def cache_folder() -> Path:
    """Where environments are kept that nobody has named a folder for."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fairy-rings" / "clients"


def python_of(folder: Path) -> Path:
    """The interpreter of an environment."""
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def install_command(folder: Path, client: Client) -> list[str]:
    """What installs the suite and a client into an environment."""
    return [str(python_of(folder)), "-m", "pip", "install", "-e", str(ROOT), *client.pins]


def run_command(folder: Path, name: str, words: Sequence[str]) -> list[str]:
    """What runs an example in its environment."""
    return [str(python_of(folder)), "-m", f"examples.clients.{name}", *words]


def run_environment() -> dict[str, str]:
    """The variables of an example: this checkout comes first on Python's path, for examples are not installed."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))}


def make_environment(folder: Path, client: Client) -> None:
    """Makes an environment and installs into it, unless the same was done before.

    Raises:
        ValueError: The folder holds something else than an environment.
        subprocess.CalledProcessError: pip could not install.
    """
    if folder.exists() and not (folder / "pyvenv.cfg").is_file() and (not folder.is_dir() or any(folder.iterdir())):
        raise ValueError(f"{folder} holds something else than a virtual environment: name a new or an empty folder with --venv")
    told, wanted = folder / INSTALLED, "\n".join((str(ROOT), *client.pins, ""))
    if told.is_file() and told.read_text(encoding="utf-8") == wanted:
        return
    print(f"installing {client.title} into {folder}", flush=True)
    if not python_of(folder).exists():
        venv.create(folder, with_pip=True)
    subprocess.run(install_command(folder, client), check=True)
    told.write_text(wanted, encoding="utf-8")


def table() -> str:
    """All examples: name, library, door and versions."""
    return "\n".join(f"{name:10} {each.title:10} {each.door:22} {' '.join(each.pins)}" for name, each in CLIENTS.items())


def main(words: Sequence[str] | None = None) -> int:
    """Runs an example in its environment; returns what it returns."""
    parser = argparse.ArgumentParser(
        prog="python -m examples.clients", description=__doc__.partition("\n")[0], allow_abbrev=False
    )  # fmt: skip
    parser.add_argument("name", nargs="?", choices=list(CLIENTS), metavar="NAME", help=", ".join(CLIENTS))
    parser.add_argument("--list", action="store_true", help="tell all examples and the versions they need")
    parser.add_argument("--venv", type=Path, metavar="DIR", help=f"where the environment is or will be [{cache_folder()}/NAME]")
    arguments, rest = parser.parse_known_args(words)
    if arguments.list:
        print(table())
        return 0
    if arguments.name is None:
        parser.error(f"name an example: {', '.join(CLIENTS)}; --list tells more")
    folder, client = arguments.venv or cache_folder() / arguments.name, CLIENTS[arguments.name]
    try:
        make_environment(folder, client)
    except ValueError as error:
        parser.error(str(error))
    except subprocess.CalledProcessError as error:
        print(f"pip could not install {client.title} into {folder}", file=sys.stderr)
        return error.returncode
    return subprocess.run(run_command(folder, arguments.name, rest), env=run_environment()).returncode


if __name__ == "__main__":
    sys.exit(main())
