"""The loops over a batch of games: source text that ``engine.install`` runs in the module of every game's verbs.

There ``reset``, ``step``, ``legal``, ``observe``, ``redeal`` and ``score`` are the game's own rule functions. The loops are not
made by a closure over them, because Numba finds only functions of a real module in its cache.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from envs.engine import (
    FORFEIT,
    NO_PLAYER,
    RAISE,
    RANDOM,
    RUNNING,
    TERMINATED,
    TRUNCATED,
    pack_turn,
    write_forfeit,
    write_results,
)
from envs.engine.compiler import jit, kernel, merged
from envs.engine.rng import mix_in, pick, seed_word

if TYPE_CHECKING:
    reset: Any
    step: Any
    legal: Any
    observe: Any
    describe: Any
    redeal: Any
    score: Any

if "observe_again" not in globals():

    @jit
    def observe_again(state, rules, seat, out, trace):
        """Writes a view as a whole, for games that do not know better."""
        observe(state, rules, seat, out)


if "describe" not in globals():

    @jit
    def describe(state, rules, seat, mask, tools, out):
        """Writes nothing, for games that do not describe their actions."""


if "fault_of" not in globals():

    @jit
    def fault_of(state, rules, scratch):
        """Finds nothing impossible, for games whose records come from nowhere else."""
        return 0


@jit
def _seed(state, stream):
    state["rng"] = seed_word(stream["seed"], stream["row"], stream["episode"])
    state["decisions"] = 0


@jit
def _finish(state, rules, code, kind, result):
    """Writes rewards, ranks and scores of a game that is over; a truncated game has no winner and pays nobody."""
    score(state, rules, result["scores"], result["standings"])
    write_results(kind, result["standings"], result["scores"], result["rewards"], result["ranks"])
    if code == TRUNCATED:
        for p in range(len(result["rewards"])):
            result["rewards"][p] = np.float32(0.0)
            result["ranks"][p] = 1
    result["length"] = state["decisions"]


@merged
def _advance(state, rules, action, kind, result):
    state["decisions"] += 1
    code = step(state, rules, action)
    if code != RUNNING:
        _finish(state, rules, code, kind, result)
    return code


@jit
def _forfeit(state, rules, kind, result):
    """Ends a game because of the illegal action of the player to act."""
    state["decisions"] += 1
    score(state, rules, result["scores"], result["standings"])
    write_forfeit(kind, state["current_player"], result["scores"], result["rewards"], result["ranks"])
    result["length"] = state["decisions"]
    return TERMINATED


@merged
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


@kernel
def reset_batch(states, rules, streams, kind, autoreset, observations, traces, masks, seats, results, codes):
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
        _show_again(state, rules[0], observations[i]["row"], traces[i]["row"], masks[i]["row"])
        seats[i] = state["current_player"]
    return passed_over


@jit
def _show(state, rules, observation, mask):
    """Writes the view of the player to act; of a game that is over, seat 0's view and no legal action."""
    observe(state, rules, max(0, int(state["current_player"])), observation)
    _mark_legal(state, rules, mask)


@merged
def _show_again(state, rules, observation, trace, mask):
    """The same in a row that is written again and again."""
    observe_again(state, rules, max(0, int(state["current_player"])), observation, trace)
    _mark_legal(state, rules, mask)


@merged
def _mark_legal(state, rules, mask):
    if state["current_player"] >= 0:
        legal(state, rules, mask)
    else:
        mask[:] = 0


@kernel
def show_batch(states, rules, observations, traces, masks, seats):
    """Writes observation, mask and seat to act of every row."""
    for i in range(len(states)):
        _show_again(states[i], rules[0], observations[i]["row"], traces[i]["row"], masks[i]["row"])
        seats[i] = states[i]["current_player"]


@kernel
def legal_single(states, rules, masks):
    """Writes the action mask of one game that is not over."""
    legal(states[0], rules[0], masks[0]["row"])


@kernel
def first_illegal(masks, seats, actions):
    """The first row with an illegal action, -1 if there is none."""
    for i in range(len(actions)):
        action = actions[i]
        if seats[i] >= 0 and (action < 0 or action >= len(masks[i]["row"]) or not masks[i]["row"][action]):
            return i
    return -1


@kernel
def step_batch(
    states, rules, streams, actions, kind, policy, autoreset, observations, traces, masks, seats, results, codes, finals
):
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
        _show_again(state, rules[0], observations[i]["row"], traces[i]["row"], mask)
        seats[i] = state["current_player"]
    return ended, passed_over


@kernel
def observe_batch(states, rules, seats, observations):
    """Writes the view of seat ``seats[i]`` of every row."""
    for i in range(len(states)):
        observe(states[i], rules[0], seats[i], observations[i]["row"])


@jit
def _describe(state, rules, mask, tools, out):
    """Describes the legal actions of the player to act in a row that holds zeros, or what was written there before."""
    columns = out.shape[1]
    for action in range(len(mask)):
        if out[action, 0] != 0:
            for column in range(columns):
                out[action, column] = 0
        out[action, 0] = mask[action]
    if state["current_player"] >= 0:
        describe(state, rules, int(state["current_player"]), mask, tools, out)


@kernel
def describe_batch(states, rules, masks, tools, features):
    """Describes the legal actions of every row; the numbers of all other actions are 0."""
    for i in range(len(states)):
        _describe(states[i], rules[0], masks[i]["row"], tools, features[i]["row"])


@kernel
def standings_batch(states, rules, results):
    """Writes scores and standings of every row as they are now."""
    for i in range(len(states)):
        score(states[i], rules[0], results[i]["scores"], results[i]["standings"])


@kernel
def redeal_batch(states, rules, seats, words, worlds):
    """Copies every row into ``worlds`` and shuffles there all that seat ``seats[i]`` cannot know."""
    for i in range(len(states)):
        worlds[i] = states[i]
        worlds[i]["rng"] = words[i]
        redeal(worlds[i], rules[0], seats[i])


@kernel
def check_batch(states, rules, scratch, faults):
    """Writes for every row 0, or 1 + the place of its first impossible field; see ``fault_of``."""
    for i in range(len(states)):
        faults[i] = fault_of(states[i], rules[0], scratch[0])


@kernel
def sample_batch(masks, words, actions):
    """A random legal action for every row; each row's word moves on."""
    for i in range(len(actions)):
        words[i] = mix_in(words[i], 0)
        actions[i] = pick(masks[i]["row"], words[i])


@kernel
def single_reset(io, stream, kind):
    """Deals the one game of ``io``; returns code and seat to act, packed: it may be over at once."""
    game = io[0]
    code = RUNNING
    _seed(game["state"], stream[0])
    reset(game["state"], game["rules"])
    if game["state"]["current_player"] < 0:
        code = TERMINATED
        _finish(game["state"], game["rules"], code, kind, game["result"])
    _show(game["state"], game["rules"], game["observation"], game["mask"])
    return pack_turn(code, int(game["state"]["current_player"]))


@kernel
def single_step(io, action, kind, policy):
    """Plays one decision in the one game of ``io``; returns code and seat to act, packed, or -1 for an illegal action."""
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
    return pack_turn(code, int(game["state"]["current_player"]))


@kernel
def single_show(io):
    """Writes observation and mask of the one game of ``io`` anew."""
    _show(io[0]["state"], io[0]["rules"], io[0]["observation"], io[0]["mask"])


@kernel
def single_observe(io, seat, observations):
    """Writes the view of any seat of the one game of ``io``."""
    observe(io[0]["state"], io[0]["rules"], seat, observations[0]["row"])


@kernel
def single_describe(io, tools, features):
    """Describes the legal actions of the one game of ``io``."""
    _describe(io[0]["state"], io[0]["rules"], io[0]["mask"], tools, features[0]["row"])
