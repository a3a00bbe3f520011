"""What docs/python.md and docs/data.md show runs as it stands."""

import re
import shlex
from pathlib import Path

import pytest

from envs import replay

ROOT = Path(__file__).parents[1]


def blocks_of(name, kind):
    return re.findall(rf"^```{kind}\n(.*?)^```$", (ROOT / "docs" / name).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def test_the_python_page_runs(tmp_path, monkeypatch):
    """The training with less to learn, everything else word for word."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(ROOT))
    small = "timesteps=128, num_envs=8, num_steps=16, batch_size=64, epochs=1, net=[8], eval_deals=2, seed=1"
    names = {}
    for block in blocks_of("python.md", "python"):
        block = block.replace("timesteps=2_000_000, seed=1", small).replace('"ismcts:100"], games=1000', '"random"], games=4')
        exec(block, names)
    assert names["run"].is_complete and names["result"].agents[0] == "greedy" and names["told"].best.visits > 0
    assert (tmp_path / "evaluations" / "mine" / "evaluation.json").exists()


def test_the_data_page_runs(tmp_path, monkeypatch):
    pytest.importorskip("pandas")
    pytest.importorskip("minari")
    monkeypatch.chdir(tmp_path)
    for line in blocks_of("data.md", "")[0].splitlines():
        words = shlex.split(line.replace("--games 100", "--games 2").replace("--agents greedy", "--agents random"))
        assert words[:3] == ["python", "-m", "envs.replay"]
        files = sorted(map(str, Path("replays").glob("*.jsonl")))
        arguments = [path for word in words[3:] for path in (files if word == "replays/*.jsonl" else [word])]
        assert replay.main(arguments) == 0
    names = {}
    for block in blocks_of("data.md", "python"):
        exec(block, names)
    assert names["about"]["num_players"] == 3 and names["dataset"].total_episodes == 6
    assert len(names["frame"]) == names["dataset"].total_steps
    described = (ROOT / "docs" / "data.md").read_text(encoding="utf-8")
    assert all(f"`{column}`" in described for column in names["frame"].columns)
