"""The service behind PgBouncer, which gives each transaction another of five connections to the server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import psycopg2
import pytest

from ops.embedded import Servers
from tests.database.clusters import Cluster
from tests.database.pgbouncer import PgBouncer, pgbouncer
from tests.faults.accepted_events import check_books
from tests.faults.background import Background
from tests.faults.service_processes import RunningService, Senders, running_at, until
from tests.stand_ins.receivers import SECRET, Receiver

pytestmark = [pytest.mark.faults, pytest.mark.slow, pytest.mark.xdist_group("faults")]

HOSTILE = (
    "SET TimeZone = 'Asia/Tokyo'; SET statement_timeout = 1; SET synchronous_commit = off;"
    " SET search_path = nowhere; SET default_transaction_read_only = on"
)


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    cluster = Cluster(settings={"max_connections": "60"})
    try:
        cluster.initialize()
        cluster.start()
        cluster.create_database()
        yield cluster
    finally:
        cluster.remove()


@pytest.fixture
def pooler(cluster: Cluster) -> Iterator[PgBouncer]:
    with pgbouncer(cluster.url) as pooler:
        yield pooler


@pytest.fixture
def running_service(
    cluster: Cluster, pooler: PgBouncer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[RunningService]:
    monkeypatch.setenv("INBOX_DATABASE_POOLER", "transaction")
    monkeypatch.setenv("INBOX_MIGRATION_DATABASE_URL", cluster.url)
    with (
        Servers.start(tmp_path / "servers", postgres=False) as servers,
        running_at(pooler.url(), servers.redis_url, tmp_path) as started,
    ):
        yield started


class HostileClient(Background):
    """A client of another role, which sets what lasts as long as a session, again and again."""

    def __init__(self, cluster: Cluster, pooler: PgBouncer) -> None:
        super().__init__()
        cluster.execute("CREATE ROLE other LOGIN")
        self._url = pooler.url("other")
        self.times = 0

    def pause(self) -> float:
        return 0.05

    def step(self) -> None:
        with suppress(psycopg2.Error), closing(psycopg2.connect(self._url)) as connection:
            connection.autocommit = True
            with connection.cursor() as cursor:
                cursor.execute(HOSTILE)
            self.times += 1


def test_nothing_is_lost_while_the_pooler_crashes_and_another_client_sets_hostile_sessions(
    running_service: RunningService, cluster: Cluster, pooler: PgBouncer
) -> None:
    key = running_service.source_key(workspace := running_service.sign_in())
    with Receiver() as receiver, HostileClient(cluster, pooler) as hostile:
        running_service.webhook(workspace, receiver.url, SECRET)
        with Senders(running_service, key) as senders:
            for _ in range(3):
                seen = len(senders.accepted)
                until(lambda seen=seen: len(senders.accepted) > seen + 100, "events are accepted")
                pooler.kill()
                pooler.start()
            seen = len(senders.accepted)
            until(lambda: len(senders.accepted) > seen + 100, "events are accepted afterwards")

        until(running_service.settled, "everything accepted is routed and sent", 120)
        check_books(running_service, senders, receiver)
    assert set(senders.statuses) <= {202, 409, 503}
    assert hostile.times > 10
    assert "sessions lack settings" not in (running_service.state / "up.log").read_text()


def test_the_service_uses_no_more_connections_than_the_pool_has(
    running_service: RunningService, cluster: Cluster
) -> None:
    workspace = running_service.sign_in()
    export = running_service.api.get(f"{running_service.address}/v1/workspaces/{workspace}/export", timeout=30)

    [[connections]] = cluster.execute(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = 'inbox' AND pid <> pg_backend_pid()"
    )
    assert export.status_code == 200
    assert 0 < connections <= 5
