"""The numbers of working keys and open incidents of a source (specification 5.1)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from uuid import UUID

import pytest

from inbox.database.base import new_id
from inbox.flow.upkeep.purge import purge
from inbox.models.incidents.tables import Incident
from inbox.models.senders import source_summary, source_warnings
from inbox.models.senders.source_warnings import SourceWarning, SourceWarningHour, WarningCount
from inbox.models.senders.sources import SourceKey
from tests.browser import Browser
from tests.cast import Cast, join, make_key, make_source, present, typeid
from tests.stand_ins.outgoing_posts import make_incident

Browsers = Callable[[str], Browser]


@pytest.fixture
def path(cast: Cast) -> str:
    return f"/v1/sources/{typeid('src', cast.source.id)}"


def test_keys_are_counted_by_whether_they_end(browser: Browsers, cast: Cast, path: str) -> None:
    oldest = present() - timedelta(days=400)
    SourceKey.update(created_at=oldest).where(SourceKey.source == cast.source.id).execute()
    for more in (
        {"grace_ends_at": present() + timedelta(hours=1)},
        {"grace_ends_at": present() - timedelta(hours=1)},
        {"revoked_at": present()},
        {"revoked_at": present(), "grace_ends_at": present() + timedelta(hours=1)},
    ):
        make_key(cast.source, **more)

    keys = browser("adam").get(path).json["keys"]

    assert (keys["active"], keys["ending"]) == (1, 1)
    assert keys["oldestCreatedAt"].startswith(f"{oldest:%Y-%m-%dT%H:%M:%S}")


def test_a_key_that_works_no_more_is_not_the_oldest(browser: Browsers, cast: Cast, path: str) -> None:
    SourceKey.update(revoked_at=present()).where(SourceKey.source == cast.source.id).execute()

    assert browser("adam").get(path).json["keys"] == {"active": 0, "ending": 0, "oldestCreatedAt": None}


@pytest.mark.parametrize("who", ["vic", "mia"])
def test_only_administrators_see_the_number_of_keys(browser: Browsers, path: str, who: str) -> None:
    assert browser(who).get(path).json["keys"] is None
    assert [row["keys"] for row in browser(who).get("/v1/sources").json["items"]] == [None]


def test_the_role_in_each_workspace_decides_whose_keys_are_counted(browser: Browsers, cast: Cast) -> None:
    join(cast.foreign, cast.users["adam"], "member")

    rows = browser("adam").get("/v1/sources").json["items"]

    assert {row["name"]: row["keys"] is None for row in rows} == {"Prometheus": False, "Cron": True}


def test_only_open_incidents_of_the_source_are_counted(browser: Browsers, cast: Cast, path: str) -> None:
    other, _ = make_source(cast.workspace, "Other")
    states = ("open", "open", "acknowledged", "snoozed", "silenced", "resolved")
    for state in states:
        more = {"resolved_at": present(), "resolved_by": {"type": "user"}} if state == "resolved" else {}
        incident = make_incident(cast)
        Incident.update(state=state, **more).where(Incident.id == incident.id).execute()

    rows = {row["id"]: row["openIncidents"] for row in browser("vic").get("/v1/sources").json["items"]}

    assert rows == {typeid("src", cast.source.id): 2, typeid("src", other.id): 0}
    assert browser("vic").get(path).json["openIncidents"] == 2


def test_the_count_of_open_incidents_stops_at_its_limit(cast: Cast) -> None:
    now = present()
    rows = [
        {
            "id": new_id(), "workspace_id": cast.workspace.id, "number": number, "source_id": cast.source.id,
            "fingerprint": f"f1:{number}", "title": "Disk full", "severity": "ERROR", "last_severity": "ERROR",
            "state": "open", "first_seen_at": now, "last_seen_at": now, "opened_at": now,
        }
        for number in range(1, source_summary.MAX_OPEN + 3)
    ]  # fmt: skip
    Incident.insert_many(rows).execute()

    assert source_summary.open_incidents([cast.source.id]) == {cast.source.id: source_summary.MAX_OPEN}


def warned(source_id: UUID, at: datetime, number: int, code: str = "field_unknown") -> WarningCount:
    return WarningCount(source_id, code, number, at, "/x", "unknown field, not stored")


def test_the_warnings_of_the_last_24_hours_are_counted_over_all_codes(browser: Browsers, cast: Cast, path: str) -> None:
    now = present()
    source_warnings.add([warned(cast.source.id, now, 3), warned(cast.source.id, now, 2, "severity_unknown")])
    source_warnings.add([warned(cast.source.id, now - timedelta(hours=22), 4)])
    source_warnings.add([warned(cast.source.id, now - timedelta(hours=25), 100)])
    source_warnings.add([warned(cast.foreign_source.id, now, 50)])

    read = browser("vic").get(path).json

    assert read["warningsLast24h"] == 9
    assert sum(each["count"] for each in read["warnings"]) == 109


def test_counts_of_warnings_by_the_hour_are_removed_after_two_days(cast: Cast) -> None:
    now = present()
    for days in (0, 3):
        source_warnings.add([warned(cast.source.id, now - timedelta(days=days), 1)])

    purge(now)

    assert [row.count for row in SourceWarningHour.select()] == [1]
    assert [row.count for row in SourceWarning.select()] == [2]
