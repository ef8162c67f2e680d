"""The supervisor: restarts, order, and complete clean-up."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.ops.processes import Reported, lives, until

Stage = Callable[..., Reported]


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """Starts a supervisor over processes of the given kinds, one a start group; may be called again on the same directory."""
    running: list[Reported] = []

    def start(*kinds: str) -> Reported:
        reported = Reported(["-m", "tests.ops.stage", tmp_path, *kinds], tmp_path / f"stage-{len(running)}")
        running.append(reported)
        return reported

    yield start
    for reported in running:
        reported.kill()


def test_a_child_that_dies_is_started_again(stage: Stage) -> None:
    reported = stage("willing", "willing")
    first, other = reported.pid_of("willing-1"), reported.pid_of("willing-0")

    os.kill(first, signal.SIGKILL)

    second = reported.pid_of("willing-1", after=first)
    assert lives(second)
    assert "willing-1 was ended by SIGKILL, again in 0.25 s" in reported.stated
    assert lives(other)
    assert reported.pid_of("willing-0") == other


def test_a_child_that_keeps_failing_is_started_ever_more_rarely_and_its_last_words_are_shown(stage: Stage) -> None:
    reported = stage("failing")

    reported.waits_for("failing-0 ended with 3, again in 5 s\n    cannot work like this")

    pauses = [line.rpartition("again in ")[2] for line in reported.stated.splitlines() if "again in" in line]
    assert pauses[:6] == ["0.25 s", "0.5 s", "1 s", "2 s", "4 s", "5 s"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_stops_everything_from_the_last_start_group_on(stage: Stage, number: signal.Signals) -> None:
    reported = stage("willing", "willing")
    pids = [reported.pid_of("willing-0"), reported.pid_of("willing-1")]

    reported.process.send_signal(number)

    assert reported.process.wait(90) == 0
    assert not any(lives(pid) for pid in pids)
    assert reported.stated.index("willing-1 stopped") < reported.stated.index("willing-0 stopped")


def test_a_second_signal_kills_children_that_do_not_stop(stage: Stage, tmp_path: Path) -> None:
    reported = stage("stubborn")
    pid = reported.pid_of("stubborn-0")
    until(lambda: "up" in (tmp_path / "stubborn-0.log").read_text(), "the child ignores SIGTERM by now")

    reported.process.send_signal(signal.SIGTERM)
    reported.waits_for("asked to stop")
    assert lives(pid)
    reported.process.send_signal(signal.SIGINT)

    assert reported.process.wait(90) == 1
    assert not lives(pid)


def test_no_child_survives_a_killed_supervisor(stage: Stage) -> None:
    reported = stage("willing", "willing")
    pids = [reported.pid_of("willing-0"), reported.pid_of("willing-1")]

    reported.process.send_signal(signal.SIGKILL)

    until(lambda: not any(lives(pid) for pid in pids), "the children are gone")


def test_the_next_supervisor_ends_an_orphan_that_ignored_its_parents_death(stage: Stage, tmp_path: Path) -> None:
    reported = stage("stubborn")
    orphan = reported.pid_of("stubborn-0")
    until(lambda: "up" in (tmp_path / "stubborn-0.log").read_text(), "the child ignores SIGTERM by now")
    reported.process.send_signal(signal.SIGKILL)
    reported.process.wait()
    assert lives(orphan)

    successor = stage("stubborn")

    assert lives(successor.pid_of("stubborn-0"))
    assert not lives(orphan)


def test_an_error_in_the_supervisor_does_not_end_it_and_is_logged_once(stage: Stage) -> None:
    reported = stage("impossible-failing", "willing")
    reported.waits_for("an error occurred, and the service continues: LookupError: nobody expected this")

    first = reported.pid_of("willing-1")
    os.kill(first, signal.SIGKILL)

    assert lives(reported.pid_of("willing-1", after=first))
    reported.waits_for("again in 1 s")  # the third pause, so it went wrong twice
    assert reported.stated.count("nobody expected this") == 1


IGNORES_SIGHUP = (
    "import signal, sys; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
    "from pathlib import Path; from tests.ops.stage import main; sys.exit(main(Path(sys.argv[1]), 'willing'))"
)


def test_a_supervisor_that_was_started_with_nohup_survives_its_terminal(tmp_path: Path) -> None:
    reported = Reported(["-c", IGNORES_SIGHUP, tmp_path], tmp_path / "nohup")
    pid = reported.pid_of("willing-0")

    reported.process.send_signal(signal.SIGHUP)
    os.kill(pid, signal.SIGKILL)  # it looks after its child all the same

    assert lives(reported.pid_of("willing-0", after=pid))
    reported.process.send_signal(signal.SIGTERM)
    assert reported.process.wait(60) == 0
