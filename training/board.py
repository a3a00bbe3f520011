"""The numbers of a run for TensorBoard, written at once and without a thread, so that errors come where they happen."""

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any


class Board:
    """A file of events in a folder of TensorBoard.

    Args:
        folder: Made where it is missing; each board is a file of its own.
        first_step: What other files of the folder say of this step and later ones is forgotten.

    Raises:
        OSError: It cannot be written; so do all methods.
    """

    def __init__(self, folder: Path, first_step: int) -> None:
        from tensorboard.compat.proto.event_pb2 import Event, SessionLog
        from tensorboard.compat.proto.summary_pb2 import Summary
        from tensorboard.summary.writer.record_writer import RecordWriter

        self._event, self._summary = Event, Summary
        folder.mkdir(exist_ok=True)
        now = time.time()
        # TensorBoard reads the files of a folder in the order of their names.
        name = f"events.out.tfevents.{now:017.6f}.{os.getpid()}"
        self._file: Any = open(folder / name, "xb")  # noqa: SIM115, it is open as long as the board
        self._records: Any = RecordWriter(self._file)
        self._add(wall_time=now, file_version="brain.Event:2")
        self._add(wall_time=now, step=first_step, session_log=SessionLog(status=SessionLog.START))

    def _add(self, **fields: Any) -> None:
        self._records.write(self._event(**fields).SerializeToString())
        self._file.flush()

    def write(self, step: int | float, numbers: Mapping[str, float]) -> None:
        """Adds numbers by their tags."""
        values = [self._summary.Value(tag=tag, simple_value=number) for tag, number in numbers.items()]
        self._add(wall_time=time.time(), step=int(step), summary=self._summary(value=values))

    def close(self) -> None:
        """Closes the file."""
        self._file.close()
