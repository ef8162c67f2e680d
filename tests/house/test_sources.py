"""Test files are short, and the figures of the code count another tree, too."""

from __future__ import annotations

from pathlib import Path

from tests.house.sources import PRODUCT, PROJECT, figures, files

LONGEST_FILE = 300


def test_no_test_file_is_longer_than_300_lines() -> None:
    lengths = {str(path.relative_to(PROJECT)): len(path.read_text().splitlines()) for path in files("tests")}

    assert {name: length for name, length in lengths.items() if length > LONGEST_FILE} == {}


def test_the_figures_of_another_tree_count_its_files(tmp_path: Path) -> None:
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs" / "one.py").write_text("def act(row: dict[str, Any]) -> Any:\n    return row\n")
    (tmp_path / "app.py").write_text("x = 1\n")

    assert figures(PRODUCT, tmp_path) == {
        "files, lines": (2, 3),
        "median and longest file": (1.5, 2),
        "median and longest function": (2, 2),
        "Any": 2,
        "Mapping[str, Any] and dict[str, Any]": 1,
    }
