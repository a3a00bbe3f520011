"""Every rule set keeps the promises of the suite, and the test of them finds a game that does not."""

import copy
import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest

import envs
from envs import check
from envs.game import Section


def test_every_rule_set_keeps_every_promise(game):
    check.check_game(game, games=2 if game.num_players == 2 else 1, seed=11)


# --- the test itself ----------------------------------------------------------------------------------------------------


def _broken(**changes):
    """Two-player Fairy Ring with some functions exchanged for broken ones."""
    game = envs.make_game("fairy_ring")
    kernels = {**vars(game.kernels), **changes.pop("kernels", {})}
    words = {**vars(game.words), **changes.pop("words", {})}
    return dataclasses.replace(game, kernels=SimpleNamespace(**kernels), words=SimpleNamespace(**words), **changes)


@pytest.fixture(autouse=True)
def _namespaces_will_do(monkeypatch):
    monkeypatch.setattr("envs.engine.require_loops", lambda module: module)


def test_it_finds_a_dict_that_shows_another_hand():
    honest = envs.make_game("fairy_ring").words.to_dict

    def leaky(game, state, seat):
        view = honest(game, state, seat)
        view["players"][1]["hand"] = honest(game, state, None)["players"][1]["hand"]
        return view

    with pytest.raises(check.ConformanceError, match="the dict shows hidden things"):
        check.check_views(_broken(words={"to_dict": leaky}), 0, pictures=False)


def test_it_finds_a_game_whose_own_records_are_refused():
    def refuse(states, rules, scratch, faults):
        faults[:] = 1 + states.dtype.names.index("hand")

    with pytest.raises(check.ConformanceError, match="a record of a game is refused: row 0: field hand is not possible"):
        check.check_views(_broken(kernels={"check_batch": refuse}), 0, pictures=False)


def test_it_finds_an_observation_that_shows_another_hand():
    honest = envs.make_game("fairy_ring").kernels.observe_batch

    def leaky(states, rules, seats, observations):
        honest(states, rules, seats, observations)
        observations["row"][:, -1] = states["hand"][:, 1, 0]

    with pytest.raises(check.ConformanceError, match="section completed of the observation shows hidden things"):
        check.check_views(_broken(kernels={"observe_batch": leaky}), 0, pictures=False)


def test_it_finds_a_random_word_that_survives_redealing():
    honest = envs.make_game("fairy_ring").kernels.redeal_batch

    def leaky(states, rules, seats, words, worlds):
        honest(states, rules, seats, words, worlds)
        worlds["rng"] = states["rng"]

    with pytest.raises(check.ConformanceError, match="keeps its random word"):
        check.check_views(_broken(kernels={"redeal_batch": leaky}), 0, pictures=False)


def test_it_finds_an_illegal_action_that_is_played():
    game = _broken()
    for env, _ in check.play(game, 0, illegal="random"):
        mask = env.observe(env.agent_selection)["action_mask"]
        with pytest.raises(check.ConformanceError, match="was played"):
            check._check_illegal_actions(copy.deepcopy(env), np.flatnonzero(mask == 0)[:1].tolist(), "here")
        break


def test_it_finds_numbers_out_of_bounds():
    with pytest.raises(check.ConformanceError, match="out of bounds in"):
        check.check_masks(_broken(observation_high=0.5), 0)


def test_it_finds_a_game_that_is_too_long():
    with pytest.raises(check.ConformanceError, match="more than max_decisions"):
        check.check_masks(_broken(max_decisions=10), 0)


def test_it_finds_sections_of_one_name():
    sections = [*envs.make_game("fairy_ring").sections, Section("phase", (1,), "again")]
    with pytest.raises(check.ConformanceError, match="two sections"):
        check.check_facts(_broken(sections=sections))


def test_the_command_line_says_what_it_checked(capsys):
    assert check.main(["fairy_ring", "--num-players", "2", "--games", "1", "--option", "fireflies=all"]) == 0
    assert "all checks passed" in capsys.readouterr().out


def test_the_command_line_names_a_wrong_option(capsys):
    with pytest.raises(SystemExit) as stop:
        check.main(["fairy_ring", "--option", "fireflies=some"])
    assert stop.value.code == 2
    assert "option fireflies is 'some'; choose from top, all" in capsys.readouterr().err
