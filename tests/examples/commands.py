"""The commands that the head of an example tells to type, so that tests can run what the text says."""

import re
import shlex
from types import ModuleType

COMMAND = re.compile(r"^    (python .*)$", re.MULTILINE)


def commands_of(module: ModuleType) -> list[list[str]]:
    """The words of each command behind ``python``."""
    return [shlex.split(line)[1:] for line in COMMAND.findall(module.__doc__ or "")]
