"""Debian's PgBouncer with the configuration that operators find, but five connections to the server for each role.

With `TEST_POOLER=1` the tests reach their database through it: docs/engineers/contributing.md.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg2
import pytest
from psycopg2.extensions import parse_dsn

from inbox.config.settings import Settings
from ops.children import wait_until
from ops.embedded import SERVICE_ROLE, Servers
from tests.runner.places import roomy_place
from tests.runner.ports import free_port

PROJECT = Path(__file__).parent.parent.parent
PROGRAM = "/usr/sbin/pgbouncer"
MISSING = "Debian's pgbouncer is not installed"
EXAMPLE = PROJECT / "docs" / "operators" / "examples" / "pgbouncer" / "pgbouncer.ini"


CHOSEN = os.environ.get("TEST_POOLER", "") not in ("", "0")
"""Whether tests reach their database through a pooler."""


class PgBouncer:
    """A pooler before the server at an address, at a port of `host`. It serves each of the server's databases."""

    def __init__(self, folder: Path, server: str, host: str = "127.0.0.1") -> None:
        self.port, self._host = free_port(), host
        self._server = {"host": "127.0.0.1", "port": "5432", **parse_dsn(server)}
        self._configuration = folder / "pgbouncer.ini"
        self._log = folder / "pgbouncer.log"
        users = folder / "users.txt"
        known = {name: "" for name in ("inbox", "other", SERVICE_ROLE)}
        known |= {self._server["user"]: self._server.get("password", "")}
        users.write_text("".join(f'"{name}" "{password}"\n' for name, password in known.items()))
        text = EXAMPLE.read_text()
        for shown, used in (
            (
                "inbox = host=127.0.0.1 port=5432 dbname=inbox",
                f"* = host={self._server['host']} port={self._server['port']}",
            ),
            ("listen_addr = 127.0.0.1", f"listen_addr = {host}"),
            ("listen_port = 6432", f"listen_port = {self.port}\nunix_socket_dir ="),
            ("scram-sha-256", "trust"),
            ("/etc/pgbouncer/userlist.txt", str(users)),
            ("default_pool_size = 20", "default_pool_size = 5"),
        ):
            assert shown in text, shown
            text = text.replace(shown, used)
        self._configuration.write_text(text)
        self._process: subprocess.Popen[bytes] | None = None

    def url(self, role: str = "", database: str = "") -> str:
        """The address of a database behind the pooler, by default of the one in the address of the server."""
        return (
            f"postgresql://{role or self._server['user']}@{self._host}:{self.port}/{database or self._server['dbname']}"
        )

    def start(self) -> None:
        """Returns when it answers."""
        account = ["-u", self._account()] if os.geteuid() == 0 else []
        with self._log.open("ab") as log:
            self._process = subprocess.Popen([PROGRAM, *account, str(self._configuration)], stdout=log, stderr=log)
        wait_until(self._answers, 20)

    def kill(self) -> None:
        """As a crash: the connections of its clients and to the server end."""
        assert self._process is not None
        self._process.kill()
        self._process.wait(20)

    def restart(self) -> None:
        """As an operator restarts it: it ends at once, and a new one starts."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(20)
        self.start()

    def send(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def _account(self) -> str:
        """Who may open the socket of the server."""
        host = self._server["host"]
        return pwd.getpwuid(Path(host).stat().st_uid).pw_name if host.startswith("/") else "nobody"

    def _answers(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, self._log.read_text()
        try:
            psycopg2.connect(self.url()).close()
        except psycopg2.OperationalError:
            return False
        return True


@contextmanager
def pgbouncer(server: str, host: str = "127.0.0.1") -> Iterator[PgBouncer]:
    """A started pooler before the server at this address. The test is skipped where the program is not installed."""
    if not Path(PROGRAM).exists():
        pytest.skip(MISSING)
    folder = Path(tempfile.mkdtemp(prefix="inbox-pgbouncer-", dir=roomy_place()))
    folder.chmod(0o755)
    pooler = PgBouncer(folder, server, host)
    try:
        pooler.start()
        yield pooler
    finally:
        pooler.kill()
        shutil.rmtree(folder, ignore_errors=True)


class PooledServers(Servers):
    """As `Servers`, but `database_url` is the address of a pooler before PostgreSQL, and `direct_url` its own."""

    def __init__(self, state_dir: Path, *, durable: bool) -> None:
        if not Path(PROGRAM).exists():
            pytest.skip(MISSING)
        super().__init__(state_dir, durable=durable)
        self.direct_url = self.database_url
        self._folder = Path(tempfile.mkdtemp(prefix="inbox-pgbouncer-", dir=roomy_place()))
        self._folder.chmod(0o755)
        self.pooler = PgBouncer(self._folder, self.direct_url)
        self.database_url = self.pooler.url()
        self._is_pooling = False

    def start_postgres(self, *, patient: bool = True) -> None:
        """The pooler starts with the first start of PostgreSQL, and remains when PostgreSQL stops."""
        super().start_postgres(patient=patient)
        if not self._is_pooling:
            self.pooler.start()
            self._is_pooling = True

    def stop(self) -> None:
        if self._is_pooling:
            self.pooler.kill()
        super().stop()
        shutil.rmtree(self._folder, ignore_errors=True)


def variables(server: str, pooler: PgBouncer | None) -> dict[str, str]:
    """The variables of a service on the database at this address of the server, behind the pooler if there is one."""
    if pooler is None:
        return {"DATABASE_URL": server}
    return {
        "DATABASE_URL": pooler.url(database=parse_dsn(server)["dbname"]),
        "INBOX_DATABASE_POOLER": "transaction",
        "INBOX_MIGRATION_DATABASE_URL": server,
    }


def database_variables(servers: Any) -> dict[str, str]:
    """The variables of a service on these servers."""
    if isinstance(servers, PooledServers):
        return variables(servers.direct_url, servers.pooler)
    return {"DATABASE_URL": servers.database_url}


def environment_of(settings: Settings) -> dict[str, str]:
    """The variables of the database for a process with these settings."""
    return {
        "DATABASE_URL": settings.database_url,
        "INBOX_DATABASE_POOLER": settings.database_pooler,
        "INBOX_MIGRATION_DATABASE_URL": settings.migration_database_url,
    }


def direct(settings: Settings) -> str:
    """Returns the address of the server itself. A test that needs a session connects there."""
    return settings.migration_database_url if settings.database_pooler else settings.database_url
