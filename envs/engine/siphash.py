"""SipHash-2-4: a 64-bit keyed hash of which nobody without the key can predict, invert or connect the outputs.

Aumasson and Bernstein, "SipHash: a fast short-input PRF", INDOCRYPT 2012. The key and the message are read as little-endian words
of 64 bits; the last word of a message holds the bytes that are left over, and the length of the message in its top byte.
"""

import numpy as np

from envs.engine.compiler import kernel, wrapping

# Section 2.1.
_V0, _V1, _V2, _V3 = map(np.uint64, (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573))
_LAST = np.uint64(0xFF)
_U3, _U7, _U56, _U64 = map(np.uint64, (3, 7, 56, 64))
_U13, _U16, _U17, _U21, _U32 = map(np.uint64, (13, 16, 17, 21, 32))
_TWO_WORDS = np.uint64(16 << 56)  # what follows a message of 16 bytes


@wrapping
def _left(word, bits):
    """A word rotated to the left."""
    return (word << bits) | (word >> (_U64 - bits))


@wrapping
def _round(v0, v1, v2, v3):
    """One SipRound (figure 2.1)."""
    v0 += v1
    v2 += v3
    v1 = _left(v1, _U13) ^ v0
    v3 = _left(v3, _U16) ^ v2
    v0 = _left(v0, _U32)
    v2 += v1
    v0 += v3
    v1 = _left(v1, _U17) ^ v2
    v3 = _left(v3, _U21) ^ v0
    return v0, v1, _left(v2, _U32), v3


@wrapping
def _compress(v0, v1, v2, v3, word):
    """Takes in a word of the message: two rounds."""
    v0, v1, v2, v3 = _round(v0, v1, v2, v3 ^ word)
    v0, v1, v2, v3 = _round(v0, v1, v2, v3)
    return v0 ^ word, v1, v2, v3


@wrapping
def _finalise(v0, v1, v2, v3):
    """The hash: four rounds more."""
    v2 ^= _LAST
    for _ in range(4):
        v0, v1, v2, v3 = _round(v0, v1, v2, v3)
    return v0 ^ v1 ^ v2 ^ v3


@wrapping
def siphash_pair(k0, k1, first, second):
    """The hash of a message of two words.

    Args:
        k0: ``uint64``, the first half of the key.
        k1: ``uint64``, the second half.
        first: ``uint64``.
        second: ``uint64``.

    Returns:
        ``uint64``.
    """
    v0, v1, v2, v3 = k0 ^ _V0, k1 ^ _V1, k0 ^ _V2, k1 ^ _V3
    v0, v1, v2, v3 = _compress(v0, v1, v2, v3, first)
    v0, v1, v2, v3 = _compress(v0, v1, v2, v3, second)
    v0, v1, v2, v3 = _compress(v0, v1, v2, v3, _TWO_WORDS)
    return _finalise(v0, v1, v2, v3)


@kernel
def siphash_bytes(key, message):
    """The hash of any message, ``uint64``; the general form of :func:`siphash_pair`.

    Args:
        key: ``(2,) uint64``.
        message: ``(L,) uint8``.
    """
    v0, v1, v2, v3 = key[0] ^ _V0, key[1] ^ _V1, key[0] ^ _V2, key[1] ^ _V3
    word = np.uint64(0)
    for i in range(len(message)):
        place = np.uint64(i) & _U7
        word |= np.uint64(message[i]) << (place << _U3)
        if place == _U7:
            v0, v1, v2, v3 = _compress(v0, v1, v2, v3, word)
            word = np.uint64(0)
    v0, v1, v2, v3 = _compress(v0, v1, v2, v3, word | (np.uint64(len(message)) << _U56))
    return _finalise(v0, v1, v2, v3)
