"""Ctrl-C in the terminal of a server: it ends at once and says nothing, whoever looks at it."""

import http.client
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import envs
from envs import replay

pytest.importorskip("uvicorn", reason="the page needs the packages of the play extra")

PLAY = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # what a shell starts in the background inherits that it is ignored
from play.command import main
sys.exit(main())
"""


@contextmanager
def started(*words):
    """A server in a group of processes of its own, and the parts of the first address that it prints."""
    command = [sys.executable, "-c", PLAY, *words, "--no-browser"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}  # the agents' process compiles all the same
    with subprocess.Popen(command, text=True, start_new_session=True, env=environment, **pipes) as process:
        try:
            yield process, urlsplit(process.stdout.readline().split()[-1])
        finally:
            process.kill()


def ended(process):
    """Exit code and last words after Ctrl-C, which a terminal sends to the whole group."""
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=120)
    return process.returncode, said


@pytest.mark.parametrize("env", ["dance_of_eights", "fairy_ring"])
def test_a_table_ends_quietly_with_a_stream_and_a_question_open(env):
    with started("--env", env, "--people", "0", "--agents", "greedy", "greedy") as (process, address):
        stream, answers = (http.client.HTTPConnection(address.netloc, timeout=120) for _ in range(2))
        stream.request("GET", f"/api/stream?{address.query}")
        assert stream.getresponse().readline().startswith(b"data:")  # the agents are asked meanwhile, or get ready
        answers.request("GET", f"/api/state?{address.query}")
        assert answers.getresponse().status == 200
        assert ended(process) == (130, "")


def test_a_gallery_ends_quietly(tmp_path):
    replay.main(["record", "--env", "dance_of_eights", "--agents", "random", "--out", str(tmp_path), "--option", "max_turns=2"])
    with started("watch", *map(str, tmp_path.iterdir()), "--agent", "ismcts:20") as (process, address):
        page = http.client.HTTPConnection(address.netloc, timeout=120)
        page.request("GET", address.path)
        assert page.getresponse().status == 200
        assert ended(process) == (130, "")


PROGRAM = """
import multiprocessing, signal
from envs.children import child_environment

def is_deaf():
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])

def tell(pipe):
    pipe.send(is_deaf())

if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    with child_environment():
        context.Process(target=tell, args=(theirs,)).start()
    print(ours.recv(), is_deaf())
"""


def test_the_first_process_of_a_program_leaves_ctrl_c_to_its_parent(tmp_path):
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    environment = {**os.environ, "PYTHONPATH": str(Path(envs.__file__).parents[1])}
    done = subprocess.run([sys.executable, str(file)], env=environment, capture_output=True, text=True, timeout=300)
    assert (done.stdout, done.stderr) == ("True False\n", "")
