"""Information-set Monte Carlo tree search: source text that ``agents.search.install`` runs for every game.

There ``step``, ``legal``, ``redeal`` and ``score`` are the game's own rule functions and ``decide`` is its rule-based player;
``search_batch`` is compiled there too.

The method is SO-ISMCTS of Cowling, Powley and Whitehouse, "Information Set Monte Carlo Tree Search", IEEE Transactions on
Computational Intelligence and AI in Games 4(2), 2012: one tree, in which a node stands for all games that the searching seat
cannot tell apart after the same actions. Every simulation deals anew all that the seat cannot know, the draws to come included,
and walks down by upper confidence bounds over the actions that are legal in this deal; a bound counts how often the action was
*available* rather than how often its parent was visited. A node keeps the value for every seat; whoever decides uses its own.

The bounds are those of Rosin, "Multi-armed bandits with episode context", 2011, in the form of Silver et al., "Mastering the game
of Go without human knowledge", Nature 550, 2017: every action has a share of the exploration, here an equal one, and the action
of the rule-based player one on top; at the root a policy may share that part out as it would play. An action not tried yet counts
as the mean of its parent, so a search need not try all.

The n-th simulation of every first action has the same deal and the same draws, so that luck tells the actions apart less. Where
actions differ by less than the noise of a tree, two settings help: several rollouts from each new node, of which the mean
counts, and children only for nodes that were visited so often (Coulom, "Efficient selectivity and backup operators in Monte-Carlo
tree search", 2006), so that the first actions are compared by the rule-based player's play and not by trials further down.
"""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from agents.search.layout import NO_NODE
from envs.engine import PLACEMENT, RUNNING, TRUNCATED, write_results
from envs.engine.compiler import inline, jit
from envs.engine.rng import draw, mix, mix_in, pick

if TYPE_CHECKING:
    step: Any
    legal: Any
    redeal: Any
    score: Any
    decide: Any

NO_ACTION = -1


def search_batch(
    worlds,
    rules,
    settings,
    tools,
    priors,
    trees,
    nodes,
    capacity,
    states,
    leaves,
    masks,
    results,
    values,
    simulations,
    actions,
    visits,
):
    """Runs simulations in the tree of every row and says what they favour so far.

    Args:
        worlds: ``(K,)`` records of the game. What the seat to act cannot know is dealt anew in every simulation, from ``rng``.
        rules: ``(1,)`` tables of the game.
        settings: ``(1,)`` record ``layout.SETTINGS``.
        tools: What ``decide`` works with.
        priors: ``(K,)`` rows of A: what a policy would play at the root, as shares; only with ``settings["advice"]``.
        trees: ``(K,)`` records ``layout.TREE``; all zero before the first call.
        nodes: ``(K * capacity,)`` records ``layout.node_dtype``.
        capacity: Most nodes of a tree; when it is full, simulations go on without new ones.
        states: ``(K,)`` records to simulate in; where a tree waits for a value, the state it is of.
        leaves: ``(K,)`` records to work in: the states that rollouts begin with.
        masks: ``(K,)`` rows of A numbers to work in.
        results: ``(K,)`` records ``engine.result_dtype`` to work in.
        values: ``(K,)`` rows of P: where a tree waits for a value, the value for each seat; else to work in.
        simulations: How many to run in each row; at most one if ``settings["waits"]``.
        actions: ``(K,) int64``, written: the action visited most, of equal ones the one with the best mean; the latter alone
            where ``settings["even"]`` shares simulations out among them.
        visits: ``(K,)`` rows of A, written: how often each action was visited.
    """
    for i in range(len(trees)):
        tree, mask, root = trees[i], masks[i]["row"], i * capacity
        if tree["size"] == 0:
            _plant(worlds[i], rules[0], mask, tree, nodes[root])
        if tree["waiting"]:
            tree["waiting"] = False
            _back_up(nodes, tree["leaf"], values[i]["row"])
        for _ in range(simulations if tree["choices"] > 1 else 0):
            states[i] = worlds[i]
            node, code = _descend(states[i], rules[0], settings[0], tools, priors[i]["row"], tree, nodes, root, capacity, mask)
            if settings[0]["waits"] and code == RUNNING:
                tree["leaf"] = node
                tree["waiting"] = True
            else:
                leaves[i] = states[i]
                _roll_out(states, leaves, i, rules[0], settings[0], tools, tree, mask, code, results[i], values[i]["row"])
                _back_up(nodes, node, values[i]["row"])
        actions[i] = _favourite(tree, nodes, root, visits[i]["row"], settings[0]["even"])


@jit
def _plant(world, rules, mask, tree, root):
    """Begins a tree."""
    legal(world, rules, mask)
    tree["choices"] = _count(mask)
    tree["first_legal"] = pick(mask, np.uint64(0))
    tree["word"] = mix(world["rng"])  # the word itself has dealt the world
    tree["size"] = 1
    _clear(root, NO_NODE, 0, 0)


@inline
def _count(mask):
    legal_actions = 0
    for action in range(len(mask)):
        legal_actions += int(mask[action])
    return legal_actions


@jit
def _clear(node, parent, action, mover):
    """Makes a node that was never visited."""
    node["first_child"] = NO_NODE
    node["next_sibling"] = NO_NODE
    node["parent"] = parent
    node["action"] = action
    node["mover"] = mover
    node["visits"] = 0
    node["available"] = 0
    for p in range(len(node["total"])):
        node["total"][p] = 0.0


@jit
def _descend(state, rules, settings, tools, priors, tree, nodes, root, capacity, mask):
    """Chooses a first action, deals a game that may be the real one, and walks down; returns what ``_walk_down`` does."""
    state["rng"] = mix_in(mix(tree["word"]), tree["simulations"])
    tree["simulations"] += 1
    if settings["even"]:
        first = _next_in_turn(state, rules, tree, nodes, root, capacity, mask)
    elif settings["advice"] > 0.0:
        first = _select_by_policy(state, rules, settings, priors, tree, nodes, root, capacity, mask)
    else:
        first = _select(state, rules, settings, tools, tree, nodes, root, root, capacity, mask)
    state["rng"] = mix_in(tree["word"], nodes[first]["visits"])
    redeal(state, rules, state["current_player"])
    return _walk_down(state, rules, settings, tools, tree, nodes, first, root, capacity, mask)


@jit
def _play(state, rules, tree, action):
    tree["decisions"] += 1
    state["decisions"] += 1
    return step(state, rules, action)


# --- in the tree --------------------------------------------------------------------------------------------------------


@jit
def _walk_down(state, rules, settings, tools, tree, nodes, first, root, capacity, mask):
    """From a first action down to a node that is too new for children, or the end; returns it and how the game stands."""
    node = first
    code = _play(state, rules, tree, int(nodes[node]["action"]))
    while code == RUNNING and nodes[node]["visits"] >= settings["expand"]:
        child = _select(state, rules, settings, tools, tree, nodes, node, root, capacity, mask)
        if child == NO_NODE:
            break
        node = child
        code = _play(state, rules, tree, int(nodes[node]["action"]))
    return node, code


@jit
def _select(state, rules, settings, tools, tree, nodes, node, root, capacity, mask):
    """The child with the highest bound; a new one if an action not tried yet has it. NO_NODE if a full tree has no child."""
    legal(state, rules, mask)
    mover = int(state["current_player"])
    liked = decide(state, rules, mask, tools) if settings["prior"] > 0.0 else NO_ACTION
    untried = _count(mask)
    equal = settings["exploration"] * (1.0 - settings["prior"]) / untried
    extra = settings["exploration"] * settings["prior"]
    best, highest = NO_NODE, -np.inf
    child = int(nodes[node]["first_child"])
    while child != NO_NODE:
        action = int(nodes[child]["action"])
        if mask[action]:
            mask[action] = 0
            untried -= 1
            nodes[child]["available"] += 1
            share = equal + extra if action == liked else equal
            bound = _bound(nodes[child], mover, share, int(nodes[child]["available"]), int(nodes[child]["visits"]))
            if bound > highest:
                best, highest = child, bound
        child = int(nodes[child]["next_sibling"])
    if untried == 0 or tree["size"] == capacity:
        return best
    likes_untried = liked != NO_ACTION and mask[liked]
    share = equal + extra if likes_untried else equal
    if best != NO_NODE and highest > _bound(nodes[node], mover, share, int(nodes[node]["visits"]) + 1, 0):
        return best
    action = liked if likes_untried else pick(mask, draw(state))
    return _add(nodes, tree, node, root + int(tree["size"]), action, mover)


@jit
def _select_by_policy(state, rules, settings, priors, tree, nodes, root, capacity, mask):
    """As ``_select``, at the root, where a policy's shares stand for the one action of the rule-based player."""
    legal(state, rules, mask)
    mover = int(state["current_player"])
    equal = settings["exploration"] * (1.0 - settings["advice"]) / _count(mask)
    extra = settings["exploration"] * settings["advice"]
    best, highest = NO_NODE, -np.inf
    child = int(nodes[root]["first_child"])
    while child != NO_NODE:
        action = int(nodes[child]["action"])
        mask[action] = 0
        nodes[child]["available"] += 1
        share = equal + extra * priors[action]
        bound = _bound(nodes[child], mover, share, int(nodes[child]["available"]), int(nodes[child]["visits"]))
        if bound > highest:
            best, highest = child, bound
        child = int(nodes[child]["next_sibling"])
    action = _likeliest(priors, mask)
    if action == NO_ACTION or tree["size"] == capacity:
        return best
    share = equal + extra * priors[action]
    if best != NO_NODE and highest > _bound(nodes[root], mover, share, int(nodes[root]["visits"]) + 1, 0):
        return best
    return _add(nodes, tree, root, root + int(tree["size"]), action, mover)


@inline
def _likeliest(priors, mask):
    """The action with the largest share among those of a mask; NO_ACTION of an empty one."""
    chosen = NO_ACTION
    for action in range(len(mask)):
        if mask[action] and (chosen == NO_ACTION or priors[action] > priors[chosen]):
            chosen = action
    return chosen


@jit
def _next_in_turn(state, rules, tree, nodes, root, capacity, mask):
    """The child of the root that was visited least, of equal ones the one tried first; those not tried yet come first."""
    legal(state, rules, mask)
    fewest, least = NO_NODE, 0
    child = int(nodes[root]["first_child"])
    while child != NO_NODE:
        mask[nodes[child]["action"]] = 0
        if fewest == NO_NODE or nodes[child]["visits"] <= least:
            fewest, least = child, int(nodes[child]["visits"])
        child = int(nodes[child]["next_sibling"])
    if _count(mask) == 0 or tree["size"] == capacity:
        return fewest
    return _add(nodes, tree, root, root + int(tree["size"]), pick(mask, np.uint64(0)), int(state["current_player"]))


@inline
def _bound(node, mover, share, available, visits):
    """A node's mean, and what an action of this share, so often available and visited, may be better than that."""
    mean = node["total"][mover] / max(1.0, float(node["visits"]))
    return mean + share * math.sqrt(float(available)) / (1.0 + visits)


@jit
def _add(nodes, tree, parent, place, action, mover):
    """Makes the node at a place a child."""
    _clear(nodes[place], parent, action, mover)
    nodes[place]["next_sibling"] = nodes[parent]["first_child"]
    nodes[place]["available"] = 1
    nodes[parent]["first_child"] = place
    tree["size"] += 1
    return place


@jit
def _back_up(nodes, leaf, value):
    """Adds a value to a node and to all above it."""
    node = int(leaf)
    while node != NO_NODE:
        nodes[node]["visits"] += 1
        for p in range(len(value)):
            nodes[node]["total"][p] += float(value[p])
        node = int(nodes[node]["parent"])


@jit
def _favourite(tree, nodes, root, visits, by_mean):
    """The action that was visited most at the root, or the one with the best mean, and how often each was."""
    for action in range(len(visits)):
        visits[action] = 0
    chosen, most, highest = int(tree["first_legal"]), 0, -np.inf
    child = int(nodes[root]["first_child"])
    while child != NO_NODE:
        count = int(nodes[child]["visits"])
        visits[nodes[child]["action"]] = count
        mean = nodes[child]["total"][nodes[child]["mover"]] / max(1.0, float(count))
        rank = min(count, 1) if by_mean else count
        if rank > most or (rank == most and mean > highest):
            chosen, most, highest = int(nodes[child]["action"]), rank, mean
        child = int(nodes[child]["next_sibling"])
    return chosen


# --- below the tree -----------------------------------------------------------------------------------------------------


@jit
def _roll_out(states, leaves, i, rules, settings, tools, tree, mask, code, result, value):
    """The mean value for each seat of a leaf, over rollouts that draw differently; of a game that is over, its value."""
    for p in range(len(value)):
        value[p] = np.float32(0.0)
    rollouts = int(settings["rollouts"]) if code == RUNNING else 1
    for n in range(rollouts):
        if n > 0:
            states[i] = leaves[i]
            states[i]["rng"] = mix_in(leaves[i]["rng"], n)
        end = _play_out(states[i], rules, settings, tools, tree, mask, code)
        _value(states[i], rules, settings, end, result)
        for p in range(len(value)):
            value[p] += result["rewards"][p] / np.float32(rollouts)


@jit
def _play_out(state, rules, settings, tools, tree, mask, code):
    """Plays on to the end of the game, but no more decisions than allowed; returns how the game stands."""
    for _ in range(settings["depth"]):
        if code != RUNNING:
            break
        legal(state, rules, mask)
        action = decide(state, rules, mask, tools) if settings["greedy"] else pick(mask, draw(state))
        code = _play(state, rules, tree, action)
    return code


@jit
def _value(state, rules, settings, code, result):
    """What a game is worth to each seat as it stands, into ``rewards``: its placement, or by how much it leads; a cut one 0."""
    score(state, rules, result["scores"], result["standings"])
    write_results(PLACEMENT, result["standings"], result["scores"], result["rewards"], result["ranks"])
    seats = len(result["rewards"])
    for p in range(seats):
        if code == TRUNCATED:
            result["rewards"][p] = np.float32(0.0)
        elif settings["scale"] > 0.0:
            total = 0.0
            for q in range(seats):
                lead = float(result["standings"][p] - result["standings"][q]) / settings["scale"]
                total += lead / (1.0 + abs(lead))
            result["rewards"][p] = np.float32(total / (seats - 1))
