"""Debian's PgBouncer with the configuration that operators find, but five connections to the server for each role."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg2
import pytest

from ops.children import wait_until
from tests.runner.places import roomy_place
from tests.runner.ports import free_port

PROJECT = Path(__file__).parent.parent.parent
PROGRAM = "/usr/sbin/pgbouncer"
EXAMPLE = PROJECT / "docs" / "operators" / "examples" / "pgbouncer" / "pgbouncer.ini"


class PgBouncer:
    """A pooler before the server at a port of 127.0.0.1."""

    def __init__(self, folder: Path, server_port: int) -> None:
        self.port = free_port()
        self._configuration = folder / "pgbouncer.ini"
        self._log = folder / "pgbouncer.log"
        users = folder / "users.txt"
        users.write_text('"inbox" ""\n"other" ""\n')
        text = EXAMPLE.read_text()
        for shown, used in (
            ("port=5432", f"port={server_port}"),
            ("listen_port = 6432", f"listen_port = {self.port}\nunix_socket_dir ="),
            ("scram-sha-256", "trust"),
            ("/etc/pgbouncer/userlist.txt", str(users)),
            ("default_pool_size = 20", "default_pool_size = 5"),
        ):
            assert shown in text, shown
            text = text.replace(shown, used)
        self._configuration.write_text(text)
        self._process: subprocess.Popen[bytes] | None = None

    def url(self, role: str = "inbox") -> str:
        return f"postgresql://{role}@127.0.0.1:{self.port}/inbox"

    def start(self) -> None:
        account = ["-u", "nobody"] if os.geteuid() == 0 else []
        with self._log.open("ab") as log:
            self._process = subprocess.Popen([PROGRAM, *account, str(self._configuration)], stdout=log, stderr=log)
        wait_until(self._answers, 20)

    def kill(self) -> None:
        """As a crash: the connections of its clients and to the server end."""
        assert self._process is not None
        self._process.kill()
        self._process.wait(20)

    def _answers(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, self._log.read_text()
        try:
            psycopg2.connect(self.url()).close()
        except psycopg2.OperationalError:
            return False
        return True


@contextmanager
def pgbouncer(server_port: int) -> Iterator[PgBouncer]:
    """A started pooler. The test is skipped where the program is not installed."""
    if not Path(PROGRAM).exists():
        pytest.skip("Debian's pgbouncer is not installed")
    folder = Path(tempfile.mkdtemp(prefix="inbox-pgbouncer-", dir=roomy_place()))
    folder.chmod(0o755)
    pooler = PgBouncer(folder, server_port)
    try:
        pooler.start()
        yield pooler
    finally:
        pooler.kill()
        shutil.rmtree(folder, ignore_errors=True)
