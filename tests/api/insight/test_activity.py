"""The activity of incidents and sources: events by the hour or the day (specification 7.12)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from inbox.database.base import new_id
from inbox.models.incidents.tables import Incident
from inbox.models.insight import activity as counts
from inbox.services.insight import activity
from inbox.services.insight.activity import Period
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.database.stored import store
from tests.flow.routing_fixtures import incident, routed

Browsers = Callable[[str], Browser]
NOW = datetime(2026, 10, 5, 12, 34, 56, tzinfo=UTC)


@pytest.fixture
def opened(cast: Cast) -> Incident:
    """An incident of one event."""
    return incident(routed(cast.source, present(), key="a").id)


def received(cast: Cast, at: datetime, incident_id: UUID | None = None) -> None:
    store(
        id=new_id(at), workspace_id=cast.workspace.id, source_id=cast.source.id, received_at=at, occurred_at=at,
        incident_id=incident_id, disposition="updated",
    )  # fmt: skip


def test_events_are_counted_by_the_hour_of_their_receipt(cast: Cast, opened: Incident) -> None:
    hour = NOW.replace(minute=0, second=0)
    for at in (hour, hour, NOW, hour - timedelta(milliseconds=1), hour - timedelta(hours=2), hour - timedelta(hours=3)):
        received(cast, at, opened.id)

    found = activity.of_incidents([cast.workspace.id], [opened.id], Period.HOUR, 3, NOW)

    assert found["since"] == hour - timedelta(hours=2)
    assert found["items"] == [{"id": opened.id, "counts": [1, 1, 3]}]
    of_source = activity.of_sources([cast.workspace.id], [cast.source.id], Period.HOUR, 3, NOW)
    assert of_source["items"] == [{"id": cast.source.id, "counts": [1, 1, 3]}]


def test_days_begin_at_midnight_of_utc(cast: Cast) -> None:
    midnight = NOW.replace(hour=0, minute=0, second=0)
    for at in (midnight, NOW, midnight - timedelta(milliseconds=1)):
        received(cast, at)

    found = activity.of_sources([cast.workspace.id], [cast.source.id], Period.DAY, 2, NOW)

    assert (found["since"], found["items"][0]["counts"]) == (midnight - timedelta(days=1), [1, 2])


def test_a_count_ends_at_its_maximum(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counts, "MAX_OF_SOURCE", 2)
    for _ in range(3):
        received(cast, NOW)

    assert activity.of_sources([cast.workspace.id], [cast.source.id], Period.HOUR, 1, NOW)["items"][0]["counts"] == [2]


def test_the_activity_of_the_last_day_is_answered_in_the_order_of_the_request(
    browser: Browsers, cast: Cast, opened: Incident
) -> None:
    other = incident(routed(cast.source, present(), key="b").id)
    query = "&".join(f"id={typeid('inc', each.id)}" for each in (other, opened, other))

    answer = browser("vic").get(f"/v1/incidents/activity?{query}").json

    assert [each["id"] for each in answer["items"]] == [typeid("inc", other.id), typeid("inc", opened.id)]
    assert [(len(each["counts"]), sum(each["counts"])) for each in answer["items"]] == [(24, 1), (24, 1)]
    assert (answer["bucket"], answer["since"][14:]) == ("hour", "00:00.000Z")
    assert browser("vic").get("/v1/incidents/activity").json["items"] == []


def test_records_of_other_workspaces_and_unknown_ones_are_left_out(
    browser: Browsers, cast: Cast, opened: Incident
) -> None:
    eve, source = browser("eve"), typeid("src", cast.source.id)

    assert eve.get(f"/v1/incidents/activity?id={typeid('inc', opened.id)}").json["items"] == []
    assert eve.get(f"/v1/sources/activity?id={source}").json["items"] == []
    found = browser("vic").get(f"/v1/sources/activity?id={source}&id={typeid('src', uuid4())}").json["items"]
    assert [each["id"] for each in found] == [source]


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("buckets=0", "/query/buckets"),
        ("buckets=49", "/query/buckets"),
        ("bucket=week", "/query/bucket"),
        ("id=nope", "/query/id/0"),
        ("&".join(f"id={typeid('src', UUID(int=number))}" for number in range(51)), "/query/id"),
    ],
    ids=lambda text: text[:20],
)
def test_an_invalid_period_or_id_of_the_activity_is_refused(browser: Browsers, query: str, pointer: str) -> None:
    refused = browser("vic").get(f"/v1/sources/activity?{query}")

    assert refused.status_code == 422
    assert [fault["pointer"] for fault in refused.json["errors"]] == [pointer]
