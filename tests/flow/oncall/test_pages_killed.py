"""A worker that dies after any statement of a step at a handoff: each page is sent, and none twice (specification 23.13)."""

from __future__ import annotations

from datetime import datetime

import pytest

from inbox.database.base import db
from inbox.flow.oncall import record
from inbox.flow.routing.route import route
from inbox.flow.timers.run import run_due
from inbox.flow.unit_of_work import work
from inbox.models.deliveries.tables import Delivery
from tests.cast import NOW, Cast
from tests.flow.crash_injection import EVERYWHERE, CrashInjector
from tests.flow.notices.paging_steps import mail_of, mailing, paging  # noqa: F401
from tests.flow.plans import MINUTE, follow, step
from tests.flow.routing_fixtures import accept, listen
from tests.oncall import make_schedule

MONDAY = datetime.fromisoformat("2026-11-23T09:00:00+00:00")
"""The handoff from Mia to Olga."""

INCIDENTS = 5

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("mailing")]


def opened(cast: Cast) -> None:
    """Incidents whose step pages the schedule at the handoff."""
    schedule = make_schedule(cast.workspace, cast.users["olga"], cast.users["mia"], logged_until=NOW)
    follow(cast.workspace, step(0, listen(cast.workspace, routed=False)), paging(5, schedule), repeat=0)
    with work() as done:
        record.set_due(cast.workspace.id, [schedule.id], NOW, done)
    run_due(lambda: NOW)
    for number in range(INCIDENTS):
        accept(cast.source, MONDAY - 5 * MINUTE, key=f"disk {number}")
    route(lambda: MONDAY - 5 * MINUTE)


def check_pages(cast: Cast) -> None:
    """Olga is paged once for each incident, by one mail, and Mia never."""
    people = [user for (user,) in db.execute_sql("SELECT user_id FROM pages").fetchall()]
    assert people == [cast.users["olga"].id] * INCIDENTS
    mails = Delivery.select().where(Delivery.destination_id == mail_of(cast.users["olga"]).id)
    assert len({each.incident_id for each in mails}) == mails.count() == INCIDENTS


def test_each_page_at_a_handoff_is_written_once_however_often_workers_die(cast: Cast) -> None:
    opened(cast)

    with CrashInjector() as crash_injector:
        crash_injector.survive(lambda: run_due(lambda: MONDAY), EVERYWHERE)

    assert crash_injector.kills > 20
    check_pages(cast)


def test_a_clock_that_moves_over_the_handoff_pages_nobody_twice(cast: Cast) -> None:
    opened(cast)

    for minutes in (0, -10, 10, -1_440, 20):
        at = MONDAY + minutes * MINUTE
        run_due(lambda at=at: at)  # type: ignore[misc]

    check_pages(cast)
