"""Excerpts of server logs: the one line that names the cause of a failure."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ops.children import Child
from ops.excerpts import first_fatal

EARLIER = "FATAL:  of an earlier start\n"
STARTING = "FATAL:  the database system is starting up\n"
CAUSE = 'FATAL:  data directory "/data" has wrong ownership\n'
AFTERWARDS = "LOG:  database system is shut down\nPANIC:  of no interest any more\nLOG:  last line\n"


@pytest.mark.parametrize(
    ("written", "stated"),
    [
        (STARTING + CAUSE + AFTERWARDS, CAUSE.rstrip()),
        ("LOG:  one\n\nLOG:  two\n\n", "LOG:  two"),
        (STARTING, STARTING.rstrip()),
        ("", "it printed nothing"),
    ],
    ids=["first-fatal", "none-fatal", "passing-alone", "nothing"],
)
def test_the_cause_of_a_broken_server_is_its_first_fatal_line_since_its_start(
    tmp_path: Path, written: str, stated: str
) -> None:
    log = tmp_path / "server.log"
    log.write_text(EARLIER)
    server = Child(name="server", argv=[sys.executable, "-c", f"print({written!r}, end='')"], log=log)

    server.start()
    assert server.wait(60)

    assert first_fatal(server) == stated
