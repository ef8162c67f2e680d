"""Output of `bin/up` when its log or its terminal cannot be written."""

from __future__ import annotations

import os
import pty
import termios
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, redirect_stdout, suppress
from io import TextIOWrapper
from pathlib import Path

import pytest

from ops.terminal import Terminal


def test_a_log_that_cannot_be_written_is_reported_once_and_so_is_its_recovery(
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


@contextmanager
def stopped_terminal() -> Iterator[int]:
    """A terminal whose user has typed Ctrl-S."""
    reader, terminal = pty.openpty()
    termios.tcflow(terminal, termios.TCOOFF)
    yield terminal
    os.close(reader)


@contextmanager
def unread_terminal() -> Iterator[int]:
    """A terminal whose window no longer reads."""
    reader, terminal = pty.openpty()
    _fill(terminal)
    yield terminal
    os.close(reader)


@contextmanager
def unread_pipe() -> Iterator[int]:
    """A pipe whose reader has stopped."""
    reader, pipe = os.pipe()
    _fill(pipe)
    yield pipe
    os.close(reader)


def _fill(file: int) -> None:
    os.set_blocking(file, False)
    with suppress(BlockingIOError):
        while True:
            os.write(file, b"x" * 100)
    os.set_blocking(file, True)


@pytest.mark.parametrize("output", [stopped_terminal, unread_terminal, unread_pipe])
def test_a_blocked_terminal_does_not_delay_the_program(
    output: Callable[[], AbstractContextManager[int]], tmp_path: Path
) -> None:
    log = tmp_path / "up.log"
    with output() as file, redirect_stdout(TextIOWrapper(open(file, "wb", buffering=0))):
        saying = threading.Thread(target=lambda: Terminal(log).say("one\n" + "x" * 1000), daemon=True)
        saying.start()
        saying.join(20)
        is_waiting = saying.is_alive()

    assert not is_waiting
    assert "one" in log.read_text()


def test_a_long_text_is_printed_whole(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    Terminal(tmp_path / "up.log").say("x" * 1000 + "y")

    assert capfd.readouterr().out.endswith("xy\n")


def test_a_full_disk_under_the_log_is_no_fault(capfd: pytest.CaptureFixture[str]) -> None:
    Terminal(Path("/dev/full")).say("one")

    assert "cannot be written: No space left on device" in capfd.readouterr().out
