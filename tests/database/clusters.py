"""Separate PostgreSQL clusters: in Debian's configuration, or with a standby.

Only the caller's settings are changed.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import psycopg2

from ops.binaries import postgres_programs, reachable, server_account
from ops.children import Child, wait_until
from ops.embedded import Servers
from tests.database import pgbouncer
from tests.runner.places import roomy_place
from tests.runner.ports import free_port

DEBIAN = Path("/usr/lib/postgresql/15/bin")
ROLE = "inbox"
CHOICE = "TEST_SERVERS"


def debian_programs() -> Path | None:
    """Where the programs of Debian's package postgresql-15 are; None where it is not installed."""
    return DEBIAN if (DEBIAN / "initdb").exists() else None


class DebianServers(Servers):
    """As `Servers`, on Debian's PostgreSQL with the configuration that it ships, in a place that everybody gets through to."""

    def __init__(self, state_dir: Path, *, durable: bool) -> None:
        self._place = Path(tempfile.mkdtemp(prefix="inbox-debian-", dir=roomy_place()))
        self._place.chmod(0o755)
        super().__init__(self._place, durable=durable)

    def stop(self) -> None:
        super().stop()
        shutil.rmtree(self._place, ignore_errors=True)

    def _postgres_child(self) -> Child:
        child = super()._postgres_child()
        sockets = f"unix_socket_directories={self._sockets}"
        data = child.argv[2]
        child.argv = [DEBIAN / "postgres", "-D", data, "-c", sockets, "-c", "listen_addresses="]
        return child


def chosen_servers() -> type[Servers]:
    """What `tests.database.on_debian` or `TEST_POOLER` says; else the embedded ones."""
    if pgbouncer.CHOSEN:
        return pgbouncer.PooledServers
    return DebianServers if os.environ.get(CHOICE) == "debian" else Servers


class Cluster:
    """One server in its own folder on a port of 127.0.0.1; everybody there is let in."""

    def __init__(self, programs: Path | None = None, *, settings: Mapping[str, str] | None = None) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="inbox-cluster-", dir=roomy_place()))
        self.account = server_account(self.folder / "data")
        self._programs = programs or reachable(postgres_programs(), self.account).parent
        self.folder.chmod(0o755)
        self.data = self._directory("data")
        self._sockets = self._directory("sockets")
        self._work = self._directory("work")
        self.port = free_port()
        self._settings = dict(settings or {})
        self._server: Child | None = None

    @property
    def url(self) -> str:
        """The database `inbox` there."""
        return f"postgresql://{ROLE}@127.0.0.1:{self.port}/inbox"

    def initialize(self) -> None:
        """A new cluster with the shipped configuration."""
        self._run("initdb", "-D", str(self.data), "-U", ROLE, "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8")

    def copy(self, primary: Cluster, *, name: str) -> None:
        """A standby of `primary`, which knows it by this name."""
        source = f"host=127.0.0.1 port={primary.port} user={ROLE} application_name={name}"
        self._run("pg_basebackup", "-D", str(self.data), "-d", source, "-R", "-X", "stream", "--checkpoint=fast")

    def start(self) -> None:
        """Returns when it answers."""
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": str(self.port),
            "unix_socket_directories": str(self._sockets),
            **self._settings,
        }
        self._server = Child(
            name="postgres",
            argv=[
                self._programs / "postgres",
                *("-D", self.data),
                *[word for setting in settings.items() for word in ("-c", "=".join(setting))],
            ],
            env=_environment(),
            cwd=self._work,
            log=self.folder / "log",
            account=self.account,
            stop_signal=signal.SIGINT,
            death_signal=signal.SIGQUIT,
        )
        self._server.start()
        if not wait_until(self._answers, 60, every=0.05):
            raise RuntimeError(f"the cluster did not start: {(self.folder / 'log').read_text()[-2000:]}")

    def create_database(self) -> None:
        """The database `inbox`."""
        self.execute("CREATE DATABASE inbox", database="postgres")

    def execute(self, sql: str, *, database: str = "inbox") -> list[tuple[object, ...]]:
        """The rows of one statement, in its own connection."""
        url = self.url.removesuffix("inbox") + database
        with closing(psycopg2.connect(url, connect_timeout=5)) as connection:
            connection.autocommit = True
            with connection.cursor() as cursor:
                cursor.execute(sql)
                return list(cursor.fetchall()) if cursor.description else []

    def promote(self) -> None:
        """A standby takes writes from now on."""
        self.execute("SELECT pg_promote(true, 60)", database="postgres")

    def kill(self) -> None:
        """kill -9 of the server and all of its processes, as when the machine is gone."""
        if self._server is not None:
            self._server.kill()

    def remove(self) -> None:
        """End it and take its folder away."""
        if self._server is not None:
            self._server.stop(grace=20, how=signal.SIGQUIT)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _answers(self) -> bool:
        try:
            return bool(self.execute("SELECT 1", database="postgres"))
        except psycopg2.OperationalError:
            return False

    def _directory(self, name: str) -> Path:
        made = self.folder / name
        made.mkdir(mode=0o700)
        if self.account is not None:
            os.chown(made, self.account.pw_uid, self.account.pw_gid)
        return made

    def _run(self, program: str, *arguments: str) -> None:
        words: Sequence[str | Path] = (self._programs / program, *arguments)
        account = self.account
        done = subprocess.run(
            words,
            env=_environment(),
            cwd=self._work,
            user=None if account is None else account.pw_uid,
            group=None if account is None else account.pw_gid,
            extra_groups=None if account is None else [],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise RuntimeError(f"{program} failed: {done.stderr[-2000:]}")


def _environment() -> dict[str, str]:
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8", "TZ": "UTC"}
