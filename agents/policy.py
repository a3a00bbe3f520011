"""A trained policy as a player: needs PyTorch but nothing of the training libraries, and no environment."""

import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch as th
from torch import nn

from agents.checkpoint import check_facts, read_facts, read_weights
from envs import engine
from envs.game import Game

ACTIVATIONS: dict[str, type[nn.Module]] = {"tanh": nn.Tanh, "relu": nn.ReLU}

# A matrix product sums in another order when it has very few rows (measured: below 5), and a policy must not depend on how
# many games are asked at a time. Smaller batches are filled up.
SMALLEST_BATCH = 16

_NOISE = np.uint64(0x47756D62656C)  # tells this use of a random word from all others


class PolicyNetwork:
    """The layers that lead from observations to logits, and the choice among the legal actions.

    Args:
        weights: Tensors by name, of a policy of stable-baselines3; copied.
        activation: A name in ``ACTIVATIONS``.

    Raises:
        ValueError: The weights are not those of such a policy.
    """

    def __init__(self, weights: Mapping[str, th.Tensor], activation: str = "tanh") -> None:
        names = [name[: -len(".weight")] for name in weights if name.endswith(".weight")]
        hidden = [name for name in names if name.startswith("mlp_extractor.") and ".value_net." not in name]
        if "action_net" not in names or activation not in ACTIVATIONS:
            raise ValueError("the weights are not those of a policy this suite trains")
        layers: list[nn.Module] = []
        for name in hidden:
            layers += [_linear(weights, name), ACTIVATIONS[activation]()]
        self.layers = nn.Sequential(*layers, _linear(weights, "action_net"))

    def act(self, observations: np.ndarray, action_masks: np.ndarray, words: np.ndarray, sample: bool) -> np.ndarray:
        """Chooses an action in each of K games.

        Args:
            observations: ``(K, D) float32``.
            action_masks: ``(K, A) int8``.
            words: ``(K,) uint64``: where the noise comes from.
            sample: Whether to draw from the policy; otherwise its likeliest action is played.

        Returns:
            ``(K,) int64``, legal actions.
        """
        logits = self.logits(observations)
        actions = np.empty(len(logits), np.int64)
        choose_batch(logits, np.ascontiguousarray(action_masks), np.ascontiguousarray(words), sample, actions)
        return actions

    def logits(self, observations: np.ndarray) -> np.ndarray:
        """``(K, A) float32`` for ``(K, D) float32``; a row's numbers do not depend on the other rows."""
        count = len(observations)
        if count < SMALLEST_BATCH:
            padded = np.zeros((SMALLEST_BATCH, observations.shape[1]), np.float32)
            padded[:count] = observations
            observations = padded
        with th.inference_mode():
            return self.layers(th.from_numpy(np.ascontiguousarray(observations))).numpy()[:count]


def _linear(weights: Mapping[str, th.Tensor], name: str) -> nn.Linear:
    weight, bias = weights[f"{name}.weight"], weights[f"{name}.bias"]
    layer = nn.utils.skip_init(nn.Linear, weight.shape[1], weight.shape[0])
    with th.no_grad():
        layer.weight.copy_(weight)
        layer.bias.copy_(bias)
    return layer.requires_grad_(False)


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
        return self.network.act(observations, action_masks, worlds["rng"], self.sample)


class PolicyAgent(NetworkAgent):
    """A checkpoint as a player.

    Args:
        path: The checkpoint.
        game: The rule set it is to play.
        sample: Whether it draws from its policy; otherwise it plays its likeliest action.

    Raises:
        ValueError: The file is no checkpoint, or is of another game, version, number of players or size.
    """

    def __init__(self, path: str | os.PathLike[str], game: Game, sample: bool = False) -> None:
        facts = read_facts(path)
        check_facts(facts, game)
        # Two threads in one busy process are several times slower than one; small batches gain nothing from more.
        th.set_num_threads(1)
        network = PolicyNetwork(read_weights(path), facts.get("activation", ""))
        super().__init__(network, _name(Path(path)) + (":sample" if sample else ""), sample)


def _name(path: Path) -> str:
    """A run's ``model.zip`` is called by its folder, any other file by its folder and its own name."""
    folder = path.resolve().parent
    if path.stem == "model":
        return folder.name
    return f"{folder.parent.name if folder.name == 'snapshots' else folder.name}/{path.stem}"
