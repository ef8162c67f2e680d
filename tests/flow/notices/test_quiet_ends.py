"""The end of quiet hours is computed once for all notices of a batch (specification 8.5)."""

from __future__ import annotations

from datetime import timedelta

from inbox.flow.timers.incident_schedule import Plans
from inbox.models.routing import routing_config
from tests.cast import NOW, Cast
from tests.database.call_counts import steps_of
from tests.flow.routing_fixtures import settle

MIDDAY = {"enabled": True, "timezone": "UTC", "windows": [{"days": ["sat"], "start": "09:00", "end": "15:00"}]}
"""`NOW` is a Saturday at 09:00."""


def test_the_end_of_quiet_hours_is_computed_once_for_a_time(cast: Cast) -> None:
    settle(cast.workspace, quietHours=MIDDAY)
    plans, here = Plans.at(routing_config.revisions([cast.workspace.id]), NOW), cast.workspace.id

    first = steps_of(lambda: plans.quiet_until(here))

    assert plans.quiet_until(here) == NOW + timedelta(hours=6)
    assert steps_of(lambda: [plans.quiet_until(here) for _ in range(20)]) < 2 * first
    plans.now += timedelta(hours=6)
    assert plans.quiet_until(here) is None
