"""Every filter and every sort of the long lists has an index, and its plan uses it (specification 2.6)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from bench import dataset, lists
from inbox.api.incidents.schemas.filters import IncidentsQuery
from inbox.api.senders.schemas.events import EventsQuery
from inbox.database.base import db
from inbox.database.bulk_sql import array_literal
from inbox.domain.values import ids
from inbox.models.events import search as event_search
from inbox.models.events.tables import ReceivedEvent
from inbox.models.incidents import search as incident_search
from inbox.models.incidents.tables import Incident
from inbox.models.insight import activity
from inbox.models.lists import index_scan, pagination
from tests.cast import Cast, make_source
from tests.database import database_reset
from tests.database.plans import by_parent, explained

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
TURNING = {"limit", "cursor", "offset", "order", "sort"}

SEQUENTIAL = re.compile(r"Seq Scan on (?!sources |routing_traces )")
"""A scan of a whole table. Here `sources` has a page and `routing_traces` no row, so that a scan of them is the best plan."""

EXPECTED = [
    ("incidents", "", "incidents_last_seen"),
    ("incidents", "workspaceId={workspace}", "incidents_last_seen"),
    ("incidents", "state=open", "incidents_state"),
    ("incidents", "state=open&state=snoozed", "incidents_state"),
    ("incidents", "state=resolved", "incidents_state"),
    ("incidents", "severity=CRITICAL", "incidents_severity"),
    ("incidents", "minSeverity=ERROR", "incidents_severity"),
    ("incidents", "sourceId={rare}", "incidents_source"),
    ("incidents", "assigneeId={person}", "incidents_assignee"),
    ("incidents", "severity=CRITICAL&severity=ERROR", "incidents_severity"),
    ("incidents", "sourceId={rare}&sourceId={common}", "incidents_source"),
    ("incidents", "fingerprint=f1:none", "incidents_fingerprint"),
    ("incidents", "silenceId={silence}", "incidents_silenced"),
    ("incidents", "dedupKey=job-2911", "incident_search_text"),
    ("incidents", "assigneeId=none", "incidents_last_seen"),
    ("incidents", "acknowledgedBy={person}", "incidents_last_seen"),
    ("incidents", "resourceKind=host", "incidents_last_seen"),
    ("incidents", "type=disk.usage", "incidents_last_seen"),
    ("incidents", "ruleId={rule}", "incidents_last_seen"),
    ("incidents", "routingProfileId={profile}", "incidents_last_seen"),
    ("incidents", "last=24h", "incidents_last_seen"),
    ("incidents", "tag=rare", "incident_search_tags"),
    ("incidents", "tag=rare&tag=nothing", "incident_search_tags"),
    ("incidents", "resource=host:db-77", "incidents_resource"),
    ("incidents", "flapping=true", "incidents_flapping"),
    ("incidents", "q=node-4711", "incident_search_text"),
    ("incidents", "q=rack-4711", "alerts_search_text"),
    ("incidents", "q=%231234", "incident_search_number"),
    ("incidents", "q=12", "incidents_workspace_id_number_key"),
    ("incidents", "q=%25", "incidents_last_seen"),
    ("incidents", "since={late}", "incidents_last_seen"),
    ("incidents", "until={early}", "incidents_first_seen"),
    ("incidents", "until={early}", "incidents_long"),
    ("incidents", "until={early}&sort=severity", "incidents_long"),
    ("incidents", "since={late}&sort=firstSeen", "incidents_long"),
    ("incidents", "sort=lastSeen", "incidents_last_seen"),
    ("incidents", "sort=firstSeen", "incidents_first_seen"),
    ("incidents", "sort=opened", "incidents_opened"),
    ("incidents", "sort=resolved", "incidents_resolved"),
    ("incidents", "sort=events", "incidents_event_count"),
    ("incidents", "sort=severity", "incidents_severity"),
    ("incidents", "sort=state", "incidents_state"),
    ("incidents", "sort=source", "incidents_source"),
    ("incidents", "sort=title", "incidents_title"),
    ("incidents", "sort=number", "incidents_workspace_id_number_key"),
    ("events", "", "received_events_pkey"),
    ("events", "workspaceId={workspace}", "received_events_pkey"),
    ("events", "sourceId={rare}", "events_source"),
    ("events", "severity=CRITICAL", "events_severity"),
    ("events", "minSeverity=CRITICAL", "events_severity"),
    ("events", "disposition=dropped", "events_disposition"),
    ("events", "incidentId={incident}", "events_incident"),
    ("events", "sourceId={rare}&sourceId={common}", "events_source"),
    ("events", "disposition=dropped&disposition=opened", "events_disposition"),
    ("events", "disposition=pending&disposition=opened", "received_events_pkey"),
    ("events", "action=resolve", "received_events_pkey"),
    ("events", "flag=clock_skew", "received_events_pkey"),
    ("events", "resource=host:db-1", "received_events_pkey"),
    ("events", "resourceKind=host", "received_events_pkey"),
    ("events", "type=disk.usage", "received_events_pkey"),
    ("events", "dedupKey=job-1", "received_events_pkey"),
    ("events", "fingerprint=f1:none", "received_events_pkey"),
    ("events", "tag=prod", "received_events_pkey"),
    ("events", "ruleId={rule}", "received_events_pkey"),
    ("events", "label=instance=db-1", "received_events_pkey"),
    ("events", "last=24h", "received_events_pkey"),
    ("events", "q=disk", "received_events_pkey"),
    ("events", "since={late}", "received_events_pkey"),
    ("events", "until={early}", "received_events_pkey"),
    ("events", "sort=received", "received_events_pkey"),
    ("events", "sort=occurred", "events_occurred"),
    ("events", "sort=severity", "events_severity"),
    ("events", "sort=source", "events_source"),
    ("events", "sort=title", "events_title"),
    ("events", "sort=disposition", "events_disposition"),
]


@pytest.fixture(scope="module")
def names(settings: object) -> Iterator[dict[str, str]]:
    """A year of Acme: thirty thousand events, three thousand incidents."""
    with db.connection_context():
        database_reset.wait_for_transactions(database_reset.PATIENCE_SECONDS)
        database_reset.again_after_a_deadlock(database_reset.empty_tables)
        cast = Cast.assemble()
        sources = [make_source(cast.workspace, f"Source {n}")[0].id for n in range(20)]
        dataset.fill_one(cast.workspace.id, sources, cast.users["mia"].id, 30_000, NOW)
        dataset.finish()
        yield {
            "workspace": ids.encode("wsp", cast.workspace.id),
            "rare": ids.encode("src", sources[-1]),
            "common": ids.encode("src", sources[0]),
            **{
                name: ids.encode(prefix, uuid4())
                for name, prefix in (("rule", "rul"), ("profile", "prf"), ("silence", "sil"))
            },
            "person": ids.encode("usr", cast.users["mia"].id),
            "incident": ids.encode("inc", uuid4()),
            "late": (NOW - timedelta(days=3)).isoformat().replace("+", "%2B"),
            "early": (NOW - timedelta(days=357)).isoformat().replace("+", "%2B"),
        }


def plan(name: str, query: str, names: dict[str, str]) -> str:
    workspace = ids.decode("wsp", names["workspace"])
    assert workspace is not None
    with db.connection_context():
        return by_parent(lists.plan(name, query.format(**names), [workspace]))


@pytest.mark.parametrize(("name", "query", "index"), EXPECTED)
@pytest.mark.parametrize("order", ["desc", "asc"])
def test_a_filter_or_sort_uses_its_index(name: str, query: str, index: str, order: str, names: dict[str, str]) -> None:
    found = plan(name, "&".join(filter(None, [query, f"order={order}"])), names)

    assert index in found, found
    assert not SEQUENTIAL.search(found), found


@pytest.mark.parametrize("order", ["desc", "asc"])
@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("incidents", "state=open&sort=title"),
        ("incidents", "state=silenced&sort=title"),
        ("incidents", "sourceId={rare}&state=open&sort=title"),
        ("incidents", "flapping=true&sort=number"),
        ("incidents", "state=open&sort=events"),
        ("events", "disposition=dropped&sort=title"),
        ("events", "incidentId={incident}&sort=disposition"),
    ],
)
def test_few_rows_are_looked_up_and_sorted(name: str, query: str, order: str, names: dict[str, str]) -> None:
    found = plan(name, f"{query}&order={order}", names)

    assert "CTE y" in found, found


@pytest.mark.parametrize("order", ["desc", "asc"])
@pytest.mark.parametrize(
    ("query", "index"),
    [
        ("state=open&sort=title", "incidents_state"),
        ("state=open&sort=number", "incidents_state"),
        ("state=silenced&sort=firstSeen", "incidents_state"),
        ("state=open&sort=source", "incidents_state"),
        ("state=open&sort=severity", "incidents_state"),
        ("state=open&minSeverity=CRITICAL", "incidents_state"),
        ("minSeverity=ERROR&sort=title", "incidents_title"),
        ("minSeverity=ERROR&sort=firstSeen", "incidents_first_seen"),
        ("minSeverity=ERROR&sort=opened", "incidents_opened"),
        ("minSeverity=ERROR&sort=resolved", "incidents_resolved"),
        ("minSeverity=ERROR&sort=events", "incidents_event_count"),
    ],
)
def test_a_filter_applied_during_an_index_scan_is_part_of_the_index(
    query: str, index: str, order: str, names: dict[str, str]
) -> None:
    found = plan("incidents", f"{query}&order={order}", names)

    assert re.search(rf"Index Only Scan (Backward )?using {index}\b", found), found


@pytest.mark.parametrize(("sort", "order", "bound"), [("firstSeen", "desc", "<"), ("lastSeen", "asc", ">=")])
def test_a_further_page_is_not_scanned_to_from_the_bound_of_a_filter(
    sort: str, order: str, bound: str, names: dict[str, str]
) -> None:
    workspace = ids.decode("wsp", names["workspace"])
    query = "until={early}" if sort == "firstSeen" else "since={late}"
    args = lists.arguments("incidents", f"{query.format(**names)}&sort={sort}&order={order}")
    with db.connection_context():
        scan = replace(incident_search.scan_plan([workspace], args), outside=())
        way = {"descending": order == "desc", "limit": 5}
        _, after = pagination.keyset_page(scan, after=None, **way)
        sql, values = index_scan.scan_sql(scan, after, most=100, **way)
        lines = [line for (line,) in db.execute_sql(f"EXPLAIN {sql}", values).fetchall()]

    (condition,) = [line for line in lines if "Index Cond" in line]
    assert "ROW(" in condition
    assert f"_seen_at {bound} '" not in condition


@pytest.mark.parametrize("prefix", ["", "pr"])
def test_facets_read_each_incident_by_its_id(prefix: str, names: dict[str, str]) -> None:
    with db.connection_context():
        chosen = array_literal([row.id for row in Incident.select(Incident.id).limit(1_000)], unquoted=True)
        sql, values = incident_search.FACETS.sql(list(incident_search.FACETS.dimensions), prefix)
        found = explained(sql, [chosen, *values])

    assert "Index Scan using incidents_pkey" in found, found
    assert "Seq Scan on" not in found, found


@pytest.mark.parametrize("prefix", ["", "pr"])
def test_facets_read_each_event_by_its_id(prefix: str, names: dict[str, str]) -> None:
    workspace = ids.decode("wsp", names["workspace"])
    with db.connection_context():
        chosen = array_literal([row.id for row in ReceivedEvent.select(ReceivedEvent.id).limit(1_000)], unquoted=True)
        sql, values = event_search.FACETS.sql(list(event_search.FACETS.dimensions), prefix)
        given = [chosen, array_literal([workspace], unquoted=True), *values]
        found = explained(sql, given)

    assert "Index Scan using received_events_pkey" in found, found
    assert not SEQUENTIAL.search(found), found


@pytest.mark.parametrize(
    ("sql", "index"), [(activity.OF_INCIDENTS, "events_incident"), (activity.OF_SOURCES, "events_source")]
)
def test_activity_is_counted_along_an_index(sql: str, index: str, names: dict[str, str]) -> None:
    times = [NOW - timedelta(hours=hours) for hours in (2, 1, 0)]
    with db.connection_context():
        chosen = [ids.decode("src", names["rare"])] if "events_source" in index else [uuid4()]
        found = explained(sql, activity.values(chosen, times, 10))

    assert re.search(rf"Index (Only )?Scan using {index}\b", found), found
    assert not SEQUENTIAL.search(found), found


def test_every_filter_and_sort_of_the_long_lists_has_an_expected_plan() -> None:
    for name, schema in (("incidents", IncidentsQuery()), ("events", EventsQuery())):
        tried = "&".join(query for list_name, query, _ in EXPECTED if list_name == name)
        filters = {field.data_key for field in schema.fields.values()} - TURNING

        assert {each for each in filters if f"{each}=" not in tried} == set()
        assert {each for each in schema.fields["sort"].validate.choices if f"sort={each}" not in tried} == set()
