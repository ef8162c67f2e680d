"""Statistics over HTTP: buckets on the workspace's clock, times, the noisiest, notices, unmatched rules.

Specification 7.9.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from inbox.database.base import new_id
from inbox.models.routing.rules import Rule, RuleMatch
from inbox.models.workspaces.tables import Workspace
from tests.api.insight.statistics_steps import START, STATISTICS, Browsers, happened, read
from tests.cast import Cast, make_source, present, typeid
from tests.stand_ins.outgoing_posts import make_destination, owe


def test_incidents_are_counted_by_day_on_the_workspaces_clock(browser: Browsers, cast: Cast) -> None:
    Workspace.update(timezone="Europe/Berlin").where(Workspace.id == cast.workspace.id).execute()
    for number, (hours, severity) in enumerate(((23, "ERROR"), (45, "CRITICAL"), (47, "ERROR"), (70, "ERROR"))):
        happened(cast, START + timedelta(hours=hours), number, severity=severity)

    found = read(browser("vic"), workspaceId=typeid("wsp", cast.workspace.id))

    assert found["timezone"] == "Europe/Berlin"
    counted = {each["start"]: (each["incidents"], each["bySeverity"]["CRITICAL"]) for each in found["buckets"]}
    assert counted == {
        "2026-10-22T22:00:00.000Z": (0, 0),
        "2026-10-23T22:00:00.000Z": (2, 1),
        "2026-10-24T22:00:00.000Z": (2, 0),
        "2026-10-25T23:00:00.000Z": (0, 0),
        "2026-10-26T23:00:00.000Z": (0, 0),
        "2026-10-27T23:00:00.000Z": (0, 0),
    }


@pytest.mark.parametrize(("bucket", "buckets"), [("hour", 120), ("day", 5), ("week", 2)])
def test_buckets_without_incidents_are_included(browser: Browsers, cast: Cast, bucket: str, buckets: int) -> None:
    found = read(browser("vic"), bucket=bucket)

    assert (found["timezone"], len(found["buckets"])) == ("UTC", buckets)


def test_the_span_begins_with_since_and_ends_before_until(browser: Browsers, cast: Cast) -> None:
    end = START + timedelta(days=5)
    for number, at in enumerate((START - timedelta(milliseconds=1), START, end - timedelta(milliseconds=1), end)):
        happened(cast, at, number)

    assert sum(each["incidents"] for each in read(browser("vic"))["buckets"]) == 2


def test_times_have_a_mean_a_median_a_p90_and_how_many(browser: Browsers, cast: Cast) -> None:
    for number, minutes in enumerate((1, 2, 3, 4, 100)):
        at = START + timedelta(hours=number)
        done = at + timedelta(minutes=minutes)
        happened(cast, at, number, acknowledged_at=done, resolved_at=done if number == 0 else None)
    happened(cast, START, 9)

    found = read(browser("vic"))

    assert found["timeToAcknowledge"] == {
        "n": 5, "meanSeconds": 1320.0, "medianSeconds": 180.0, "p90Seconds": pytest.approx(3696.0),
    }  # fmt: skip
    assert found["timeToResolve"]["n"] == 1


def test_the_median_of_no_incidents_is_null(browser: Browsers, cast: Cast) -> None:
    assert read(browser("vic"))["timeToResolve"] == {
        "n": 0, "meanSeconds": None, "medianSeconds": None, "p90Seconds": None,
    }  # fmt: skip


def test_the_ten_noisiest_sources_come_first(browser: Browsers, cast: Cast) -> None:
    cron, _ = make_source(cast.workspace, "Cron")
    for number in range(12):
        happened(cast, START + timedelta(hours=number), number, event_count=number + 1)
    happened(cast, START, 20, source_id=cron.id, event_count=500, title="Job failed")
    newest = happened(cast, START + timedelta(hours=1), 21, source_id=cron.id, fingerprint="f1:20", title="Job late",
                      state="resolved")  # fmt: skip

    found = read(browser("vic"))

    assert [(each["name"], each["incidents"], each["events"]) for each in found["noisiestSources"]] == [
        ("Cron", 2, 501),
        ("Prometheus", 12, 78),
    ]
    first, *others = found["noisiestFingerprints"]
    assert (first["fingerprint"], first["incidents"], first["events"]) == ("f1:20", 2, 501)
    assert (first["incidentId"], first["title"]) == (typeid("inc", newest.id), "Job late")
    assert [each["events"] for each in others] == [12, 11, 10, 9, 8, 7, 6, 5, 4]


def test_deliveries_are_counted_for_each_destination(browser: Browsers, cast: Cast) -> None:
    incident, pager = happened(cast, START, 1), make_destination(cast.workspace, "http://127.0.0.1:9/", name="Pager")
    for seq, status in enumerate(("sent", "sent", "failed", "held"), 1):
        owe(pager, incident, seq, status=status, created_at=START + timedelta(hours=seq))
    owe(pager, incident, 9, status="sent", created_at=START - timedelta(hours=1))

    assert read(browser("vic"))["destinations"] == [
        {
            "destinationId": typeid("dst", pager.id),
            "name": "Pager",
            "notices": 4,
            "sent": 2,
            "failed": 1,
            "held": 1,
            "skipped": 0,
            "expired": 0,
            "gathered": 0,
            "pending": 0,
        }
    ]


def test_rules_that_never_matched_are_named_once_they_are_a_week_old(browser: Browsers, cast: Cast) -> None:
    def rule(name: str, days: int, **more: Any) -> Rule:
        at = present() - timedelta(days=days)
        made: Rule = Rule.create(
            id=new_id(at), workspace_id=cast.workspace.id, name=name, position=1, match={"all": []}, actions={},
            created_at=at, **more,
        )  # fmt: skip
        return made

    rule("idle", 8), rule("young", 6), rule("deleted", 9, deleted_at=present())
    busy = rule("busy", 9)
    RuleMatch.create(workspace_id=cast.workspace.id, rule_id=busy.id, hour=present(), events=1, last_at=present())

    assert [each["name"] for each in read(browser("vic"))["unmatchedRules"]] == ["idle"]


@pytest.mark.parametrize(
    ("since", "until", "status"),
    [
        ("2025-10-01T00:00:00Z", "2026-10-02T00:00:00Z", 200),
        ("2025-10-01T00:00:00Z", "2026-10-02T00:00:01Z", 422),
        ("2026-10-01T00:00:00Z", "2026-10-01T00:00:00Z", 422),
        ("2026-10-01T00:00:01Z", "2026-10-01T00:00:00Z", 422),
        ("yesterday", "2026-10-01T00:00:00Z", 422),
    ],
)
def test_a_span_has_at_most_366_days(browser: Browsers, cast: Cast, since: str, until: str, status: int) -> None:
    assert browser("vic").get(f"{STATISTICS}?since={since}&until={until}&bucket=week").status_code == status


def test_statistics_include_only_incidents_of_the_callers_workspaces(browser: Browsers, cast: Cast) -> None:
    happened(cast, START + timedelta(hours=1), 1, event_count=7)

    for workspace in (cast.workspace.id, uuid4()):
        found = read(browser("eve"), workspaceId=typeid("wsp", workspace))

        assert sum(each["incidents"] for each in found["buckets"]) == 0
        assert found["noisiestSources"] == found["noisiestFingerprints"] == []


def test_statistics_default_to_the_last_seven_days(browser: Browsers, cast: Cast) -> None:
    happened(cast, present() - timedelta(minutes=1), 1)

    found = browser("vic").get(STATISTICS).get_json()

    assert (sum(each["incidents"] for each in found["buckets"]), found["bucket"]) == (1, "day")
    assert browser("vic").get(f"{STATISTICS}?bucket=year").status_code == 422


@pytest.mark.parametrize("bucket", ["hour", "day", "week"])
@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Tokyo"])
@pytest.mark.parametrize(
    ("since", "until", "wrong"),
    [
        ("0001-01-01T00:00:00Z", "0001-01-02T00:00:00Z", ["/query/since", "/query/until"]),
        ("9999-12-31T00:00:00Z", "9999-12-31T23:59:59Z", ["/query/since", "/query/until"]),
        ("1969-12-31T23:59:59Z", "1970-01-02T00:00:00Z", ["/query/since"]),
        ("1970-01-01T00:00:00Z", "1970-01-02T00:00:00Z", []),
        ("2999-12-31T00:00:00Z", "3000-01-01T00:00:00Z", []),
        ("2999-12-31T00:00:00Z", "3000-01-01T00:00:01Z", ["/query/until"]),
    ],
)
def test_a_span_lies_in_years_that_calendars_can_reckon(
    browser: Browsers, cast: Cast, since: str, until: str, wrong: list[str], zone: str, bucket: str
) -> None:
    Workspace.update(timezone=zone).where(Workspace.id == cast.workspace.id).execute()
    here = typeid("wsp", cast.workspace.id)

    answer = browser("vic").get(f"{STATISTICS}?workspaceId={here}&since={since}&until={until}&bucket={bucket}")

    assert answer.status_code == (422 if wrong else 200)
    assert [error["pointer"] for error in answer.json.get("errors", [])] == wrong
