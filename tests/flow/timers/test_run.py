"""A due timer runs once, however late and with any number of workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from uuid import uuid4

import peewee
import pytest
from redis import Redis
from rq import Queue

from inbox.config.settings import Settings
from inbox.database.base import db
from inbox.domain.incidents.incident import Act, Actor
from inbox.flow.people import incidents
from inbox.flow.timers.run import FAILURE_DELAY, run_due
from inbox.flow.unit_of_work import work
from inbox.models.deliveries.tables import Notice
from inbox.models.incidents import timers
from inbox.models.incidents.tables import Incident, TimelineEntry, Timer
from tests.cast import NOW, Cast
from tests.flow.routing_fixtures import incident, listen, reasons, reported, routed, timeline

MINUTE = timedelta(minutes=1)
MIA = Actor("user", "", "Mia")


def snoozed(cast: Cast, key: str = "disk", minutes: int = 60) -> Incident:
    existing = incident(routed(cast.source, key=key).id)
    move(existing, Act.SNOOZE, minutes)
    return existing


def move(existing: Incident, act: Act, minutes: int | None = None) -> None:
    with work() as done:
        until = None if minutes is None else NOW + minutes * MINUTE
        incidents.act(existing.id, incidents.ActRequest(act, by=MIA, until=until), NOW + MINUTE, done)


def test_a_snoozed_incident_wakes_when_its_time_has_passed(cast: Cast) -> None:
    pager = listen(cast.workspace)
    existing = snoozed(cast)

    assert run_due(lambda: NOW + 59 * MINUTE) == 0
    assert Incident.get_by_id(existing.id).state == "snoozed"

    assert run_due(lambda: NOW + 60 * MINUTE) == 1
    awake = Incident.get_by_id(existing.id)
    assert (awake.state, awake.snoozed_until) == ("open", None)
    assert [reason for reason, _, _ in reported(pager)] == ["opened", "snoozed", "snooze_expired"]
    assert timeline(existing.id) == ["opened", "snoozed", "snooze_expired"]
    assert TimelineEntry.get(TimelineEntry.kind == "snooze_expired").actor["type"] == "timer"
    assert [timer.kind for timer in Timer.select()] == ["incident.renotify"]


def test_a_timer_is_acted_on_after_an_outage_once(cast: Cast) -> None:
    existing = snoozed(cast)

    assert run_due(lambda: NOW + timedelta(days=3)) == 1
    assert run_due(lambda: NOW + timedelta(days=3)) == 0

    assert reasons(existing.id) == ["opened", "snoozed", "snooze_expired"]


@pytest.mark.parametrize("act", [Act.UNSNOOZE, Act.ACKNOWLEDGE, Act.RESOLVE])
def test_an_incident_no_longer_snoozed_does_not_wake(cast: Cast, act: Act) -> None:
    existing = snoozed(cast)
    move(existing, act)
    before = Incident.get_by_id(existing.id)

    run_due(lambda: NOW + 61 * MINUTE)

    assert Incident.get_by_id(existing.id).__data__ == before.__data__
    assert "snooze_expired" not in reasons(existing.id)


def test_a_later_end_of_the_snooze_is_waited_for(cast: Cast) -> None:
    existing = snoozed(cast)
    move(existing, Act.SNOOZE, 90)

    assert run_due(lambda: NOW + 61 * MINUTE) == 0
    assert run_due(lambda: NOW + 90 * MINUTE) == 1
    assert reasons(existing.id) == ["opened", "snoozed", "snoozed", "snooze_expired"]


def test_an_incident_snoozed_again_after_an_escalation_keeps_the_new_end(cast: Cast) -> None:
    existing = snoozed(cast)
    routed(cast.source, NOW + 2 * MINUTE, severity="CRITICAL")
    move(existing, Act.SNOOZE, 120)

    run_due(lambda: NOW + 61 * MINUTE)

    assert Incident.get_by_id(existing.id).state == "snoozed"


def test_two_workers_act_on_each_timer_once(cast: Cast) -> None:
    existing = [snoozed(cast, key=f"key-{number}") for number in range(30)]

    def work_on() -> int:
        with db.connection_context():
            return run_due(lambda: NOW + 61 * MINUTE)

    with ThreadPoolExecutor(4) as pool:
        fired = [future.result() for future in [pool.submit(work_on) for _ in range(4)]]

    assert sum(fired) == 30
    assert Notice.select().where(Notice.reason == "snooze_expired").count() == 30
    assert all(reasons(one.id) == ["opened", "snoozed", "snooze_expired"] for one in existing)


def test_a_wake_up_is_set_for_the_end_of_a_snooze(cast: Cast, settings: Settings) -> None:
    snoozed(cast)

    redis = Redis.from_url(settings.redis_url)
    scores = [score for _, score in redis.zrange("rq:scheduler:scheduled_jobs", 0, -1, withscores=True)]
    redis.close()
    assert (NOW + 60 * MINUTE).timestamp() in scores


def test_a_worker_asked_to_stop_fires_no_more_timers_and_wakes_another(
    cast: Cast, settings: Settings, shutdown: Callable[[], None]
) -> None:
    snoozed(cast, "a")
    snoozed(cast, "b")

    def asked_to_leave_when_one_is_awake() -> datetime:
        if Incident.select().where(Incident.state == "open").exists():
            shutdown()
        return NOW + 60 * MINUTE

    assert run_due(asked_to_leave_when_one_is_awake) == 1

    assert sorted(one.state for one in Incident.select()) == ["open", "snoozed"]
    redis = Redis.from_url(settings.redis_url)
    assert Queue("timers", connection=redis).count == 1
    redis.close()


@pytest.fixture
def stuck(ground: peewee.Database) -> Iterator[None]:
    """The database refuses to wake an incident titled `stuck`."""
    ground.execute_sql(
        "CREATE FUNCTION row_trigger() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'stuck'; END $$;"
        "CREATE TRIGGER row_trigger BEFORE UPDATE ON incidents FOR EACH ROW"
        " WHEN (OLD.title = 'stuck' AND OLD.state = 'snoozed') EXECUTE FUNCTION row_trigger()"
    )
    yield
    ground.execute_sql("DROP TRIGGER row_trigger ON incidents; DROP FUNCTION row_trigger()")


def test_a_timer_that_fails_keeps_no_other_and_is_tried_again_later(cast: Cast, stuck: None) -> None:
    existing = incident(routed(cast.source, key="a", title="stuck").id)
    move(existing, Act.SNOOZE, 30)
    other = snoozed(cast, key="b")
    timers.set_timer("of.a.later.version", uuid4(), cast.workspace.id, NOW)
    now = NOW + 61 * MINUTE

    assert run_due(lambda: now) == 1

    assert reasons(other.id)[-1] == "snooze_expired"
    assert Incident.get_by_id(existing.id).state == "snoozed"
    left = {timer.kind: timer.due_at for timer in Timer.select().where(Timer.subject_id != other.id)}
    assert left == {"incident.snooze_end": now + FAILURE_DELAY, "of.a.later.version": now + FAILURE_DELAY}
