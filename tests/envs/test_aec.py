"""The PettingZoo door."""

import copy
import pickle
import xml.etree.ElementTree as ElementTree

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, seed_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

import envs


def play_to_end(env, seed=3):
    """Plays a random game through the AEC loop; returns what ``last`` paid to every agent in all."""
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    paid = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, _ = env.last()
        paid[agent] += reward
        if termination or truncation:
            env.step(None)
        else:
            env.step(int(rng.choice(np.flatnonzero(observation["action_mask"]))))
    return paid


@pytest.mark.filterwarnings("ignore")
def test_pettingzoo_accepts_every_rule_set(game):
    api_test(envs.make(game), num_cycles=300)
    api_test(envs.raw_env(game, copy=False), num_cycles=300)


@pytest.mark.filterwarnings("ignore")
def test_pettingzoo_finds_every_rule_set_reproducible(game):
    seed_test(lambda: envs.make(game), num_cycles=300)


def test_every_seat_is_paid_and_ends_at_once(game):
    env = envs.raw_env(game)
    paid = play_to_end(env)
    assert sum(paid.values()) == pytest.approx(0, abs=1e-6)
    assert not env.agents
    env.reset(seed=3)
    rng = np.random.default_rng(3)
    while not any(env.terminations.values()) and not any(env.truncations.values()):
        env.step(int(rng.choice(np.flatnonzero(env.last()[0]["action_mask"]))))
    assert env.rewards == paid
    flags = {(env.terminations[agent], env.truncations[agent]) for agent in env.possible_agents}
    assert flags in ({(True, False)}, {(False, True)})
    assert all(type(flag) is bool for flag in env.terminations.values())
    assert sorted(env.infos[agent]["rank"] for agent in env.possible_agents)[0] == 1


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="PettingZoo has a registry from 1.27 on")
@pytest.mark.parametrize("name", envs.GAMES)
def test_the_registry_of_pettingzoo_has_the_same_games(name):
    by_name = envs.make(name)
    by_registry = pettingzoo.make("aec", f"fairy_rings/{name}-v{by_name.unwrapped.game.version}", num_players=2)
    assert type(by_registry) is type(by_name)
    for env in (by_registry, by_name):
        env.reset(seed=5)
    assert by_registry.last()[0]["observation"].tobytes() == by_name.last()[0]["observation"].tobytes()


@pytest.mark.parametrize("name", envs.GAMES)
def test_both_forms_of_pettingzoo_are_one(name):
    by_name = envs.make(name)
    by_module = getattr(envs, f"{name}_v{by_name.unwrapped.game.version}").env(num_players=2)
    for env in (by_module, by_name):
        assert type(env) is type(by_name)
        env.reset(seed=5)
    first = by_name.last()[0]["observation"]
    assert first.tobytes() == by_module.last()[0]["observation"].tobytes()


def test_an_unknown_attribute_is_still_an_error():
    with pytest.raises(AttributeError, match="no attribute 'fairy_ring_v7'"):
        envs.fairy_ring_v7  # noqa: B018
    with pytest.raises(ImportError):
        from envs import chess_v0  # noqa: F401


def test_wrong_names_and_values_are_named():
    with pytest.raises(ValueError, match="no game 'fairy_rign' .did you mean 'fairy_ring'"):
        envs.make("fairy_rign")
    with pytest.raises(ValueError, match="no parameter 'firefly' .did you mean 'fireflies'"):
        envs.make("fairy_ring", firefly="all")
    three = envs.make_game("fairy_ring", 3)
    assert envs.make(three).unwrapped.game is three is envs.make_game(three, 3)
    for make in (envs.make, lambda *given: envs.make_vec(given[0], 1, *given[1:]), envs.make_game):
        with pytest.raises(ValueError, match="num_players is 2, but the game that was given is made for 3"):
            make(three, 2)
    with pytest.raises(ValueError, match="parameter 'fireflies' comes too late"):
        envs.make_game(three, fireflies="all")
    with pytest.raises(ValueError, match="2 to 4 players, not 5"):
        envs.make("fairy_ring", 5)
    with pytest.raises(ValueError, match="reward is 'points'; choose from placement, win, score"):
        envs.make("fairy_ring", reward="points")
    with pytest.raises(ValueError, match="render_mode is 'gif'"):
        envs.make("fairy_ring", render_mode="gif")
    with pytest.raises(ValueError, match="view is 2"):
        envs.make("fairy_ring", view=2)
    with pytest.raises(ValueError, match="seed is -1; it must be an integer from 0"):
        envs.raw_env("fairy_ring").reset(seed=-1)


@pytest.mark.parametrize("action", [0.9, "0", True, None, float("nan")])
def test_what_is_no_integer_is_refused_with_those_that_there_are(action):
    env = envs.raw_env("dance_of_eights", 2)
    env.reset(seed=1)
    before = env.record.copy()
    with pytest.raises(ValueError, match=rf"^action is .*; it must be an integer from 0 to {env.game.num_actions - 1}$"):
        env.step(action)
    for illegal in (-1, 2**70, 10**5000, np.int64(-(2**63)), np.uint64(2**64 - 1)):
        with pytest.raises(ValueError, match="of player_. is illegal"):
            env.step(illegal)
    assert env.record == before


class Nameless:
    """An integer that does not tell its name."""

    def __index__(self):
        return 1

    def __str__(self):
        return 1

    __repr__ = __str__


def test_an_illegal_action_is_named_whatever_it_says_of_itself():
    env = envs.raw_env("dance_of_eights", 2)
    env.reset(seed=1)
    record = env.record.copy().reshape(1)
    assert 1 not in env.game.legal_actions(record)
    for call in (env.step, lambda action: env.game.sentence(record, action)):
        with pytest.raises(ValueError, match="^action 1 .* legal are"):
            call(Nameless())


def test_the_raw_environment_raises_on_an_illegal_action_and_the_wrapped_one_ends(game_for_two):
    raw = envs.raw_env(game_for_two)
    raw.reset(seed=0)
    first = int(raw.last()[0]["action_mask"].argmax())
    raw.step(first)  # before it, all actions may be legal
    before = raw._io.tobytes()
    illegal = int(np.flatnonzero(raw.last()[0]["action_mask"] == 0)[0])
    with pytest.raises(ValueError, match=f"action {illegal} of {raw.agent_selection} is illegal"):
        raw.step(illegal)
    assert raw._io.tobytes() == before
    wrapped = envs.make(game_for_two)
    wrapped.reset(seed=0)
    wrapped.step(first)
    offender = wrapped.agent_selection
    wrapped.step(illegal)
    assert wrapped.rewards[offender] == -1
    assert all(wrapped.terminations.values())


def test_forfeit_pays_the_others_and_random_plays_on(game_for_two):
    env = envs.make(game_for_two, illegal="forfeit")
    env.reset(seed=0)
    offender = env.agent_selection
    env.step(game_for_two.num_actions)
    assert env.rewards == {agent: (-1.0 if agent == offender else 1.0) for agent in env.possible_agents}
    env = envs.make(game_for_two, illegal="random")
    env.reset(seed=0)
    env.step(game_for_two.num_actions)
    assert env.record["decisions"] == 1
    assert not any(env.terminations.values())


def test_copies_keep_the_running_game(game_for_two):
    env = envs.make(game_for_two)
    env.reset(seed=1)
    rng = np.random.default_rng(0)
    for _ in range(7):
        env.step(int(rng.choice(np.flatnonzero(env.last()[0]["action_mask"]))))
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        one, other = np.random.default_rng(1), np.random.default_rng(1)
        original = copy.deepcopy(env)
        while not any(twin.terminations.values()) and not any(twin.truncations.values()):
            for each, generator in ((twin, one), (original, other)):
                each.step(int(generator.choice(np.flatnonzero(each.last()[0]["action_mask"]))))
            assert twin.unwrapped.record.tobytes() == original.unwrapped.record.tobytes()
        assert twin.rewards == original.rewards


def a_few_decisions(env, count=7, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        env.step(int(rng.choice(np.flatnonzero(env.last()[0]["action_mask"]))))


def test_a_copy_shares_nothing_that_changes(game_for_two):
    env = envs.make(game_for_two)
    env.reset(seed=1)
    a_few_decisions(env)
    before = env.get_state()
    twin = copy.deepcopy(env)
    a_few_decisions(twin)
    assert env.get_state() == before
    a_few_decisions(env)
    assert env.get_state() == twin.get_state()
    assert twin.unwrapped.game is env.unwrapped.game


def test_a_saved_game_goes_on_in_another_environment(game_for_two):
    env, other = envs.make(game_for_two), envs.make(game_for_two)
    with pytest.raises(AttributeError, match="before"):
        env.get_state()
    env.reset(seed=1)
    a_few_decisions(env)
    state = env.get_state()
    other.set_state(state)  # it stands for a reset
    assert other.get_state() == state
    assert [play_on(each) for each in (other, env)] == [env.rewards] * 2
    other.reset(seed=2)
    other.set_state(state)
    other.reset()
    env.reset()
    assert other.unwrapped.record.tobytes() == env.unwrapped.record.tobytes()


def play_on(env):
    rng, rewards = np.random.default_rng(1), {}
    while not any(env.terminations.values()) and not any(env.truncations.values()):
        env.step(int(rng.choice(np.flatnonzero(env.last()[0]["action_mask"]))))
        rewards = env.rewards
    return rewards


def test_after_set_state_what_is_legal_is_that_of_the_new_position(game_for_two):
    env = envs.make(game_for_two)
    env.reset(seed=1)
    state, mask = env.get_state(), env.last()[0]["action_mask"]
    action = int(np.flatnonzero(mask)[0])
    while env.last()[0]["action_mask"][action]:
        a_few_decisions(env, 1, seed=3)
    env.set_state(state)
    env.step(action)
    assert env.unwrapped.record["decisions"] == 1
    assert not any(env.rewards.values())


def test_a_state_of_something_else_is_refused_and_nothing_has_changed(game_for_two):
    env, other = envs.raw_env(game_for_two), envs.raw_env("dance_of_eights", 3)
    env.reset(seed=1)
    other.reset(seed=1)
    state = env.get_state()
    for wrong in (b"", b"nothing", state[:-1], state + b"0", other.get_state(), None):
        with pytest.raises(ValueError, match="the state"):
            env.set_state(wrong)
    assert env.get_state() == state


def test_observations_are_fresh_unless_asked_otherwise():
    env = envs.raw_env("fairy_ring")
    env.reset(seed=0)
    first = env.last()[0]["observation"]
    kept = first.copy()
    env.step(0)
    env.last()
    assert (first == kept).all()
    env = envs.raw_env("fairy_ring", copy=False)
    env.reset(seed=0)
    first = env.last()[0]["observation"]
    kept = first.copy()
    env.step(0)
    assert not (first == kept).all()


def test_reset_without_a_seed_goes_on_to_the_next_episode():
    one, other = envs.raw_env("fairy_ring"), envs.raw_env("fairy_ring")
    one.reset(seed=4)
    first = one.record.tobytes()
    one.reset()
    second = one.record.tobytes()
    assert first != second
    other.reset(seed=4)
    other.reset()
    assert other.record.tobytes() == second
    unseeded, again = envs.raw_env("fairy_ring"), envs.raw_env("fairy_ring")
    unseeded.reset()
    again.reset()
    assert unseeded.record.tobytes() != again.record.tobytes()


def test_state_is_the_views_of_all_seats(game_for_two):
    env = envs.raw_env(game_for_two)
    env.reset(seed=0)
    views = [env.observe(agent)["observation"] for agent in env.possible_agents]
    assert (env.state() == np.concatenate(views)).all()
    assert env.state_space.contains(env.state())


@pytest.mark.parametrize("copy", [True, False])
def test_the_view_of_a_seat_that_is_not_to_act_is_the_callers_own_with_an_empty_mask(game_for_two, copy):
    env = envs.raw_env(game_for_two, copy=copy)
    env.reset(seed=0)
    other = next(agent for agent in env.possible_agents if agent != env.agent_selection)
    first, second = env.observe(other), env.observe(other)
    for part in ("observation", "action_mask"):
        assert first[part].flags.owndata
        assert not np.shares_memory(first[part], second[part])
    kept = second["observation"].copy()
    first["observation"][:] = -1
    first["action_mask"][:] = 1
    assert (second["observation"] == kept).all()
    assert (env.observe(other)["observation"] == kept).all()
    assert not second["action_mask"].any()
    assert not env.observe(other)["action_mask"].any()


def test_every_agent_can_be_observed_after_the_end(game_for_two):
    env = envs.raw_env(game_for_two)
    play_to_end(env)
    assert not env.agents
    for agent in env.possible_agents:
        seen = env.observe(agent)
        assert env.observation_space(agent).contains(seen)
        assert not seen["action_mask"].any()


def test_max_cycles_truncates_without_pay():
    env = envs.make("fairy_ring", max_cycles=5)
    env.reset(seed=0)
    for _ in range(5):
        env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[0]))
    assert all(env.truncations.values())
    assert not any(env.terminations.values())
    assert not any(env.rewards.values())


def test_it_converts_to_a_parallel_environment(game_for_two):
    env = turn_based_aec_to_parallel(envs.make(game_for_two))
    observations, _ = env.reset(seed=0)
    rng = np.random.default_rng(0)
    total = dict.fromkeys(env.possible_agents, 0.0)
    while env.agents:
        actions = {
            agent: int(rng.choice(np.flatnonzero(observations[agent]["action_mask"])))
            if observations[agent]["action_mask"].any()
            else 0
            for agent in env.agents
        }
        observations, rewards, *_ = env.step(actions)
        for agent, reward in rewards.items():
            total[agent] += reward
    assert sum(total.values()) == pytest.approx(0, abs=1e-6)


def test_pictures_of_every_mode(game_for_two):
    for mode, check in (
        ("ansi", lambda picture: len(picture.splitlines()) > 3),
        ("svg", lambda picture: ElementTree.fromstring(picture).tag.endswith("svg")),
        ("rgb_array", lambda picture: picture.dtype == np.uint8 and picture.shape[2] == 3 and picture.std() > 5),
        ("human", lambda picture: picture is None),
    ):
        env = envs.raw_env(game_for_two, render_mode=mode)
        env.reset(seed=0)
        assert check(env.render()), mode
        env.close()
    env = envs.raw_env(game_for_two)
    env.reset(seed=0)
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None


def test_a_picture_of_one_seat_hides_what_it_cannot_know():
    whole, seat = (envs.raw_env("fairy_ring", render_mode="ansi", view=view) for view in (None, 0))
    whole.reset(seed=0)
    seat.reset(seed=0)
    assert whole.render() != seat.render()


def test_a_window_is_drawn_by_reset_and_by_every_step(game_for_two):
    import pygame

    env = envs.raw_env(game_for_two, render_mode="human", view=0, max_cycles=3)
    assert not pygame.display.get_init(), "no window before the first reset"
    env.reset(seed=0)
    shown = [pygame.image.tobytes(pygame.display.get_surface(), "RGB")]
    twin = envs.raw_env(game_for_two, render_mode="rgb_array", view=0, max_cycles=3)
    twin.reset(seed=0)
    while not all(env.truncations.values()):
        picture = twin.render()
        assert shown[-1] == picture.tobytes() and pygame.display.get_surface().get_size() == picture.shape[1::-1]
        action = int(np.flatnonzero(env.last()[0]["action_mask"])[-1])
        env.step(action)
        twin.step(action)
        shown.append(pygame.image.tobytes(pygame.display.get_surface(), "RGB"))
    assert len(set(shown)) == len(shown) == 4
    env.close()
    assert not pygame.display.get_init()


def test_what_there_is_from_the_first_reset_on_says_so_before():
    env = envs.raw_env("fairy_ring")
    names = ("agents", "rewards", "_cumulative_rewards", "terminations", "truncations", "infos", "agent_selection")
    for name in names:
        assert not hasattr(env, name)
        with pytest.raises(AttributeError, match=f"there is no {name} before the first reset"):
            getattr(env, name)
    env.reset(seed=0)
    assert set(names) <= vars(env).keys() and all(getattr(env, name) is vars(env)[name] for name in names)
