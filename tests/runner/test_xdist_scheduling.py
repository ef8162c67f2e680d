"""Each file runs in one process, and so do all files of a group or of a part of it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from xdist.remote import Producer

from ops.run_tests import IN_PARALLEL
from tests.runner.xdist_scheduling import PARTS, Turns, group, in_turn, turn


def test_each_group_and_each_ungrouped_file_is_one_unit_of_work(root: Path) -> None:
    turns: Any = SimpleNamespace(config=SimpleNamespace(rootpath=root))

    def unit(name: str) -> str:
        return Turns._split_scope(turns, name)

    assert unit("tests/faults/test_faults.py::test_x[a::b]") == unit("tests/faults/test_order.py::test_y") == "faults"
    assert unit("tests/ops/test_up.py::test_x") == "up"
    assert (
        unit("tests/runner/test_xdist_scheduling.py::test_x[kill]")
        == unit("tests/runner/test_xdist_scheduling.py::test_y")
        == "tests/runner/test_xdist_scheduling.py"
    )


def test_every_file_that_names_a_group_is_found_in_it(root: Path) -> None:
    named = [file for file in (root / "tests").rglob("test_*.py") if "mark.xdist_group(" in file.read_text()]

    assert [file for file in named if file.name != Path(__file__).name and group(file) is None] == []


def test_a_group_with_parts_is_divided_into_parts_of_about_the_same_number_of_tests(root: Path) -> None:
    for name, parts in PARTS.items():
        files = [file for file in sorted((root / "tests").rglob("test_*.py")) if group(file) == name]
        tests = Counter[str]()
        for file in files:
            tests[turn(file) or ""] += file.read_text().count("\ndef test_")

        assert sorted(tests) == [f"{name} {part}" for part in range(1, parts + 1)]
        assert max(tests.values()) < 1.5 * min(tests.values())


def test_groups_are_scheduled_first_then_slow_tests_then_large_files(root: Path, tmp_path: Path) -> None:
    def item(file: str, *marks: str) -> Any:
        return SimpleNamespace(path=file, get_closest_marker=lambda name: name if name in marks else None)

    def of(path: str, *marks: str) -> Any:
        return item(str(root / "tests" / path), *marks)

    def elsewhere(name: str, *marks: str) -> Any:
        return item(str(tmp_path / name), *marks)

    for name in ("small", "large", "slow"):
        (tmp_path / name).touch()
    small, large, slow, left_out = (
        elsewhere("small"),
        [elsewhere("large"), elsewhere("large")],
        elsewhere("slow", "slow"),
        of("flow/test_incident_machine.py"),
    )
    faults = [of(f"faults/test_{name}.py", "xdist_group") for name in ("faults", "order")]
    journey, up = of("journeys/test_readme.py", "xdist_group"), of("ops/test_up.py", "xdist_group")
    items = [small, *large, slow, left_out, up, faults[0], journey, faults[1]]
    in_turn(items)

    assert items == [*faults, journey, up, slow, left_out, *large, small]


class CrashedNode:
    """Its process has ended, and the run does not know it yet."""

    shutting_down = False

    def send_runtest_some(self, _: list[int]) -> None:
        raise OSError("cannot send (already closed?)")


def test_a_turn_that_a_crashed_worker_does_not_take_is_queued_again() -> None:
    node = CrashedNode()
    turns = Turns(SimpleNamespace(getvalue=lambda _: ["popen"], option=SimpleNamespace()), log=Producer("turns"))
    turns.registered_collections[node] = ["a.py::test_lost", "b.py::test_next"]
    turns.assigned_work[node] = {"a.py": {"a.py::test_lost": False}}
    turns.workqueue["b.py"] = {"b.py::test_next": False}

    turns._reschedule(node)

    assert turns.remove_node(node) == "a.py::test_lost"
    assert turns.workqueue == {"b.py": {"b.py::test_next": False}}


CRASH = """
import os

def test_before():
    pass

def test_crash():
    os._exit(3)
"""
PASSES = "def test_one():\n    pass\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("files", "outcome"),
    [
        pytest.param({"test_a.py": CRASH}, "1 failed, 1 passed", id="as the last test of the run"),
        pytest.param(
            {"test_a.py": CRASH + "\ndef test_after():\n    pass\n"}, "1 failed, 2 passed", id="before one more"
        ),
        pytest.param(
            {"test_a.py": CRASH, "test_b.py": CRASH, "test_c.py": PASSES, "test_d.py": PASSES, "test_e.py": PASSES},
            "2 failed, 5 passed",
            id="in two files of five",
        ),
    ],
)
def test_a_test_run_continues_after_a_worker_crash_and_fails_the_lost_test(
    tmp_path: Path, root: Path, files: dict[str, str], outcome: str
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")

    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "xdist",
        "-p",
        "no:cacheprovider",
        *IN_PARALLEL,
        "-n2",
        "--color=no",
    ]
    bare = {"PYTHONPATH": str(root), "PATH": os.defpath, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    run = subprocess.run(command, cwd=tmp_path, env=bare, capture_output=True, text=True, check=False, timeout=180)

    assert run.returncode == 1, run.stdout + run.stderr
    assert re.search(rf"{outcome} in ", run.stdout), run.stdout
    assert "crashed while running 'test_a.py::test_crash'" in run.stdout
