"""A step that is due at the second of a handoff pages the new person, and a step pages fifty people in one transaction."""

from __future__ import annotations

import os
from collections import Counter
from datetime import datetime, timedelta
from uuid import UUID

import pytest

from inbox.database.base import db
from inbox.flow.routing.route import route
from inbox.flow.timers.run import run_due
from inbox.models.incidents.tables import Incident
from inbox.models.oncall.schedules import OnCallSchedule
from tests.cast import NOW, Cast, join, make_user
from tests.flow.concurrent_connections import together
from tests.flow.notices.paging_steps import mailing, paging  # noqa: F401
from tests.flow.plans import MINUTE, follow, pass_to, step
from tests.flow.routing_fixtures import accept, listen, routed
from tests.oncall import a_layer, make_schedule

pytestmark = pytest.mark.usefixtures("mailing")

MONDAY = datetime.fromisoformat("2026-11-23T09:00:00+00:00")
"""The handoff from Mia to Olga."""

STEPS = 1_000 * int(os.environ.get("HANDOFFS", "1"))
"""The steps that are due at the second of the handoff."""


def pages() -> list[tuple[UUID, UUID]]:
    """The incident and the person of each page."""
    return list(db.execute_sql("SELECT incident_id, user_id FROM pages").fetchall())


@pytest.mark.slow
def test_each_of_a_thousand_steps_at_a_handoff_pages_the_new_person_alone_with_two_workers(
    cast: Cast,
) -> None:
    """Acceptance case 9: the interval of a turn is half-open, so the person who begins at the second is paged."""
    schedule = make_schedule(cast.workspace, cast.users["olga"], cast.users["mia"], logged_until=NOW)
    follow(cast.workspace, step(0, listen(cast.workspace, routed=False)), paging(5, schedule), repeat=0)
    opened = MONDAY - 5 * MINUTE
    for number in range(STEPS):
        accept(cast.source, opened, key=f"disk {number}")
    route(lambda: opened)
    run_due(lambda: MONDAY - timedelta(microseconds=1))
    assert Incident.select().count() == STEPS
    assert pages() == []

    def worker() -> int:
        with db.connection_context():
            return run_due(lambda: MONDAY)

    together([worker, worker])

    assert len({incident for incident, _ in pages()}) == len(pages()) == STEPS
    assert Counter(user for _, user in pages()) == {cast.users["olga"].id: STEPS}


def test_a_step_to_fifty_people_is_one_transaction(cast: Cast) -> None:
    people = [make_user(f"Person {number}") for number in range(50)]
    for each in people:
        join(cast.workspace, each, "member")
    schedule = make_schedule(cast.workspace, people[0])
    stored = OnCallSchedule.get_by_id(schedule.id).layers[0]
    layers = []
    for number in range(5):
        together_on_call = a_layer(*people[10 * number : 10 * number + 10])["members"]
        members = [[user for [user] in together_on_call]]
        layers.append({**stored, "id": f"{stored['id'][:-1]}{number}", "members": members})
    OnCallSchedule.update(layers=layers).where(OnCallSchedule.id == schedule.id).execute()
    follow(cast.workspace, step(0, listen(cast.workspace, routed=False)), paging(5, schedule))
    routed(cast.source)

    pass_to(5)

    written = (
        "SELECT xmin::text FROM pages UNION ALL SELECT d.xmin::text FROM deliveries d WHERE d.reason = 'escalated'"
    )
    transactions = [xmin for (xmin,) in db.execute_sql(written).fetchall()]
    assert len(pages()) == 50
    assert (len(transactions), len(set(transactions))) == (100, 1)
