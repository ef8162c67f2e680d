"""Every sequence of a night: no progress before the alarm, and one end for each recipient, in order."""

from __future__ import annotations

import random
from collections import defaultdict
from contextlib import suppress

import pytest

from inbox.domain.incidents.incident import Act, Actor
from inbox.domain.values import ids
from inbox.domain.values.refusals import Conflict, InvalidTransition
from inbox.flow.delivery.deliver import deliver
from inbox.flow.people import incidents
from inbox.flow.unit_of_work import work
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery
from inbox.models.incidents.tables import Incident, Timer
from tests.cast import NOW, Cast
from tests.flow.plans import MINUTE, be_quiet, follow, pass_to, step
from tests.flow.routing_fixtures import routed
from tests.stand_ins.outgoing_posts import make_destination
from tests.stand_ins.receivers import Receiver

MIA = Actor("user", "", "Mia")
PROGRESS = {"acknowledged", "snoozed", "updated"}
ACTS = (Act.ACKNOWLEDGE, Act.UNACKNOWLEDGE, Act.SNOOZE, Act.UNSNOOZE, Act.RESOLVE, Act.REOPEN)


@pytest.fixture
def listening(cast: Cast, receiver: Receiver) -> dict[str, Destination]:
    """Who listens: by night only to what is critical, always, never to updates, and from a later step on."""
    about = {
        "asleep": {},
        "awake": {"quiet_hours_threshold": None},
        "curt": {"send_updates": False, "quiet_hours_threshold": "ERROR"},
        "boss": {"quiet_hours_threshold": None, "min_severity": "ERROR"},
    }
    made = {
        name: make_destination(cast.workspace, f"{receiver.url}/{name}", name=name, **fields)
        for name, fields in about.items()
    }
    be_quiet(cast.workspace, reoccurQuietMinutes=5)
    first = [made[name] for name in ("asleep", "awake", "curt")]
    follow(cast.workspace, step(0, *first), step(10, made["boss"]), renotify_minutes={"ERROR": 15, "CRITICAL": 15})
    return made


def live(cast: Cast, chance: random.Random) -> None:
    """A night and a morning of events, people and clocks, and then the end."""
    minute = 0.0
    for _ in range(25):
        minute += chance.choice((0.5, 2, 6, 12))
        match chance.randrange(4):
            case 0:
                routed(cast.source, NOW + minute * MINUTE, severity=chance.choice(("WARNING", "ERROR", "CRITICAL")))
            case 1:
                routed(cast.source, NOW + minute * MINUTE, action="resolve")
            case 2:
                _act(chance.choice(ACTS), minute)
            case 3:
                pass_to(minute)
                deliver(lambda minute=minute: NOW + minute * MINUTE)  # type: ignore[misc]
    minute = max(minute, 200)
    routed(cast.source, NOW + minute * MINUTE, action="resolve")
    pass_to(minute + 60)
    deliver(lambda: NOW + (minute + 60) * MINUTE)


def _act(act: Act, minute: float) -> None:
    existing = Incident.select().order_by(Incident.id.desc()).first()
    until = NOW + (minute + 5) * MINUTE if act is Act.SNOOZE else None
    if existing is not None:
        with suppress(InvalidTransition, Conflict), work() as done:
            incidents.act(existing.id, incidents.ActRequest(act, by=MIA, until=until), NOW + minute * MINUTE, done)


@pytest.mark.parametrize("seed", range(10))
def test_a_night_is_notified_soundly(
    cast: Cast, receiver: Receiver, listening: dict[str, Destination], seed: int
) -> None:
    live(cast, random.Random(seed))

    arrived: dict[tuple[str, str], list[str]] = defaultdict(list)
    places: dict[tuple[str, str], list[int]] = defaultdict(list)
    for request in receiver.requests:
        delivery = Delivery.get_by_id(ids.decode("dlv", request.id))
        line = request.path.rpartition("/")[2], request.json["data"]["incidentId"]
        arrived[line].append(delivery.reason)
        places[line].append(delivery.seq)
    assert Delivery.select().where(Delivery.settled_at.is_null()).count() == 0
    assert len({request.id for request in receiver.requests}) == len(receiver.requests)
    for line, reasons in arrived.items():
        name, _ = line
        assert places[line] == sorted(places[line]), (line, reasons)
        assert reasons[0] not in PROGRESS, (line, reasons)
        if name == "curt":
            assert not {*reasons} & {*PROGRESS, "resolved"}, reasons
        else:
            assert reasons[-1] == "resolved", (line, reasons)
        if name in ("awake", "boss"):
            assert reasons[0] != "resolved", (line, reasons)
    left = {timer.kind for timer in Timer.select()} - {"incident.renotify"}
    assert not left
