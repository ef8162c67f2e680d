"""Acts of people on incidents for tests."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

import pytest

from inbox.domain.incidents.incident import Act, Actor
from inbox.flow.people import incidents
from inbox.flow.unit_of_work import work
from inbox.models.incidents.tables import Incident
from tests.cast import NOW, Cast
from tests.flow.routing_fixtures import incident, listen, routed

MINUTE = timedelta(minutes=1)


MIA = Actor("user", "usr_00000000000000000000000000", "Mia")


PERSON = UUID(int=7)


@pytest.fixture
def existing(cast: Cast) -> Incident:
    """An open incident, of which Pager was notified."""
    listen(cast.workspace)
    return incident(routed(cast.source).id)


def do(existing: Incident, act: Act, now: datetime = NOW + MINUTE, until: datetime | None = None) -> Incident:
    with work() as done:
        incidents.act(existing.id, incidents.ActRequest(act, by=MIA, person=PERSON, until=until), now, done)
    repeated: Incident = Incident.get_by_id(existing.id)
    return repeated
