"""Each file has one process, and so have all files of a group."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.xdist_scheduling import Turns, group, in_turn


def test_a_group_is_one_turn_and_every_other_file_is_one(root: Path) -> None:
    turns: Any = SimpleNamespace(config=SimpleNamespace(rootpath=root))

    def turn(name: str) -> str:
        return Turns._split_scope(turns, name)

    assert turn("tests/faults/test_faults.py::test_x[a::b]") == turn("tests/faults/test_order.py::test_y") == "faults"
    assert turn("tests/ops/test_up.py::test_x") == "up"
    assert (
        turn("tests/test_xdist_scheduling.py::test_x[kill]")
        == turn("tests/test_xdist_scheduling.py::test_y")
        == "tests/test_xdist_scheduling.py"
    )


def test_every_file_that_names_a_group_is_found_in_it(root: Path) -> None:
    named = [file for file in (root / "tests").rglob("test_*.py") if "mark.xdist_group(" in file.read_text()]

    assert [file for file in named if file.name != Path(__file__).name and group(file) is None] == []


def test_groups_come_first_then_what_is_slow_then_large_files() -> None:
    def item(file: str, *marks: str) -> Any:
        return SimpleNamespace(path=file, get_closest_marker=lambda name: name if name in marks else None)

    small, large, slow, grouped = (
        item("small"),
        [item("large"), item("large")],
        item("slow", "slow"),
        item("up", "xdist_group"),
    )
    items = [small, *large, slow, grouped]
    in_turn(items)

    assert items == [grouped, slow, *large, small]
