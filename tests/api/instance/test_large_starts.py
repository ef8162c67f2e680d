"""The first page of a person with many workspaces, whose quiet hours are the costliest that are allowed (specification 11.9)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

from inbox.api.workspaces.workspaces import presented
from inbox.database.base import new_id
from inbox.domain.values.windows import DAYS
from inbox.domain.workspaces.roles import Role
from inbox.models.people.members import Member
from inbox.models.workspaces.tables import Workspace
from inbox.services.incidents.counts import counts
from inbox.services.workspaces import members
from tests.browser import Browser
from tests.cast import Cast, make_source, present
from tests.database.call_counts import steps_of
from tests.stand_ins.outgoing_posts import make_incident

Browsers = Callable[[str], Browser]


def costly() -> dict[str, Any]:
    """Quiet hours of all but one minute of the week, with a holiday on each Sunday: they last a year."""
    days, today = list(DAYS), datetime.now(UTC).date()
    sunday = today + timedelta(days=6 - today.weekday())
    windows = [
        {"days": days[:6], "start": "00:00", "end": "00:00"},
        {"days": days[6:], "start": "00:00", "end": "23:59"},
        *({"days": days, "start": f"{hour:02}:00", "end": f"{hour:02}:30"} for hour in range(18)),
    ]
    holidays = [(sunday + timedelta(weeks=week)).isoformat() for week in range(56)]
    return {"quietHours": {"enabled": True, "windows": windows, "holidays": holidays}}


def make_workspaces(cast: Cast, count: int) -> list[Workspace]:
    rows = [
        Workspace(id=new_id(), name="Team", slug=str(new_id()), settings=costly(), created_at=present())
        for _ in range(count)
    ]
    Workspace.bulk_create(rows)
    Member.bulk_create(
        [Member(id=new_id(), workspace=row, user=cast.users["vic"], role="owner", joined_at=present()) for row in rows]
    )
    return rows


def test_the_start_of_an_owner_of_the_most_workspaces_is_answered(browser: Browsers, cast: Cast) -> None:
    make_workspaces(cast, members.MAX_OWNED)

    start, listed = browser("vic").get("/v1/start"), browser("vic").get("/v1/workspaces?limit=200")

    assert (start.status_code, listed.status_code) == (200, 200)
    found = [each for each in start.json["workspaces"] if each["name"] == "Team"]
    assert len(found) == members.MAX_OWNED
    assert found[0]["quiet"]["now"] is True
    until = date.fromisoformat(found[0]["quiet"]["until"][:10])
    assert until - present().date() == timedelta(days=366)


def test_the_work_for_a_workspace_is_small(cast: Cast) -> None:
    rows = make_workspaces(cast, 2)

    assert steps_of(lambda: presented(rows, {row.id: Role.OWNER for row in rows})) < 200_000


def test_counts_by_workspace_look_at_each_group_once(cast: Cast) -> None:
    rows = make_workspaces(cast, 120)
    ids: list[UUID] = [row.id for row in rows]
    for row in rows:
        cast.workspace, (cast.source, _) = row, make_source(row, "Prometheus")
        make_incident(cast)
    few = steps_of(lambda: counts(ids[:30], {}, person=cast.users["vic"].id))

    found = counts(ids, {}, person=cast.users["vic"].id)

    assert [each["unresolved"] for each in found["by_workspace"]] == [1] * 120
    assert steps_of(lambda: counts(ids, {}, person=cast.users["vic"].id)) < 6 * few
