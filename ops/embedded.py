"""PostgreSQL and Redis (Valkey) from wheels, run as our children on Unix sockets; nothing listens on the network.

    with Servers.start(Path("var")) as servers:
        connect(servers.database_url, servers.redis_url)

The addresses name Unix sockets: `postgresql://inbox@/inbox?host=<directory>` and `unix://<path>?db=0`. The role `inbox`
is the superuser that owns the tables; the services connect as `inbox_service`, which is an ordinary role.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import quote

import psycopg2

from ops import ownership, postgres_settings
from ops.binaries import path_reachable, postgres_programs, reachable, redis_programs, server_account
from ops.children import Child, exclusive_lock, wait_until
from ops.excerpts import first_fatal
from ops.locks import Busy, FileLock
from ops.sockets import give, socket_directory

HERE = Path("/proc/self/cwd")  # the working directory, for an account without access to the path above it

SERVICE_ROLE = "inbox_service"
NOBODY = (
    "the servers run as user nobody, so other programs of that user can read the database:"
    " make a user for them with useradd --system incident-inbox, before the first start"
)


class NotStarted(Exception):
    """A server did not start. The text names it and the reason."""


class Interrupted(Exception):
    """A stop was requested before everything was up."""


@dataclass(frozen=True, slots=True)
class Patience:
    """The wait for a starting server: prints progress from time to time, and checks for a stop request."""

    say: Callable[[str], None] = lambda _: None
    is_stopping: Callable[[], bool] = lambda: False
    report_seconds: float = 60.0


class Servers:
    """The two servers on one state directory; refuses (NotStarted) a directory that another live `Servers` uses."""

    def __init__(
        self, state_dir: Path, *, durable: bool, sizes: Mapping[str, str] | None = None, patience: Patience = Patience()
    ) -> None:
        self.state_dir = state_dir.resolve()
        self._sizes = sizes or {}
        self._patience = patience
        self.durable = durable
        for name in ("logs", "locks"):
            (self.state_dir / name).mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            self._lock = FileLock.take(self.state_dir / "locks" / "servers.lock")
        except Busy as busy:
            raise NotStarted(f"the servers on {self.state_dir} run already under process {busy.pid}") from None
        self._lock.write_pid(os.getpid())
        self._account = server_account(self.state_dir / "postgres")
        self._sockets = socket_directory(self.state_dir, self._account)
        place = f"/inbox?host={quote(str(self._sockets), safe='/')}"
        self.database_url = f"postgresql://inbox@{place}"
        self.service_url = f"postgresql://{SERVICE_ROLE}@{place}"
        self.redis_url = f"unix://{quote(str(self._sockets / 'redis.sock'), safe='/')}?db=0"
        self.notes = [NOBODY] if self._account is not None and self._account.pw_name == "nobody" else []
        self.postgres = self._postgres_child()
        self.redis = self._redis_child()

    @classmethod
    def start(cls, state_dir: Path, *, durable: bool = True, postgres: bool = True, redis: bool = True) -> Servers:
        """Starts the requested servers and returns when they answer.

        `durable=False` (tests) is faster and survives a crash of the servers, though not one of the machine. Redis
        keeps nothing over a restart. Raises NotStarted, or `ops.binaries.Unreachable` where the programs cannot be run.
        """
        servers = cls(state_dir, durable=durable)
        try:
            if postgres:
                servers.start_postgres()
            if redis:
                servers.start_redis()
        except BaseException:
            servers.stop()
            raise
        return servers

    def start_postgres(self, *, patient: bool = True) -> None:
        """Starts PostgreSQL. `patient` waits for its answer. Raises Interrupted at a request to stop."""
        lock = exclusive_lock(self.state_dir / "locks" / "postgres.lock", self.postgres.argv[0])
        try:
            if patient:
                self._restore_owners()
            if not (self.state_dir / "postgres" / "PG_VERSION").exists():
                self._make_cluster(lock)
            # We hold the lock, so these are stale; the server itself would trust them when their pid is in use again.
            for stale in (self.state_dir / "postgres" / "postmaster.pid", self._sockets / ".s.PGSQL.5432.lock"):
                stale.unlink(missing_ok=True)
            self.postgres.start(locks=[lock.fileno()])
            lock.write_pid(self.postgres.pid)
        finally:
            lock.release()
        if patient:
            _answering(self.postgres, self._postgres_answers, self._patience)

    def start_redis(self, *, patient: bool = True) -> None:
        """Starts Redis. `patient` waits until it answers."""
        directory = self.state_dir / "redis"
        directory.mkdir(exist_ok=True, mode=0o700)
        give(directory, self._account)
        lock = exclusive_lock(self.state_dir / "locks" / "redis.lock", self.redis.argv[0])
        try:
            # Earlier versions kept data in it. A damaged file would keep the server from starting.
            shutil.rmtree(directory / "appendonlydir", ignore_errors=True)
            (directory / "dump.rdb").unlink(missing_ok=True)
            self.redis.start(locks=[lock.fileno()])
            lock.write_pid(self.redis.pid)
        finally:
            lock.release()
        if patient:
            _answering(self.redis, self._redis_answers, self._patience)

    def stop_postgres(self, *, immediate: bool = False) -> None:
        """Stops PostgreSQL. `immediate` is a crash for the data: the next start recovers from the log."""
        self.postgres.stop(grace=30, how=signal.SIGQUIT if immediate else signal.SIGINT)

    def stop_redis(self) -> None:
        self.redis.stop(grace=15)

    def kill_postgres(self) -> None:
        """Kills the main server process with SIGKILL. Its backends follow by themselves."""
        self.postgres.send(signal.SIGKILL)
        self.postgres.wait(10)

    def kill_redis(self) -> None:
        """Kills Redis with SIGKILL."""
        self.redis.send(signal.SIGKILL)
        self.redis.wait(10)

    def stop(self) -> None:
        self.stop_redis()
        self.stop_postgres()
        if self._sockets.parent != self.state_dir:
            shutil.rmtree(self._sockets, ignore_errors=True)
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _postgres_child(self) -> Child:
        data = self.state_dir / "postgres"
        settings = postgres_settings.chosen(durable=self.durable, sockets=self._sockets, sizes=self._sizes)
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        return Child(
            name="postgres",
            argv=[reachable(postgres_programs(), self._account), "-D", self._seen_by_server(data), *options],
            env=_plain_environment(),
            cwd=data,
            log=self.state_dir / "logs" / "postgres.log",
            account=self._account,
            stop_signal=signal.SIGINT,  # "fast": SIGTERM would wait for every client to leave
            death_signal=signal.SIGINT,
        )

    def _redis_child(self) -> Child:
        options = {
            "port": "0",
            "unixsocket": str(self._sockets / "redis.sock"),
            "unixsocketperm": "700",
            "dir": ".",
            "save": "",
            "appendonly": "no",  # all of it can be dropped: PostgreSQL keeps everything
            "maxmemory-policy": "noeviction",
        }
        return Child(
            name="redis",
            argv=[
                reachable(redis_programs(), self._account),
                *[word for name, value in options.items() for word in (f"--{name}", value)],
            ],
            env=_plain_environment(),
            cwd=self.state_dir / "redis",
            log=self.state_dir / "logs" / "redis.log",
            account=self._account,
        )

    def _restore_owners(self) -> None:
        data = self.state_dir / "postgres"
        try:
            restored = ownership.restore(data, self._account)
        except ownership.WrongOwner as wrong:
            raise NotStarted(str(wrong)) from None
        if restored and self._account is not None:
            self.notes.append(f"{data} belongs to user {self._account.pw_name} again ({restored} files did not)")

    def _seen_by_server(self, directory: Path) -> Path:
        return directory if path_reachable(directory.parent, self._account) else HERE

    def _make_cluster(self, lock: FileLock) -> None:
        """Creates the cluster under a temporary name first, so that no interrupted attempt is used as a database."""
        if ownership.has_no_name(os.geteuid()) and self._account is None:
            raise NotStarted(ownership.NO_NAME.format(uid=os.geteuid()))
        fresh, log = self.state_dir / "postgres.new", self.state_dir / "logs" / "postgres.log"
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(mode=0o700)
        give(fresh, self._account)
        locale = ["--locale=C.UTF-8"] if sys.platform == "linux" else ["--locale=C", "--lc-ctype=UTF-8"]
        maker = Child(
            name="initdb",
            argv=[
                Path(self.postgres.argv[0]).parent / "initdb",
                *("-D", self._seen_by_server(fresh), "-U", "inbox", "--auth=trust", "--encoding=UTF8"),
                *locale,
                *([] if self.durable else ["--no-sync"]),
                *[f"--set={name}={value}" for name, value in postgres_settings.shared_memory().items()],
            ],
            env=_plain_environment(),
            cwd=fresh,
            log=log,
            account=self._account,
            death_signal=signal.SIGKILL,
        )
        maker.start(locks=[lock.fileno()])
        if not maker.wait(300) or maker.returncode != 0:
            maker.kill()
            raise NotStarted(f"the database could not be created: {first_fatal(maker)} (see {log})")
        fresh.rename(self.state_dir / "postgres")

    def _postgres_answers(self) -> bool:
        try:
            connection = psycopg2.connect(host=str(self._sockets), user="inbox", dbname="postgres", connect_timeout=5)
        except psycopg2.OperationalError:
            return False
        try:
            connection.autocommit = True
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1 FROM pg_database WHERE datname = 'inbox'")
                if cursor.fetchone() is None:
                    cursor.execute("CREATE DATABASE inbox")
                cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (SERVICE_ROLE,))
                if cursor.fetchone() is None:
                    cursor.execute(f"CREATE ROLE {SERVICE_ROLE} LOGIN")
        except psycopg2.OperationalError:
            return False
        finally:
            connection.close()
        return True

    def _redis_answers(self) -> bool:
        with contextlib.closing(socket.socket(socket.AF_UNIX)) as client:
            client.settimeout(1)
            try:
                client.connect(str(self._sockets / "redis.sock"))
                client.sendall(b"PING\r\n")
                return client.recv(64).startswith(b"+PONG")  # while it reads its file it answers -LOADING
            except OSError:
                return False


def _answering(server: Child, answers: Callable[[], bool], patience: Patience) -> None:
    """Waits for the first answer as long as the process lives, because a recovery after a crash can take hours."""
    while not wait_until(lambda: not server.running or patience.is_stopping() or answers(), patience.report_seconds):
        patience.say(f"{server.name} does not answer yet; perhaps it recovers from a crash (see {server.log})")
    if patience.is_stopping():
        raise Interrupted
    if not server.running:
        server.kill()
        raise NotStarted(f"{server.name} ended with {server.returncode}: {first_fatal(server)} (see {server.log})")


def _plain_environment() -> dict[str, str]:
    """Returns the environment without our secrets and PG* variables."""
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8", "TZ": "UTC"}
