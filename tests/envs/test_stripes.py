"""Rows shared by threads: the same bytes as by one, through every call; threads that end, and what is refused."""

import copy
import os
import pickle
import threading

import gymnasium
import numpy as np
import pytest

import envs
from envs.stripes import Stripes, cut

COUNTS = (1, 2, 3, 7)


def play(env, steps=60):
    """Everything that the calls of an environment give on the way, as bytes."""
    words, seen = np.arange(env.num_envs, dtype=np.uint64), []
    actions = np.zeros(env.num_envs, np.int64)
    for k in range(steps):
        env.game.kernels.sample_batch(env._mask_rows, words, actions)
        env.step(actions)
        observation, rewards, terminations, truncations, infos = env.last()
        told = [np.asarray(infos[key]) for key in sorted(infos)]
        given = [*observation.values(), rewards, terminations, truncations, *told, env.agent_selection]
        if k % 20 == 0:
            given += [env.worlds(words), env.observe(1)["observation"], env.state(), env.standings()]
        seen += [array.tobytes() for array in given]
        if k % 20 == 0:
            env.set_records(env.states[::-1].copy())
            env.deal_rows(np.arange(0, env.num_envs, 2))
    env.reset()
    return [*seen, env.get_state(), env.passed_over]


@pytest.mark.parametrize("autoreset", [True, False])
def test_the_bytes_are_the_same_for_any_number_of_threads(game, autoreset):
    def played(threads):
        env = envs.make_vec(game, 13, seed=3, threads=threads, autoreset=autoreset, action_features=bool(game.num_features))
        return play(env, 20 if not autoreset else 60)

    one, *others = map(played, COUNTS)
    assert all(other == one for other in others)


@pytest.mark.parametrize("illegal", ["forfeit", "random"])
def test_so_they_are_where_actions_are_illegal(game_for_two, illegal):
    def played(threads):
        env, seen = envs.make_vec(game_for_two, 9, seed=1, illegal=illegal, threads=threads), []
        for step in range(40):
            env.step(np.arange(9) * 5 - step % 3)
            seen += [env.last()[4]["illegal"].tobytes(), env.last()[1].tobytes()]
        return [*seen, env.get_state()]

    assert played(1) == played(2) == played(4)


def test_an_illegal_action_in_a_later_stripe_changes_nothing_in_the_first(game_for_two):
    env = envs.make_vec(game_for_two, 8, seed=0, threads=4)
    before = env.get_state()
    actions = env.last()[0]["action_mask"].argmax(axis=1)
    actions[7] = game_for_two.num_actions
    with pytest.raises(ValueError, match=f"illegal actions in 1 rows: row 7: action {game_for_two.num_actions}"):
        env.step(actions)
    assert env.get_state() == before


@pytest.mark.parametrize(("rows", "threads", "sizes"), [(1, 4, [1]), (2, 2, [1, 1]), (7, 3, [2, 2, 3]), (4, 1, [4])])
def test_stripes_cover_all_rows_and_are_never_empty(rows, threads, sizes):
    parts = cut(rows, threads)
    assert [part.stop - part.start for part in parts] == sizes
    assert np.concatenate([np.arange(rows)[part] for part in parts]).tolist() == list(range(rows))


def test_every_stripe_has_a_thread_of_its_own_and_the_first_the_callers():
    stripes, meeting = Stripes([0, 1, 2]), threading.Barrier(3, timeout=60)

    def meet(part):
        meeting.wait()  # nobody comes through before all three are there
        return part, threading.get_ident()

    found = stripes.each(meet)
    assert [part for part, _ in found] == [0, 1, 2]
    assert len({thread for _, thread in found}) == 3 and found[0][1] == threading.get_ident()
    stripes.close()


def test_when_one_fails_the_others_have_ended_before_it_is_told():
    stripes, ended = Stripes([0, 1]), []

    def fail_first(part):
        if part == 0:
            raise ValueError("the first")
        ended.append(part)

    with pytest.raises(ValueError, match="the first"):
        stripes.each(fail_first)
    assert ended == [1]
    with pytest.raises(ZeroDivisionError):
        stripes.each(lambda part: 1 // (1 - part))
    stripes.close()


def test_close_ends_the_threads_and_a_later_call_starts_them_anew(game_for_two):
    before = set(threading.enumerate())
    env, other = (envs.make_vec(game_for_two, 8, seed=0, threads=threads) for threads in (3, 1))
    assert 1 <= len(set(threading.enumerate()) - before) <= 2  # one that is idle again does the work of two
    env.close()
    assert set(threading.enumerate()) == before
    assert play(env, 5) == play(other, 5)
    env.close()
    env.close()
    assert set(threading.enumerate()) == before


def test_an_environment_that_is_forgotten_leaves_no_threads(game_for_two):
    before = set(threading.enumerate())
    env = envs.make_vec(game_for_two, 8, seed=0, threads=2)
    (thread,) = set(threading.enumerate()) - before
    del env
    thread.join(60)
    assert not thread.is_alive()


def test_copies_have_threads_of_their_own_and_go_on_to_the_same(game_for_two):
    env = envs.make_vec(game_for_two, 8, seed=0, threads=2)
    copies = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    assert [twin.threads for twin in copies] == [2, 2]
    env.close()
    first, *others = [play(twin, 5) for twin in (env, *copies)]
    assert all(other == first for other in others)


def test_a_state_goes_from_one_number_of_threads_to_another(game_for_two):
    one, two = (envs.make_vec(game_for_two, 8, seed=seed, threads=1 + seed) for seed in (0, 1))
    two.set_state(one.get_state())
    assert play(one, 5) == play(two, 5)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own():
    stripes = Stripes([1, 2])
    assert stripes.each(str) == ["1", "2"]
    child = os.fork()
    if child == 0:
        os._exit(0 if stripes.each(str) == ["1", "2"] else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    stripes.close()


@pytest.mark.parametrize("threads", [0, -1, 257, 1.5, "2", None, True])
def test_other_numbers_of_threads_are_refused(threads):
    with pytest.raises(ValueError, match="threads is .*; it must be an integer from 1 to 256"):
        envs.make_vec("dance_of_eights", 4, threads=threads)
    with pytest.raises(ValueError, match="threads is .*; it must be an integer from 1 to 256"):
        gymnasium.make_vec("envs:fairy_rings/dance_of_eights-v0", num_envs=4, threads=threads)


def test_gymnasiums_door_takes_threads():
    before = set(threading.enumerate())

    def played(threads):
        env = gymnasium.make_vec("envs:fairy_rings/dance_of_eights-v0", num_envs=6, opponents="greedy", threads=threads)
        observation, infos = env.reset(seed=4)
        seen = [observation.tobytes()]
        for _ in range(30):
            observation, rewards, *_, infos = env.step(infos["action_mask"].argmax(axis=1))
            seen += [observation.tobytes(), rewards.tobytes()]
        assert min(threads - 1, 1) <= len(set(threading.enumerate()) - before) <= threads - 1
        env.close()
        assert set(threading.enumerate()) == before
        return seen

    assert played(1) == played(3)
