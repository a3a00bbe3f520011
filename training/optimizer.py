"""What an optimiser remembers, from a checkpoint that may be anybody's."""

from typing import Any

import torch as th

from agents.policy import are_numbers

_OF_ADAM = {"step", "exp_avg", "exp_avg_sq"}


def check_memory(found: Any, optimizer: th.optim.Optimizer) -> dict[str, Any]:
    """What an Adam optimiser has saved, for one that is to go on: its numbers from the file, its settings from the program.

    Args:
        found: What the file holds.
        optimizer: Is to go on, with the same parameters.

    Raises:
        ValueError: It is not the memory of such an optimiser.
    """
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    state = found.get("state") if isinstance(found, dict) else None
    if not isinstance(state, dict) or (state and list(state) != list(range(len(parameters)))):
        raise ValueError("its optimiser has not the parameters of this run's network")
    for number, memory in state.items():
        if not _is_memory(memory, parameters[number]):
            raise ValueError(f"its optimiser remembers of parameter {number} what Adam would not")
    return {"state": state, "param_groups": optimizer.state_dict()["param_groups"]}


def _is_memory(memory: Any, parameter: th.Tensor) -> bool:
    if not isinstance(memory, dict) or set(memory) != _OF_ADAM or not are_numbers(memory["step"], ()):
        return False
    means = [memory["exp_avg"], memory["exp_avg_sq"]]
    return all(are_numbers(mean, parameter.shape) for mean in means) and bool((means[1] >= 0).all() and memory["step"] >= 0)
