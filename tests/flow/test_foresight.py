"""The simulation of a routing profile agrees with routing, notice for notice."""

from __future__ import annotations

import random
from datetime import datetime
from typing import Any

import pytest

from inbox.domain.values import ids
from inbox.domain.values.severity import Severity
from inbox.flow.timers.run import run_due
from inbox.models.deliveries.destinations import Destination
from inbox.models.incidents.tables import Timer
from inbox.models.routing.profiles import RoutingProfile
from inbox.models.senders.sources import Source
from inbox.services.explaining.simulations import AHEAD, simulate
from tests.cast import NOW, Cast
from tests.flow.routing_fixtures import listen, notices, routed, settle
from tests.stand_ins.outgoing_posts import make_profile

Reported = list[tuple[datetime, str, dict[str, str]]]

NIGHT = {"enabled": True, "timezone": "UTC", "windows": [{"days": ["sat", "sun"], "start": "09:10", "end": "11:00"}]}
"""`NOW` is a Saturday, ten minutes before these quiet hours begin."""


def somewhere(cast: Cast, dice: random.Random) -> list[Destination]:
    """Destinations of all kinds: off, stopped, picky, without quiet hours, without updates."""
    usual: list[dict[str, Any]] = [
        {}, {"enabled": False}, {"stopped_at": NOW, "stopped_reason": "http_410"}, {"min_severity": "CRITICAL"},
        {"quiet_hours_threshold": None}, {"send_updates": False},
    ]  # fmt: skip
    return [listen(cast.workspace, f"Place {n}", routed=False, **dice.choice(usual)) for n in range(4)]


def some_profile(cast: Cast, dice: random.Random) -> RoutingProfile:
    places = [ids.encode("dst", place.id) for place in somewhere(cast, dice)]
    steps = [
        {
            "afterMinutes": after,
            "minSeverity": dice.choice([None, None, "WARNING", "ERROR", "CRITICAL"]),
            "destinationIds": dice.sample(places, dice.randint(1, 2)),
        }
        for after in sorted(dice.choices([0, 0, 3, 5, 20, 60, 240], k=dice.randint(1, 4)))
    ]
    return make_profile(
        cast.workspace,
        steps=steps,
        delay_seconds=dice.choice([0, 0, 90, 600]),
        repeat=dice.randint(0, 2),
        renotify_minutes=dice.choice([None, {"ERROR": 17}, {"WARNING": 45, "ERROR": 0}]),
        renotify_max=dice.choice([None, 0, 2]),
        auto_resolve_minutes=dice.choice([None, 400, 7]),
        quiet_hours=dice.choice(["inherit", "ignore"]),
        fallback_destination_id=dice.choice([None, *(ids.decode("dst", place) for place in places)]),
    )


def lived(source: Source, severity: Severity) -> Reported:
    """Open an incident and let every timer ring at its time, for a day. To the second: what follows another in the same moment
    is a millisecond later."""
    event = routed(source, severity=str(severity))
    while (timer := Timer.select().order_by(Timer.due_at).first()) and timer.due_at <= NOW + AHEAD:
        run_due(lambda at=timer.due_at: at)
    return [
        (
            notice.created_at.replace(microsecond=0),
            notice.reason,
            {one["name"]: one["decision"] for one in notice.decisions},
        )
        for notice in notices(event.incident_id)
    ]


@pytest.mark.parametrize("seed", range(12))
def test_the_simulation_of_a_profile_equals_what_happens_without_a_reaction(cast: Cast, seed: int) -> None:
    dice = random.Random(seed)
    settle(cast.workspace, quietHours=NIGHT)
    profile = some_profile(cast, dice)
    Source.update(routing_profile_id=profile.id).where(Source.id == cast.source.id).execute()
    severity = dice.choice([Severity.WARNING, Severity.ERROR])  # of a critical one the fallback depends on the receiver

    foreseen = [
        (one["at"], str(one["reason"]), {each["name"]: str(each["decision"]) for each in one["destinations"]})
        for one in simulate(profile, severity, NOW)
    ]
    assert foreseen
    assert lived(cast.source, severity) == foreseen
