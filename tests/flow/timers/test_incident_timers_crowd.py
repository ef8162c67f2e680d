"""Timers beside several workers, people and events at once: each notice is created once."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any

from inbox.database.base import db
from inbox.domain.incidents.incident import Act, Actor
from inbox.domain.values.refusals import InvalidTransition
from inbox.flow.people import incidents
from inbox.flow.routing.route import route
from inbox.flow.timers.run import run_due
from inbox.flow.unit_of_work import retry_on_conflict, work
from inbox.models.deliveries.tables import Delivery, Notice
from inbox.models.incidents import timers
from inbox.models.incidents.tables import Incident, Timer
from tests.cast import NOW, Cast
from tests.flow.plans import MINUTE, follow, pass_to, step
from tests.flow.routing_fixtures import accept, listen, reasons, settle

MIA = Actor("user", "", "Mia")


def open_many(cast: Cast, count: int, **fields: Any) -> list[Incident]:
    for number in range(count):
        accept(cast.source, key=f"key-{number}", **fields)
    route(lambda: NOW)
    return list(Incident.select())


def at_once(*acts: Any) -> list[Any]:
    """Each in a thread with its own connection."""

    def run(act: Any) -> Any:
        with db.connection_context():
            return act()

    with ThreadPoolExecutor(len(acts)) as pool:
        return [future.result(60) for future in [pool.submit(run, act) for act in acts]]


def firing(at: datetime) -> Any:
    return lambda: run_due(lambda: at)


def test_four_workers_notify_each_step_and_each_renotice_once(cast: Cast) -> None:
    pager, boss = listen(cast.workspace, "Pager", routed=False), listen(cast.workspace, "Boss", routed=False)
    follow(cast.workspace, step(0, pager), step(10, boss), renotify_minutes={"ERROR": 10})
    existing = open_many(cast, 25)

    assert sum(at_once(*[firing(NOW + 10 * MINUTE)] * 4)) == 25
    assert sum(at_once(*[firing(NOW + 20 * MINUTE)] * 4)) == 25

    for one in existing:
        assert reasons(one.id) == ["opened", "escalated", "renotify"]
    assert Delivery.select().where(Delivery.destination_id == boss.id).count() == 50


def test_a_worker_skips_an_incident_locked_by_another(cast: Cast) -> None:
    listen(cast.workspace)
    settle(cast.workspace, renotifyMinutes={"ERROR": 10})
    first, second = open_many(cast, 2)
    due = NOW + 10 * MINUTE
    with db.atomic():
        held = timers.lock_next_due(due)
        assert held is not None
        assert at_once(firing(due)) == [1]
    reported = {one.id: reasons(one.id) for one in (first, second)}
    assert reported.pop(held[1]) == ["opened"]
    assert list(reported.values()) == [["opened", "renotify"]]

    assert run_due(lambda: due) == 1


def test_a_timer_already_handled_is_not_handled_again(cast: Cast) -> None:
    listen(cast.workspace)
    settle(cast.workspace, renotifyMinutes={"ERROR": 10})
    (existing,) = open_many(cast, 1)
    due = NOW + 10 * MINUTE

    assert timers.reload_if_due("incident.renotify", existing.id, due) is not None
    pass_to(10)
    assert timers.reload_if_due("incident.renotify", existing.id, due) is None


def test_timers_people_and_events_at_once_leave_every_incident_sound(cast: Cast) -> None:
    pager, boss = listen(cast.workspace, "Pager", routed=False), listen(cast.workspace, "Boss", routed=False)
    steps = step(0, pager), step(5, boss)
    follow(cast.workspace, *steps, renotify_minutes={"ERROR": 5, "CRITICAL": 5}, ack_timeout_minutes=1)
    existing = open_many(cast, 12)
    later = NOW + 6 * MINUTE
    for number in range(12):
        accept(cast.source, later, key=f"key-{number}", severity="CRITICAL")
        accept(cast.source, later, key=f"key-{number}", action="resolve")

    def people() -> None:
        for one in existing:
            try:
                retry_on_conflict(lambda one=one: _acknowledge(one, later))  # type: ignore[misc]
            except InvalidTransition:
                continue

    at_once(firing(later), firing(later), people, lambda: route(lambda: later), firing(later))
    run_due(lambda: later)

    for one in Incident.select():
        reported = reasons(one.id)
        assert (one.state, reported[0], reported[-1]) == ("resolved", "opened", "resolved")
        assert max(Counter(reported).values()) <= 2, reported
        seqs = [seq for (seq,) in Notice.select(Notice.seq).where(Notice.incident_id == one.id).tuples()]
        assert sorted(seqs) == list(range(1, len(seqs) + 1)) and one.notice_count == len(seqs)
    assert Timer.select().count() == 0


def _acknowledge(one: Incident, at: datetime) -> None:
    with work() as done:
        incidents.act(one.id, incidents.ActRequest(Act.ACKNOWLEDGE, by=MIA), at, done)
