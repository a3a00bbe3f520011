"""The notebooks run from top to bottom with small budgets, and are kept without output."""

from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat", reason="notebooks need the notebook extra")
nbclient = pytest.importorskip("nbclient", reason="notebooks need the notebook extra")

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SHOWN = {
    "first_look": ("image/svg+xml", "<iframe"),
    "train_and_compare": ("learning curve", "fairy-rings", "trained"),
    "inside_a_search": ("  400  player", "by ismcts:200"),
    "a_new_game": ("image/svg+xml", "by ismcts:200"),
}
"""What the outputs hold."""


def test_there_are_four():
    assert {path.stem for path in NOTEBOOKS} == set(SHOWN)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_output_and_runs(path, monkeypatch):
    monkeypatch.setenv("TIMESTEPS", "2000")
    monkeypatch.setenv("GAMES", "40")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert not [cell for cell in notebook.cells if cell.cell_type == "code" and (cell.outputs or cell.execution_count)]
    nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(ROOT)}}).execute()
    printed = str([cell.get("outputs") for cell in notebook.cells])
    assert "Traceback" not in printed
    for words in SHOWN[path.stem]:
        assert words in printed, words
