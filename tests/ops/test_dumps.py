"""The dump of each release is migrated to the present version while an older version writes: no row is lost."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Self
from uuid import UUID

import psycopg2
import pytest

from inbox.database.base import new_id
from inbox.domain.values import ids
from inbox.models.events.queue import shard_of
from ops.demo import receiver
from ops.demo.company import CHAT, TARGETS
from ops.embedded import Servers
from ops.release import dump
from tests.faults.service_processes import EMAIL, PASSWORD, PROJECT, RunningService, until
from tests.ops import next_version
from tests.runner.ports import free_port

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("up")]

PRESENT, FIRST = "present", "0001"
[PATH] = [target.path for target in TARGETS if target.name == CHAT]
RELEASED = [path.name for path in sorted(dump.DUMPS.glob("*.dump"))]

EVENT = """
INSERT INTO received_events (workspace_id, id, source_id, received_at, occurred_at, severity, action, title, dedup_key,
    external_id, fingerprint)
SELECT s.workspace_id, %(event)s, s.id, now(), now(), 'ERROR', 'trigger', 'Written before the upgrade', %(event)s, %(event)s,
    'f1:' || md5(%(event)s)
FROM sources s WHERE s.id = %(source)s;
INSERT INTO event_queue (shard, workspace_id, event_id) SELECT %(shard)s, workspace_id, id FROM received_events WHERE id = %(event)s
"""
DELIVERY = """
INSERT INTO notices (id, workspace_id, event_id, reason, created_at, body)
SELECT %(notice)s, n.workspace_id, n.event_id, n.reason, now(), n.body FROM notices n JOIN deliveries d ON d.notice_id = n.id
JOIN destinations x ON x.id = d.destination_id WHERE x.name = %(name)s AND d.status = 'sent' ORDER BY n.id DESC LIMIT 1;
INSERT INTO deliveries (id, workspace_id, notice_id, destination_id, reason, status, due_at, created_at)
SELECT %(delivery)s, n.workspace_id, n.id, x.id, n.reason, 'pending', now(), now() FROM notices n
JOIN destinations x ON x.workspace_id = n.workspace_id AND x.name = %(name)s WHERE n.id = %(notice)s
"""
"""What version 1.0 writes for an event, and for a notice to a destination."""


class Writer:
    """A thread that writes as version 1.0 does, from the restored tables to the migrated ones."""

    def __init__(self, database_url: str) -> None:
        self.events: list[str] = []
        self.deliveries: list[str] = []
        self._url, self._stop = database_url, threading.Event()
        self._thread = threading.Thread(target=self._write, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        until(lambda: len(self.events) > 5, "the writer of the older version writes")
        return self

    def __exit__(self, *_: object) -> None:
        written = len(self.events)
        until(lambda: len(self.events) > written + 5 or not self._thread.is_alive(), "it writes on")
        assert self._thread.is_alive(), "the older version cannot write into the migrated tables"
        self._stop.set()
        self._thread.join(60)

    def _write(self) -> None:
        with closing(psycopg2.connect(self._url)) as connection:
            with connection, connection.cursor() as cursor:
                cursor.execute("SELECT id::text FROM sources WHERE deleted_at IS NULL ORDER BY id LIMIT 1")
                [source] = cursor.fetchone() or ()
            from_source = {"source": source, "shard": shard_of(UUID(source))}
            while not self._stop.wait(0.01):
                event, notice, delivery = (str(new_id()) for _ in range(3))
                with connection, connection.cursor() as cursor:
                    cursor.execute(EVENT, {"event": event, **from_source})
                    cursor.execute(DELIVERY, {"notice": notice, "delivery": delivery, "name": CHAT})
                self.events.append(event)
                self.deliveries.append(delivery)


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[Servers]:
    """Servers of the version that writes the dumps."""
    with Servers.start(tmp_path / "servers", durable=False) as servers:
        yield servers


def found(name: str, place: Path) -> Path:
    """The dump of a release, of the present tables, or of those after the first migration alone."""
    if name == PRESENT:
        return dump.write(place / "present.dump")
    if name != FIRST:
        return dump.DUMPS / name
    tree = place / "first"
    next_version.copy(tree)
    for later in set((tree / "migrations").glob("0*.py")) - {tree / "migrations" / "0001_baseline.py"}:
        later.unlink()
    return dump.write(place / "first.dump", tree)


def migrate(servers: Servers, place: Path) -> None:
    """Migrate as an operator does."""
    environment = {"PATH": "", "PYTHONPATH": str(PROJECT), "DATABASE_URL": servers.database_url, **dump.KEYS}
    environment |= {"REDIS_URL": servers.redis_url, "INBOX_DATA_DIR": str(place)}
    command = [sys.executable, "-m", "cli", "migrate"]
    done = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def rows(service: RunningService) -> dict[str, int]:
    """The number of rows of the tables whose rows no version removes in a test."""
    tables = ("received_events", "routed_events", "incidents", "timeline", "notices", "deliveries", "rules", "users")
    return {table: int(service.ask(f"SELECT count(*) FROM {table}")[0][0]) for table in tables}


@pytest.mark.parametrize("name", [FIRST, PRESENT, *RELEASED])
def test_a_dump_is_migrated_while_its_version_writes_and_the_present_one_goes_on(
    servers: Servers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    for variable, text in {**dump.KEYS, "INBOX_ALLOW_LOOPBACK_DESTINATIONS": "on"}.items():
        monkeypatch.setenv(variable, text)
    port, state = free_port(), tmp_path / "state"
    state.mkdir()
    dump.restore(found(name, tmp_path), servers.database_url)
    service = RunningService(servers, state)
    _lead_to(servers, port)
    before, incidents = rows(service), [id for (id,) in service.ask("SELECT id::text FROM incidents")]

    with Writer(servers.database_url) as written:
        migrate(servers, state)
    with receiver.running(port, lambda _: None) as received:
        service.start(web=1, workers=1)
        try:
            pending = "SELECT count(*) FROM event_queue"
            sent = "SELECT count(*) FROM deliveries WHERE status = 'sent' AND id = ANY(%s::uuid[])"
            until(lambda: service.ask(pending) == [(0,)], "every event is routed", 120)
            until(lambda: service.ask(sent, written.deliveries) == [(len(written.deliveries),)], "all are sent", 120)
            _every_incident_is_read(service, incidents)
        finally:
            service.stop()

    routed = service.ask("SELECT count(*) FROM routed_events WHERE event_id = ANY(%s::uuid[])", written.events)
    assert routed == [(len(written.events),)]
    assert received[CHAT] >= len(written.deliveries)
    after = rows(service)
    assert {table: count for table, count in before.items() if after[table] < count} == {}
    assert min(before.values()) > 0 and len(incidents) > 10


def _lead_to(servers: Servers, port: int) -> None:
    """Leads the chat of the sample workspace to a receiver on this port."""
    with closing(psycopg2.connect(servers.database_url)) as connection, connection, connection.cursor() as cursor:
        changed = "UPDATE destinations SET config = jsonb_set(config, '{url}', to_jsonb(%s::text)) WHERE name = %s"
        cursor.execute(changed, (f"{receiver.address(port)}{PATH}", CHAT))
        assert cursor.rowcount == 1


def _every_incident_is_read(service: RunningService, incidents: list[Any]) -> None:
    """Reads each incident with its timeline, as the administrator of the dump."""
    assert dump.ADMINISTRATOR == (EMAIL, PASSWORD)
    service.sign_in()
    for id in incidents:
        path = f"/v1/incidents/{ids.encode(ids.Prefix.INCIDENT, UUID(id))}"
        assert service.call("GET", path)["title"]
        assert service.call("GET", f"{path}/timeline")["items"]
