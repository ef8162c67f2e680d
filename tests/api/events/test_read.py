"""Reading events: single ones, and lists with filters, sorts and search (specification 4.10)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import pytest

from inbox.api.senders.schemas.events import EventRecord
from inbox.database.base import db, new_id
from inbox.domain.values import times
from inbox.models.events import id_range as event_id_range
from inbox.models.events import read as event_read
from inbox.models.events.tables import Event
from inbox.models.senders.sources import Source
from tests.browser import Browser
from tests.cast import Cast, make_source, typeid
from tests.database.plans import explained
from tests.database.stored import store

START = datetime(2026, 11, 1, 9, 0, tzinfo=UTC)
Browsers = Callable[[str], Browser]


def put(source: Source, minute: int = 0, **fields: Any) -> UUID:
    """An event that came in that minute."""
    at = START + timedelta(minutes=minute)
    event_id = new_id(at)
    store(
        workspace_id=source.workspace_id,
        id=event_id,
        source_id=source.id,
        received_at=at,
        fingerprint=f"f1:{minute:040}",
        **{"title": f"Event {minute}", "occurred_at": at, **fields},
    )
    return event_id


def listed(browser: Browser, **query: Any) -> list[str]:
    """The ids of a list, in order, over all its pages."""
    ids: list[str] = []
    while True:
        answer = browser.get(requested(**query))
        assert answer.status_code == 200, answer.text
        page = answer.get_json()
        ids += [item["id"] for item in page["items"]]
        if page["nextCursor"] is None:
            return ids
        query["cursor"] = page["nextCursor"]


def requested(**query: Any) -> str:
    return "/v1/events?" + urlencode(query)


def evt(*ids: UUID) -> list[str]:
    return [typeid("evt", event_id) for event_id in ids]


@pytest.fixture
def mia(browser: Browsers) -> Browser:
    return browser("mia")


def test_a_read_event_equals_the_stored_event(mia: Browser, cast: Cast) -> None:
    warnings = [{"code": "url_dropped", "pointer": "/url", "detail": "not stored"}]
    incident_id = new_id(START)
    event_id = put(
        cast.source, type="disk.usage", resource="host:db-1", dedup_key="k", body="text", tags=["prod"],
        url="https://example.org/", external_id="x", idempotency_key="i", metadata={"n": 1}, flags=["clock_skew"],
        warnings=warnings, disposition="opened", incident_id=incident_id, routing={"by": "default"},
    )  # fmt: skip

    answer = mia.get(f"/v1/events/{typeid('evt', event_id)}")

    assert answer.status_code == 200
    assert answer.get_json() == {
        "id": typeid("evt", event_id),
        "workspaceId": typeid("wsp", cast.workspace.id),
        "sourceId": typeid("src", cast.source.id),
        "sourceName": "Prometheus",
        "receivedAt": "2026-11-01T09:00:00.000Z",
        "occurredAt": "2026-11-01T09:00:00.000Z",
        "severity": "ERROR",
        "action": "trigger",
        "title": "Event 0",
        "type": "disk.usage",
        "resource": "host:db-1",
        "dedupKey": "k",
        "body": "text",
        "tags": ["prod"],
        "url": "https://example.org/",
        "externalId": "x",
        "idempotencyKey": "i",
        "metadata": {"n": 1},
        "fingerprint": "f1:" + "0" * 40,
        "flags": ["clock_skew"],
        "warnings": warnings,
        "disposition": "opened",
        "incidentId": typeid("inc", incident_id),
        "routing": {"by": "default", "incidentId": typeid("inc", incident_id)},
    }
    assert set(answer.get_json()) == {field.data_key for field in EventRecord().fields.values()}


def test_a_foreign_event_and_a_missing_one_get_the_same_answer(mia: Browser, cast: Cast) -> None:
    foreign = put(cast.foreign_source)
    for event_id in (typeid("evt", foreign), typeid("evt", new_id()), typeid("inc", foreign), "evt_x"):
        answer = mia.get(f"/v1/events/{event_id}")
        assert (answer.status_code, answer.get_json()["code"]) == (404, "not_found")


def test_events_are_not_read_without_signing_in(anonymous: Browser, cast: Cast) -> None:
    event_id = typeid("evt", put(cast.source))
    for path in ("/v1/events", f"/v1/events/{event_id}"):
        assert anonymous.get(path).status_code == 401
        assert anonymous.get(path, headers={"Authorization": f"Bearer {cast.key}"}).status_code == 401


def test_every_member_reads_the_events_of_their_workspaces_only(browser: Browsers, cast: Cast) -> None:
    here, there = put(cast.source), put(cast.foreign_source)
    for name in ("olga", "adam", "mia", "vic"):
        assert listed(browser(name)) == evt(here)
    assert listed(browser("eve")) == evt(there)
    assert listed(browser("eve"), workspaceId=typeid("wsp", cast.workspace.id)) == []


def test_the_newest_comes_first_and_pages_join_without_gap_or_overlap(mia: Browser, cast: Cast) -> None:
    ids = [put(cast.source, minute) for minute in range(7)]
    for limit in (1, 2, 3, 7, 200):
        assert listed(mia, limit=limit) == evt(*reversed(ids))
        assert listed(mia, limit=limit, order="asc") == evt(*ids)
    page = mia.get(requested(limit=2, offset=4)).get_json()
    assert ([item["id"] for item in page["items"]], page["total"]) == (evt(ids[2], ids[1]), 7)


@pytest.mark.parametrize("sort", ["occurred", "severity", "source", "title", "disposition"])
def test_each_sort_orders_by_its_column_and_pages(mia: Browser, cast: Cast, sort: str) -> None:
    other, _ = make_source(cast.workspace, "Aardvark")
    one = put(other, 0, severity="DEBUG", title="a", disposition="logged", occurred_at=START - timedelta(days=1))
    ties = [put(cast.source, n, severity="ERROR", title="b", disposition="opened", occurred_at=START) for n in (1, 2)]

    assert listed(mia, sort=sort, order="asc", limit=1) == evt(one, *ties)
    assert listed(mia, sort=sort, order="desc", limit=1) == evt(*reversed(ties), one)


def test_severities_sort_by_rank_and_not_by_name(mia: Browser, cast: Cast) -> None:
    severities = ["DEBUG", "INFO", "SUCCESS", "WARNING", "ERROR", "CRITICAL"]
    ids = [put(cast.source, number, severity=name) for number, name in enumerate(severities)]
    assert listed(mia, sort="severity", order="asc") == evt(*ids)
    assert listed(mia, severity="warn") == evt(ids[3])
    assert listed(mia, minSeverity="ERROR", order="asc") == evt(*ids[4:])
    for middle in ("INFO", "SUCCESS"):
        assert listed(mia, minSeverity=middle, order="asc") == evt(*ids[1:])


def test_filters_narrow_the_list(mia: Browser, cast: Cast) -> None:
    other, _ = make_source(cast.workspace, "Other")
    incident_id = new_id()
    ids = [put(cast.source, n) for n in range(4)]
    of_other = put(other, 9)
    of_incident = put(cast.source, 8, incident_id=incident_id, disposition="opened")

    assert listed(mia, sourceId=typeid("src", other.id)) == evt(of_other)
    assert listed(mia, sourceId=typeid("src", cast.foreign_source.id)) == []
    assert listed(mia, incidentId=typeid("inc", incident_id)) == evt(of_incident)
    assert listed(mia, disposition="opened") == evt(of_incident)
    assert listed(mia, workspaceId=typeid("wsp", cast.workspace.id), disposition="pending") == evt(
        of_other, *reversed(ids)
    )


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("tag=prod", "one two"),
        ("tag=prod&tag=test", "one two three"),
        ("resource=host:db-1", "one"),
        ("resourceKind=host", "one two"),
        ("resourceKind=hos", ""),
        ("type=disk.usage", "one"),
        ("dedupKey=k-2&dedupKey=k-3", "two three"),
        ("dedupKey=k", ""),
        (f"fingerprint=f1:{'0' * 39}2", "three"),
        ("action=resolve", "two"),
        ("flag=clock_skew", "three"),
        ("severity=ERROR&severity=INFO", "one two"),
        ("severity=INFO&minSeverity=ERROR", ""),
        ("disposition=pending&disposition=opened", "two three"),
        ("disposition=pending&disposition=opened&tag=test", "three"),
        (f"ruleId={typeid('rul', UUID(int=7 << 76))}", "one"),
        ("last=1m", ""),
    ],
)
@pytest.mark.parametrize("more", ["", "&sort=disposition", "&sort=title", "&offset=0"])
def test_a_list_is_narrowed_by_one_or_several_values(
    mia: Browser, cast: Cast, query: str, found: str, more: str
) -> None:
    routed_by = {"ruleId": typeid("rul", UUID(int=7 << 76))}
    ids = {
        "one": put(cast.source, 0, severity="ERROR", tags=["prod"], resource="host:db-1", type="disk.usage", dedup_key="k-1",
                   disposition="updated", routing=routed_by),
        "two": put(cast.source, 1, severity="INFO", tags=["prod", "db"], resource="host:db-2", dedup_key="k-2",
                   action="resolve", disposition="opened"),
        "three": put(cast.source, 2, severity="CRITICAL", tags=["test"], resource="job:x", dedup_key="k-3",
                     flags=["clock_skew"]),
    }  # fmt: skip
    put(cast.foreign_source, 3, tags=["prod", "test"], severity="ERROR", resource="host:db-1", routing=routed_by)

    items = mia.get(f"/v1/events?{query}{more}").get_json()["items"]

    assert {item["id"] for item in items} == set(evt(*(ids[name] for name in found.split())))


def test_since_is_inclusive_and_until_is_exclusive(mia: Browser, cast: Cast) -> None:
    ids = [put(cast.source, minute) for minute in range(4)]
    second, third = (times.rfc3339(START + timedelta(minutes=minute)) for minute in (1, 2))
    assert listed(mia, since=second, order="asc") == evt(*ids[1:])
    assert listed(mia, until=third, order="asc") == evt(*ids[:2])
    assert listed(mia, since=second, until=third) == evt(ids[1])
    assert listed(mia, since="0001-01-01T00:00:00Z", until="9999-12-31T23:59:59Z", order="asc") == evt(*ids)


def test_search_finds_part_of_title_resource_or_dedup_key_in_any_case(mia: Browser, cast: Cast) -> None:
    title = put(cast.source, 0, title="Übertragung 100% fertig")
    resource = put(cast.source, 1, resource="host:DB_1")
    dedup = put(cast.source, 2, dedup_key="back\\slash")
    assert listed(mia, q="übertragung") == evt(title)
    assert listed(mia, q="100%") == evt(title)
    assert listed(mia, q="%") == evt(title)
    assert listed(mia, q="db_1") == evt(resource)
    assert listed(mia, q="b_") == evt(resource)
    assert listed(mia, q="K\\S") == evt(dedup)
    assert listed(mia, q="nothing") == []


@pytest.mark.parametrize(
    "query",
    [
        {"sort": "password"},
        {"sort": "title; drop"},
        {"order": "up"},
        {"limit": "0"},
        {"limit": "201"},
        {"limit": "9" * 30},
        {"offset": "-1"},
        {"offset": str(2**63)},
        {"cursor": "x", "offset": "0"},
        {"cursor": "eHg"},
        {"sourceId": "src_x"},
        {"incidentId": "evt_01h455vb4pex5vsknk084sn02q"},
        {"severity": "loud"},
        {"minSeverity": ""},
        {"disposition": "gone"},
        {"q": ""},
        {"q": "x" * 257},
        {"q": "a\0b"},
        {"since": "yesterday"},
        {"until": "2026-01-01T00:00:00"},
        {"unknown": "1"},
    ],
)
def test_a_query_that_makes_no_sense_is_refused(mia: Browser, query: dict[str, str]) -> None:
    answer = mia.get(requested(**query))
    assert (answer.status_code, answer.get_json()["code"]) == (422, "validation_failed")


def test_a_cursor_is_bound_to_its_list(mia: Browser, browser: Browsers, cast: Cast) -> None:
    for minute in range(3):
        put(cast.source, minute)
    cursor = mia.get(requested(limit=1)).get_json()["nextCursor"]
    for more in ({"order": "asc"}, {"sort": "title"}, {"severity": "ERROR"}, {"q": "Event"}):
        assert mia.get(requested(**{"limit": 1, "cursor": cursor, **more})).status_code == 422
    assert mia.get(requested(limit=2, cursor=cursor)).status_code == 200


def test_reading_a_list_is_an_index_scan(mia: Browser, cast: Cast) -> None:
    db.execute_sql(
        "INSERT INTO received_events (workspace_id, id, source_id, received_at, occurred_at, severity, action, title, fingerprint)"
        " SELECT %s, gen_random_uuid(), %s, now(), now(), 'ERROR', 'trigger', 'Title ' || n, 'f1:x' FROM generate_series(1, 2000) n",
        (cast.workspace.id, cast.source.id),
    )
    db.execute_sql("ANALYZE received_events")
    query = (
        event_read.with_source([cast.workspace.id])
        .where(event_id_range.since(START, Event))
        .order_by(Event.id.desc())
        .limit(50)
    )
    sql, values = query.sql()
    with db.atomic():
        db.execute_sql("SET LOCAL enable_seqscan = off")
        plan = explained(sql, values)
    assert "received_events_pkey" in plan
    assert "Sort  (" not in plan
