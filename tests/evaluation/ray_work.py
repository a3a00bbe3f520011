"""What workers on Ray do in tests; a module of its own, so that they import little."""

import os
import signal
import time
from contextlib import contextmanager
from pathlib import Path


class Work:
    """Does with numbers what a test wants of its workers."""

    def __init__(self, folder=None, seconds=0.0):
        self.folder, self.seconds = folder, seconds

    @contextmanager
    def ready(self):
        yield self.do

    def do(self, number):
        time.sleep(self.seconds)
        if number < 0:
            self.die_once(number)
        import ray

        return number**2, os.getpid(), ray.get_runtime_context().get_node_id()

    def die_once(self, number):
        mark = Path(self.folder, str(number))
        if number == -99 or not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
