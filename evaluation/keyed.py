"""Deals, and the random words given to agents, that tell nothing of each other: all are outputs of a function keyed by a
secret.

An agent sees the words of its own decisions: they are in ``worlds["rng"]``, from which a word can be computed back. Were a word
made from the deal by any function that can be turned round, the deal and with it every hidden card would follow. SipHash-2-4
(``envs.engine.siphash``) is a pseudorandom function: without its key nobody can tell its outputs from random numbers, however
many of them are known. The two uses, seeds of deals and words, have keys of their own, so that a deal's seed and its words have
nothing in common either.

A secret is worth as much as the care with which it is kept. One that was drawn at random is known to nobody. One that is made
from the seed of a command line is there so that the same command gives the same bytes; an agent that guesses the seed knows all.
And the cards of one game still come from a generator with a state of 64 bits (``envs.engine.rng``): good for play, no cipher.
"""

import hashlib
import secrets
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from envs import engine
from envs.engine.siphash import siphash_pair

FIRST_DEAL = 2**62
"""Deals of an evaluation have seeds from here to 2**63 - 1, those of training lie below."""

KEY_BYTES = 32

_DEAL_SALT, _WORD_SALT = np.uint64(0xD6E8FEB86659FD93), np.uint64(0xA0761D6478BD642F)  # of boards without a secret
_FOR_DEALS, _FOR_WORDS, _FOR_SEEDS, _FOR_ALL = b"deals", b"words", b"from a seed", b"commitment"


@dataclass(frozen=True, repr=False)
class Secret:
    """What the deals of a tournament and the words of its agents are made from.

    Attributes:
        key: 32 bytes.

    Raises:
        ValueError: The key has another length.
    """

    key: bytes

    def __post_init__(self) -> None:
        if len(self.key) != KEY_BYTES:
            raise ValueError(f"a secret has {KEY_BYTES} bytes, not {len(self.key)}")

    @classmethod
    def from_seed(cls, seed: int) -> "Secret":
        """The secret of a seed: the same on every machine, and known to all who know the seed."""
        return cls(_blake(str(int(seed)).encode(), _FOR_SEEDS, KEY_BYTES))

    @classmethod
    def draw(cls) -> "Secret":
        """A secret that nobody knows."""
        return cls(secrets.token_bytes(KEY_BYTES))

    @classmethod
    def from_hex(cls, text: str) -> "Secret":
        """The secret that ``hex`` gave.

        Raises:
            ValueError: The text is not of 64 hexadecimal digits.
        """
        return cls(bytes.fromhex(text))

    @property
    def hex(self) -> str:
        """All of it as text."""
        return self.key.hex()

    @cached_property
    def commitment(self) -> str:
        """A hash that can be shown before the first game: it tells nothing of the secret, and no other secret has it."""
        return self.commit_to("")

    def commit_to(self, subject: str) -> str:
        """The same for a secret that serves one purpose alone: no other secret has it, nor this one for another subject."""
        return _blake(self.key + subject.encode(), _FOR_ALL, 32).hex()

    def __repr__(self) -> str:
        return f"Secret({self.commitment[:12]}...)"  # what is printed by accident gives nothing away

    def deal_seeds(self, count: int) -> np.ndarray:
        """The seeds of deals 0 to ``count`` - 1, ``(count,) int64``, all from ``FIRST_DEAL`` up."""
        words = np.empty(count, np.uint64)
        _hash_numbers(self._deal_key, words)
        return (words >> np.uint64(2)).astype(np.int64) + FIRST_DEAL

    def write_words(self, deals: np.ndarray, seats: np.ndarray, decisions: np.ndarray, words: np.ndarray) -> None:
        """Writes a word for the next decision of each game, from its deal, the seat to act and that seat's count of decisions.

        Args:
            deals: ``(N,) int64``, seeds of the deals.
            seats: ``(N,) int64``; below 0 in games that are over, which get a word of no use.
            decisions: ``(N, P) int64``, how often each seat has decided; what is counted here goes up by 1.
            words: ``(N,) uint64``, where the words go.
        """
        _write_words(self._word_key, deals, seats, decisions, words)

    @cached_property
    def _deal_key(self) -> np.ndarray:
        return np.frombuffer(_blake(self.key, _FOR_DEALS, 16), "<u8").astype(np.uint64)

    @cached_property
    def _word_key(self) -> np.ndarray:
        return np.frombuffer(_blake(self.key, _FOR_WORDS, 16), "<u8").astype(np.uint64)


@dataclass(frozen=True, repr=False)
class OpenSecret(Secret):
    """Where deals and words of boards come from that were made before there were secrets; for checking those alone.

    They follow from the seed by a function that can be turned round.

    Attributes:
        seed: Of the board.
    """

    seed: int = 0

    @classmethod
    def from_seed(cls, seed: int) -> "OpenSecret":
        """That of a board's seed."""
        return cls(Secret.from_seed(seed).key, int(seed))

    def deal_seeds(self, count: int) -> np.ndarray:
        """As of ``Secret``."""
        words = np.empty(count, np.uint64)
        _mix_numbers(np.uint64(self.seed), words)
        return (words >> np.uint64(2)).astype(np.int64) + FIRST_DEAL

    def write_words(self, deals: np.ndarray, seats: np.ndarray, decisions: np.ndarray, words: np.ndarray) -> None:
        """As of ``Secret``."""
        _mix_words(deals, seats, decisions, words)


def _blake(content: bytes, purpose: bytes, size: int) -> bytes:
    return hashlib.blake2b(content, digest_size=size, person=purpose).digest()


@engine.kernel
def _hash_numbers(key, words):
    for i in range(len(words)):
        words[i] = siphash_pair(key[0], key[1], np.uint64(i), np.uint64(0))


@engine.kernel
def _write_words(key, deals, seats, decisions, words):
    k0, k1 = key[0], key[1]
    for i in range(len(deals)):
        seat = max(seats[i], 0)
        # Seats are below 256: no two pairs of seat and decision give the same number.
        words[i] = np.uint64(decisions[i, seat] * 256 + seat)
        decisions[i, seat] += 1
    for i in range(len(deals)):  # on its own, so that the compiler hashes several rows at once (4x)
        words[i] = siphash_pair(k0, k1, np.uint64(deals[i]), words[i])


@engine.kernel
def _mix_numbers(seed, words):
    for i in range(len(words)):
        words[i] = engine.mix_in(engine.mix_in(_DEAL_SALT, seed), i)


@engine.kernel
def _mix_words(deals, seats, decisions, words):
    for i in range(len(deals)):
        seat = max(seats[i], 0)
        words[i] = engine.mix_in(engine.mix_in(engine.mix_in(_WORD_SALT, deals[i]), seat), decisions[i, seat])
        decisions[i, seat] += 1
