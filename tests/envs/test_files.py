"""Files are replaced at once or not at all, by however many writers; a folder belongs to one process until that ends."""

import errno
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from envs import files
from envs.files import Lock, write_aside

ROOT = Path(__file__).parents[2]
HOLDER = "import sys, time; from envs.files import Lock; lock = Lock(sys.argv[1]); print('held', flush=True); time.sleep(60)"


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def age(path, seconds=3600):
    then = path.stat().st_mtime - seconds
    os.utime(path, (then, then))


# --- writing ------------------------------------------------------------------------------------------------------------


def test_several_writers_of_one_file_do_not_disturb_each_other(tmp_path):
    path, errors, seen = tmp_path / "one.json", [], set()

    def write(number):
        try:
            for _ in range(40):
                write_aside(path, bytes([number]) * 5000)
                seen.add(path.read_bytes())
        except OSError as error:
            errors.append(error)

    writers = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert not errors
    assert seen <= {bytes([number]) * 5000 for number in range(4)}
    assert names_in(tmp_path) == ["one.json"]


def test_a_failed_write_leaves_the_old_content_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "file"
    write_aside(path, b"old")

    def no_space(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(OSError, match="No space"):
        write_aside(path, b"new")
    assert path.read_bytes() == b"old" and names_in(tmp_path) == ["file"]


def test_what_a_killed_writer_left_is_taken_away_and_what_is_being_written_is_not(tmp_path):
    names = (".file.12-ab.tmp", ".file.tmp", ".file.13-cd.tmp", ".file.14-ef.tmp", ".other.15-ab.tmp")
    old, ancient, held, young, others = (tmp_path / name for name in names)
    for path in (old, ancient, held, young, others):
        path.write_bytes(b"half")
        if path != young:
            age(path)
    with open(held, "rb") as writer:
        files._hold(writer)
        write_aside(tmp_path / "file", b"whole")
    assert names_in(tmp_path) == sorted([held.name, young.name, others.name, "file"])


def test_names_as_long_as_the_disk_takes_can_be_written(tmp_path):
    path = tmp_path / ("n" * 255)
    write_aside(path, b"content")
    assert path.read_bytes() == b"content" and len(names_in(tmp_path)) == 1


def test_without_locks_of_the_system_files_are_written_all_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "fcntl", None)
    write_aside(tmp_path / "file", b"one")
    with Lock(tmp_path), Lock(tmp_path):
        write_aside(tmp_path / "file", b"two")
    assert (tmp_path / "file").read_bytes() == b"two" and names_in(tmp_path) == ["file"]


# --- locks --------------------------------------------------------------------------------------------------------------


def test_a_folder_belongs_to_one_and_the_second_is_told_who_has_it(tmp_path):
    with Lock(tmp_path) as lock:
        with pytest.raises(ValueError, match=rf"^{tmp_path} is in use by process {os.getpid()} on "):
            Lock(tmp_path)
        assert names_in(tmp_path) == [files.LOCK]
    lock.release()
    assert names_in(tmp_path) == []
    Lock(tmp_path).release()


def test_a_kill_releases_the_folder(tmp_path):
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE)
    try:
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(ValueError, match=f"in use by process {holder.pid} on "):
            Lock(tmp_path)
    finally:
        holder.send_signal(signal.SIGKILL)
        holder.communicate()
    with Lock(tmp_path):
        assert f"process {os.getpid()} on " in (tmp_path / files.LOCK).read_text()


def test_of_many_only_one_gets_the_folder_at_a_time(tmp_path):
    inside, most, got = [], [], []

    def work():
        for _ in range(200):
            try:
                with Lock(tmp_path):
                    inside.append(1)
                    most.append(len(inside))
                    inside.pop()
                got.append(1)
            except ValueError:
                pass

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert max(most) == 1 and got and names_in(tmp_path) == []


def test_the_folder_may_be_gone_when_it_is_released(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    lock = Lock(folder)
    (folder / files.LOCK).unlink()
    folder.rmdir()
    lock.release()
    with pytest.raises(FileNotFoundError):
        Lock(folder)
