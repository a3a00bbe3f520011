"""A network on two cores: the rows of a batch in two halves, each taken through the whole network by a thread of its own.

PyTorch's own threads meet after every operation, and wait for each other in a busy loop: on a machine with other work that is
many times slower than one thread. These meet twice a batch. A batch is halved the same way and gradients are added in the same
order whichever thread computes them, so numbers do not depend on the number of threads.

K rows, D numbers in each.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import torch as th
from torch import nn

HALVES = 2


class Halves:
    """Calls a network by halves of a batch.

    Args:
        network: From ``(K, D)`` to a tuple of ``(K, ...)`` tensors; no row may depend on another one, and every parameter must
            have a part in the outputs.
        threads: 1, or 2 for one of each half.
    """

    def __init__(self, network: nn.Module, threads: int = 1) -> None:
        self.network = network
        self.parameters = tuple(network.parameters())
        self._pool = ThreadPoolExecutor(HALVES, "half") if threads >= HALVES else None

    def __call__(self, rows: th.Tensor) -> tuple[th.Tensor, ...]:
        """The network's outputs for ``rows (K, D)``; gradients reach its parameters, not the rows."""
        if th.is_grad_enabled():
            return _Halved.apply(self, rows, *self.parameters)  # type: ignore[no-any-return]
        return _join(self.each(self._plainly, rows.tensor_split(HALVES)))

    def each(self, function: Callable[[Any], Any], halves: Sequence[Any]) -> list[Any]:
        """The function of each half, side by side where there are two threads."""
        return list(self._pool.map(function, halves) if self._pool else map(function, halves))

    def _plainly(self, rows: th.Tensor) -> tuple[th.Tensor, ...]:
        with th.no_grad():  # a thread begins with gradients
            return self.network(rows)  # type: ignore[no-any-return]

    def with_graph(self, rows: th.Tensor) -> tuple[th.Tensor, ...]:
        """The outputs, with what is needed to go back from them."""
        with th.enable_grad():
            return self.network(rows)  # type: ignore[no-any-return]


class _Halved(th.autograd.Function):
    """Both halves as one operation: forwards to all rows' outputs, backwards to the sum of the halves' gradients."""

    @staticmethod
    def forward(ctx: Any, halves: Halves, rows: th.Tensor, *parameters: th.Tensor) -> tuple[th.Tensor, ...]:
        ctx.halves, ctx.parts = halves, halves.each(halves.with_graph, rows.tensor_split(HALVES))
        return _join([[output.detach() for output in part] for part in ctx.parts])

    @staticmethod
    def backward(ctx: Any, *gradients: th.Tensor) -> tuple[Any, ...]:
        halves = ctx.halves

        def of_half(half: int) -> tuple[th.Tensor, ...]:
            outgoing = [gradient.tensor_split(HALVES)[half] for gradient in gradients]
            return th.autograd.grad(ctx.parts[half], halves.parameters, outgoing)

        first, second = halves.each(of_half, range(HALVES))
        ctx.parts = ()  # the graphs are used up
        return (None, None, *(a + b for a, b in zip(first, second, strict=True)))


def _join(parts: Sequence[Sequence[th.Tensor]]) -> tuple[th.Tensor, ...]:
    return tuple(th.cat(outputs) for outputs in zip(*parts, strict=True))
