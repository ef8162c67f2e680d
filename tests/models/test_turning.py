"""Pages of long lists: the same rows in the same order however they are come by, and no page looks at more than it may."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from bench import lists
from inbox.domain import ids
from inbox.models import finding, history, turning, words
from inbox.models.base import new_id
from inbox.models.events import Event
from inbox.models.incidents import Incident
from inbox.models.pages import numbered
from inbox.models.sources import Source
from tests.cast import NOW, Cast, make_source
from tests.stored import store

MODULES: dict[str, Any] = {"incidents": finding, "events": history}
SEVERITIES = ("WARNING", "ERROR", "CRITICAL", "INFO")
STATES = ("open", "acknowledged", "resolved", "resolved", "silenced", "resolved", "snoozed")
DISPOSITIONS = ("logged", "opened", "pending", "updated", "updated")

BOTH = ("severity=CRITICAL", "minSeverity=ERROR", "sourceId={source}", "q=full", "q=%25", "since={since}", "until={until}",
        "since={since}&until={until}", "sourceId={source}&minSeverity=ERROR", "sourceId={source}&q=full&since={since}",
        "severity=CRITICAL&until={until}")  # fmt: skip
INCIDENTS = ("state=open", "state=resolved", "state=open&state=snoozed", "tag=rare", "tag=prod&state=resolved", "flapping=true",
             "flapping=false&severity=ERROR", "resource=host:db-1", "resource=host:db-1&sourceId={source}", "q=job-7",
             "assigneeId={person}", "assigneeId={person}&state=open&until={until}")  # fmt: skip
EVENTS = ("disposition=pending", "disposition=updated", "disposition=pending&sourceId={source}", "incidentId={incident}",
          "disposition=opened&severity=ERROR", "incidentId={incident}&disposition=updated")  # fmt: skip

LITTLE = {"FIRST_LOOKED_AT": 6, "LOOKED_AT": 12, "SEARCHED": 6, "LEAST_LOOKED_AT": 3}


@pytest.fixture
def names(cast: Cast) -> dict[str, str]:
    """Sixty incidents and events of three sources, full of ties; some live long, some have been seen across the moments."""
    homes = [cast.source, cast.foreign_source, make_source(cast.workspace, cast.foreign_source.name)[0]]
    made = [_incident(homes[place % 3], place, cast.users["mia"].id) for place in range(60)]
    for place in range(60):
        _event(homes[place % 3], place, made[place // 2].id)
    return {
        "source": ids.encode("src", homes[2].id),
        "person": ids.encode("usr", cast.users["mia"].id),
        "incident": ids.encode("inc", made[0].id),
        "since": (NOW + timedelta(minutes=8)).isoformat().replace("+", "%2B"),
        "until": (NOW + timedelta(minutes=14)).isoformat().replace("+", "%2B"),
    }


def _incident(source: Source, place: int, person: UUID) -> Incident:
    at = NOW + timedelta(minutes=place // 3)
    lived = (timedelta(), timedelta(minutes=place % 11), timedelta(days=2, minutes=place))[place % 3]
    one = Incident.create(
        id=new_id(at), workspace_id=source.workspace_id, source_id=source.id, fingerprint=f"f1:{place}", number=60 - place,
        title=("Disk full", "CPU hot", "Übrig")[place % 4 % 3], severity=SEVERITIES[place % 4], last_severity="ERROR",
        state=STATES[place % 7], resource=f"host:db-{place % 5}", dedup_key=f"job-{place}", flapping=place % 9 == 0,
        tags=["prod", *(["rare"] if place % 20 == 1 else [])], assignee_id=person if place % 6 == 0 else None,
        first_seen_at=at, last_seen_at=at + lived, opened_at=at,
    )  # fmt: skip
    words.write([one])
    return one


def _event(source: Source, place: int, incident_id: UUID, **fields: Any) -> Event:
    at = NOW + timedelta(minutes=place // 3)
    disposition = DISPOSITIONS[place % 5]
    became = {} if disposition == "pending" else {"incident_id": incident_id}
    return store(**{
        "id": new_id(at), "received_at": at, "occurred_at": at - timedelta(minutes=place % 4), "disposition": disposition,
        "workspace_id": source.workspace_id, "source_id": source.id, "severity": SEVERITIES[place % 4],
        "title": ("Disk full", "CPU hot", "Übrig")[place % 4 % 3], "dedup_key": f"job-{place}", **became, **fields,
    })  # fmt: skip


def turned(name: str, workspace_ids: Sequence[UUID], query: str, limit: int = 5) -> list[list[UUID]]:
    """The ids on each page, to the last one."""
    args, after, found = lists.arguments(name, query), None, []
    while not found or after is not None:
        way = {"descending": args["order"] == "desc", "limit": limit}
        page = MODULES[name].turn(workspace_ids, args, after=after, **way)
        found.append([row.id for row in page.rows])
        after = page.following
    return found


def sorted_whole(name: str, workspace_ids: Sequence[UUID], query: str) -> list[UUID]:
    args, module = lists.arguments(name, query), MODULES[name]
    id = Incident.id if name == "incidents" else Event.id
    rows, _ = numbered(
        module.all_of(workspace_ids, args), columns=module.SORTS[args["sort"]], id=id,
        descending=args["order"] == "desc", offset=0, limit=200,
    )  # fmt: skip
    return [row.id for row in rows]


@pytest.mark.parametrize("dear", [-1, 1e9], ids=["walked", "gathered"])
@pytest.mark.parametrize(("name", "sort"), [(name, sort) for name, module in MODULES.items() for sort in module.SORTS])
def test_every_filter_in_every_order_shows_each_row_once_and_in_its_place(
    cast: Cast, names: dict[str, str], monkeypatch: pytest.MonkeyPatch, name: str, sort: str, dear: float
) -> None:
    monkeypatch.setattr(turning, "DEAR", dear)
    for limit, value in LITTLE.items():
        monkeypatch.setattr(turning, limit, value)
    here = [cast.workspace.id, cast.foreign.id]

    for query in ("", *BOTH, *(INCIDENTS if name == "incidents" else EVENTS)):
        for order in ("asc", "desc"):
            asked = "&".join(filter(None, [query.format(**names), f"sort={sort}&order={order}"]))
            pages = turned(name, here, asked)

            assert [id for page in pages for id in page] == sorted_whole(name, here, asked), asked
            assert all(len(page) <= 5 for page in pages)


def test_a_page_ends_when_enough_was_looked_at_and_the_next_goes_on(
    cast: Cast, names: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Incident.update(title="Zzz").where(Incident.flapping).execute()
    monkeypatch.setattr(turning, "DEAR", -1)
    monkeypatch.setattr(turning, "FIRST_LOOKED_AT", 3)
    monkeypatch.setattr(turning, "LEAST_LOOKED_AT", 3)
    monkeypatch.setattr(turning, "LOOKED_AT", 10)

    pages = turned("incidents", [cast.workspace.id], "flapping=true&sort=title&order=asc")

    assert [len(page) for page in pages] == [0, 0, 5, 2, 0]


def test_few_that_lie_far_off_are_gathered(cast: Cast, names: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    Incident.update(title="Zzz").where(Incident.flapping).execute()
    for limit, value in LITTLE.items():
        monkeypatch.setattr(turning, limit, value)

    first, *_ = turned("incidents", [cast.workspace.id], "flapping=true&sort=title&order=asc")

    assert len(first) == 5


@pytest.mark.parametrize("sort", ["received", "occurred", "severity", "disposition"])
@pytest.mark.parametrize("order", ["asc", "desc"])
def test_events_are_walked_where_the_other_filters_leave_any(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, sort: str, order: str
) -> None:
    quiet = make_source(cast.workspace, "Quiet")[0]
    for place in range(40):
        at = NOW + timedelta(days=place * 10)
        about: dict[str, Any] = {"id": new_id(at), "received_at": at, "occurred_at": at, "severity": "ERROR"}
        _event(quiet if 18 <= place < 22 else cast.source, 0, new_id(), disposition="logged", **about)
    monkeypatch.setattr(turning, "DEAR", -1)
    for limit, value in LITTLE.items():
        monkeypatch.setattr(turning, limit, value)

    asked = f"sourceId={ids.encode('src', quiet.id)}&minSeverity=ERROR&sort={sort}&order={order}"
    first, *_ = turned("events", [cast.workspace.id], asked, limit=4)

    assert len(first) == 4
