"""Lists and previews of silences over HTTP, their audit entries and readers."""

from __future__ import annotations

from datetime import timedelta

import pytest

from inbox.database.base import new_id
from inbox.models.incidents.tables import Incident
from inbox.models.records.audit import AuditEntry
from inbox.models.routing.silences import Silence
from inbox.services.routing import silence_previews
from tests.api.routing.silences_steps import (
    NIGHTLY,
    Browsers,
    ahead,
    path,
    required,
    workspace,  # noqa: F401
)
from tests.cast import Cast, make_source, present, typeid
from tests.flow.routing_fixtures import incident, routed
from tests.silences import ANYTHING, HOUR, make_silence


def test_the_list_is_narrowed_by_state(browser: Browsers, cast: Cast, workspace: str) -> None:
    now, daily = present(), {**NIGHTLY, "timezone": "UTC"}
    many_days = {"ends_at": now + timedelta(days=9)}
    made = {
        "pending": [
            make_silence(cast.workspace, start=now + HOUR),
            make_silence(cast.workspace, start=now - 3 * HOUR, recurrence=daily, **many_days),
        ],
        "active": [
            make_silence(cast.workspace),
            make_silence(cast.workspace, start=now - HOUR / 2, recurrence=daily, **many_days),
        ],
        "expired": [
            make_silence(cast.workspace, start=now - 2 * HOUR),
            make_silence(
                cast.workspace, start=now - 3 * HOUR, recurrence={**daily, "rrule": "FREQ=DAILY;COUNT=1"}, **many_days
            ),
        ],
    }
    make_silence(cast.workspace, deleted_at=now)
    make_silence(cast.foreign)

    for name, expected in made.items():
        page = browser("vic").get(f"/v1/silences?workspaceId={workspace}&state={name}").json["items"]
        assert {each["id"] for each in page} == {typeid("sil", each.id) for each in expected}
        assert {each["state"] for each in page} == {name}
    assert len(browser("vic").get("/v1/silences").json["items"]) == 6
    assert browser("vic").get("/v1/silences?state=sleeping").status_code == 422


@pytest.mark.parametrize("sort", ["endsAt", "startsAt", "created"])
def test_the_list_is_sorted_and_paged(browser: Browsers, cast: Cast, sort: str) -> None:
    made = [typeid("sil", make_silence(cast.workspace, start=present() + n * HOUR).id) for n in range(3)]

    first = browser("vic").get(f"/v1/silences?sort={sort}&order=asc&limit=2").json
    rest = browser("vic").get(f"/v1/silences?sort={sort}&order=asc&limit=2&cursor={first['nextCursor']}").json

    assert [each["id"] for each in first["items"] + rest["items"]] == made


def test_a_silence_preview_names_matching_incidents_and_changes_none(
    browser: Browsers, cast: Cast, workspace: str
) -> None:
    now = present()
    disks = [incident(routed(cast.source, now + n * timedelta(milliseconds=5), key=f"d{n}").id) for n in range(3)]
    other = incident(routed(make_source(cast.workspace, "Cron")[0], now, key="c").id)
    routed(cast.source, now, key="n", title="Network down")
    Incident.update(state="resolved", resolved_at=now).where(Incident.id == disks[0].id).execute()
    order = {"workspaceId": workspace, "matchText": 'title contains "disk"'}

    everywhere = browser("mia").post("/v1/silences/preview", order).json
    here = browser("mia").post("/v1/silences/preview", {**order, "sourceIds": [typeid("src", cast.source.id)]}).json
    assert everywhere["text"] == (
        f"The silence would cover {everywhere['count']} unresolved"
        f" {'incident' if everywhere['count'] == 1 else 'incidents'} now."
    )

    assert (everywhere["count"], everywhere["complete"]) == (3, True)
    assert {each["id"] for each in everywhere["incidents"]} == {typeid("inc", one.id) for one in (*disks[1:], other)}
    assert [each["id"] for each in here["incidents"]] == [typeid("inc", one.id) for one in (disks[2], disks[1])]
    assert {each["state"] for each in everywhere["incidents"]} == {"open"}
    assert Silence.select().count() == 0


def test_a_silence_preview_counts_the_matching_events_of_the_last_seven_days(
    browser: Browsers, cast: Cast, workspace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = present()
    for days in (0, 1, 6, 8):
        routed(cast.source, now - timedelta(days=days, minutes=1), key="disk")
    routed(make_source(cast.workspace, "Cron")[0], now - HOUR, key="disk")
    routed(cast.source, now - HOUR, key="other")
    order = {"workspaceId": workspace, "matchText": 'dedupKey = "disk"'}

    everywhere = browser("mia").post("/v1/silences/preview", order).json
    here = browser("mia").post("/v1/silences/preview", {**order, "sourceIds": [typeid("src", cast.source.id)]}).json
    monkeypatch.setattr(silence_previews, "MAX_PREVIEWED", 2)
    some = browser("mia").post("/v1/silences/preview", order).json

    assert everywhere["recentEvents"] == {"count": 4, "complete": True}
    assert here["recentEvents"] == {"count": 3, "complete": True}
    assert some["recentEvents"] == {"count": 2, "complete": False}


def test_a_silence_preview_leaves_out_silenced_incidents(browser: Browsers, cast: Cast, workspace: str) -> None:
    existing = incident(routed(cast.source, present()).id)
    Incident.update(state="silenced", state_before_silence="open", silenced_by=new_id()).where(
        Incident.id == existing.id
    ).execute()

    found = browser("mia").post("/v1/silences/preview", {"workspaceId": workspace, "match": ANYTHING}).json

    assert (found["count"], found["incidents"]) == (0, [])


def test_a_preview_shows_the_first_of_many_and_says_where_it_stopped(
    browser: Browsers, cast: Cast, workspace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        routed(cast.source, present(), key=f"key-{number}")
    order = {"workspaceId": workspace, "match": ANYTHING}

    monkeypatch.setattr(silence_previews, "MAX_SHOWN", 2)
    monkeypatch.setattr(silence_previews, "MAX_PREVIEWED", 5)
    all_of_them = browser("mia").post("/v1/silences/preview", order).json
    monkeypatch.setattr(silence_previews, "MAX_PREVIEWED", 4)
    some = browser("mia").post("/v1/silences/preview", order).json

    assert (all_of_them["count"], all_of_them["complete"], len(all_of_them["incidents"])) == (5, True, 2)
    assert (some["count"], some["complete"]) == (4, False)


def test_a_preview_ends_when_it_takes_too_long(
    browser: Browsers, cast: Cast, workspace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    routed(cast.source, present())
    monkeypatch.setattr(silence_previews, "PREVIEW_SECONDS", -1.0)

    found = browser("mia").post("/v1/silences/preview", {"workspaceId": workspace, "match": ANYTHING}).json

    assert (found["count"], found["complete"]) == (0, False)


def test_the_audit_log_names_the_author_scope_and_reason_of_a_silence(
    browser: Browsers, cast: Cast, workspace: str
) -> None:
    where = f"/v1/silences/{browser('mia').post('/v1/silences', required(workspace)).json['id']}"
    browser("mia").patch(where, {"comment": "Longer than thought"})
    browser("mia").post(f"{where}/extend", {"endsAt": ahead(hours=3)})
    browser("mia").post(f"{where}/end")
    browser("mia").delete(where)

    entries = list(AuditEntry.select().order_by(AuditEntry.id))

    assert [entry.action for entry in entries] == [
        f"silence.{each}" for each in ("created", "changed", "extended", "ended", "deleted")
    ]
    assert entries[0].details["match"] == "any event"
    assert entries[1].details["changes"] == [
        {"field": "comment", "before": "Upgrade", "after": "Longer than thought"},
    ]


def test_a_stranger_finds_nothing_and_a_viewer_changes_nothing(browser: Browsers, cast: Cast) -> None:
    silence = make_silence(cast.workspace)

    assert browser("eve").get(path(silence)).status_code == 404
    assert browser("eve").post(f"{path(silence)}/end").status_code == 404
    assert browser("eve").get("/v1/silences").json["items"] == []
    for answer in (browser("vic").post(f"{path(silence)}/end"), browser("vic").delete(path(silence))):
        assert (answer.status_code, answer.json["requiredRole"]) == (403, "member")
