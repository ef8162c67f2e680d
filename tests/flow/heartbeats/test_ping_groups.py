"""Pings that wait together are stored by one transaction, and none affects another (decision 0006)."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import psycopg2
import pytest

from inbox.config import settings as in_force
from inbox.config.settings import Settings
from inbox.database.base import db
from inbox.domain.heartbeats.monitor import PingKind
from inbox.domain.senders import keys
from inbox.flow.heartbeats.ping import ReceivedPing
from inbox.flow.heartbeats.ping_groups import THROTTLED, Outcome, PendingPing, PingCommitter, store_group
from inbox.flow.routing.route import route
from inbox.models.events.tables import ReceivedEvent
from inbox.models.heartbeats.slugs import SlugAddress
from inbox.models.heartbeats.tables import HeartbeatPing
from inbox.models.senders.sources import SourceKey
from inbox.services.heartbeats import monitors
from inbox.services.workspaces.deletion import close_workspace
from tests.cast import NOW, Cast, make_key, make_workspace, present
from tests.fault_triggers import row_trigger
from tests.heartbeats import make_monitor, next_check, reread

UNKNOWN = "svc_hb_" + "0" * 49
MINUTE = timedelta(minutes=1)


def pending(token: str, at: datetime = NOW, kind: str = "success", **more: str) -> PendingPing:
    return PendingPing(keys.digest(token), ReceivedPing(PingKind(kind), **more), at)


def stored(*group: PendingPing) -> list[str]:
    """The outcomes of a group: what the metrics count, the name of a refusal, or `alone`."""
    return [_named(outcome) for outcome in store_group(group)]


def _named(outcome: Outcome) -> str:
    return type(outcome).__name__ if isinstance(outcome, Exception) else outcome or "alone"


def beside() -> Any:
    """A separate connection."""
    url = in_force.current().database_url
    return psycopg2.connect(url)


def transactions(table: str) -> int:
    return int(db.execute_sql(f"SELECT count(DISTINCT xmin::text) FROM {table}").fetchone()[0])


@pytest.fixture
def limits(settings: Settings) -> Iterator[None]:
    in_force.use(replace(settings, rate_limits=True))
    yield
    in_force.use(settings)


def test_pings_of_many_monitors_share_a_transaction(cast: Cast) -> None:
    made = [make_monitor(cast.source, NOW, name=f"Job {number}") for number in range(5)]

    assert stored(*(pending(token, NOW + MINUTE) for _, token in made)) == ["success"] * 5

    assert transactions("heartbeat_pings") == transactions("heartbeat_monitors") == 1
    for monitor, _ in made:
        now = reread(monitor)
        assert (now.status, now.last_ping_at, now.due_at) == ("up", NOW + MINUTE, NOW + 61 * MINUTE)
        assert [each["outcome"] for each in now.bar] == ["on_time"]
        assert next_check(monitor) == NOW + 61 * MINUTE


def test_pings_of_one_monitor_are_applied_in_their_order(cast: Cast) -> None:
    monitor, token = make_monitor(cast.source, NOW)

    stored(
        pending(token, NOW, "start"), pending(token, NOW + MINUTE), pending(token, NOW + 2 * MINUTE, "fail", body="x")
    )
    route(lambda: NOW + 3 * MINUTE)

    rows = HeartbeatPing.select().order_by(HeartbeatPing.at)
    assert [(row.kind, row.duration_ms, row.body) for row in rows] == [
        ("start", None, ""), ("success", 60_000, ""), ("fail", None, "x")
    ]  # fmt: skip
    assert (reread(monitor).status, reread(monitor).failures) == ("down", 1)
    assert [(row.type, row.action) for row in ReceivedEvent.select()] == [("heartbeat.failed", "trigger")]


def test_a_group_of_pings_saves_every_column_like_a_single_ping(cast: Cast) -> None:
    (together, one), (alone, other) = (make_monitor(cast.source, NOW, max_runtime_seconds=60) for _ in range(2))
    kinds = ["success", "start", "fail", "success", "log", "start"]

    stored(*(pending(one, NOW + number * MINUTE, kind) for number, kind in enumerate(kinds)))
    for number, kind in enumerate(kinds):
        stored(pending(other, NOW + number * MINUTE, kind))

    own = {"id", "token_hash", "token_hint", "created_at", "throttle_at", "watched_since"}
    first, second = (
        {name: value for name, value in reread(monitor).__data__.items() if name not in own}
        for monitor in (together, alone)
    )
    assert first == second


def test_pings_by_slug_share_the_transaction_of_pings_by_token(cast: Cast) -> None:
    key = keys.digest(make_key(cast.source, kind="ping_key"))
    made = [make_monitor(cast.source, NOW, slug=slug) for slug in ("backup", "cleanup", None)]
    by_slug = [
        PendingPing(SlugAddress(key, slug), ReceivedPing(PingKind.SUCCESS), NOW) for slug in ("backup", "cleanup")
    ]
    unknown = [
        PendingPing(SlugAddress(*address), ReceivedPing(PingKind.SUCCESS), NOW)
        for address in ((key, "other"), (keys.digest("svc_ping_x"), "backup"))
    ]

    outcomes = stored(pending(made[0][1], NOW, "start"), *by_slug, *unknown, pending(made[2][1]))

    assert outcomes == ["start", "success", "success", "NotFound", "Unauthenticated", "success"]
    assert transactions("heartbeat_pings") == transactions("heartbeat_monitors") == 1
    assert [reread(monitor).status for monitor, _ in made] == ["up"] * 3


@pytest.mark.parametrize("column", ["revoked_at", "grace_ends_at"])
def test_an_ended_ping_key_refuses_its_own_ping_alone(cast: Cast, column: str) -> None:
    key = make_key(cast.source, kind="ping_key")
    _, token = make_monitor(cast.source, NOW, slug="backup")
    SourceKey.update({column: present() - MINUTE}).where(SourceKey.kind == "ping_key").execute()
    by_slug = PendingPing(SlugAddress(keys.digest(key), "backup"), ReceivedPing(PingKind.SUCCESS), NOW)

    assert stored(by_slug, pending(token)) == ["Unauthenticated", "success"]


def test_a_throttled_slug_writes_nothing(cast: Cast, limits: None) -> None:
    key = keys.digest(make_key(cast.source, kind="ping_key"))
    monitor, _ = make_monitor(cast.source, NOW, slug="backup")

    outcomes = stored(
        *(PendingPing(SlugAddress(key, "backup"), ReceivedPing(PingKind.SUCCESS), NOW) for _ in range(14))
    )

    assert outcomes == ["success"] * 12 + [THROTTLED] * 2
    assert HeartbeatPing.select().where(HeartbeatPing.monitor_id == monitor.id).count() == 12


def test_an_unknown_token_refuses_its_own_ping_alone(cast: Cast) -> None:
    _, token = make_monitor(cast.source, NOW)

    assert stored(pending(UNKNOWN), pending(token), pending(UNKNOWN)) == [
        "Unauthenticated",
        "success",
        "Unauthenticated",
    ]


def test_a_token_that_ended_is_refused_by_the_next_group(cast: Cast) -> None:
    (rotated, first), (deleted, second) = (make_monitor(cast.source, NOW, name=name) for name in "ab")
    assert stored(pending(first), pending(second)) == ["success"] * 2

    monitors.rotate(reread(rotated), now=NOW)
    monitors.remove(reread(deleted), expected_rev=None, now=NOW)

    assert stored(pending(first), pending(second)) == ["Unauthenticated"] * 2


@pytest.mark.parametrize("pings", [11, 12, 13, 30])
def test_pings_above_the_limit_are_neither_applied_nor_stored(cast: Cast, limits: None, pings: int) -> None:
    _, token = make_monitor(cast.source, NOW)

    outcomes = stored(*(pending(token) for _ in range(pings)))

    most = min(pings, 12)
    assert outcomes == ["success"] * most + [THROTTLED] * (pings - most)
    assert HeartbeatPing.select().count() == most


def test_a_token_above_its_limit_writes_nothing(cast: Cast, limits: None) -> None:
    _, token = make_monitor(cast.source, NOW)
    stored(*(pending(token) for _ in range(12)))
    written = db.execute_sql("SELECT xmin::text FROM heartbeat_monitors").fetchall()

    assert stored(*(pending(token, kind="fail") for _ in range(20))) == [THROTTLED] * 20
    with closing(beside()) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT FROM heartbeat_monitors FOR UPDATE NOWAIT")  # nor does it hold the row
        connection.rollback()

    assert db.execute_sql("SELECT xmin::text FROM heartbeat_monitors").fetchall() == written
    assert stored(pending(token, NOW + timedelta(seconds=5))) == ["success"]


def test_a_monitor_that_is_locked_holds_up_no_other(cast: Cast) -> None:
    (locked, first), (_, second) = (make_monitor(cast.source, NOW) for _ in range(2))

    with closing(beside()) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT FROM heartbeat_monitors WHERE id = %s FOR UPDATE", (str(locked.id),))

        assert stored(pending(first), pending(second)) == ["alone", "success"]
    assert HeartbeatPing.select().count() == 1


def together(committer: PingCommitter, *pings: PendingPing) -> list[str]:
    """Submit from as many threads; what each got."""
    barrier = threading.Barrier(len(pings))

    def submit(one: PendingPing) -> str:
        barrier.wait()
        try:
            committer.submit(one.target, one.ping, one.now)
        except Exception as fault:  # noqa: BLE001 - its name is what is compared
            return type(fault).__name__
        return "OK"

    with ThreadPoolExecutor(len(pings)) as pool:
        return list(pool.map(submit, pings))


def test_a_group_that_cannot_be_stored_is_stored_ping_by_ping(cast: Cast) -> None:
    made = [make_monitor(cast.source, NOW)[1] for _ in range(4)]
    committer = PingCommitter()

    with row_trigger("IF NEW.body = 'bad' THEN RAISE EXCEPTION 'bad'; END IF", table="heartbeat_pings"):
        bad = pending(made[0], present(), body="bad")
        outcomes = together(committer, bad, *(pending(token, present()) for token in made[1:]))

    assert outcomes[1:] == ["OK"] * 3
    assert outcomes[0] not in ("OK", "Unauthenticated", "Unavailable")
    assert HeartbeatPing.select().count() == 3


def test_pings_are_unavailable_without_a_database(cast: Cast, settings: Settings) -> None:
    _, token = make_monitor(cast.source, NOW)
    committer = PingCommitter(timeout=30)

    with row_trigger("PERFORM pg_terminate_backend(pg_backend_pid())", table="heartbeat_pings"):
        assert together(committer, pending(token, present())) == ["Unavailable"]
    assert HeartbeatPing.select().count() == 0


def test_a_token_of_a_closed_workspace_is_refused(cast: Cast) -> None:
    make_workspace("Second", owner=cast.users["eve"])
    _, token = make_monitor(cast.foreign_source, NOW)

    close_workspace(cast.foreign.id, cast.users["eve"].id, expected_rev=None, now=NOW)

    assert stored(pending(token)) == ["Unauthenticated"]
