"""What `bin/up` says, where neither its log nor its terminal can be written."""

from __future__ import annotations

from contextlib import redirect_stdout
from io import TextIOWrapper
from pathlib import Path

import pytest

from ops.terminal import Terminal


def test_a_log_that_cannot_be_written_is_said_once_and_then_that_it_can_again(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "logs" / "up.log"
    terminal = Terminal(log)

    terminal.say("one")
    terminal.say("two")
    log.parent.mkdir()
    terminal.say("three")
    terminal.say("four")

    printed = capfd.readouterr().out.splitlines()
    assert [line[9:] for line in printed] == [
        "one",
        f"{log} cannot be written: No such file or directory; the service continues",
        "two",
        "three",
        "four",
    ]
    written = [line[20:] for line in log.read_text().splitlines()]
    assert written[0].startswith("nothing could be written here since ")
    assert written[1:] == ["three", "four"]


@pytest.mark.parametrize("closed", [False, True], ids=["full", "closed"])
def test_a_terminal_that_cannot_be_written_is_passed_over(closed: bool, tmp_path: Path) -> None:
    # Within the test: pytest replaces standard output after the fixtures.
    with open("/dev/full", "wb", buffering=0) as device, redirect_stdout(TextIOWrapper(device)) as full:
        if closed:
            full.close()
        Terminal(tmp_path / "up.log").say("one")

    assert (tmp_path / "up.log").read_text()[20:] == "one\n"


def test_a_full_disk_under_the_log_is_no_fault(capfd: pytest.CaptureFixture[str]) -> None:
    Terminal(Path("/dev/full")).say("one")

    assert "cannot be written: No space left on device" in capfd.readouterr().out
