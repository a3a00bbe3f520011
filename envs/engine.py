"""The compiled engine: one random word, one cache of machine code, and the loops over a batch of games.

A game is one record of a numpy structured dtype, a batch is an array of records. A game brings six *verbs*, functions over one
record that neither raise nor allocate:

=====================================  ==================================================================================
``reset(state, rules)``                deal a new game; the random word is already seeded
``step(state, rules, action) -> int``  play a legal action; :data:`RUNNING`, :data:`TERMINATED` or :data:`TRUNCATED`
``legal(state, rules, mask)``          write the action mask of the player to act, 1 = legal
``observe(state, rules, seat, out)``   write what ``seat`` may know
``redeal(state, rules, seat)``         shuffle all that ``seat`` cannot know; the random word is already a fresh one
``score(state, rules, scores, standings)``  the rulebook's points, and whole numbers of which the higher stands better
=====================================  ==================================================================================

``state`` is a record that begins with :data:`HEADER`, ``rules`` a read-only record with the component tables of the game.
:func:`install` adds the loops over a batch to the module that holds the verbs. They are installed there, not made by a closure,
because Numba finds only functions of a real module in its cache.
"""

import ast
import hashlib
import os
import shutil
import sys
import sysconfig
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
import numpy as np
from numba import config, njit, types

RUNNING, TERMINATED, TRUNCATED = 0, 1, 2
"""What ``step`` says of the game: it goes on, the rules ended it, a limit ended it."""

NO_PLAYER = -1

REWARD_KINDS = ("placement", "win", "score")
PLACEMENT, WIN, SCORE = range(3)

ILLEGAL_POLICIES = ("raise", "forfeit", "random")
RAISE, FORFEIT, RANDOM = range(3)

HEADER: list[tuple[str, Any]] = [
    ("rng", np.uint64),  # the only source of chance in the game: the state of a splitmix64 generator
    ("decisions", np.int32),  # decisions made so far
    ("current_player", np.int8),  # who decides now, NO_PLAYER when the game is over
]
"""The fields with which the record of every game begins."""

STREAM = np.dtype([("seed", np.uint64), ("row", np.int64), ("episode", np.int64)], align=True)
"""What a game is seeded from: its trajectory depends on these three numbers and its actions alone."""


# --- compiling ----------------------------------------------------------------------------------------------------------


@cache
def _layout_name(layout: str) -> str:
    return f"r{hashlib.sha256(layout.encode()).hexdigest()[:24]}"


# Numba names a function compiled for a record after a number that counts the types of the process. Machine code that two
# processes have cached, for two players and for four, may then bear the same name, and a third process that loads both runs
# the wrong one. Named after the layout of the record, no two are alike.
types.Record.mangling_args = property(lambda record: ("Record", (_layout_name(record.name),)))


def jit(function: Callable) -> Any:
    """Compiles a rule function; it is cached as a part of the loops that call it."""
    return njit(error_model="numpy")(function)


def inline(function: Callable) -> Any:
    """Compiles a small helper into its callers (worth up to 2x where a record is passed)."""
    return njit(error_model="numpy", forceinline=True)(function)


def kernel(function: Callable) -> Any:
    """Compiles a function called from Python, keeps its machine code on disk and lets other threads run meanwhile."""
    folder = cache_folder(Path(function.__code__.co_filename))
    if folder is None:
        return njit(error_model="numpy", nogil=True)(function)
    before = config.CACHE_DIR
    config.CACHE_DIR = folder
    try:
        return njit(error_model="numpy", nogil=True, cache=True)(function)
    finally:
        config.CACHE_DIR = before


@cache
def cache_folder(source: Path) -> str | None:
    """A writable folder for the machine code of a file, keyed by all sources it is made from; None if there is no place.

    Numba itself looks only at the file of the cached function, so an edited callee in another file would run stale.
    """
    if config.DISABLE_JIT:
        return None
    for parent in _cache_parents():
        folder = parent / f"machine-code-{_digest(source)}"
        try:
            if not folder.is_dir():
                folder.mkdir(parents=True, exist_ok=True)
                _forget_old(parent, keep=32)
            probe = folder / f".probe-{os.getpid()}"
            probe.touch()
            probe.unlink()
        except OSError:
            continue
        return str(folder)
    return None


def _cache_parents() -> list[Path]:
    named = os.environ.get("NUMBA_CACHE_DIR")
    if named:
        return [Path(named)]
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return [Path(__file__).parent / "__pycache__", Path(home) / "fairy_rings"]


def _digest(source: Path) -> str:
    digest = hashlib.sha256(f"{numba.__version__} {np.__version__}".encode())
    for file in sorted(sources_of(source)):
        digest.update(str(file).encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def sources_of(source: Path) -> set[Path]:
    """A source file and all that it imports, directly or not, at module level and outside installed libraries."""
    found: set[Path] = set()
    waiting = [source.resolve(), Path(__file__).resolve()]
    while waiting:
        file = waiting.pop()
        if file not in found:
            found.add(file)
            waiting += [imported for name in _imports(file) for imported in _own_files(name)]
    return found


def _imports(file: Path) -> list[str]:
    names = []
    for node in ast.parse(file.read_bytes()).body:
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return names


def _own_files(name: str) -> list[Path]:
    """The files that importing a module runs, its packages' among them; none for libraries."""
    files = []
    parts = name.split(".")
    for end in range(1, len(parts) + 1):
        module = sys.modules.get(".".join(parts[:end]))
        origin = getattr(module, "__file__", None)
        if origin is None:
            return files
        file = Path(origin).resolve()
        if file.suffix != ".py" or _LIBRARIES.intersection(file.parents):
            return []
        files.append(file)
    return files


_LIBRARIES = {Path(sysconfig.get_path(kind)).resolve() for kind in ("stdlib", "purelib", "platlib")}


def _forget_old(parent: Path, keep: int) -> None:
    folders = sorted(parent.glob("machine-code-*"), key=lambda folder: folder.stat().st_mtime, reverse=True)
    for folder in folders[keep:]:
        shutil.rmtree(folder, ignore_errors=True)


# --- chance -------------------------------------------------------------------------------------------------------------

# splitmix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_U27, _U30, _U31, _U32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)


def _wrapping(function: Callable) -> Callable:
    """64-bit words wrap by design; without the compiler numpy would warn of it each time."""
    return np.errstate(over="ignore")(function) if config.DISABLE_JIT else inline(function)


@_wrapping
def mix(word):
    """A 64-bit hash of a 64-bit word (the output function of splitmix64)."""
    word = (word ^ (word >> _U30)) * _MIX_1
    word = (word ^ (word >> _U27)) * _MIX_2
    return word ^ (word >> _U31)


@_wrapping
def mix_in(word, number):
    """A 64-bit hash of a word and a whole number."""
    return mix((word ^ np.uint64(number)) + _GAMMA)


@_wrapping
def draw(state):
    """The next random word of a game, ``uint64``."""
    state["rng"] = state["rng"] + _GAMMA
    return mix(state["rng"])


@_wrapping
def below(state, bound):
    """A random number from 0 to ``bound`` - 1 (biased by less than ``bound`` / 2**32; Lemire 2019)."""
    return np.int64(((draw(state) >> _U32) * np.uint64(bound)) >> _U32)


@_wrapping
def scaled(word, bound):
    """A word made into a number from 0 to ``bound`` - 1."""
    return np.int64(((word >> _U32) * np.uint64(bound)) >> _U32)


@_wrapping
def seed_word(seed, row, episode):
    """The first random word of a game."""
    return mix_in(mix_in(mix(seed + _GAMMA), row), episode)


def word_of(*numbers: int) -> np.uint64:
    """A random word made of whole numbers from 0, the same on every machine."""
    word = np.uint64(0)
    with np.errstate(over="ignore"):
        for number in numbers:
            word = np.uint64(mix_in(word, np.uint64(number)))
    return word


_BYTES = np.uint64(0x0101010101010101)  # 1 in every byte
_TOPS = np.uint64(0x8080808080808080)  # the top bit of every byte
_DIAGONAL = np.uint64(0x8040201008040201)  # bit n in byte n
_U1, _U2, _U4, _U7, _U8, _U56 = map(np.uint64, (1, 2, 4, 7, 8, 56))
_EVEN_BITS, _EVEN_PAIRS, _EVEN_FOURS = map(np.uint64, (0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F))
_ONE_BYTE, _ALL_BUT_TOPS = np.uint64(0xFF), ~_TOPS


@_wrapping
def byte_total(counts):
    """The sum of the eight bytes of a word, which is below 256."""
    return (counts * _BYTES) >> _U56


@_wrapping
def find_byte(counts, rank):
    """At which byte of a word the sum of the bytes up to it first exceeds ``rank``, which is below the sum of all, at most 127."""
    sums = counts * _BYTES
    return byte_total(((_BYTES * rank | _TOPS) - sums & _TOPS) >> _U7)


@_wrapping
def _bits_of_bytes(bits):
    """How many bits are set in each byte of a word."""
    bits = bits - (bits >> _U1 & _EVEN_BITS)
    bits = (bits & _EVEN_PAIRS) + (bits >> _U2 & _EVEN_PAIRS)
    return bits + (bits >> _U4) & _EVEN_FOURS


@_wrapping
def _find_bit(bits, rank):
    """The place of the bit that is set after ``rank`` other ones."""
    counts = _bits_of_bytes(bits)
    shift = find_byte(counts, rank) * _U8
    rank -= (counts * _BYTES << _U8) >> shift & _ONE_BYTE
    spread = ((bits >> shift & _ONE_BYTE) * _BYTES & _DIAGONAL) + _ALL_BUT_TOPS
    return shift + find_byte((spread & _TOPS) >> _U7, rank)


@inline
def _as_bits(mask, start):
    """Up to 64 entries of a mask, from ``start`` on, as the bits of a word."""
    part = mask[start : start + 64]
    bits = np.uint64(0)
    for place in range(len(part)):
        bits |= np.uint64(part[place]) << np.uint64(place)
    return bits


@_wrapping
def pick(mask, word):
    """The legal action that a random word falls on, each with the same chance; 0 when none is legal."""
    legal = 0
    for action in range(len(mask)):
        legal += int(mask[action])
    if legal == 0:
        return 0
    # The action that comes after `rank` other legal ones; looking for it in whole words is 2x as fast as one by one.
    rank = np.uint64(scaled(word, legal))
    start, bits = 0, _as_bits(mask, 0)
    count = byte_total(_bits_of_bytes(bits))
    while rank >= count:
        rank -= count
        start += 64
        bits = _as_bits(mask, start)
        count = byte_total(_bits_of_bytes(bits))
    return start + np.int64(_find_bit(bits, rank))


# --- results ------------------------------------------------------------------------------------------------------------


@jit
def write_results(kind, standings, scores, rewards, ranks):
    """Turns standings (higher is better, equal is a tie) into ranks from 1 and rewards of the asked kind."""
    players = len(standings)
    winners = 0
    for p in range(players):
        beaten, lost = 0, 0
        for q in range(players):
            beaten += standings[p] > standings[q]
            lost += standings[p] < standings[q]
        ranks[p] = lost + 1
        winners += lost == 0
        rewards[p] = np.float32(beaten - lost) / np.float32(players - 1)
    if kind == WIN:
        for p in range(players):
            rewards[p] = np.float32(1.0) / np.float32(winners) if ranks[p] == 1 else np.float32(0.0)
    elif kind == SCORE:
        for p in range(players):
            rewards[p] = scores[p]


@jit
def write_forfeit(kind, offender, scores, rewards, ranks):
    """The offender comes last, the others share the victory; under "score" it gets nothing for its game."""
    players = len(rewards)
    for p in range(players):
        ranks[p] = 1
        rewards[p] = np.float32(1.0) / np.float32(players - 1)
        if kind == SCORE:
            rewards[p] = scores[p]
    ranks[offender] = players
    rewards[offender] = np.float32(-1.0) if kind == PLACEMENT else np.float32(0.0)


# --- the loops over a batch ---------------------------------------------------------------------------------------------

_LOOPS = '''
@engine_jit
def _seed(state, stream):
    state["rng"] = seed_word(stream["seed"], stream["row"], stream["episode"])
    state["decisions"] = 0


@engine_jit
def _finish(state, rules, code, kind, result):
    """Writes rewards, ranks and scores of a game that is over; a truncated game has no winner and pays nobody."""
    score(state, rules, result["scores"], result["standings"])
    write_results(kind, result["standings"], result["scores"], result["rewards"], result["ranks"])
    if code == TRUNCATED:
        for p in range(len(result["rewards"])):
            result["rewards"][p] = np.float32(0.0)
            result["ranks"][p] = 1
    result["length"] = state["decisions"]


@engine_jit
def _advance(state, rules, action, kind, result):
    state["decisions"] += 1
    code = step(state, rules, action)
    if code != RUNNING:
        _finish(state, rules, code, kind, result)
    return code


@engine_jit
def _forfeit(state, rules, kind, result):
    """Ends a game because of the illegal action of the player to act."""
    state["decisions"] += 1
    score(state, rules, result["scores"], result["standings"])
    write_forfeit(kind, state["current_player"], result["scores"], result["rewards"], result["ranks"])
    result["length"] = state["decisions"]
    return TERMINATED


@engine_jit
def _deal_next(state, rules, stream):
    """Deals the next game of a row; a deal that is over before anybody has decided anything is passed over."""
    passed_over = -1
    while True:
        stream["episode"] += 1
        _seed(state, stream)
        reset(state, rules)
        passed_over += 1
        if state["current_player"] >= 0:
            return passed_over


@engine_kernel
def reset_batch(states, rules, streams, kind, autoreset, observations, masks, seats, results, codes):
    """Deals a game in every row (its episode as given); returns how many deals were passed over."""
    passed_over = 0
    for i in range(len(states)):
        state = states[i]
        codes[i] = RUNNING
        _seed(state, streams[i])
        reset(state, rules[0])
        if state["current_player"] < 0:
            if autoreset:
                passed_over += 1 + _deal_next(state, rules[0], streams[i])
            else:
                codes[i] = TERMINATED
                _finish(state, rules[0], TERMINATED, kind, results[i])
        _show(state, rules[0], observations[i]["row"], masks[i]["row"])
        seats[i] = state["current_player"]
    return passed_over


@engine_jit
def _show(state, rules, observation, mask):
    """Writes the view of the player to act; of a game that is over, seat 0's view and no legal action."""
    observe(state, rules, max(0, int(state["current_player"])), observation)
    if state["current_player"] >= 0:
        legal(state, rules, mask)
    else:
        mask[:] = 0


@engine_kernel
def show_batch(states, rules, observations, masks, seats):
    """Writes observation, mask and seat to act of every row."""
    for i in range(len(states)):
        _show(states[i], rules[0], observations[i]["row"], masks[i]["row"])
        seats[i] = states[i]["current_player"]


@engine_kernel
def legal_single(states, rules, masks):
    """Writes the action mask of one game that is not over."""
    legal(states[0], rules[0], masks[0]["row"])


@engine_kernel
def first_illegal(masks, seats, actions):
    """The first row with an illegal action, -1 if there is none."""
    for i in range(len(actions)):
        action = actions[i]
        if seats[i] >= 0 and (action < 0 or action >= len(masks[i]["row"]) or not masks[i]["row"][action]):
            return i
    return -1


@engine_kernel
def step_batch(states, rules, streams, actions, kind, policy, autoreset, observations, masks, seats, results, codes, finals):
    """Plays one decision in every row that is not over.

    Returns the number of games that ended and of deals passed over; with policy RAISE the caller has made sure that
    every action is legal.
    """
    ended, passed_over = 0, 0
    for i in range(len(states)):
        state, result, mask = states[i], results[i], masks[i]["row"]
        for p in range(len(result["rewards"])):
            result["rewards"][p] = np.float32(0.0)
        codes[i] = RUNNING
        if seats[i] < 0:
            continue
        action = actions[i]
        result["illegal"] = action < 0 or action >= len(mask) or not mask[action]
        if result["illegal"] and policy == RANDOM:
            action = pick(mask, mix_in(state["rng"], 1))
        if result["illegal"] and policy == FORFEIT:
            codes[i] = _forfeit(state, rules[0], kind, result)
            state["current_player"] = NO_PLAYER
        else:
            codes[i] = _advance(state, rules[0], action, kind, result)
        if codes[i] != RUNNING:
            ended += 1
            if codes[i] == TRUNCATED:
                for p in range(len(result["rewards"])):
                    observe(state, rules[0], p, finals[i * len(result["rewards"]) + p]["row"])
            if autoreset:
                passed_over += _deal_next(state, rules[0], streams[i])
        _show(state, rules[0], observations[i]["row"], mask)
        seats[i] = state["current_player"]
    return ended, passed_over


@engine_kernel
def observe_batch(states, rules, seats, observations):
    """Writes the view of seat ``seats[i]`` of every row."""
    for i in range(len(states)):
        observe(states[i], rules[0], seats[i], observations[i]["row"])


@engine_kernel
def redeal_batch(states, rules, seats, words, worlds):
    """Copies every row into ``worlds`` and shuffles there all that seat ``seats[i]`` cannot know."""
    for i in range(len(states)):
        worlds[i] = states[i]
        worlds[i]["rng"] = words[i]
        redeal(worlds[i], rules[0], seats[i])


@engine_kernel
def sample_batch(masks, words, actions):
    """A random legal action for every row; each row's word moves on."""
    for i in range(len(actions)):
        words[i] = mix_in(words[i], 0)
        actions[i] = pick(masks[i]["row"], words[i])


@engine_kernel
def single_reset(io, stream, kind):
    """Deals the one game of ``io``; returns the code of a game that may be over at once."""
    game = io[0]
    code = RUNNING
    _seed(game["state"], stream[0])
    reset(game["state"], game["rules"])
    if game["state"]["current_player"] < 0:
        code = TERMINATED
        _finish(game["state"], game["rules"], code, kind, game["result"])
    _show(game["state"], game["rules"], game["observation"], game["mask"])
    return code * 256 + int(game["state"]["current_player"]) + 1


@engine_kernel
def single_step(io, action, kind, policy):
    """Plays one decision in the one game of ``io``: code * 256 + seat to act + 1, or -1 for an illegal action."""
    game = io[0]
    mask = game["mask"]
    illegal = action < 0 or action >= len(mask) or not mask[action]
    if illegal and policy == RAISE:
        return -1
    if illegal and policy == RANDOM:
        action = pick(mask, mix_in(game["state"]["rng"], 1))
    game["result"]["illegal"] = illegal
    if illegal and policy == FORFEIT:
        code = _forfeit(game["state"], game["rules"], kind, game["result"])
        game["state"]["current_player"] = NO_PLAYER
    else:
        code = _advance(game["state"], game["rules"], action, kind, game["result"])
    _show(game["state"], game["rules"], game["observation"], mask)
    return code * 256 + int(game["state"]["current_player"]) + 1


@engine_kernel
def single_show(io):
    """Writes observation and mask of the one game of ``io`` anew."""
    _show(io[0]["state"], io[0]["rules"], io[0]["observation"], io[0]["mask"])


@engine_kernel
def single_observe(io, seat, observations):
    """Writes the view of any seat of the one game of ``io``."""
    observe(io[0]["state"], io[0]["rules"], seat, observations[0]["row"])
'''


def install(namespace: dict[str, Any]) -> None:
    """Adds the loops over a batch to a module that holds the six verbs.

    Args:
        namespace: ``globals()`` of that module; call this after the verbs are defined or imported.

    Raises:
        TypeError: A verb is missing.
    """
    missing = [verb for verb in ("reset", "step", "legal", "observe", "redeal", "score") if verb not in namespace]
    if missing:
        raise TypeError(f"{namespace['__name__']} lacks the rule functions {', '.join(missing)}")
    tools = dict(
        engine_jit=jit, engine_kernel=kernel, np=np, seed_word=seed_word, mix_in=mix_in, pick=pick,
        write_results=write_results, write_forfeit=write_forfeit, RUNNING=RUNNING, TERMINATED=TERMINATED,
        TRUNCATED=TRUNCATED, NO_PLAYER=NO_PLAYER, RAISE=RAISE, FORFEIT=FORFEIT, RANDOM=RANDOM,
    )  # fmt: skip
    for name, tool in tools.items():
        namespace.setdefault(name, tool)
    exec(compile(_LOOPS, namespace["__file__"], "exec"), namespace)


# --- memory -------------------------------------------------------------------------------------------------------------


def rows(array: np.ndarray) -> np.ndarray:
    """The same memory as ``(N,)`` records with the one field ``row``.

    A row view of a plain array counts references at every use in compiled code; a record's field does not (2x).

    Args:
        array: ``(N, K)`` contiguous.
    """
    return array.view([("row", array.dtype, (array.shape[1],))]).reshape(len(array))


def record_dtype(fields: Sequence[tuple[Any, ...]]) -> np.dtype:
    """The aligned record of a game, from :data:`HEADER` and the game's own fields.

    The gaps that alignment leaves are fields too: numpy, unlike compiled code, leaves whatever it finds in them when it
    copies a record, and then equal games would differ in their bytes.
    """
    aligned = np.dtype([*HEADER, *fields], align=True)
    names, formats, offsets, end = [], [], [], 0
    for name in aligned.names:
        kind, offset = aligned.fields[name][:2]
        if offset > end:
            names, formats, offsets = [*names, f"_gap_{end}"], [*formats, (np.int8, (offset - end,))], [*offsets, end]
        names, formats, offsets, end = [*names, name], [*formats, kind], [*offsets, offset], offset + kind.itemsize
    if aligned.itemsize > end:
        names, formats, offsets = [*names, f"_gap_{end}"], [*formats, (np.int8, (aligned.itemsize - end,))], [*offsets, end]
    layout = {"names": names, "formats": formats, "offsets": offsets, "itemsize": aligned.itemsize}
    return np.dtype(layout, align=True)


def result_dtype(num_players: int) -> np.dtype:
    """What a finished game leaves: per seat rewards, scores, standings and ranks; its length."""
    per_seat = (num_players,)
    return np.dtype(
        [
            ("rewards", np.float32, per_seat),
            ("scores", np.float32, per_seat),
            ("standings", np.int64, per_seat),
            ("ranks", np.int8, per_seat),
            ("length", np.int32),
            ("illegal", np.bool_),  # the last action was illegal
        ],
        align=True,
    )


def is_compiled(function: Any) -> bool:
    """Whether a kernel runs as machine code (not with ``NUMBA_DISABLE_JIT=1``)."""
    return not config.DISABLE_JIT and hasattr(function, "signatures")


def module_kernels(module: ModuleType) -> ModuleType:
    """The module itself, after a check that the loops were installed in it."""
    if not hasattr(module, "step_batch"):
        raise TypeError(f"{module.__name__} has no compiled loops: call engine.install(globals()) at its end")
    return module
