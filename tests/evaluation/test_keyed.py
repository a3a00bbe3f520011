"""Secrets: what is made from them is the same everywhere, and an agent that turns its words round learns nothing from them."""

import numpy as np
import pytest

import envs
from agents.agent import RandomAgent
from envs.vector import VectorAECEnv
from evaluation import tournament
from evaluation.keyed import FIRST_DEAL, OpenSecret, Secret

GAMMA, MASK = 0x9E3779B97F4A7C15, 2**64 - 1
MOST_DRAWS = 400  # that dealing anew takes from a word
GAMES = 64


def unshift(word, bits):
    """The number that gives ``word`` when it is combined with itself, shifted right."""
    result = word
    for _ in range(64 // bits):
        result = word ^ (result >> bits)
    return result


def unmix(word):
    """The inverse of ``engine.mix``."""
    word = unshift(word, 31) * pow(0x94D049BB133111EB, -1, 2**64) & MASK
    word = unshift(word, 27) * pow(0xBF58476D1CE4E5B9, -1, 2**64) & MASK
    return unshift(word, 30)


def unmix_in(word, number):
    """The inverse of ``engine.mix_in`` in its first argument."""
    return ((unmix(word) - GAMMA) & MASK) ^ number


SALT = 0xA0761D6478BD642F  # of the words that tournaments had once


def candidates(word, seat):
    """Seeds that a deal may have, if the first word that a seat is given is ``word``."""
    inner = unmix_in(unmix_in(word, 0), seat)  # without the decision and the seat
    yield unmix_in(inner, 0) ^ SALT  # of salt and deal
    yield inner  # the deal itself
    yield word
    yield (unmix(unmix_in(unmix_in(word, 0), 0)) - GAMMA) & MASK  # the first state of the game's generator


def rebuilt(game, observations, worlds):
    """The true records that an agent rebuilds from what it is shown at its first decision in some games, by row."""
    seeds, rows = [], []
    for row, (rng, seat) in enumerate(zip(worlds["rng"].tolist(), worlds["current_player"].tolist(), strict=True)):
        for draws in range(MOST_DRAWS):
            possible = [seed for seed in candidates((rng - draws * GAMMA) & MASK, seat) if FIRST_DEAL <= seed < 2 * FIRST_DEAL]
            seeds += possible
            rows += [row] * len(possible)
    env = VectorAECEnv(game, len(seeds), autoreset=False)
    env.reset(np.array(seeds, np.int64))
    right = (env.last()[0]["observation"] == observations[rows]).all(axis=1)
    return {rows[k]: env.states[k].copy() for k in np.flatnonzero(right)}


class Recorder(RandomAgent):
    """Keeps what it is shown at its first ask."""

    seen = None

    def act(self, observations, action_masks, worlds):
        if self.seen is None:
            self.seen = observations.copy(), worlds.copy()
        return super().act(observations, action_masks, worlds)


@pytest.fixture(scope="module", params=["fairy_ring", "dance_of_eights"])
def game(request):
    return envs.make_game(request.param, 2)


def test_a_word_that_can_be_turned_round_gives_all_hidden_cards_away(game):
    """The attack works where it can: on the derivation that tournaments once had."""
    deals = Secret.from_seed(1).deal_seeds(GAMES)
    env = VectorAECEnv(game, GAMES, autoreset=False)
    env.reset(deals)
    words = np.zeros(GAMES, np.uint64)
    OpenSecret.from_seed(1).write_words(deals, env.agent_selection.astype(np.int64), np.zeros((GAMES, 2), np.int64), words)
    worlds = env.worlds(words)
    begun = np.flatnonzero(env.agent_selection >= 0)  # a deal may be over at once
    found = rebuilt(game, env.last()[0]["observation"], worlds)
    assert [row for row in found if row in begun] == begun.tolist() and len(begun) > 60
    assert all(record.tobytes() == env.states[row].tobytes() for row, record in found.items())


def test_from_the_words_of_a_tournament_no_deal_can_be_rebuilt(game):
    secret = Secret.from_seed(1)
    agent = Recorder(game)
    tournament.play(game, [agent], np.zeros((GAMES, 2), int), secret.deal_seeds(GAMES), secret=secret)
    assert rebuilt(game, *agent.seen) == {}


def test_words_of_one_secret_tell_nothing_of_those_of_another_on_the_same_deals():
    deals, seats = Secret.from_seed(1).deal_seeds(500), np.zeros(500, np.int64)
    both = [np.zeros(500, np.uint64), np.zeros(500, np.uint64)]
    for seed, words in enumerate(both):
        Secret.from_seed(seed).write_words(deals, seats, np.zeros((500, 2), np.int64), words)
    same_bits = 64 - np.bitwise_count(both[0] ^ both[1])
    assert abs(same_bits.mean() - 32) < 1 and not np.isin(*both).any()


def test_every_seat_and_decision_of_a_deal_has_a_word_of_its_own():
    secret, seen = Secret.draw(), []
    deals, decisions = secret.deal_seeds(50), np.zeros((50, 3), np.int64)
    for seat in [0, 1, 2] * 20:
        words = np.zeros(50, np.uint64)
        secret.write_words(deals, np.full(50, seat), decisions, words)
        seen.append(words)
    assert (decisions == 20).all() and len(np.unique(seen)) == 50 * 60


def test_games_that_are_over_do_not_disturb_the_words_of_others():
    secret = Secret.from_seed(3)
    deals, alone = secret.deal_seeds(4), np.zeros(4, np.uint64)
    secret.write_words(deals, np.array([0, 1, 0, 1]), np.zeros((4, 2), np.int64), alone)
    words = np.zeros(4, np.uint64)
    secret.write_words(deals, np.array([-1, 1, -1, 1]), np.zeros((4, 2), np.int64), words)
    assert (words[1::2] == alone[1::2]).all()


def test_the_seed_of_a_command_gives_the_same_secret_on_every_machine():
    secret = Secret.from_seed(0)
    assert secret.hex == "070a4175911fbfcf0d7a062bc8b1cb9f927402707a2e185bc330026e3e46df3d"
    assert secret.deal_seeds(3).tolist() == [8093145642185423273, 8377206929108554140, 7386826609214306218]
    words = np.zeros(2, np.uint64)
    secret.write_words(secret.deal_seeds(2), np.array([0, 1]), np.array([[0, 0], [7, 5]]), words)
    assert words.tolist() == [6827478726384936832, 10905368413301250029]


def test_deals_of_evaluations_lie_above_those_of_training():
    deals = Secret.draw().deal_seeds(10_000)
    assert deals.dtype == np.int64 and deals.min() >= FIRST_DEAL and len(np.unique(deals)) == 10_000
    assert np.array_equal(Secret.from_seed(5).deal_seeds(9)[:4], Secret.from_seed(5).deal_seeds(4))


def test_a_secret_can_be_written_down_and_is_not_printed_by_accident():
    secret, other = Secret.draw(), Secret.draw()
    assert Secret.from_hex(secret.hex) == secret != other and secret.commitment != other.commitment
    assert len(secret.commitment) == 64 and secret.hex not in f"{secret} {secret!r} {secret.commitment}"
    for wrong in ("", "00", "zz" * 32, secret.hex + "00"):
        with pytest.raises(ValueError, match="32 bytes|hexadecimal"):
            Secret.from_hex(wrong)
