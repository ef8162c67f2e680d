"""The forecast of the next digest equals the digest that its receiver gets."""

from __future__ import annotations

from typing import Any

import pytest

from inbox.models.deliveries.destinations import Destination
from inbox.models.incidents.tables import Incident
from inbox.services.explaining.forecasts import forecast
from tests.cast import NOW, Cast
from tests.flow.notices.digest_steps import HOURLY, deliver_at, make_discord, make_gotify
from tests.flow.plans import MINUTE, be_quiet, pass_to
from tests.flow.routing_fixtures import route_to, routed
from tests.silences import make_silence
from tests.stand_ins.receivers import Answer, Receiver

SENTENCE = "The next digest; {} notified of the incident."


@pytest.fixture
def chat(cast: Cast, receiver: Receiver) -> Destination:
    """A destination at the end of the default route that gets a digest at each full hour."""
    destination = make_gotify(cast.workspace, receiver, digest=HOURLY)
    route_to(cast.workspace, [destination])
    return destination


def digests(incident_id: Any, minutes: int = 0) -> list[str]:
    """The sentences about digests, so many minutes after `NOW`."""
    found = forecast(Incident.get_by_id(incident_id), NOW + minutes * MINUTE)
    return [one["text"] for one in found["upcoming"] if one["kind"] == "digest"]


def test_the_forecast_lists_a_digested_notice_with_its_digest(
    cast: Cast, chat: Destination, receiver: Receiver
) -> None:
    first = routed(cast.source)
    assert digests(first.incident_id) == [SENTENCE.format("Chat is")]

    deliver_at(60)

    assert len(receiver.requests) == 1
    assert digests(first.incident_id, 61) == []


def test_destinations_with_the_same_time_are_named_together(cast: Cast, receiver: Receiver) -> None:
    made = [make_gotify(cast.workspace, receiver, name=name, digest=HOURLY) for name in ("Mail", "Chat")]
    daily = make_gotify(cast.workspace, receiver, name="Boss", digest={"every": "day", "at": "18:00"})
    route_to(cast.workspace, [*made, daily])

    first = routed(cast.source)

    assert digests(first.incident_id) == [
        SENTENCE.format("Chat and Mail are"), SENTENCE.format("Boss is"),
    ]  # fmt: skip


def test_a_notice_superseded_before_the_digest_is_not_forecast(cast: Cast, chat: Destination) -> None:
    first = routed(cast.source, severity="ERROR")
    routed(cast.source, NOW + MINUTE, severity="CRITICAL")
    assert digests(first.incident_id, 1) == []

    deliver_at(2)

    assert digests(first.incident_id, 3) == []


@pytest.mark.parametrize(("minutes", "is_reported"), [(59, True), (60, True), (61, False)])
def test_a_silence_until_after_the_digest_leaves_nothing_for_it(
    cast: Cast, chat: Destination, minutes: int, *, is_reported: bool
) -> None:
    first = routed(cast.source)
    make_silence(cast.workspace, start=NOW, ends_at=NOW + minutes * MINUTE)
    pass_to(0)

    assert bool(digests(first.incident_id)) is is_reported


def test_a_digest_in_quiet_hours_comes_at_their_end(cast: Cast, chat: Destination, receiver: Receiver) -> None:
    first = routed(cast.source)
    be_quiet(cast.workspace)

    assert digests(first.incident_id) == [SENTENCE.format("Chat is")]
    deliver_at(179)
    assert receiver.requests == []
    deliver_at(180)
    assert len(receiver.requests) == 1


@pytest.mark.parametrize("change", [{"enabled": False}, {"deleted_at": NOW}])
def test_a_destination_that_gets_nothing_is_not_named(cast: Cast, chat: Destination, change: dict[str, Any]) -> None:
    first = routed(cast.source)
    Destination.update(change).execute()

    assert digests(first.incident_id) == []


def test_a_message_that_is_kept_is_changed_at_the_time_of_the_digest(cast: Cast, receiver: Receiver) -> None:
    receiver.answer = lambda _: Answer(200, b'{"id": "7"}')
    destination = make_discord(cast.workspace, receiver)
    route_to(cast.workspace, [destination])
    first = routed(cast.source, severity="WARNING")
    deliver_at(0)
    Destination.update(digest=HOURLY).execute()
    routed(cast.source, NOW + MINUTE, severity="ERROR")

    assert digests(first.incident_id, 1) == [SENTENCE.format("Chat is")]
    deliver_at(60)
    assert [request.method for request in receiver.requests][:2] == ["POST", "PATCH"]
