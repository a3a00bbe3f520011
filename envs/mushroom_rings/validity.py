"""Whether a record that comes from outside is a possible position, exactly and in compiled code."""

from envs.engine import jit
from envs.fields import first_difference
from envs.mushroom_rings.rebuilding import rebuild


@jit
def fault_of(state, rules, scratch):
    """0 for a possible position."""
    fault = rebuild(state, rules, scratch)
    return fault if fault != 0 else first_difference(state, scratch)
