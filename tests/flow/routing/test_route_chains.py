"""A new incident of a fingerprint is related to the one before it, also when many open and resolve at once."""

from __future__ import annotations

from datetime import timedelta

from inbox.flow.routing.route import route
from inbox.models.incidents.tables import Incident
from tests.cast import NOW, Cast
from tests.flow.routing_fixtures import accept, incident, routed, settle

MINUTE = timedelta(minutes=1)


def test_the_successor_follows_the_last_incident_resolved_in_a_batch(cast: Cast) -> None:
    settle(cast.workspace, reopenWindowMinutes=0)
    for minute in range(6):
        accept(cast.source, NOW + minute * MINUTE, action="resolve" if minute % 2 else "trigger")
    route(lambda: NOW + 5 * MINUTE)
    first, _, last = Incident.select().order_by(Incident.number)
    Incident.update(title="Disk quite full").where(
        Incident.id == first.id
    ).execute()  # its row now comes after the others

    following = incident(routed(cast.source, NOW + 6 * MINUTE).id)

    assert following.related_incident_id == last.id
    assert (len(following.state_change_times), following.flapping) == (6, True)
