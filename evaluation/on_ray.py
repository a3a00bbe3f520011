"""Work on the nodes of a Ray cluster: ``--ray ADDRESS``.

A chunk is a task of Ray, and takes one core wherever one is free: nodes that join are used, and chunks of nodes and workers that
die are done again elsewhere. Every worker compares its code and tables with those of the driver before it does anything. What is
to be done travels as bytes that are read after that: a worker of another version need not understand them.
"""

import os
import pickle
import signal
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

from evaluation import executor
from evaluation.executor import LOOK, Function, Tries, nobody_looks
from evaluation.sources import different, identity

LOCAL = "local"
_AHEAD = 2  # chunks given away for each core of the cluster: one at work, one that waits and begins at once
_PATIENCE = 75.0  # seconds in which work that is told to stop may come to its end: a run writes its checkpoint


class Ray:
    """The cores of a Ray cluster.

    Args:
        address: ``"local"``: a cluster of this machine alone, for this program; ``"auto"``: the one that runs on this machine;
            ``"host:port"``: that one, of which this machine is a node.
        workers: Cores that a ``local`` cluster has, or at most so many chunks at a time on another; None: all.

    Raises:
        ValueError: Ray is not installed.
    """

    def __init__(self, address: str, workers: int | None = None) -> None:
        self.address, self.workers = address, workers
        require()

    def map(
        self, function: Function, chunks: Sequence[Callable[[], Any]], look: Callable[[], object] = nobody_looks
    ) -> Generator[tuple[int, Any]]:
        """See :class:`evaluation.executor.Executor`.

        Raises:
            RuntimeError: Also if there is no such cluster, or a worker is of another version.
        """
        work = pickle.dumps((function, executor.Surroundings.here()))
        with _connected(self.address, self.workers) as ray:
            yield from self._results(ray, work, chunks, look)

    def _results(
        self, ray: Any, work: bytes, chunks: Sequence[Callable[[], Any]], look: Callable[[], object]
    ) -> Iterator[tuple[int, Any]]:
        do = ray.remote(num_cpus=1, max_retries=0)(_do)
        shared, waiting, tries = ray.put(work), list(range(len(chunks)))[::-1], Tries()
        at_work: dict[Any, int] = {}
        try:
            while waiting or at_work:
                while waiting and len(at_work) < self._most(ray):
                    chunk = waiting.pop()
                    tries.begin(chunk)
                    at_work[do.remote(identity(), shared, pickle.dumps(chunks[chunk]()))] = chunk
                ready, _ = ray.wait(list(at_work), num_returns=1, timeout=LOOK)
                look()
                for task in ready:
                    chunk = at_work.pop(task)
                    try:
                        result = _read(ray, task)
                    except executor.WorkerDied as death:
                        tries.failed(chunk, death)
                        waiting.append(chunk)
                    else:
                        yield chunk, result
        finally:
            _stop(ray, list(at_work))

    def _most(self, ray: Any) -> int:
        if self.workers is not None and self.address != LOCAL:
            return self.workers
        return max(_AHEAD * int(ray.cluster_resources().get("CPU", 1)), 1)


def require() -> Any:
    """Ray itself, which takes a second to import.

    Raises:
        ValueError: It is not installed.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is told to anybody
    try:
        import ray
    except ImportError as error:
        raise ValueError("--ray needs Ray, which is not installed: pip install 'fairy-rings[ray]'") from error
    return ray


@contextmanager
def _connected(address: str, workers: int | None) -> Iterator[Any]:
    """Ray, connected to a cluster; at the end it is left, and a local one is ended."""
    ray = require()
    of_ray: dict[str, Any] = {"num_cpus": workers or executor.cores(), "include_dashboard": False} if address == LOCAL else {}
    try:
        _connect(ray, address, of_ray)
        yield ray
    finally:
        ray.shutdown()


def _connect(ray: Any, address: str, of_ray: dict[str, Any]) -> None:
    try:
        with _own_signals():
            ray.init(address, log_to_driver=False, **of_ray)
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise RuntimeError(f"--ray {address}: there is no such cluster: {executor.in_a_line(error)}") from error


@contextmanager
def _own_signals() -> Iterator[None]:
    """Leaves the polite signal to end to this program: Ray takes it for itself."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():  # others set none
            signal.signal(signal.SIGTERM, before)


def _read(ray: Any, task: Any) -> Any:
    errors = ray.exceptions
    try:
        is_well, content = ray.get(task)
    except (errors.WorkerCrashedError, errors.NodeDiedError, errors.OutOfMemoryError, errors.ObjectLostError) as error:
        raise executor.WorkerDied(f"a worker ended by itself: {type(error).__name__}") from error
    except errors.RayError as error:  # such as a worker that does not have this package at all
        raise RuntimeError(f"a worker failed: {executor.in_a_line(error)}") from error
    if not is_well:
        raise RuntimeError(content)
    return pickle.loads(content)


def _stop(ray: Any, tasks: list[Any]) -> None:
    """Has work that is not done stop: politely, as by Ctrl-C, and what has not ended after a while by force."""
    for is_forced in (False, True):
        for task in tasks:
            with suppress(ray.exceptions.RayError):
                ray.cancel(task, force=is_forced)
        if tasks:
            _, tasks = ray.wait(tasks, num_returns=len(tasks), timeout=_PATIENCE)


# --- at the side of the worker --------------------------------------------------------------------------------------------

_made: dict[bytes, tuple[ExitStack, Callable[[Any], Any]]] = {}
"""What this worker has made ready, by the bytes it was made from: the last one alone."""


def _do(expected: dict[str, str], work: bytes, chunk: bytes) -> tuple[bool, Any]:
    """Does a chunk in a worker; ``(True, result as bytes)``, or ``(False, what went wrong)``."""
    if (what := different(identity(), expected)) is not None:
        return False, f"the worker on node {_node()} is of another version: there {what} here"
    try:
        return True, pickle.dumps(_ready(work)(pickle.loads(chunk)))
    except Exception as error:  # to be told where the user sees it
        return False, f"a worker process failed: {executor.in_a_line(error)}"


def _node() -> str:
    import ray

    return f"{ray.util.get_node_ip_address()} ({ray.get_runtime_context().get_node_id()[:12]})"


def _ready(work: bytes) -> Callable[[Any], Any]:
    if work not in _made:
        for stack, _ in _made.values():
            stack.close()
        _made.clear()
        function, seen = pickle.loads(work)
        seen.enter()
        stack = ExitStack()
        _made[work] = stack, stack.enter_context(function.ready())
    return _made[work][1]
