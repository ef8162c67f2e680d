"""A database with a synchronous standby that takes over: nothing accepted is lost, and the service is back within seconds.

`DATABASE_URL` names both servers, each with its own port. The service has no other source for the address of its database.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
import requests

from ops.embedded import Servers
from tests.database.clusters import Cluster
from tests.faults.accepted_events import check_books
from tests.faults.service_processes import RunningService, Senders, running_at, until
from tests.stand_ins.receivers import SECRET, Receiver

pytestmark = [pytest.mark.faults, pytest.mark.slow, pytest.mark.xdist_group("faults")]

BACK_SECONDS = 90.0
"""Far more than it takes, on a busy machine."""


@dataclass
class Pair:
    """A primary and its standby; commits wait for the standby."""

    primary: Cluster
    standby: Cluster

    @property
    def url(self) -> str:
        ports = (self.primary.port, self.standby.port)
        return f"postgresql://inbox@{','.join(f'127.0.0.1:{port}' for port in ports)}/inbox"

    def start(self) -> None:
        self.primary.initialize()
        self.primary.start()
        self.primary.create_database()
        self.standby.copy(self.primary, name="standby")
        self.standby.start()
        self.commits_wait_for("standby")
        until(self._is_synchronous, "commits wait for the standby")

    @contextmanager
    def commits_that_wait(self) -> Iterator[None]:
        """No commit ends within the block, as if the standby were gone."""
        self.commits_wait_for("absent")
        try:
            yield
        finally:
            self.commits_wait_for("standby")

    def commits_wait_for(self, name: str) -> None:
        """Commits wait for the standby of this name."""
        self.primary.execute(f"ALTER SYSTEM SET synchronous_standby_names = '{name}'")
        self.primary.execute("SELECT pg_reload_conf()")

    def interrupt_commits(self) -> None:
        """Ends the sessions whose commits wait. Their transactions are then visible on the primary, and only there."""
        self.primary.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")

    def has_rows(self, table: str) -> bool:
        """Whether the table has rows that are visible on the primary."""
        return bool(self.primary.execute(f"SELECT 1 FROM {table} LIMIT 1"))

    def is_claim_waiting(self) -> bool:
        """Whether the commit of a transaction that changed deliveries, and made none, waits for a standby."""
        return [("deliveries",)] in [
            self.primary.execute(
                "SELECT relation::regclass::text FROM pg_locks WHERE mode = 'RowExclusiveLock'"
                f" AND relation IN ('deliveries'::regclass, 'notices'::regclass) AND pid = {pid}"
            )
            for (pid,) in self.primary.execute("SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
        ]

    def _is_synchronous(self) -> bool:
        return self.primary.execute("SELECT sync_state FROM pg_stat_replication") == [("sync",)]


@pytest.fixture
def pair() -> Iterator[Pair]:
    settings = {"max_connections": "200", "wal_level": "replica", "hot_standby": "on"}
    pair = Pair(Cluster(settings=settings), Cluster(settings=settings))
    try:
        pair.start()
        yield pair
    finally:
        pair.primary.remove()
        pair.standby.remove()


@pytest.fixture
def running_service(pair: Pair, tmp_path: Path) -> Iterator[RunningService]:
    with (
        Servers.start(tmp_path / "servers", postgres=False) as servers,
        running_at(pair.url, servers.redis_url, tmp_path) as started,
    ):
        yield started


def test_no_accepted_event_is_lost_when_the_standby_is_promoted_under_load(
    running_service: RunningService, pair: Pair
) -> None:
    key = running_service.source_key(workspace := running_service.sign_in())
    with Receiver() as receiver:
        running_service.webhook(workspace, receiver.url, SECRET)
        with Senders(running_service, key) as senders:
            until(lambda: len(senders.accepted) > 100, "events are accepted before")
            pair.primary.kill()
            pair.standby.promote()
            promoted, seen = time.monotonic(), len(senders.accepted)
            until(lambda: len(senders.accepted) > seen, "an event is accepted again", BACK_SECONDS)
            print(f"back {time.monotonic() - promoted:.2f} s after the promotion")
            until(lambda: len(senders.accepted) > seen + 100, "events are accepted as before")

        until(running_service.settled, "everything accepted is routed and sent", 120)
        check_books(running_service, senders, receiver)
    assert set(senders.statuses) <= {202, 409, 503}


def test_no_notice_is_sent_before_the_standby_has_it(running_service: RunningService, pair: Pair) -> None:
    key = running_service.source_key(workspace := running_service.sign_in())
    with Receiver() as receiver:
        running_service.webhook(workspace, receiver.url, SECRET)
        with Senders(running_service, key, threads=1), pair.commits_that_wait():
            until(
                lambda: pair.interrupt_commits() or pair.has_rows("deliveries"), "a notice whose commit was interrupted"
            )
            until(lambda: pair.is_claim_waiting() or receiver.requests, "the delivery of the notice is claimed")
            assert receiver.requests == []
        until(lambda: receiver.requests, "the notice is sent")


def test_a_repeated_request_is_accepted_when_the_standby_has_its_event(
    running_service: RunningService, pair: Pair
) -> None:
    key = running_service.source_key(running_service.sign_in())
    answers: list[int] = []

    def send() -> bool:
        """Whether it is answered within the time of an impatient sender."""
        headers = {"Authorization": f"Bearer {key}", "Idempotency-Key": "once"}
        url, event = f"{running_service.address}/v1/events", {"title": "Disk full"}
        with suppress(requests.Timeout):
            answers.append(requests.post(url, json=event, headers=headers, timeout=2).status_code)
        return bool(answers)

    with pair.commits_that_wait():
        assert not send()
        until(lambda: pair.interrupt_commits() or pair.has_rows("received_events"), "its commit was interrupted")
        assert not send(), answers
    until(send, "it is answered")
    assert answers == [202]
