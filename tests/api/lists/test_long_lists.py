"""Long lists over several workspaces: each row once, in order, however they are branched; searches that end a page early."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from inbox.database.base import db, new_id
from inbox.models.events.search import SORTS as EVENT_SORTS
from inbox.models.incidents import search_text
from inbox.models.incidents.search import SORTS
from inbox.models.incidents.tables import Incident
from tests.browser import Browser
from tests.cast import NOW, Cast, join, make_source, typeid
from tests.database.stored import store
from tests.flow.routing_fixtures import incident, routed

Browsers = Callable[[str], Browser]
SEVERITIES = ("WARNING", "ERROR", "CRITICAL")
STATES = ("open", "acknowledged", "resolved", "silenced")
ALL = {"": 30, "minSeverity=ERROR": 20, "severity=ERROR": 10}
"""The numbers of incidents, and of events, that pass each filter."""


@pytest.fixture
def crowd(cast: Cast) -> None:
    """Thirty incidents and events full of ties, in both workspaces, of which Mia is in both."""
    join(cast.foreign, cast.users["mia"], "viewer")
    homes = [cast.source, cast.foreign_source, make_source(cast.workspace, cast.foreign_source.name)[0]]
    for place in range(30):
        source, at = homes[place % 3], NOW + timedelta(minutes=place // 4)
        about: dict[str, Any] = {
            "workspace_id": source.workspace_id, "source_id": source.id, "fingerprint": f"f1:{place}",
            "title": ("Disk full", "CPU hot", "Übrig")[place % 3], "severity": SEVERITIES[place % 3],
        }  # fmt: skip
        Incident.create(
            id=new_id(at), number=place, last_severity="ERROR", state=STATES[place % 4], first_seen_at=at,
            last_seen_at=at, opened_at=at, resolved_at=at if place % 4 == 2 else None, event_count=place % 5, **about,
        )  # fmt: skip
        disposition = ("logged", "opened", "pending")[place % 3]
        store(id=new_id(at), received_at=at, occurred_at=at, action="trigger", disposition=disposition, **about)


def scanned(browser: Browser, path: str, limit: int = 7) -> list[Any]:
    """All items, page by page."""
    found, cursor = [], ""
    while cursor is not None:
        page = browser.get(f"{path}&limit={limit}" + (f"&cursor={cursor}" if cursor else "")).get_json()
        found += page["items"]
        cursor = page["nextCursor"]
    return found


@pytest.mark.usefixtures("crowd")
@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("query", ["", "minSeverity=ERROR", "severity=ERROR"])
@pytest.mark.parametrize(
    ("path", "sort"), [*(("incidents", sort) for sort in SORTS), *(("events", sort) for sort in EVENT_SORTS)]
)
def test_pages_by_cursor_and_by_number_have_the_same_rows(
    browser: Browsers, path: str, sort: str, query: str, order: str
) -> None:
    requested = f"/v1/{path}?sort={sort}&order={order}&{query}"

    turned = scanned(browser("mia"), requested)
    whole = browser("mia").get(f"{requested}&offset=0&limit=200").get_json()

    assert [each["id"] for each in turned] == [each["id"] for each in whole["items"]]
    totals = {"": 7, "minSeverity=ERROR": 5, "severity=ERROR": 2} if sort == "resolved" else ALL
    assert len(turned) == whole["total"] == totals[query]


@pytest.mark.usefixtures("crowd")
@pytest.mark.parametrize("query", ["state=open&state=resolved", "state=open&minSeverity=ERROR",
                                   "state=open&state=resolved&minSeverity=CRITICAL", "severity=WARNING&minSeverity=ERROR"])  # fmt: skip
def test_filters_that_leave_several_values_are_merged_in_order(browser: Browsers, query: str) -> None:
    requested = f"/v1/incidents?{query}"

    turned = scanned(browser("mia"), requested, limit=2)

    whole = browser("mia").get(f"{requested}&offset=0&limit=200").get_json()["items"]
    assert [each["id"] for each in turned] == [each["id"] for each in whole]
    assert (query.startswith("severity=WARNING")) == (turned == [])


@pytest.mark.usefixtures("crowd")
@pytest.mark.parametrize("sort", ["lastSeen", "severity", "state", "source", "firstSeen", "title"])
@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("query", ["", "&state=open&state=resolved", "&q=%25"])
def test_the_first_seen_filter_ignores_when_the_incident_was_last_seen(
    browser: Browsers, sort: str, order: str, query: str
) -> None:
    late = NOW + timedelta(minutes=30) - (Incident.first_seen_at - NOW)
    Incident.update(last_seen_at=late).where(Incident.number.in_(range(0, 30, 3))).execute()
    until = (NOW + timedelta(minutes=4)).isoformat().replace("+", "%2B")
    requested = f"/v1/incidents?sort={sort}&order={order}&until={until}{query}"

    turned = scanned(browser("mia"), requested, limit=3)
    whole = browser("mia").get(f"{requested}&offset=0&limit=200").get_json()

    assert [each["id"] for each in turned] == [each["id"] for each in whole["items"]]
    assert len(turned) == whole["total"] == {"": 16, "&state=open&state=resolved": 8, "&q=%25": 0}[query]


FEW_THOUSAND = """
INSERT INTO received_events (workspace_id, id, source_id, received_at, occurred_at, severity, action, title, fingerprint)
SELECT %(w)s, (lpad(to_hex(1795359600000 + n), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid, %(s)s,
    to_timestamp(1795359600 + n / 1000.0), to_timestamp(1795359600 + n / 1000.0), 'ERROR', 'trigger',
    CASE WHEN n IN (7, 3000) THEN 'Rare zebra' ELSE 'Disk full' END, 'f1:' || n FROM generate_series(1, %(many)s) n
"""


def store_events(cast: Cast, many: int) -> None:
    db.execute_sql(FEW_THOUSAND, {"w": cast.workspace.id, "s": cast.source.id, "many": many})


def test_a_search_that_examined_the_maximum_of_rows_continues_on_the_next_page(browser: Browsers, cast: Cast) -> None:
    store_events(cast, 5_000)
    first = browser("mia").get("/v1/events?q=zebra").get_json()

    assert (len(first["items"]), first["partial"], first["nextCursor"] is None) == (0, True, False)
    for limit in (1, 50):
        found = scanned(browser("mia"), "/v1/events?q=zebra", limit=limit)
        assert [each["title"] for each in found] == ["Rare zebra"] * 2
    assert scanned(browser("mia"), "/v1/events?q=unicorn") == []


def test_a_full_page_and_the_last_page_are_not_partial(browser: Browsers, cast: Cast) -> None:
    store_events(cast, 100)
    mia = browser("mia")

    full, last = (mia.get(f"/v1/events?q=disk&limit={limit}").get_json() for limit in (50, 200))

    assert (len(full["items"]), full["partial"], full["nextCursor"] is None) == (50, False, False)
    assert (len(last["items"]), last["partial"], last["nextCursor"]) == (99, False, None)


def test_a_total_above_ten_thousand_is_null(browser: Browsers, cast: Cast) -> None:
    store_events(cast, 10_001)
    mia = browser("mia")

    assert mia.get("/v1/events?offset=10000").get_json()["total"] is None
    assert len(mia.get("/v1/events?offset=10000").get_json()["items"]) == 1
    assert mia.get("/v1/events?offset=9998&q=disk").get_json()["total"] == 9_999


def test_a_numbered_page_for_which_too_many_rows_would_be_examined_is_refused(browser: Browsers, cast: Cast) -> None:
    store_events(cast, 70_000)

    answer = browser("mia").get("/v1/events?q=zebra&offset=0")

    assert (answer.status_code, answer.json["errors"][0]["pointer"]) == (422, "/query/offset")
    assert "cursor" in answer.json["errors"][0]["detail"]


@pytest.mark.usefixtures("crowd")
@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
@pytest.mark.parametrize("name", ["since", "until"])
def test_lists_can_be_filtered_by_the_first_and_the_last_time(browser: Browsers, name: str, moment: str) -> None:
    for path, sorts in (("incidents", SORTS), ("events", EVENT_SORTS), ("deliveries", ["created"])):
        for sort in sorts:
            found = scanned(browser("mia"), f"/v1/{path}?sort={sort}&{name}={moment}")

            rows = 7 if sort == "resolved" else 30
            all_or_none = 0 if path == "deliveries" or (name == "since") == moment.startswith("9999") else rows
            assert len(found) == all_or_none, sort


def test_an_incident_is_found_by_its_new_words_and_by_those_of_its_alert(browser: Browsers, cast: Cast) -> None:
    made = incident(routed(cast.source, NOW, key="nightly", tags=["old"]).id)
    browser("mia").patch(f"/v1/incidents/{typeid('inc', made.id)}", {"title": "Fan loud", "tags": ["new"]})

    for query, found in (
        ("q=fan", 1),
        ("q=disk", 1),
        ("q=loud disk", 0),
        ("q=NIGHT", 1),
        ("tag=new", 1),
        ("tag=old", 0),
    ):
        assert len(browser("mia").get(f"/v1/incidents?{query}").get_json()["items"]) == found, query


@pytest.mark.parametrize(
    ("text", "is_indexed", "number"),
    [("dis", True, None), ("di", False, None), ("a-b-c", False, None), ("#12", False, 12), ("123", True, 123),
     ("übe", True, None), ("9" * 18, True, int("9" * 18)), ("9" * 19, True, None), ("%", False, None)],
)  # fmt: skip
def test_three_letters_or_digits_in_a_row_are_looked_up(text: str, is_indexed: bool, number: int | None) -> None:
    assert (search_text.has_trigram(text), search_text.number_in(text)) == (is_indexed, number)


def test_similar_incidents_name_their_common_fields(browser: Browsers, cast: Cast) -> None:
    def made(hours: int, key: str, **more: Any) -> Incident:
        return incident(routed(cast.source, NOW + timedelta(hours=hours), key=key, **more).id)

    same = {"title": "Disk of node 4 full", "resource": "host:db1"}
    earlier = made(0, "disk", **same)
    browser("mia").post(f"/v1/incidents/{typeid('inc', earlier.id)}/resolve")
    there, alike = made(1, "cpu", title="CPU hot", resource="host:db1"), made(2, "other", title="Disk of node 17 full")
    made(3, "else", title="Fan loud")
    routed(cast.foreign_source, NOW, key="disk", **same)
    Incident.update(resolved_at=NOW + timedelta(minutes=1)).where(Incident.id == earlier.id).execute()
    one = made(4, "disk", **same)
    path = f"/v1/incidents/{typeid('inc', one.id)}/similar"

    items = browser("vic").get(path).get_json()["items"]

    assert one.id != earlier.id
    assert [(item["incident"]["id"], item["why"]) for item in items] == [
        (typeid("inc", alike.id), ["title"]),
        (typeid("inc", there.id), ["resource"]),
        (typeid("inc", earlier.id), ["fingerprint", "resource", "title"]),
    ]
    assert browser("eve").get(path).status_code == 404


def test_twenty_similar_ones_are_shown(browser: Browsers, cast: Cast) -> None:
    found = [incident(routed(cast.source, NOW + timedelta(minutes=n), key=f"k{n}").id) for n in range(22)]

    items = browser("vic").get(f"/v1/incidents/{typeid('inc', found[0].id)}/similar").get_json()["items"]

    assert [item["incident"]["id"] for item in items] == [typeid("inc", one.id) for one in found[:1:-1]]
