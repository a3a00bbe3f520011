"""A trained policy as a player: needs PyTorch but nothing of the training libraries, and no environment."""

import math
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch as th

from agents.checkpoint import advised_name, check_facts, read_facts, read_weights
from agents.networks.blueprint import Blueprint
from agents.networks.layers import BATCH_STEP
from envs import engine
from envs.game import Game

PREFIX = "network."  # of the weights of a `SeatPolicy`

_NOISE = np.uint64(0x47756D62656C)  # tells this use of a random word from all others


def own_weights(weights: Mapping[str, Any], blueprint: Blueprint) -> dict[str, th.Tensor]:
    """The weights of a network among those of a ``SeatPolicy``, by their names in the network.

    Raises:
        ValueError: They are not those of the blueprint's network: other names, shapes or types, or no finite numbers.
    """
    own = {name.removeprefix(PREFIX): tensor for name, tensor in weights.items() if name.startswith(PREFIX)}
    shapes = blueprint.shapes()
    if own.keys() != shapes.keys() or not all(are_numbers(own[name], shape) for name, shape in shapes.items()):
        raise ValueError("the weights are not those of a policy this suite trains")
    return own


def are_numbers(tensor: Any, shape: Sequence[int]) -> bool:
    """Whether something is a tensor of this shape, of finite ``float32`` numbers, in memory of its own size."""
    if not isinstance(tensor, th.Tensor) or tensor.dtype != th.float32 or tensor.layout != th.strided:
        return False
    return tensor.shape == tuple(shape) and tensor.is_contiguous() and bool(tensor.isfinite().all())


def read_policy(path: str | os.PathLike[str], blueprint: Blueprint) -> dict[str, th.Tensor]:
    """The weights of a checkpoint, tensors by name, after it was made sure that they are those of the blueprint's network.

    Raises:
        ValueError: They are others, or the file is no checkpoint.
    """
    shapes = blueprint.shapes()
    weights = read_weights(path, most=bytes_of(sum(map(math.prod, shapes.values())), len(shapes)))
    own_weights(weights, blueprint)
    return weights


def bytes_of(numbers: int, tensors: int) -> int:
    """How long a file of PyTorch may be that holds that number of tensors and of values in them."""
    return 4 * numbers + 1000 * tensors + 100_000


_turn = threading.Lock()


@contextmanager
def _one_thread() -> Iterator[None]:
    """Has PyTorch compute with one thread, and then with as many as before; one at a time, for a process has one such number.

    Two threads in one busy process are several times slower than one, and small batches gain nothing from more.
    """
    with _turn:
        kept = th.get_num_threads()
        if kept == 1:
            yield
            return
        th.set_num_threads(1)
        try:
            yield
        finally:
            th.set_num_threads(kept)


class PolicyNetwork:
    """A network with fixed weights, and the choice among the legal actions. One thread at a time.

    Args:
        blueprint: Of the network.
        weights: Tensors by name, of a ``SeatPolicy``; copied.

    Raises:
        ValueError: The weights are not those of such a network.
    """

    def __init__(self, blueprint: Blueprint, weights: Mapping[str, th.Tensor]) -> None:
        self.blueprint = blueprint
        own = own_weights(weights, blueprint)
        with th.random.fork_rng(devices=[]):  # the first weights are thrown away; training's random numbers go on untouched
            self.network = blueprint.build()
        self.network.load_state_dict(own)
        self.network.requires_grad_(False)
        self.inputs = blueprint.inputs()

    def act(
        self, observations: np.ndarray, action_masks: np.ndarray, records: np.ndarray, words: np.ndarray, sample: bool
    ) -> np.ndarray:
        """Chooses an action in each of K games.

        Args:
            observations: ``(K, D) float32``.
            action_masks: ``(K, A) int8``.
            records: ``(K,)`` records, as they are or re-dealt for the seat to act.
            words: ``(K,) uint64``: where the noise comes from.
            sample: Whether to draw from the policy; otherwise its likeliest action is played.

        Returns:
            ``(K,) int64``, legal actions.
        """
        logits = self.logits(self.inputs(observations, action_masks, records))
        actions = np.empty(len(logits), np.int64)
        choose_batch(logits, np.ascontiguousarray(action_masks), np.ascontiguousarray(words), sample, actions)
        return actions

    def logits(self, inputs: np.ndarray) -> np.ndarray:
        """``(K, A) float32`` for what ``inputs`` makes of positions; a row's numbers do not depend on the other rows."""
        return self._outputs(inputs)[0]

    def values(self, observations: np.ndarray) -> np.ndarray:
        """``(K,) float32`` for ``(K, D) float32``: what the seats that look expect; a row's number depends on it alone."""
        return self._outputs(self.inputs.of_views(observations))[1][:, 0]

    def _outputs(self, inputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        count = len(inputs)
        missing = -count % BATCH_STEP
        if missing:
            padded = np.zeros((count + missing, inputs.shape[1]), np.float32)
            padded[:count] = inputs
            inputs = padded
        with _one_thread(), th.inference_mode():
            logits, values = self.network(th.from_numpy(np.ascontiguousarray(inputs)))
        return logits.numpy()[:count], values.numpy()[:count]


@engine.kernel
def choose_batch(logits, masks, words, sample, actions):
    """The legal action with the largest logit, with Gumbel noise if asked, which makes it a draw from the softmax."""
    for i in range(len(actions)):
        chosen, best = -1, -np.inf
        for a in range(masks.shape[1]):
            if not masks[i, a]:
                continue
            key = np.float64(logits[i, a])
            if sample:
                # 53 bits as a number inside (0, 1); then Gumbel (1954).
                word = engine.mix_in(engine.mix_in(words[i], _NOISE), a)
                uniform = (np.float64(word >> np.uint64(11)) + 0.5) / 9007199254740992.0
                key -= np.log(-np.log(uniform))
            if chosen < 0 or key > best:
                chosen, best = a, key
        actions[i] = chosen


class NetworkAgent:
    """A network as a player, see ``agents.agent.Agent``.

    Args:
        network: The policy.
        name: What tables call it.
        sample: Whether it draws from its policy; otherwise it plays its likeliest action.
    """

    def __init__(self, network: PolicyNetwork, name: str = "policy", sample: bool = False) -> None:
        self.network, self.name, self.sample = network, name, sample

    def act(self, observations: np.ndarray, action_masks: np.ndarray, worlds: np.ndarray) -> np.ndarray:
        """The policy's action for each row; see ``agents.agent.Agent``."""
        return self.network.act(observations, action_masks, worlds, worlds["rng"], self.sample)


class PolicyAgent(NetworkAgent):
    """A checkpoint as a player.

    Args:
        path: The checkpoint.
        game: The rule set it is to play.
        sample: Whether it draws from its policy; otherwise it plays its likeliest action.

    Raises:
        ValueError: The file is no checkpoint, or is of another game, version, number of players or size, or of a network that
            cannot be built.
    """

    def __init__(self, path: str | os.PathLike[str], game: Game, sample: bool = False) -> None:
        facts = read_facts(path)
        check_facts(facts, game)
        blueprint = Blueprint.from_facts(game, facts)
        network = PolicyNetwork(blueprint, read_policy(path, blueprint))
        super().__init__(network, advised_name(_name(Path(path)), facts) + (":sample" if sample else ""), sample)


def _name(path: Path) -> str:
    """A run's ``model.zip`` is called by its folder, any other file by its folder and its own name."""
    folder = path.resolve().parent
    if path.stem == "model":
        return folder.name
    return f"{folder.parent.name if folder.name == 'snapshots' else folder.name}/{path.stem}"
