"""Reports out of order: the times of the sender decide (specification 3.3)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from inbox.flow.routing.route import route
from inbox.models.events.tables import Event
from inbox.models.incidents.tables import Incident
from inbox.models.senders.sources import Source
from tests.cast import NOW, Cast
from tests.flow.routing_fixtures import accept, event, incident, listen, reasons, timeline

MINUTE = timedelta(minutes=1)


def alarm(cast: Cast, received: float, sent: float | None, **fields: Any) -> Event:
    """An alarm that is received and sent at these minutes, routed at once."""
    at = NOW + received * MINUTE
    sent_at = at if sent is None else NOW + sent * MINUTE
    event_id = accept(cast.source, at, occurred_at=sent_at, **fields)
    route(lambda: at)
    return event(event_id)


def end(cast: Cast, received: float, sent: float | None, **fields: Any) -> Event:
    """The end of the alarm."""
    return alarm(cast, received, sent, action="resolve", severity="SUCCESS", **fields)


def test_an_alarm_that_its_end_overtook_opens_nothing(cast: Cast) -> None:
    first = end(cast, 1, 0.9)

    late = alarm(cast, 2, 0)

    assert (first.disposition, late.disposition, late.flags) == ("unmatched", "logged", ["late"])
    assert (Incident.select().count(), late.incident_id) == (0, None)
    assert "older than the known end" in late.routing["trace"][-1]


def test_an_alarm_that_is_older_than_the_end_of_its_incident_is_a_line_on_its_timeline(cast: Cast) -> None:
    listen(cast.workspace)
    opened = alarm(cast, 0, -1)
    end(cast, 10, 9)

    late = alarm(cast, 11, 5)

    existing = incident(opened.id)
    assert (late.disposition, existing.state, existing.event_count) == ("logged", "resolved", 2)
    assert timeline(existing.id) == ["opened", "resolved", "late"]
    assert reasons(existing.id) == ["opened", "resolved"]


def test_an_end_that_is_older_than_the_newest_alarm_ends_nothing(cast: Cast) -> None:
    opened = alarm(cast, 0, 0)
    alarm(cast, 10, 9)

    late = end(cast, 11, 5)

    existing = incident(opened.id)
    assert (late.disposition, late.flags, existing.state) == ("logged", ["late"], "open")
    assert timeline(existing.id)[-1] == "late"
    assert end(cast, 12, 11.5).disposition == "resolved"


@pytest.mark.parametrize("received", [60.9, 61.1])
def test_an_old_alarm_counts_again_an_hour_after_the_end(cast: Cast, received: float) -> None:
    end(cast, 1, 0.9)

    assert alarm(cast, received, 0).disposition == ("logged" if received < 61 else "opened")


def test_reports_without_a_time_of_the_sender_count_in_the_order_of_their_receipt(cast: Cast) -> None:
    end(cast, 1, None)
    assert alarm(cast, 2, 0).disposition == "opened"
    assert end(cast, 3, None).disposition == "resolved"
    assert alarm(cast, 4, None).disposition == "opened"


def test_an_end_with_the_time_of_its_alarm_ends_it(cast: Cast) -> None:
    alarm(cast, 0, -5)
    assert end(cast, 1, -5).disposition == "resolved"


def test_the_order_counts_within_a_batch(cast: Cast) -> None:
    recovery = {"action": "resolve", "severity": "SUCCESS"}
    reports = [(0, {}), (5, {}), (3, recovery), (8, recovery), (7, {})]
    found = [accept(cast.source, NOW + n * MINUTE, occurred_at=NOW + (at + 0.5) * MINUTE, **fields)
             for n, (at, fields) in enumerate(reports)]  # fmt: skip
    route(lambda: NOW + 5 * MINUTE)

    assert [event(each).disposition for each in found] == ["opened", "updated", "logged", "resolved", "logged"]


def test_another_alert_of_the_source_is_not_late(cast: Cast) -> None:
    end(cast, 1, 0.9, key="disk")
    assert alarm(cast, 2, 0, key="memory").disposition == "opened"


@pytest.mark.parametrize(("sent", "told"), [(-5, ["opened"]), (100, ["opened", "reoccurred"])])
def test_an_alarm_that_is_stored_again_with_its_beginning_has_not_occurred_again(
    cast: Cast, sent: float, told: list[str]
) -> None:
    listen(cast.workspace)
    opened = alarm(cast, 0, -5)

    alarm(cast, 49 * 60, sent, title="Disk is 93 % full")

    assert reasons(incident(opened.id).id) == told


GROUP: dict[str, Any] = {"by": "NodeDown", "type": "NodeDown"}


def test_the_end_of_one_alert_of_a_group_makes_no_alarm_of_another_late(cast: Cast) -> None:
    first = alarm(cast, 0, -1, key="n1", **GROUP)
    end(cast, 10, 9, key="n1", **GROUP)

    assert alarm(cast, 11, 5, key="n2", **GROUP).incident_id == first.incident_id
    assert alarm(cast, 12, 5, key="n1", **GROUP).flags == ["late"]


def test_the_newer_alarm_of_one_alert_of_a_group_makes_no_end_of_another_late(cast: Cast) -> None:
    alarm(cast, 0, -1, key="n1", **GROUP)
    alarm(cast, 10, 9, key="n2", **GROUP)

    assert end(cast, 11, 5, key="n1", **GROUP).disposition == "updated"
    assert end(cast, 12, 5, key="n2", **GROUP).flags == ["late"]


def test_without_a_key_each_title_of_a_resource_has_its_own_times(cast: Cast) -> None:
    Source.update(resolve_by="fingerprint").execute()
    host: dict[str, Any] = {"key": None, "by": "host"}
    alarm(cast, 0, -1, title="CPU 97 %", **host)
    end(cast, 10, 9, title="CPU 3 %", **host)

    assert alarm(cast, 11, 5, title="CPU 99 %", **host).flags == ["late"]
    assert alarm(cast, 12, 5, title="Disk full", **host).disposition == "opened"


def test_an_end_that_names_no_alert_is_late_when_it_is_older_than_any_alarm_of_its_fingerprint(cast: Cast) -> None:
    Source.update(resolve_by="fingerprint").execute()
    host: dict[str, Any] = {"key": None, "by": "host"}
    opened = alarm(cast, 0, -1, title="CPU 97 %", **host)
    alarm(cast, 10, 9, title="Disk full", **host)

    assert end(cast, 11, 5, title="Host is well", **host).flags == ["late"]
    assert incident(opened.id).state == "open"
    assert end(cast, 12, 11.5, title="Host is well", **host).disposition == "resolved"
