"""Several hosts under gevent: one that never answers does not delay the next."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ops.embedded import Servers
from tests.ops.processes import PROJECT
from tests.runtime.test_gevent_psycopg import PREPARE, servers

__all__ = ["servers"]
pytestmark = pytest.mark.slow

ASK = """
print(attempt())
from psycopg2 import extensions
connection = base.connect(base.connect_arguments(os.environ["DATABASE_URL"], application="inbox-green"))
print(connection.info.host == os.environ["SECOND"])
"""


@pytest.fixture
def mute() -> Iterator[int]:
    """The port of a server that takes connections and never says a word."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(16)
        yield listener.getsockname()[1]


def test_a_host_that_never_answers_does_not_delay_the_next(servers: Servers, mute: int) -> None:
    second = str(Path(servers.database_url.partition("host=")[2]))
    several = f"postgresql://inbox@/inbox?host=127.0.0.1,{second}&port={mute},5432"

    done = subprocess.run(
        [sys.executable, "-c", PREPARE + ASK],
        cwd=PROJECT,
        env={**os.environ, "DATABASE_URL": several, "SECOND": second},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stdout.splitlines() == ["1", "True"], done.stderr[-2000:]
