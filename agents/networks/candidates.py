"""A network that scores candidates: one small network, shared by all legal actions, reads what each of them leads to.

A trunk reads the observation. What it makes of the position joins the features of every legal action (``Game.action_table``), and
the same weights score each. So what is learned of one action holds for all that lead to the like, and arithmetic that the rules
do in a microsecond need not be learned.

K decisions, D observation length, A actions, F features of an action, L legal actions of all K together.
"""

from collections.abc import Sequence

import torch as th
from torch import nn

from agents.networks.inputs import ADVICE, ADVISED, CANDIDATES, columns
from agents.networks.layers import BATCH_STEP, logit_layer, rectified
from envs.game import Game

TRUST = (2.0, 1.0)
"""What the terms of the rule-based player, its choice and its worths, add to the logits at first."""

MOST_READ = 4096
"""A longer first section of an observation, the planes of a table, is not read: that takes a convolution."""

STEP = 16
"""An action is read by layers half as wide as the trunk, rounded up to a multiple of this: with others, a row's last digits
depend on how many rows there are."""


class CandidateNetwork(nn.Module):
    """Policy and value over observations that are followed by the features of all actions, ``(K, D + A * F)``.

    Args:
        game: A rule set that describes its actions.
        widths: Of the hidden layers of the trunk.
    """

    reads = CANDIDATES

    def __init__(self, game: Game, widths: Sequence[int]) -> None:
        super().__init__()
        self.read_from = _behind_planes(game)
        self.observed, self.actions, self.features = game.observation_size, game.num_actions, columns(game, self.reads)
        last, read = widths[-1], -(-widths[-1] // (2 * STEP)) * STEP
        self.trunk = rectified([self.observed - self.read_from, *widths])
        self.context = nn.Linear(last, read)
        self.told = nn.Linear(self.features, read, bias=False)
        self.read = nn.Linear(read, read)
        self.score = logit_layer(read, 1)
        self.plain_logits = logit_layer(last, self.actions)
        self.value = nn.Linear(last, 1)

    def forward(self, inputs: th.Tensor) -> tuple[th.Tensor, th.Tensor]:
        """Logits ``(K, A)`` and values ``(K, 1)`` for inputs ``(K, D + A * F)``; those of illegal actions mean nothing."""
        joined = self.trunk(inputs[:, self.read_from : self.observed])
        rows, actions, told = self.candidates(inputs)
        count, missing = len(rows), -len(rows) % BATCH_STEP  # filled up, so that no row depends on how many others there are
        told, belongs = nn.functional.pad(told, (0, 0, 0, missing)), nn.functional.pad(rows, (0, missing))
        # `index_select` and `index_add`: the gradients of other ways to index are several times slower.
        read = th.relu(self.told(told) + self.context(joined).index_select(0, belongs))
        scores = self.scores(read, told)[:count]
        plain = self.plain_logits(joined)
        logits = plain.flatten().index_add(0, rows * self.actions + actions, scores)
        return logits.view_as(plain), self.value(joined)

    def scores(self, read: th.Tensor, told: th.Tensor) -> th.Tensor:
        """What is added to the logits of the legal actions, ``(L,)``, from what was read of them and their features."""
        return self.score(th.relu(self.read(read)))[:, 0]

    def candidates(self, inputs: th.Tensor) -> tuple[th.Tensor, th.Tensor, th.Tensor]:
        """Rows ``(L,)`` and numbers ``(L,)`` of the legal actions, and their features ``(L, F)``."""
        features = inputs[:, self.observed :].unflatten(1, (self.actions, self.features))
        rows, actions = features[:, :, 0].nonzero(as_tuple=True)
        return rows, actions, features[rows, actions]


def _behind_planes(game: Game) -> int:
    """Where the trunk begins to read: behind the picture of a table, of which the features of the actions tell what matters."""
    first = game.sections[0]
    return first.size if first.size > MOST_READ else 0


class AdvisedNetwork(CandidateNetwork):
    """The same with the terms of the rule-based player behind the features of an action: untrained, it prefers that one's choice.

    Args:
        game: A rule set that describes its actions and has a rule-based player.
        widths: Of the hidden layers of the trunk.
    """

    reads = ADVISED

    def __init__(self, game: Game, widths: Sequence[int]) -> None:
        super().__init__(game, widths)
        self.trust = nn.Parameter(th.tensor(TRUST))

    def scores(self, read: th.Tensor, told: th.Tensor) -> th.Tensor:
        """What is added to the logits of the legal actions, ``(L,)``."""
        return super().scores(read, told) + told[:, -ADVICE:] @ self.trust
