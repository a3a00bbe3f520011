"""Chance: 64-bit random words, and what games make of them. Compiled code has no other source of it."""

import numpy as np

from envs.engine.compiler import inline, wrapping

# splitmix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_U27, _U30, _U31, _U32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)


@wrapping
def mix(word):
    """A 64-bit hash of a 64-bit word (the output function of splitmix64)."""
    word = (word ^ (word >> _U30)) * _MIX_1
    word = (word ^ (word >> _U27)) * _MIX_2
    return word ^ (word >> _U31)


@wrapping
def mix_in(word, number):
    """A 64-bit hash of a word and an integer."""
    return mix((word ^ np.uint64(number)) + _GAMMA)


@wrapping
def draw(state):
    """The next random word of a game, ``uint64``."""
    state["rng"] = state["rng"] + _GAMMA
    return mix(state["rng"])


@wrapping
def below(state, bound):
    """A random number from 0 to ``bound`` - 1 (biased by less than ``bound`` / 2**32; Lemire 2019)."""
    return np.int64(((draw(state) >> _U32) * np.uint64(bound)) >> _U32)


def word_before(number: int, bound: int) -> np.uint64:
    """A state of the generator whose next ``below(bound)`` is ``number``: how an event of chance is given an outcome."""
    most = 1 << 64
    word = -(-(number << 32) // bound) << 32
    for shift, factor in ((31, _MIX_2), (27, _MIX_1)):
        word = _unshifted(word, shift) * pow(int(factor), -1, most) % most
    return np.uint64((_unshifted(word, 30) - int(_GAMMA)) % most)


def _unshifted(word: int, shift: int) -> int:
    """The 64-bit word whose exclusive or with itself, shifted right, is ``word``; twice is enough for shifts from 22 on."""
    return word ^ word >> shift ^ word >> 2 * shift


@wrapping
def scaled(word, bound):
    """A word made into a number from 0 to ``bound`` - 1."""
    return np.int64(((word >> _U32) * np.uint64(bound)) >> _U32)


@wrapping
def seed_word(seed, row, episode):
    """The first random word of a game."""
    return mix_in(mix_in(mix(seed + _GAMMA), row), episode)


def word_of(*numbers: int) -> np.uint64:
    """A random word made of integers from 0, the same on every machine."""
    word = np.uint64(0)
    with np.errstate(over="ignore"):
        for number in numbers:
            word = np.uint64(mix_in(word, np.uint64(number)))
    return word


_BYTES = np.uint64(0x0101010101010101)  # 1 in every byte
_TOPS = np.uint64(0x8080808080808080)  # the top bit of every byte
_DIAGONAL = np.uint64(0x8040201008040201)  # bit n in byte n
_U1, _U2, _U4, _U7, _U8, _U16, _U24, _U56 = map(np.uint64, (1, 2, 4, 7, 8, 16, 24, 56))
_EVEN_BITS, _EVEN_PAIRS, _EVEN_FOURS = map(np.uint64, (0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F))
_ONE_BYTE, _ALL_BUT_TOPS = np.uint64(0xFF), ~_TOPS


@wrapping
def byte_total(counts):
    """The sum of the eight bytes of a word, which is below 256."""
    return (counts * _BYTES) >> _U56


@wrapping
def find_byte(counts, rank):
    """At which byte of a word the sum of the bytes so far first exceeds ``rank`` (below their sum, which is at most 127)."""
    sums = counts * _BYTES
    return byte_total(((_BYTES * rank | _TOPS) - sums & _TOPS) >> _U7)


@wrapping
def running_sums(counts):
    """In every byte the sum of the bytes of a word up to it; all together are below 256."""
    return counts * _BYTES


@inline
def bytes_above(sums, rank):
    """1 in every byte that exceeds ``rank``; all of them are at most 127."""
    return (~((_BYTES * rank | _TOPS) - sums) & _TOPS) >> _U7


@inline
def word_at(row, word):
    """Eight integers from 0 of a list as the bytes of a word; the compiler reads them at once."""
    k = 8 * word
    low = _byte(row[k]) | _byte(row[k + 1]) << _U8 | _byte(row[k + 2]) << _U16 | _byte(row[k + 3]) << _U24
    high = _byte(row[k + 4]) | _byte(row[k + 5]) << _U8 | _byte(row[k + 6]) << _U16 | _byte(row[k + 7]) << _U24
    return low | high << _U32


@inline
def _byte(number):
    return np.uint64(np.uint8(number))


@inline
def put_word(row, word, numbers):
    """The reverse of :func:`word_at`; all of the bytes are at most 127."""
    for place in range(8):
        row[8 * word + place] = np.int8(numbers >> np.uint64(8 * place) & _ONE_BYTE)


@wrapping
def _bits_of_bytes(bits):
    """How many bits are set in each byte of a word."""
    bits = bits - (bits >> _U1 & _EVEN_BITS)
    bits = (bits & _EVEN_PAIRS) + (bits >> _U2 & _EVEN_PAIRS)
    return bits + (bits >> _U4) & _EVEN_FOURS


@wrapping
def _find_bit(bits, rank):
    """The place of the bit that is set after ``rank`` other ones."""
    counts = _bits_of_bytes(bits)
    shift = find_byte(counts, rank) * _U8
    rank -= (counts * _BYTES << _U8) >> shift & _ONE_BYTE
    spread = ((bits >> shift & _ONE_BYTE) * _BYTES & _DIAGONAL) + _ALL_BUT_TOPS
    return shift + find_byte((spread & _TOPS) >> _U7, rank)


@inline
def _as_bits(mask, start):
    """Up to 64 entries of a mask, from ``start`` on, as the bits of a word."""
    part = mask[start : start + 64]
    bits = np.uint64(0)
    for place in range(len(part)):
        bits |= np.uint64(part[place]) << np.uint64(place)
    return bits


@wrapping
def pick(mask, word):
    """The legal action that a random word falls on, each with the same chance; 0 when none is legal."""
    legal = 0
    for action in range(len(mask)):
        legal += int(mask[action])
    if legal == 0:
        return 0
    # The action that comes after `rank` other legal ones; looking for it in whole words is 2x as fast as one by one.
    rank = np.uint64(scaled(word, legal))
    start, bits = 0, _as_bits(mask, 0)
    count = byte_total(_bits_of_bytes(bits))
    while rank >= count:
        rank -= count
        start += 64
        bits = _as_bits(mask, start)
        count = byte_total(_bits_of_bytes(bits))
    return start + np.int64(_find_bit(bits, rank))
