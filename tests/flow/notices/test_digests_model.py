"""Whatever happens and whatever is set: every notice that is due ends in exactly one message, by an independent model.

The model steps through minutes. It knows events, settings and the times at which a worker delivers, and no code of the
product. Flapping is not part of it: an event that would begin it is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from inbox.flow.delivery.deliver import deliver
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery
from inbox.services.deliveries import destinations
from tests.cast import NOW, Cast
from tests.flow.notices.digest_steps import make_gotify
from tests.flow.plans import MINUTE
from tests.flow.routing_fixtures import route_to, routed
from tests.runner.amounts import amount
from tests.stand_ins.outgoing_posts import fresh
from tests.stand_ins.receivers import Receiver

EXAMPLES = amount("TEST_HISTORIES", usual=40, long=400) // 5
SETTINGS = (None, {"every": "15_minutes"}, {"every": "hour"}, {"every": "day", "at": "10:30"})
KEYS = ("a", "b", "c")
REOCCUR_QUIET, REOPEN_WINDOW = 15, 60
"""Minutes, as a workspace has them that set nothing (specification 3.3)."""

MAX_MOVES = 4
"""The fifth move between open and resolved can begin flapping (specification 3.7)."""

_numbers = count(1)

Move = tuple[str, Any]
CRITICAL: Move = ("event", ("a", "CRITICAL"))
WARNING: Move = ("event", ("a", "WARNING"))
RESOLVE: Move = ("resolve", "a")
MOVES = st.lists(
    st.one_of(
        st.tuples(st.just("event"), st.tuples(st.sampled_from(KEYS), st.sampled_from(("WARNING", "CRITICAL")))),
        st.tuples(st.just("resolve"), st.sampled_from(KEYS)),
        st.tuples(st.just("pass"), st.sampled_from((1, 7, 16, 44, 61))),
        st.tuples(st.just("set"), st.sampled_from(SETTINGS)),
    ),
    min_size=3,
    max_size=9,
)


@dataclass
class Incident:
    """The newest incident of a key."""

    critical: bool
    seen: int
    """The minute of its last event."""
    moves: int = 0
    """How often this incident, and the earlier ones of its key, were resolved or opened again."""
    resolved: bool = False
    seq: int = 0
    sent_seq: int = 0
    """The number of its last notice that left at once."""


@dataclass
class Waiting:
    """A notice that waits, since a minute."""

    incident: Incident
    seq: int
    since: int


@dataclass
class Model:
    """What a destination must have got, by minutes since nine o'clock UTC."""

    setting: dict[str, str] | None
    incidents: dict[str, Incident] = field(default_factory=dict)
    waiting: list[Waiting] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)

    def begins_flapping(self, key: str, *, resolves: bool) -> bool:
        found = self.incidents.get(key)
        return found is not None and found.resolved is not resolves and found.moves == MAX_MOVES

    def event(self, key: str, severity: str, minute: int) -> None:
        found = self.incidents.get(key)
        critical = severity == "CRITICAL"
        if found is None:
            found = self.incidents[key] = Incident(critical, minute)
        elif found.resolved:
            found = self._open_again(key, found, minute)
            found.critical = critical
        elif critical and not found.critical:
            found.critical = True
        elif minute - found.seen < REOCCUR_QUIET:
            found.seen = minute
            return
        found.seen = minute
        self._notice(found, minute)

    def _open_again(self, key: str, found: Incident, minute: int) -> Incident:
        if minute - found.seen > REOPEN_WINDOW:
            found = self.incidents[key] = Incident(found.critical, minute, found.moves)
        found.resolved = False
        found.moves += 1
        return found

    def resolve(self, key: str, minute: int) -> None:
        found = self.incidents.get(key)
        if found is not None and not found.resolved:
            found.resolved, found.seen = True, minute
            found.moves += 1
            self._notice(found, minute)

    def deliver(self, minute: int) -> None:
        due = [one for one in self.waiting if self._due(one.since) <= minute]
        self.waiting = [one for one in self.waiting if one not in due]
        listed = [one for one in due if one.seq > one.incident.sent_seq]
        if len(listed) > 1 or (listed and self.setting is not None):
            self.messages.append(f"digest {len(listed)} {len({id(one.incident) for one in listed})}")
        elif listed:
            self.messages.append("single")

    def _notice(self, incident: Incident, minute: int) -> None:
        incident.seq += 1
        if incident.critical or self.setting is None:
            incident.sent_seq = incident.seq
            self.messages.append("single")
        else:
            self.waiting.append(Waiting(incident, incident.seq, minute))

    def _due(self, since: int) -> int:
        match self.setting and self.setting["every"]:
            case "15_minutes":
                return next(minute for minute in range(since + 1, since + 16) if minute % 15 == 0)
            case "hour":
                return next(minute for minute in range(since + 1, since + 61) if minute % 60 == 0)
            case "day":
                return next(minute for minute in range(since + 1, since + 1441) if minute % 1440 == 90)
            case _:
                return since


def summary(title: str) -> str:
    """A message as the model names it."""
    found = re.search(r"DIGEST · (\d+) notices? about (\d+) incidents?", title)
    return f"digest {found[1]} {found[2]}" if found else "single"


@pytest.fixture
def posts(cast: Cast, receiver: Receiver) -> Iterator[tuple[Cast, Receiver]]:
    yield cast, receiver


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(first=st.sampled_from(SETTINGS), moves=MOVES)
@example(None, [CRITICAL, ("pass", 16), CRITICAL])
@example(None, [CRITICAL, ("pass", 15), CRITICAL, ("pass", 14), CRITICAL, ("pass", 14), CRITICAL])
@example({"every": "hour"}, [WARNING, ("pass", 16), WARNING, ("pass", 61)])
@example({"every": "hour"}, [WARNING, RESOLVE, CRITICAL, ("pass", 61)])
@example({"every": "day", "at": "10:30"}, [WARNING, RESOLVE, ("pass", 60), CRITICAL])
@example({"every": "day", "at": "10:30"}, [WARNING, RESOLVE, ("pass", 61), CRITICAL, ("pass", 61)])
@example(None, [CRITICAL, RESOLVE, CRITICAL, RESOLVE, CRITICAL, RESOLVE, CRITICAL])
def test_every_notice_that_is_due_ends_in_exactly_one_message(
    posts: tuple[Cast, Receiver], first: dict[str, str] | None, moves: list[Move]
) -> None:
    cast, receiver = posts
    number, before = next(_numbers), len(receiver.requests)
    start = NOW + number * 7 * 1440 * MINUTE
    chat = make_gotify(cast.workspace, receiver, digest=first)
    route_to(cast.workspace, [chat])
    model, minute = Model(first), 0

    for move, value in [*moves, ("set", None), ("pass", 1)]:
        at = start + minute * MINUTE
        match move:
            case "event":
                key, severity = value
                if not model.begins_flapping(key, resolves=False):
                    routed(cast.source, at, key=f"{number} {key}", severity=severity)
                    model.event(key, severity, minute)
            case "resolve":
                if not model.begins_flapping(value, resolves=True):
                    routed(cast.source, at, key=f"{number} {value}", action="resolve")
                    model.resolve(value, minute)
            case "pass":
                minute += value
            case "set":
                destinations.edit(fresh(chat), {"digest": value}, expected_rev=None, now=at)
                model.setting = value
        _step(model, minute, start)
        got = [summary(request.json["title"]) for request in receiver.requests[before:]]
        assert sorted(got) == sorted(model.messages), (move, value, minute)

    _everything_ended_once(chat)
    Destination.update(enabled=False).where(Destination.id == chat.id).execute()


def _step(model: Model, minute: int, start: datetime) -> None:
    at = start + minute * MINUTE
    deliver(lambda: at)
    model.deliver(minute)


def _everything_ended_once(chat: Destination) -> None:
    """Each notice was sent alone, or is in one digest that was sent, or was superseded by one that was sent."""
    rows = list(Delivery.select().where(Delivery.destination_id == chat.id))
    sent = {row.id: row for row in rows if row.status == "sent"}
    for row in rows:
        assert row.status == "sent" or (row.status, row.cause) in (("gathered", "digest"), ("skipped", "superseded"))
        if row.status == "gathered":
            assert sent[row.digest_id].reason == "digest"
        if row.status == "skipped":
            assert any(one.incident_id == row.incident_id and one.seq > row.seq for one in sent.values())
