"""Simulations of profiles with many destinations are bounded (specification 6.10)."""

from __future__ import annotations

import pytest

from inbox.database.base import new_id
from inbox.domain.values import ids
from inbox.domain.values.refusals import TooCostly
from inbox.domain.values.severity import Severity
from inbox.models.deliveries.destinations import Destination
from inbox.models.routing.profiles import RoutingProfile
from inbox.services.explaining.simulations import MAX_DECISIONS, simulate
from tests.cast import NOW, Cast
from tests.flow.routing_fixtures import settle
from tests.stand_ins.outgoing_posts import make_profile

DESTINATIONS = 100


@pytest.fixture
def team(cast: Cast) -> list[str]:
    """The ids of a hundred destinations."""
    rows = [
        Destination(id=new_id(), workspace=cast.workspace, name="Team", kind="webhook", created_at=NOW)
        for _ in range(DESTINATIONS)
    ]
    Destination.bulk_create(rows)
    return [ids.encode("dst", row.id) for row in rows]


def reminding(cast: Cast, team: list[str], reminders: int) -> RoutingProfile:
    """A profile that notifies the team, and then reminds it so many times."""
    settle(cast.workspace, renotifyMinutes={"ERROR": 10})
    step = {"afterMinutes": 0, "minSeverity": None, "destinationIds": team}
    return make_profile(cast.workspace, steps=[step], renotify_max=reminders)


@pytest.mark.parametrize("away", [-1, 0])
def test_a_simulation_up_to_the_bound_has_all_decisions(cast: Cast, team: list[str], away: int) -> None:
    notices = MAX_DECISIONS // DESTINATIONS + away

    found = simulate(reminding(cast, team, notices - 1), Severity.ERROR, NOW)

    assert [len(one["destinations"]) for one in found] == [DESTINATIONS] * notices


def test_a_simulation_beyond_the_bound_is_refused(cast: Cast, team: list[str]) -> None:
    profile = reminding(cast, team, MAX_DECISIONS // DESTINATIONS)

    with pytest.raises(TooCostly, match="more than 10,000 notifications"):
        simulate(profile, Severity.ERROR, NOW)
