"""What the system refuses to a process in which somebody else's agent runs.

Everywhere that has the module ``resource``: memory, size of files, number of processes, core dumps. On Linux besides: no new
rights by programs that run as another user, and of root's own rights those over files alone; the process dies with its parent;
when memory runs out it is the first to go; and Landlock, where the kernel has it, hides the memory and open files of all
processes outside (their ``/proc/PID/mem``, ``fd`` and ``environ``, and tracing them; Linux 5.13) and refuses signals to them
(Linux 6.12).

None of this hides files or the network; that is what a container, or ``--sandbox``, is for.
"""

import ctypes
import os
import signal
import sys
from contextlib import suppress
from typing import Any

GIB = 1 << 30
ADDRESSES = 64 * GIB  # libraries reserve far more than they use
FILE_SIZE = GIB
MORE_PROCESSES = 512  # than the user has already: threads count too

_SET_PARENT_DEATH_SIGNAL, _SET_CHILD_SUBREAPER, _SET_NO_NEW_PRIVILEGES = 1, 36, 38  # prctl(2)
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446  # the same numbers on all processors
_LANDLOCK_VERSION = 1  # the flag that asks for it
_CAPABILITY_VERSION = 0x20080522
_FILE_CAPABILITIES = 0b11111  # capabilities(7): chown, dac_override, dac_read_search, fowner, fsetid
_MAKE_BLOCK, _REFER = 1 << 11, 1 << 13  # rights over files
_SCOPE_SIGNAL = 2


def limit_resources(memory: int) -> None:
    """Limits this process and all that it starts.

    Args:
        memory: Bytes of data.
    """
    try:
        import resource
    except ImportError:  # not a POSIX system
        return
    limits = {
        "RLIMIT_CORE": 0, "RLIMIT_FSIZE": FILE_SIZE, "RLIMIT_DATA": memory, "RLIMIT_AS": ADDRESSES,
        "RLIMIT_NPROC": _processes() + MORE_PROCESSES,
    }  # fmt: skip
    for name, most in limits.items():
        if kind := getattr(resource, name, None):
            hard = resource.getrlimit(kind)[1]
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)
            with suppress(ValueError, OSError):  # some systems know a limit by name only
                resource.setrlimit(kind, (most, most))


def _processes() -> int:
    """Processes and threads that the user of this one has."""
    count, user = 0, os.getuid()
    for name in _process_names():
        with suppress(OSError):
            if os.stat(f"/proc/{name}").st_uid == user:
                count += len(os.listdir(f"/proc/{name}/task"))
    return count


def _process_names() -> list[str]:
    try:
        return [name for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []


def descendants() -> list[int]:
    """The processes that come from this one, where the system lists them."""
    children: dict[int, list[int]] = {}
    for name in _process_names():
        with suppress(OSError, ValueError, IndexError):
            with open(f"/proc/{name}/stat", "rb") as file:
                parent = int(file.read().rpartition(b")")[2].split()[1])
            children.setdefault(parent, []).append(int(name))
    found, waiting = [], [os.getpid()]
    while waiting:
        own = children.pop(waiting.pop(), [])
        found += own
        waiting += own
    return found


def adopt_orphans() -> None:
    """Becomes the parent of all processes below this one whose own parent ends."""
    _prctl(_SET_CHILD_SUBREAPER, 1)


def die_with_parent(parent: int) -> None:
    """Ends this process when its parent ends, or at once if it has ended already."""
    _prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def be_the_first_to_go() -> None:
    """Makes this the process that the system ends when memory runs out."""
    with suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")


def shut_off() -> None:
    """Hides all processes outside, as far as the kernel can, and gives up what root may do beside reading and writing files."""
    if sys.platform != "linux":
        return
    _prctl(_SET_NO_NEW_PRIVILEGES, 1)
    _give_up_capabilities()
    _enter_landlock()


def _give_up_capabilities() -> None:
    library = ctypes.CDLL(None)
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    sets = (ctypes.c_uint32 * 6)()  # effective, permitted and inheritable, of 32 capabilities each time
    if library.capget(header, sets) == 0:
        few = sets[1] & _FILE_CAPABILITIES
        library.capset(header, (ctypes.c_uint32 * 6)(few, few))


def _enter_landlock() -> None:
    version = _landlock(_LANDLOCK_CREATE, None, ctypes.c_size_t(0), _LANDLOCK_VERSION)
    if version < 1:
        return
    # A rule over nothing is refused: before signals could be ruled, one over files that changes nothing.
    files = 0 if version >= 6 else _MAKE_BLOCK | (_REFER if version >= 2 else 0)
    rules = (ctypes.c_uint64 * 3)(files, 0, _SCOPE_SIGNAL if version >= 6 else 0)
    size = ctypes.c_size_t(ctypes.sizeof(rules) if version >= 6 else 8)
    ruleset = _landlock(_LANDLOCK_CREATE, ctypes.byref(rules), size, 0)
    if ruleset < 0:
        return
    if files:
        _allow_everywhere(ruleset, files)
    _landlock(_LANDLOCK_RESTRICT, ruleset, 0)
    os.close(ruleset)


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32)]


def _allow_everywhere(ruleset: int, rights: int) -> None:
    folder = os.open("/", os.O_RDONLY | os.O_DIRECTORY)
    rule = _PathBeneath(rights, folder)
    _landlock(_LANDLOCK_ADD, ruleset, 1, ctypes.byref(rule), 0)
    os.close(folder)


def _landlock(number: int, *arguments: Any) -> int:
    return int(ctypes.CDLL(None, use_errno=True).syscall(number, *arguments))


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
