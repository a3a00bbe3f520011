"""Halves of a batch computed side by side: the same outputs and gradients as of the whole batch, whoever computes them."""

import pytest
import torch as th

import envs
from tests.agents.observations import make_network, some_views
from training.data_parallel import Halves

GAMES = ("fairy_ring", "mushroom_rings")


def passed_through(network, outputs, views):
    """Outputs of a network called as ``outputs`` and the gradients of a loss that needs all of them."""
    network.zero_grad()
    logits, values = outputs(views)
    (logits.square().mean() + values.sin().sum()).backward()
    return logits.detach(), values.detach(), [parameter.grad.clone() for parameter in network.parameters()]


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("count", [32, 37])
def test_halves_of_a_batch_give_the_outputs_and_gradients_of_the_whole(name, count):
    game = envs.make_game(name)
    network, views = make_network(game), th.from_numpy(some_views(game)[:count])
    whole, halved = passed_through(network, network, views), passed_through(network, Halves(network), views)
    for one, other in zip((*whole[:2], *whole[2]), (*halved[:2], *halved[2]), strict=True):
        assert th.allclose(one, other, rtol=1e-3, atol=1e-5)
    assert any(gradient.abs().max() > 1e-3 for gradient in halved[2])


@pytest.mark.parametrize("name", GAMES)
def test_one_thread_and_two_give_the_same_bits(name):
    game = envs.make_game(name)
    network, views = make_network(game), th.from_numpy(some_views(game)[:50])
    one, two = (passed_through(network, Halves(network, threads), views) for threads in (1, 2))
    assert all(th.equal(a, b) for a, b in zip((*one[:2], *one[2]), (*two[:2], *two[2]), strict=True))


def test_without_gradients_nothing_is_kept_of_the_way():
    game = envs.make_game("fairy_ring")
    network, views = make_network(game), th.from_numpy(some_views(game)[:40])
    with th.no_grad():
        plain, halved = network(views), Halves(network, 2)(views)
    assert all(th.allclose(a, b, atol=1e-6) for a, b in zip(plain, halved, strict=True))
    assert not any(output.requires_grad for output in halved)


def test_an_error_in_a_half_is_raised():
    game = envs.make_game("fairy_ring")
    with pytest.raises(RuntimeError):
        Halves(make_network(game), 2)(th.zeros(8, 3))
