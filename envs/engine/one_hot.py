"""Writing an observation: numbers that every game needs, and one-hot codes."""

import numpy as np

from envs.engine.compiler import inline

ONE, ZERO = np.float32(1), np.float32(0)


@inline
def write_one_hot(out, k, length, index):
    """Writes a one-hot code from place ``k`` on, all zeros for a negative index; returns the place after it."""
    for i in range(length):
        out[k + i] = ONE if i == index else ZERO
    return k + length
