"""The whole service as real processes, with senders that retry, and checks after the faults.

The tests own PostgreSQL and Redis, so that they can stop them; web, workers and scheduler run under the real
supervisor.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

import psycopg2
import requests

from ops.embedded import Servers
from tests.database.clusters import chosen_servers
from tests.database.pgbouncer import database_variables
from tests.runner.ports import free_port

PROJECT = Path(__file__).parent.parent.parent
EMAIL, PASSWORD = "olga@example.org", "a long enough passphrase"


def until(condition: Callable[[], Any], what: str, seconds: float = 60) -> Any:
    """Poll until the condition holds and answer it; fails with `what` after the time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        answer = condition()
        if answer:
            return answer
        time.sleep(0.1)
    raise AssertionError(f"not within {seconds} s: {what}")


@dataclass
class RunningService:
    """One running service. `state` holds its data and logs."""

    servers: Servers
    state: Path
    port: int = field(default_factory=free_port)
    root: Path = PROJECT
    up: subprocess.Popen[bytes] | None = None
    api: requests.Session = field(default_factory=requests.Session)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self, *, web: int = 2, workers: int = 2, destination_concurrency: int = 8) -> None:
        environment = {
            **os.environ,
            **database_variables(self.servers),
            "REDIS_URL": self.servers.redis_url,
            "INBOX_ADMIN_EMAIL": EMAIL,
            "INBOX_ADMIN_PASSWORD": PASSWORD,
            "INBOX_RATE_LIMITS": "off",
            "INBOX_DELIVERY_TIMEOUT_SECONDS": "2",
            "INBOX_DESTINATION_CONCURRENCY": str(destination_concurrency),
            "INBOX_BASE_URL": self.address,
            "PYTHONPATH": str(self.root),
        }
        command = [
            sys.executable,
            "-m",
            "ops.up",
            "--port",
            str(self.port),
            "--data-dir",
            str(self.state),
            "--no-build",
        ]
        log = (self.state / "up.log").open("ab")
        self.up = subprocess.Popen(
            [*command, "--web", str(web), "--workers", str(workers)],
            cwd=self.root, env=environment, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
        until(self.ready, "the service answers /readyz", 90)

    def ready(self) -> bool:
        assert self.up is None or self.up.poll() is None, (self.state / "up.log").read_text()[-3000:]
        try:
            return requests.get(f"{self.address}/readyz", timeout=2).status_code == 200
        except requests.RequestException:
            return False

    def stop(self) -> int:
        assert self.up is not None
        if self.up.poll() is None:
            self.up.send_signal(signal.SIGTERM)
        code = self.up.wait(120)
        self.up = None
        return code

    def sign_in(self) -> str:
        """Sign the first administrator in; answers the workspace's id."""
        self.call("POST", "/v1/auth/login", {"email": EMAIL, "password": PASSWORD})
        return str(self.call("GET", "/v1/workspaces")["items"][0]["id"])

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        answer = self.api.request(method, self.address + path, json=body, headers={"Origin": self.address}, timeout=20)
        assert answer.status_code < 300, (method, path, answer.status_code, answer.text)
        return answer.json() if answer.content else None

    def source_key(self, workspace_id: str, name: str = "Faults") -> str:
        source = self.call("POST", "/v1/sources", {"workspaceId": workspace_id, "name": name})
        return str(self.call("POST", f"/v1/sources/{source['id']}/keys", {"name": "test"})["secret"])

    def webhook(self, workspace_id: str, url: str, secret: str) -> str:
        """A destination that the default route sends to; answers its id."""
        made = self.call(
            "POST",
            "/v1/destinations",
            {
                "workspaceId": workspace_id,
                "name": "Receiver",
                "kind": "webhook",
                "config": {"url": url, "secret": secret},
            },
        )
        route = self.call("GET", f"/v1/workspaces/{workspace_id}/default-route")
        retained = {name: route[name] for name in ("routingProfileId", "dispositions") if name in route}
        self.call("PUT", f"/v1/workspaces/{workspace_id}/default-route", {**retained, "destinationIds": [made["id"]]})
        return str(made["id"])

    def processes(self, word: str) -> list[int]:
        """The pids of our descendants whose command line has this text: `gunicorn`, `jobs.worker`, `jobs.scheduler`."""
        assert self.up is not None
        listed = sorted(_all_processes())
        family = {self.up.pid}
        while more := {pid for _, pid, parent, _ in listed if parent in family} - family:
            family |= more
        return [pid for _, pid, _, command in listed if pid in family - {self.up.pid} and word in command]

    def web_workers(self) -> list[int]:
        """The gunicorn workers, without their master, which is the first of them."""
        return self.processes("gunicorn")[1:]

    def ask(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Rows straight from the database."""
        connection = psycopg2.connect(self.servers.database_url)
        try:
            with connection.cursor() as cursor:
                cursor.execute(query, values)
                return list(cursor.fetchall())
        finally:
            connection.close()

    def settled(self) -> bool:
        """Nothing waits to be routed, sent or sent again."""
        return self.ask(
            "SELECT (SELECT count(*) FROM event_queue) + (SELECT count(*) FROM deliveries"
            " WHERE status IN ('pending', 'sending', 'retrying'))"
        ) == [(0,)]


@contextmanager
def running(state: Path, *, durable: bool = True, **how: int) -> Iterator[RunningService]:
    """A started service on its own servers; everything is stopped at the end.

    `durable=False` spares the waits for the disk where no test depends on them.
    """
    with (
        chosen_servers().start(state / "servers", durable=durable) as servers,
        _started(servers, state, **how) as started,
    ):
        yield started


@dataclass(frozen=True)
class Addresses:
    """The addresses of servers that a test runs itself."""

    database_url: str
    redis_url: str


@contextmanager
def running_at(database_url: str, redis_url: str, state: Path) -> Iterator[RunningService]:
    """A started service on servers that the test has started, such as a pooler or a cluster."""
    with _started(Addresses(database_url, redis_url), state) as started:  # type: ignore[arg-type]
        yield started


@contextmanager
def _started(servers: Servers, state: Path, **how: int) -> Iterator[RunningService]:
    running_service = RunningService(servers, state)
    running_service.start(**how)
    try:
        yield running_service
    finally:
        running_service.stop()


class Senders:
    """Threads that send one event after another, each with its own key, and repeat the same request until it is 202.

    Who is `mortal` ends when its key does. `pause` is the time between two events of a thread.
    """

    def __init__(
        self,
        running_service: RunningService,
        key: str,
        *,
        threads: int = 6,
        incidents: int = 40,
        mortal: bool = False,
        pause: float = 0.0,
    ) -> None:
        self.running_service, self.key, self.incidents, self.mortal, self.pause = (
            running_service,
            key,
            incidents,
            mortal,
            pause,
        )
        self.accepted: dict[str, str] = {}
        self.repeats = self.attempts = 0
        """How many alarms were answered as repeats of an accepted one, and how many were sent at all."""
        self.statuses: dict[int, int] = {}
        self._lock, self._stop = threading.Lock(), threading.Event()
        self._threads = [threading.Thread(target=self._send, args=(n,), daemon=True) for n in range(threads)]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(60)
            assert not thread.is_alive(), "a sender still waits for its 202"

    def _send(self, number: int) -> None:
        session = requests.Session()
        for place, event in enumerate(self.events(number)):
            if self._stop.is_set():
                return
            event.setdefault("externalId", f"{number}-{place}-{uuid4().hex}")
            while not self._accepted(session, event):
                time.sleep(0.2)
            self._stop.wait(self.pause)

    def events(self, number: int) -> Iterator[dict[str, Any]]:
        """What one thread sends: alarms of so many incidents, then their ends."""
        for place in count(1):
            event = {"title": f"Disk {place}", "severity": "ERROR", "dedupKey": f"{number}-{place % self.incidents}"}
            is_end = place % (2 * self.incidents) >= self.incidents
            yield {**event, "action": "resolve"} if is_end else event

    def _accepted(self, session: requests.Session, event: dict[str, Any]) -> bool:
        key, is_alarm, body = event["externalId"], "action" not in event, json.dumps(event)
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        headers |= {} if "occurredAt" in event else {"Idempotency-Key": key}
        with self._lock:
            self.attempts += is_alarm
        try:
            answer = session.post(f"{self.running_service.address}/v1/events", data=body, headers=headers, timeout=10)
        except requests.RequestException:
            return False
        with self._lock:
            self.statuses[answer.status_code] = self.statuses.get(answer.status_code, 0) + 1
        if answer.status_code == 401 and self.mortal:
            self._stop.set()
            return True
        if answer.status_code != 202:
            assert answer.status_code in (409, 503), answer.text
            return False
        [stored] = answer.json()["events"]
        with self._lock:
            self.accepted[key] = stored["id"]
            self.repeats += is_alarm and stored["status"] == "duplicate"
        return True


def _all_processes() -> Iterator[tuple[int, int, int, str]]:
    """Start time, pid, parent and command line of each process. The order of pids says nothing: the numbers begin again."""
    for entry in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            stat = (entry / "stat").read_text().rpartition(")")[2].split()
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            yield int(stat[19]), int(entry.name), int(stat[1]), command
