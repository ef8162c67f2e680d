"""Lists at 5 million events and 500 thousand incidents: every filter and sort through the API, and its plan."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, urlencode
from uuid import UUID

import marshmallow as ma

from bench.dataset import Dataset, fill
from bench.environment import Api, BenchEnvironment
from bench.figures import Effort, Measurement, share
from inbox.api.incidents.schemas.filters import IncidentsQuery
from inbox.api.senders.schemas.events import EventsQuery
from inbox.database.base import db
from inbox.domain.values import list_filters, paging
from inbox.models.events import search as event_search
from inbox.models.incidents import search as incident_search
from inbox.models.lists import pagination
from inbox.models.lists.index_scan import Statement

EVENTS_FOR_EACH = 250
"""Stored events for each event of the measure of effort: five million, or half a million when it is quick."""

QUERIES: Mapping[str, ma.Schema] = {"incidents": IncidentsQuery(), "events": EventsQuery()}
PAGES = 60
DEEPEST = 6
"""The number of pages before the list begins again."""

NO_ID = "01900000000000000000000000"

BOTH = ("", "severity=CRITICAL", "severity=INFO", "minSeverity=ERROR", "minSeverity=CRITICAL", "sourceId={common}",
        "sourceId={rare}", "q=disk", "q=node-4711", "q=nothing-like-it", "q=%25", "since={late}", "until={early}",
        "since={mid}", "until={mid}", "since={early}&until={late}", "workspaceId={workspace}",
        "sourceId={rare}&minSeverity=ERROR", "sourceId={rare}&minSeverity=CRITICAL", "severity=CRITICAL&severity=INFO",
        "sourceId={rare}&sourceId={common}", "resourceKind=host", "resourceKind=none", "type=none", "dedupKey=job-123456",
        "fingerprint=f1:none", f"ruleId=rul_{NO_ID}", "tag=prod", "resource=host:db-77", "last=7d")  # fmt: skip
ONE_COLUMN = [name for name, columns in incident_search.SORTS.items() if len(columns) == 1]
OPEN_SORTS = [name for name in incident_search.SORTS if name != "resolved"]
"""`resolved` lists resolved incidents only."""

UNRESOLVED = "state=open&state=acknowledged&state=snoozed&state=silenced"
INCIDENTS = ("state=open", "state=resolved", UNRESOLVED, "state=open&minSeverity=CRITICAL", "assigneeId={person}", "assigneeId=none",
             "acknowledgedBy=me", f"routingProfileId=prf_{NO_ID}", f"silenceId=sil_{NO_ID}", "tag=rare&tag=none",
             "tag=rare", "flapping=true", "flapping=false", "q=77", "q=rack-9876", "q=rack", "q=%23123456", "q=job-123456",
             "minSeverity=CRITICAL&sort=title", "state=open&q=disk", "state=open&tag=prod&sort=title",
             *(f"state=open&sort={name}" for name in OPEN_SORTS), "state=open&sort=title&order=asc",
             "state=silenced&sort=title", "state=resolved&sort=title", f"{UNRESOLVED}&sort=title",
             "state=open&sourceId={common}&sort=title", "state=open&sourceId={rare}&sort=title",
             *(f"sourceId={{rare}}&sort={name}" for name in ONE_COLUMN), "sourceId={common}&sort=title",
             "sourceId={common}&sort=firstSeen&order=asc", "severity=CRITICAL&sort=source", "assigneeId={person}&sort=severity",
             "tag=team-7&sort=state", "tag=rare&sort=title", "flapping=true&sort=title", "resource=host:db-77&sort=number",
             *(f"until={{mid}}&sort={name}" for name in incident_search.SORTS), "since={mid}&sort=firstSeen&order=asc",
             *(f"sort={name}" for name in incident_search.SORTS), *(f"sort={name}&order=asc" for name in incident_search.SORTS))  # fmt: skip
ALERTS = ("", "order=asc", "sort=lastSeen", "state=firing", "state=ended", "state=firing&sort=lastSeen")
"""The pages of the incident with 10,000 alerts."""
EVENTS = ("disposition=pending", "disposition=pending&disposition=opened", "action=resolve", "flag=clock_skew", "label=host=db-1",
          "disposition=logged", "disposition=dropped", "incidentId={incident}", "sourceId={rare}&q=disk",
          "minSeverity=ERROR&sort=occurred", "incidentId={incident}&sort=title", "disposition=pending&sort=title",
          "disposition=dropped&sort=severity", "disposition=updated&sort=title", "since={late}&sort=occurred&order=asc",
          "sourceId={common}&sort=severity&order=asc", "severity=INFO&sort=title", "until={mid}&severity=CRITICAL&sort=title",
          *(f"sourceId={{rare}}&sort={name}" for name in event_search.SORTS),
          *(f"severity=CRITICAL&sort={name}" for name in event_search.SORTS), *(f"sort={name}" for name in event_search.SORTS),
          *(f"sort={name}&order=asc" for name in event_search.SORTS))  # fmt: skip


def measure(stand: BenchEnvironment, effort: Effort) -> list[Measurement]:
    """Measures pages of 50 from two web processes, one request at a time, in a large and a small workspace."""
    stand.clear()
    with stand.web() as web, db.connection_context():
        crowd = fill(web, effort.events * EVENTS_FOR_EACH)
        return [
            *(_measured(web, crowd, "incidents", query) for query in (*BOTH, *INCIDENTS)),
            *(_measured(web, crowd, "events", query) for query in (*BOTH, *EVENTS)),
            *(_measured(web, crowd, f"incidents/{crowd.names['largest']}/alerts", query) for query in ALERTS),
        ]


def _measured(web: Api, crowd: Dataset, name: str, query: str) -> Measurement:
    requested = query.format(**crowd.names)
    before = web.cpu_seconds()
    pages = list(_turned(web, f"/v1/{name}", requested))
    spent = [f"{part} {(now - before[part]) / (PAGES + 1) * 1000:.1f}" for part, now in web.cpu_seconds().items()]
    took = [milliseconds for milliseconds, _, _ in pages]
    short = [rows for _, rows, follows in pages if follows and rows < paging.DEFAULT_LIMIT]
    lines = plan(name, requested, crowd.workspace_ids) if name in QUERIES else ()
    scans = [line for line in lines if "Seq Scan on" in line]
    notes = [
        f"{' + '.join(spent)} ms of CPU",
        "; ".join(" ".join(line.split()) for line in scans) or "no sequential scan",
        *([f"{len(short)} of {PAGES} pages short, of {sum(short) / len(short):.0f} rows on average"] if short else []),
    ]
    return Measurement(
        name=f"{name}?{query}",
        value=share(took, 0.99),
        unit="ms p99",
        p50=share(took, 0.5),
        p99=share(took, 0.99),
        note="; ".join(notes),
    )


def _turned(web: Api, path: str, query: str) -> Iterator[tuple[float, int, bool]]:
    """Measures this many pages: milliseconds of each, its rows, and whether more follow.

    The first page, which finds nothing in memory, is apart.
    """
    cursor, turned = "", 0
    for number in range(PAGES + 1):
        sent = "&".join(filter(None, [query, urlencode({"cursor": cursor}) if cursor else ""]))
        began = time.monotonic()
        page = web.call("GET", f"{path}?{sent}")
        cursor = page["nextCursor"] or ""
        if number:
            yield (time.monotonic() - began) * 1000, len(page["items"]), bool(cursor)
        turned = turned + 1 if cursor else 0
        if turned >= DEEPEST:
            cursor, turned = "", 0


def plan(name: str, query: str, workspace_ids: list[UUID]) -> list[str]:
    """Returns the plans of the statements of the list's first page."""
    args = arguments(name, query)
    required = args.pop("workspace_id", None)
    among = [required] if required else workspace_ids
    scan = incident_search.scan_plan(among, args) if name == "incidents" else event_search.scan_plan(among, args)
    lines: list[str] = []

    def explained(statement: Statement) -> Sequence[Any]:
        sql, values = statement
        lines.extend(line for (line,) in pagination.run((f"EXPLAIN {sql}", values)))
        return pagination.run(statement)

    pagination.keyset_page(scan, after=None, descending=args["order"] == "desc", limit=args["limit"], execute=explained)
    return lines


def arguments(name: str, query: str) -> dict[str, Any]:
    """Returns the query in the parameters of its list."""
    schema = QUERIES[name]
    several = {field.data_key for field in schema.fields.values() if isinstance(field, ma.fields.List)}
    sent: Mapping[str, Any] = {
        key: values if key in several else values[0]
        for key, values in parse_qs(query, strict_parsing=bool(query)).items()
    }
    return list_filters.resolve(schema.load(sent), person=UUID(int=0), now=datetime.now(UTC))
