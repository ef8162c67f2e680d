"""The service on its own durable servers, in a folder that is removed after the measurement."""

from __future__ import annotations

import base64
import http.client
import os
import secrets
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg2
import requests
from redis import Redis

from bench.processes import cpu_seconds
from bench.programs import Program
from inbox.config.settings import Settings
from inbox.runtime.distribution import ROOT
from inbox.services.instance import bootstrap
from ops.children import Child, wait_until
from ops.embedded import Servers

EMAIL, PASSWORD = "bench@example.org", "only for the length of a measurement"
CACHED = ("schema_migration", "users", "sessions", "workspaces", "incident_counters", "members",
        "sources", "source_keys", "devices", "destinations")  # fmt: skip
SECONDS = 180.0
USED_LOG_FILES = 30
RQ_WORKERS = "rq:workers"


class BenchEnvironment:
    """Starts and stops parts for measurements. Rows of a measurement are removed before the next one."""

    def __init__(self, folder: Path, servers: Servers, root: Path = ROOT) -> None:
        self.folder = folder
        self.servers = servers
        self.redis = Redis.from_url(servers.redis_url, socket_timeout=SECONDS)  # the service's client gives up at once
        self.root = root
        self.environment = {
            "PATH": os.environ.get("PATH", ""),
            "PYTHONPATH": str(root),
            "DATABASE_URL": servers.database_url,
            "REDIS_URL": servers.redis_url,
            "INBOX_SECRET_KEYS": "k1:" + base64.b64encode(secrets.token_bytes(32)).decode(),
            "INBOX_SIGNING_KEY": secrets.token_urlsafe(32),
            "INBOX_RATE_LIMITS": "off",
            "INBOX_LOG_LEVEL": "WARNING",
            "INBOX_ALLOW_PRIVATE_DESTINATIONS": "on",
        }
        self.workspace_id = ""

    @classmethod
    @contextmanager
    def open(cls, folder: Path, root: Path = ROOT) -> Iterator[BenchEnvironment]:
        """Starts servers, creates tables and one administrator with one workspace. The programs are from `root`."""
        with Servers.start(folder, durable=True) as servers:
            stand = cls(folder, servers, root)
            account = {"INBOX_ADMIN_EMAIL": EMAIL, "INBOX_ADMIN_PASSWORD": PASSWORD}
            subprocess.run(
                [sys.executable, "-m", "ops.first_run", "--json"],
                cwd=root, env=stand.environment | account, check=True, stdout=subprocess.DEVNULL, timeout=120,
            )  # fmt: skip
            bootstrap.configure(Settings.from_env(stand.environment), application="inbox-bench")
            stand.age()
            yield stand

    def with_root(self, root: Path) -> BenchEnvironment:
        """Returns the same servers and keys with the programs of another tree."""
        other = BenchEnvironment(self.folder, self.servers, root)
        other.environment = self.environment | {"PYTHONPATH": str(root)}
        return other

    def with_limits(self) -> BenchEnvironment:
        """Returns the same servers with the default rate limits."""
        other = self.with_root(self.root)
        del other.environment["INBOX_RATE_LIMITS"]
        return other

    def age(self) -> None:
        """Lets the database create log files to reuse, as after a longer run. A new database creates each of them."""
        for _ in range(USED_LOG_FILES):
            self.query_one("SELECT pg_logical_emit_message(false, 'bench', 'used')::text")
            self.query_one("SELECT pg_switch_wal()::text")
        self.query_one("CHECKPOINT; SELECT 1")

    @contextmanager
    def web(self, workers: int = 2, *, host: str = "127.0.0.1") -> Iterator[Api]:
        """Runs the web processes. Yields the administrator's API. Passkeys need the `host` localhost."""
        port = free_port()
        address = {"INBOX_PORT": str(port), "INBOX_WEB_WORKERS": str(workers)}
        gunicorn = ["-m", "gunicorn", "-c", "gunicorn.conf.py"]
        with self._part("web", gunicorn, address | {"INBOX_BASE_URL": f"http://{host}:{port}"}) as child:
            wait_for_http(child, port, "/readyz")
            yield Api(port, child.pid, self.servers.postgres.pid)

    @contextmanager
    def baseline(self, workers: int = 2) -> Iterator[Api]:
        """Runs the bare server, under a gunicorn like ours."""
        port = free_port()
        words = ["-m", "gunicorn", "-k", "gevent", "-w", str(workers), "-b", f"127.0.0.1:{port}"]
        words += ["--worker-connections", "5000", "--no-control-socket"]
        words += ["--log-level", "warning", "bench.baseline_app:app"]
        with self._part("bare", words, {}) as child:
            wait_for_http(child, port, "/")
            yield Api(port, child.pid, self.servers.postgres.pid)

    @contextmanager
    def workers(self, count: int, queues: Sequence[str] = ()) -> Iterator[list[int]]:
        """Runs worker processes for these queues, all when none is named. Yields their pids when they are idle."""
        with ExitStack() as stack:
            words = ["-m", "jobs.worker", *queues]
            there = self.redis.scard(RQ_WORKERS)
            children = [stack.enter_context(self._part(f"worker-{n}", words, {})) for n in range(count)]
            self._wait_for_workers(children, there + count)
            yield [child.pid for child in children]

    def _wait_for_workers(self, children: Sequence[Child], count: int) -> None:
        """Waits until Redis lists this many workers. Raises `RuntimeError` when one ended, or in three minutes."""

        def are_listed() -> bool:
            for child in children:
                require_running(child)
            return int(self.redis.scard(RQ_WORKERS)) >= count

        if not wait_until(are_listed, SECONDS):
            raise RuntimeError(f"of {count} workers {self.redis.scard(RQ_WORKERS)} started: {log_end(children[0])}")

    @contextmanager
    def scheduler(self) -> Iterator[int]:
        """Runs the scheduler. Yields its pid."""
        with self._part("scheduler", ["-m", "jobs.scheduler"], {}) as child:
            yield child.pid

    def clear(self) -> None:
        """Empties Redis and every table except people, workspaces, sources and destinations."""
        names = self.query_one(
            "SELECT string_agg(quote_ident(tablename), ', ') FROM pg_tables"
            " WHERE schemaname = ANY(current_schemas(false)) AND tablename <> ALL(%s)",
            list(CACHED),
        )
        self.query_one(f"SET LOCAL session_replication_role = replica; TRUNCATE {names}; SELECT 1")
        self.redis.flushdb()

    def query_one(self, query: str, *values: Any) -> Any:
        """Returns the first value of the first row."""
        with self.connection() as connection, connection.cursor() as cursor:
            cursor.execute(query, values or None)
            row = cursor.fetchone()
            return row[0] if row else None

    @contextmanager
    def connection(self) -> Iterator[Any]:
        """Yields a new connection. Its changes are committed at the end."""
        connection = psycopg2.connect(self.servers.database_url)
        try:
            with connection:
                yield connection
        finally:
            connection.close()

    @contextmanager
    def gate(self, table: str, waiting: int) -> Iterator[None]:
        """Locks `table` within the block. At the end this many processes wait for it, and continue all at once."""
        query = "SELECT count(DISTINCT pid) FROM pg_locks WHERE relation = %s::regclass AND NOT granted"
        with self.connection() as connection, connection.cursor() as cursor:
            cursor.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
            yield
            wait_until(lambda: self.query_one(query, table) >= waiting, 4.0)

    @contextmanager
    def _part(self, name: str, words: Sequence[str], more: dict[str, str]) -> Iterator[Child]:
        log = self.folder / "logs" / f"{name}{'' if self.root == ROOT else '-earlier'}.log"
        child = Child(name=name, argv=[sys.executable, *words], env=self.environment | more, cwd=self.root, log=log)
        child.start()
        try:
            yield child
        finally:
            child.stop(grace=15)


class Api:
    """A running server, and the requests of the person who administers it."""

    def __init__(self, port: int, pid: int, postgres_pid: int) -> None:
        self.port = port
        self.pid = pid
        self._postgres_pid = postgres_pid
        self.address = f"http://127.0.0.1:{port}"
        self._session = requests.Session()
        self._signed_in = False

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """Calls the API. Raises `RuntimeError` with the problem when the answer is no success."""
        if not self._signed_in:
            self._signed_in = True
            self.call("POST", "/v1/auth/login", {"email": EMAIL, "password": PASSWORD})
        answer = self._session.request(method, self.address + path, json=body, timeout=30)
        if not answer.ok:
            raise RuntimeError(f"{method} {path}: {answer.status_code} {answer.text[:300]}")
        return answer.json() if answer.content else None

    def cookies(self) -> list[dict[str, str]]:
        """The session of the administrator, for a browser. One request must have been made before."""
        return [{"name": c.name, "value": str(c.value), "url": self.address} for c in self._session.cookies]

    def workspace(self) -> dict[str, Any]:
        """The first workspace that was made. A dataset has most of its rows there."""
        [first, *_] = self.call("GET", "/v1/workspaces?sort=created&order=asc")["items"]
        return dict(first)

    def workspace_id(self) -> str:
        return str(self.workspace()["id"])

    def source_key(self) -> str:
        """Returns the key of a new source."""
        source = self.call("POST", "/v1/sources", {"workspaceId": self.workspace_id(), "name": "Bench"})
        return str(self.call("POST", f"/v1/sources/{source['id']}/keys", {"name": "bench"})["secret"])

    def webhooks(self, ports: Sequence[int]) -> list[str]:
        """Adds a webhook destination for each of these ports. Returns their ids."""
        workspace_id, ids = self.workspace_id(), []
        for number, port in enumerate(ports):
            secret = "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()
            made = {
                "workspaceId": workspace_id,
                "kind": "webhook",
                "name": f"Receiver {number}",
                "config": {"url": f"http://127.0.0.1:{port}/{number}", "secret": secret},
            }
            ids.append(str(self.call("POST", "/v1/destinations", made)["id"]))
        return ids

    def send_everything_to(self, ports: Sequence[int]) -> list[str]:
        """Sets the default route to a webhook for each of these ports, and to nothing else. Returns their ids."""
        workspace_id, ids = self.workspace_id(), self.webhooks(ports)
        route = self.call("GET", f"/v1/workspaces/{workspace_id}/default-route")
        retained = {name: route[name] for name in ("routingProfileId", "dispositions") if name in route}
        self.call("PUT", f"/v1/workspaces/{workspace_id}/default-route", {**retained, "destinationIds": ids})
        return ids

    def load(self, **order: Any) -> dict[str, Any]:
        """Runs the load against this server. Raises `RuntimeError` when anything was refused."""
        with Program("load", port=self.port, **order) as program:
            before = self.cpu_seconds()
            result: dict[str, Any] = program.read_line()
            spent = self.cpu_seconds()
        if result["refused"]:
            raise RuntimeError(f"{result['refused']} requests were refused: {result['first_refusal'][:500]}")
        for name, seconds in spent.items():
            result[f"{name}_us"] = (seconds - before[name]) / result["answers"] * 1e6
        return result

    def cpu_seconds(self) -> dict[str, float]:
        """Returns CPU time so far of the web processes and of PostgreSQL; of neither where it cannot be measured."""
        spent = {"web": cpu_seconds(self.pid), "postgres": cpu_seconds(self._postgres_pid)}
        return {name: seconds for name, seconds in spent.items() if seconds is not None}


def free_port() -> int:
    """Returns a free port of the loopback."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def require_running(child: Child) -> None:
    """Raises `RuntimeError` with the end of its log when the process ended."""
    if not child.running:
        raise RuntimeError(f"{child.name} did not start: {log_end(child)}")


def log_end(child: Child) -> str:
    """Returns the end of the log of a process."""
    return child.log.read_text()[-2000:] if child.log else ""


def wait_for_http(child: Child, port: int, path: str) -> None:
    """Waits until the server answers 200. Raises `RuntimeError` when it ended or does not start in three minutes."""

    def answers() -> bool:
        require_running(child)
        with suppress(OSError, http.client.HTTPException):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
            connection.request("GET", path)
            return connection.getresponse().status == 200
        return False

    if not wait_until(answers, SECONDS, every=0.1):
        raise RuntimeError(f"{child.name} does not answer")
