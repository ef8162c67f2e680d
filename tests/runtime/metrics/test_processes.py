"""Processes of one host publish their metrics together, and a dead process leaves nothing behind."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from inbox.runtime.metrics import REGISTRY, processes
from tests.ops.processes import Reported

BATCHES = "inbox_routing_batches_total"
Peer = Callable[[int], Reported]


@pytest.fixture
def directory(tmp_path: Path) -> Iterator[Path]:
    """A directory that this test process looks into, without its own name in it."""
    folder = tmp_path / "m"
    folder.mkdir()
    before = processes._directory
    processes._directory = folder
    yield folder
    processes._directory = before


@pytest.fixture
def peer(tmp_path: Path, directory: Path) -> Iterator[Peer]:
    """`peer(3)` is a process that has counted three batches and shows that."""
    running: list[Reported] = []

    def start(count: int) -> Reported:
        reported = Reported(
            ["-m", "tests.runtime.metrics.peer", str(directory), str(count)], tmp_path / f"peer-{len(running)}.log"
        )
        running.append(reported)
        reported.waits_for("shows as")
        return reported

    yield start
    for reported in running:
        reported.kill()


def batches() -> dict[str, float]:
    """The count of each other process."""
    samples = [sample for family in processes.gather() for sample in family.samples if sample.name == BATCHES]
    return {each.labels["process"]: each.value for each in samples if each.labels["process"] != processes.name()}


def test_every_process_is_shown_under_a_unique_name(peer: Peer) -> None:
    peer(3), peer(4)

    assert batches() == {"worker-1": 3, "worker-2": 4}


def test_a_family_of_several_processes_is_written_once(peer: Peer) -> None:
    peer(3), peer(4)
    names = [family.name for family in processes.gather()]

    assert len(names) == len(set(names)) and set(names) == {family.name for family in REGISTRY.collect()}


def test_a_process_that_was_killed_disappears_with_its_socket(peer: Peer, directory: Path) -> None:
    first, _ = peer(3), peer(4)
    first.kill()

    assert batches() == {"worker-2": 4}
    assert [path.name for path in directory.glob("*.sock")] == ["worker-2.sock"]


def test_the_process_that_follows_takes_the_name_and_counts_from_zero(peer: Peer) -> None:
    peer(3).kill()
    peer(1)

    assert batches() == {"worker-1": 1}


def test_a_process_that_does_not_answer_delays_nobody(peer: Peer, directory: Path) -> None:
    peer(3)
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(directory / "web-1.sock"))
        silent.listen()

        assert batches() == {"worker-1": 3}


def test_nonsense_in_a_socket_is_passed_over(peer: Peer, directory: Path) -> None:
    peer(3)
    (directory / "web-9.sock").write_text("no socket at all")

    assert batches() == {"worker-1": 3}


def test_a_directory_that_cannot_be_used_stops_nobody(tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    reported = Reported(["-m", "tests.runtime.metrics.peer", str(in_the_way), "1"], tmp_path / "peer.log")
    try:
        reported.waits_for("shows as worker-1.")
    finally:
        reported.kill()
