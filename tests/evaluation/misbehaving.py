"""Agents that misbehave; nothing but a player's process may import this.

Each plays its lowest legal action where it does not do what its name says.
"""

import ctypes
import gc
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

import numpy as np

SLEEP = "987.125"  # seconds of a program by which the tests find what was left behind


class Lowest:
    """Plays well."""

    def __init__(self, game):
        self.game = game

    def act(self, observations, action_masks, worlds):
        self.misbehave()
        return action_masks.argmax(axis=1)

    def misbehave(self):
        """Nothing yet."""


def error(name, raise_it):
    """A class of agents that raise something."""
    return type(name, (Lowest,), {"misbehave": lambda self: raise_it()})


def throw(thrown):
    raise thrown


class Mute(Exception):
    def __str__(self):
        raise SystemExit(0)


class Own(BaseException):
    pass


class Shy(type):
    @property
    def __name__(cls):
        raise KeyboardInterrupt


Nameless = Shy("Nameless", (Exception,), {})

class BothSides(Lowest):
    """Plays well, and says so when it has been asked for two seats."""

    seats: set = set()

    def act(self, observations, action_masks, worlds):
        self.seats |= set(worlds["current_player"].tolist())
        if len(self.seats) > 1:
            raise ValueError("I have seen both hands")
        return action_masks.argmax(axis=1)


Interrupts = error("Interrupts", lambda: throw(KeyboardInterrupt("stop")))
GeneratorEnds = error("GeneratorEnds", lambda: throw(GeneratorExit))
SystemEnds = error("SystemEnds", lambda: throw(SystemExit(0)))
OwnBase = error("OwnBase", lambda: throw(Own("mine")))
NoWords = error("NoWords", lambda: throw(Mute()))
NoName = error("NoName", lambda: throw(Nameless("who")))
Surrogate = error("Surrogate", lambda: throw(ValueError("half \ud800 a letter")))
FiveMegabytes = error("FiveMegabytes", lambda: throw(ValueError("x" * 5_000_000)))
LongName = error("LongName", lambda: throw(type("y" * 5_000_000, (Exception,), {})()))
Control = error("Control", lambda: throw(ValueError("\x1b[2J\x07red\x00\x9b31m\u202eback\tand  forth")))
PosesAsSlow = error("PosesAsSlow", lambda: throw(type("too slow", (Exception,), {})("1 s")))
Recursion = error("Recursion", lambda: Recursion(None).misbehave())

Exits = error("Exits", lambda: (print("leaderboard: all as it says", flush=True), os._exit(0)))
ExitsWith3 = error("ExitsWith3", lambda: os._exit(3))
Aborts = error("Aborts", os.abort)
Crashes = error("Crashes", lambda: ctypes.string_at(0))
Replaces = error("Replaces", lambda: os.execv("/bin/true", ["true"]))
KillsItself = error("KillsItself", lambda: os.kill(os.getpid(), signal.SIGKILL))
ClosesAll = error("ClosesAll", lambda: os.closerange(0, 4096))
ClosesAllAndStays = error("ClosesAllAndStays", lambda: (os.closerange(0, 4096), time.sleep(60)))

Sleeps = error("Sleeps", lambda: time.sleep(60))
Stops = error("Stops", lambda: os.kill(os.getpid(), signal.SIGSTOP))
SleepsUninterrupted = error(
    "SleepsUninterrupted", lambda: [signal.signal(number, signal.SIG_IGN) for number in (2, 15)] and time.sleep(60)
)

Hoards = error("Hoards", lambda: np.ones(100 << 30, np.int8))
AsksTheUser = error("AsksTheUser", input)


class HugeFile(Lowest):
    """Fills the disk, if it may."""

    def misbehave(self):
        with tempfile.TemporaryFile() as file:
            file.truncate(100 << 30)


class Lazy:
    """An answer that is computed when somebody looks at it."""

    def __init__(self, compute):
        self.compute = compute

    def __array__(self, *arguments, **more):
        return self.compute()


def answers(name, answer):
    """A class of agents that answer something."""
    return type(name, (Lowest,), {"act": lambda self, observations, action_masks, worlds: answer(action_masks)})


LateArray = answers("LateArray", lambda masks: Lazy(lambda: time.sleep(60)))
ArrayEnds = answers("ArrayEnds", lambda masks: Lazy(sys.exit))
WrongShape = answers("WrongShape", lambda masks: np.zeros((len(masks), 1), np.int64))
TooMany = answers("TooMany", lambda masks: np.zeros(100_000, np.int64))
Floats = answers("Floats", lambda masks: masks.argmax(axis=1).astype(float))
NotFinite = answers("NotFinite", lambda masks: np.full(len(masks), np.nan))
Nothing = answers("Nothing", lambda masks: None)
Illegal = answers("Illegal", lambda masks: np.full(len(masks), 99))
Negative = answers("Negative", lambda masks: np.full(len(masks), -1))


def open_sockets():
    """The file descriptors of all sockets of this process."""
    for name in os.listdir("/proc/self/fd"):
        try:
            if os.readlink(f"/proc/self/fd/{name}").startswith("socket"):
                yield int(name)
        except OSError:
            continue


def write_to_sockets(content):
    for descriptor in open_sockets():
        os.set_blocking(descriptor, False)
        try:
            os.write(descriptor, content)
        except OSError:
            continue
        finally:
            os.set_blocking(descriptor, True)


FloodsItsAnswer = error("FloodsItsAnswer", lambda: write_to_sockets(os.urandom(60_000)))
AnswersTwice = error("AnswersTwice", os.fork)


class AnswersBeforeItIsAsked(Lowest):
    """Writes an answer for the next ask behind its own."""

    asks = 0

    def misbehave(self):
        self.asks += 1
        number = self.asks + 1
        threading.Timer(0.05, write_to_sockets, [number.to_bytes(8, "little") + b"\3\0\0\0\10\0\0\0" + bytes(8)]).start()
        time.sleep(0.1)


class Floods(Lowest):
    """Prints a lot and plays on."""

    def misbehave(self):
        for stream in (sys.stdout, sys.stderr, sys.__stdout__):
            stream.write("all as it says\n" * 100_000)
        os.write(1, b"all as it says\n" * 100_000)


class LeavesProcesses(Lowest):
    """Starts programs: of its own group, of another session, and some whose parents have ended."""

    def misbehave(self):
        for is_new in (False, True):
            subprocess.Popen(["sleep", SLEEP], start_new_session=is_new)
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.execvp("sleep", ["sleep", SLEEP])
            os._exit(0)


class LeavesProcessesAndExits(LeavesProcesses):
    """The same, and is gone."""

    def misbehave(self):
        super().misbehave()
        os._exit(1)


class Writes(Lowest):
    """Changes all that it is given, and libraries."""

    def act(self, observations, action_masks, worlds):
        chosen = action_masks.argmax(axis=1)
        observations[:], action_masks[:] = 9, 1
        worlds[:] = np.zeros((), worlds.dtype)
        with suppress(ValueError):  # the numbers of a game cannot be written
            self.game.rules.view(np.uint8)[:] = 255
        np.argmax = json.dumps = os.write = None
        return chosen


FORBIDDEN = ("Tournament", "GameBatch", "Secret", "Chunk", "Match", "Player", "HostedAgent", "Server", "UnfinishedResults")


class Walks(Lowest):
    """Looks at every frame and object of its process for something of the tournament."""

    def misbehave(self):
        names = {type(thing).__name__ for thing in gc.get_objects()} & set(FORBIDDEN)
        frame, modules = sys._getframe(), sorted(name for name in sys.modules if name.startswith("evaluation"))
        while frame:
            names |= {name for name in frame.f_locals if name in ("deals", "secret", "lineup", "outcomes", "seed")}
            frame = frame.f_back
        if names or modules:
            raise AssertionError(f"found {names} {modules}")


def judge():
    """The number of the judging process: this one's keeper was forked by the server, which the judge has started."""
    number = os.getpid()
    for _ in range(3):
        number = int(Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[1])
    return number


def processes_above():
    return (os.getppid(), judge())


class Peeks(Lowest):
    """Looks into the processes above it, and into those of other agents."""

    def misbehave(self):
        others = [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]
        for number in others:
            for name in ("mem", "environ", "maps", "fd/0"):
                try:
                    seen = os.read(os.open(f"/proc/{number}/{name}", os.O_RDONLY), 1)
                except OSError:
                    continue
                if not seen:  # a thread of the kernel has no memory
                    continue
                raise AssertionError(f"read /proc/{number}/{name} {processes_above()}")


class Kills(Lowest):
    """Ends the processes above it."""

    def misbehave(self):
        refused = 0
        for number in processes_above():
            for sign in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
                try:
                    os.kill(number, sign)
                except PermissionError:
                    refused += 1
        if refused < 6:
            raise AssertionError(f"only {refused} signals were refused")


class KillsItsKeeper(Lowest):
    """Ends its parent, where that is possible."""

    def misbehave(self):
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(0.2)


class Tells(Lowest):
    """Tells its surroundings."""

    def misbehave(self):
        limits = [resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_DATA, resource.RLIMIT_FSIZE, resource.RLIMIT_CORE)]
        open_files = len(os.listdir("/proc/self/fd"))
        raise RuntimeError(f"{'SECRET_OF_THE_JUDGE' in os.environ} {limits} {open_files} {os.getsid(0) == os.getpid()}")


class Boxed(Lowest):
    """Tells whether it can write to a file, use the network, and write where it may, and how many processes it sees."""

    def misbehave(self):
        done = []
        for name, attempt in (
            ("write", lambda: Path(__file__).with_suffix(".written").write_text("x")),
            ("connect", lambda: socket.create_connection(("192.0.2.1", 80), 1)),
            ("scratch", lambda: Path(tempfile.gettempdir(), "scratch").write_text("x")),
        ):
            with suppress(OSError, ValueError):
                attempt()
                done.append(name)
        raise RuntimeError(f"{done} {len(list(filter(str.isdigit, os.listdir('/proc'))))}")


class Cautious(Lowest):
    """Ends or fails in the few games in which one of its words is of a certain kind."""

    def act(self, observations, action_masks, worlds):
        if (worlds["rng"] % 128 == 0).any():
            os._exit(5)
        if (worlds["rng"] % 128 == 1).any():
            raise ValueError(f"{len(worlds)} games")
        return action_masks.argmax(axis=1)


class NeverMade(Lowest):
    def __init__(self, game):
        os._exit(4)


class InterruptsWhenMade(Lowest):
    def __init__(self, game):
        raise KeyboardInterrupt("not me")


class NeverDone(Lowest):
    def __init__(self, game):
        time.sleep(60)


class HasNoAct:
    def __init__(self, game):
        """It does nothing."""
