"""Data sets of recorded games: read back with pandas and Minari, they hold what the environments show."""

import json

import numpy as np
import pytest

import envs
from envs import replay
from envs.replay.export import trajectories, trajectory


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """Three games of three players."""
    folder = tmp_path_factory.mktemp("recorded")
    words = ["record", "--env", "dance_of_eights", "--num-players", "3", "--option", "max_turns=4"]
    replay.main([*words, "--games", "3", "--seed", "5", "--out", str(folder)])
    return sorted(folder.iterdir())


def export(files, to, out):
    return replay.main(["export", *map(str, files), "--to", to, "--out", str(out)])


def test_a_parquet_file_has_a_row_for_each_decision(recorded, tmp_path):
    pandas = pytest.importorskip("pandas")
    parquet = pytest.importorskip("pyarrow.parquet")
    assert export(recorded, "parquet", tmp_path / "games.parquet") == 0
    frame = pandas.read_parquet(tmp_path / "games.parquet")
    columns = "game seed step seat observation action_mask action rewards terminated truncated"
    assert list(frame.columns) == columns.split() and sorted(set(frame["game"])) == [0, 1, 2]
    for (_, rows), path in zip(frame.groupby("game"), recorded, strict=True):
        header, *lines, end = map(json.loads, path.read_text().splitlines())
        assert rows["step"].tolist() == list(range(len(lines))) and set(rows["seed"]) == {header["seed"]}
        assert rows["seat"].tolist() == [line["player"] for line in lines]
        assert rows["action"].tolist() == [line["action"] for line in lines]
        assert [np.flatnonzero(mask).tolist() for mask in rows["action_mask"]] == [line["legal"] for line in lines]
        rewards = np.stack(rows["rewards"])
        assert rewards[-1].tolist() == pytest.approx(end["rewards"]) and not rewards[:-1].any()
        assert rows["truncated"].tolist() == [False] * (len(lines) - 1) + [end["truncated"]]
        env = envs.raw_env("dance_of_eights", 3, max_turns=4)
        env.reset(seed=header["seed"])
        for row in rows.itertuples():
            shown = env.last()[0]
            assert env.agent_selection == f"player_{row.seat}"
            assert row.observation.dtype == np.float32 and np.array_equal(row.observation, shown["observation"])
            env.step(row.action)
    file = parquet.ParquetFile(tmp_path / "games.parquet")
    assert file.num_row_groups == 3
    about = json.loads(file.schema_arrow.metadata[b"fairy_rings"])
    assert about["options"] == {"copies": 2, "max_turns": 4} and about["num_players"] == 3
    assert sum(int(np.prod(shape)) for _, shape, _ in about["sections"]) == len(frame["observation"][0])


def test_minari_has_an_episode_for_each_game_and_seat(recorded, tmp_path, monkeypatch):
    minari = pytest.importorskip("minari")
    pytest.importorskip("pyarrow")
    assert export(recorded, "minari", tmp_path / "dance-v0") == 0
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    found = minari.load_dataset("dance-v0")
    played = [trajectory(path) for path in recorded]
    assert found.total_episodes == 9 and found.total_steps == sum(len(game.actions) for game in played)
    episodes = list(found.iterate_episodes())
    for number, episode in enumerate(episodes):
        game, seat = played[number // 3], number % 3
        own = np.flatnonzero(game.seats == seat)
        assert episode.actions.tolist() == game.actions[own].tolist()
        assert np.array_equal(episode.observations["observation"], np.vstack([game.observations[own], game.finals[seat]]))
        assert np.array_equal(episode.observations["action_mask"][:-1], game.masks[own])
        assert not episode.observations["action_mask"][-1].any()
        assert episode.rewards[-1] == pytest.approx(game.rewards[seat]) and not episode.rewards[:-1].any()
        assert (episode.terminations[-1], episode.truncations[-1]) == (game.terminated, game.truncated)
    assert found.observation_space == envs.make_vec("dance_of_eights", 1, 3).single_observation_space
    with pytest.raises(SystemExit):
        export(recorded, "minari", tmp_path / "dance-v0")  # it is there already


def edited(path, folder, number, change):
    lines = path.read_text().splitlines()
    lines[number] = change(lines[number])
    (folder / "edited.jsonl").write_text("\n".join(lines))
    return folder / "edited.jsonl"


@pytest.mark.parametrize(
    ("number", "change", "message"),
    [
        (3, lambda line: "{", "line 4: not JSON"),
        (3, lambda line: json.dumps(json.loads(line) | {"action": 84}), "line 4: action 84 is not legal"),
        (0, lambda line: json.dumps(json.loads(line) | {"seed": 77}), "line 1: state"),
        (-1, lambda line: json.dumps(json.loads(line) | {"rewards": [9, 9, 9]}), "rewards[0] is 9"),
        (0, lambda line: json.dumps(json.loads(line) | {"game": "os.path"}), "a module is not imported"),
    ],
)
def test_a_replay_that_is_not_what_the_rules_give_makes_no_data(recorded, tmp_path, capsys, number, change, message):
    out = tmp_path / "out"
    broken = edited(recorded[0], tmp_path, number, change)
    for to in ("parquet", "minari"):
        with pytest.raises(SystemExit) as stop:
            export([recorded[0], broken], to, out)
        assert stop.value.code == 2
        error = capsys.readouterr().err
        assert f"error: {broken}: " in error and message in error
    assert sorted(path.name for path in tmp_path.iterdir()) == ["edited.jsonl"]


def test_a_data_set_is_of_one_game(recorded, tmp_path, capsys):
    replay.main(["record", "--env", "dance_of_eights", "--num-players", "3", "--option", "max_turns=2", "--out", str(tmp_path)])
    (other,) = tmp_path.iterdir()
    with pytest.raises(SystemExit):
        export([*recorded, other], "parquet", tmp_path / "out")
    assert f"{other}: a data set is of one game" in capsys.readouterr().err


def test_games_are_read_one_by_one(recorded):
    """A file that is not there is missed only when its turn comes."""
    made = trajectories([*recorded, recorded[0].with_name("missing.jsonl")])
    assert [next(made).seed for _ in range(3)] == [5, 6, 7]
    with pytest.raises(replay.ReplayError, match="missing.jsonl: there is no such file"):
        next(made)
