"""Incidents over HTTP: read, act, edit, note, and permissions (specification 7.3)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from inbox.domain.values import times
from inbox.models.deliveries.tables import Notice
from inbox.models.incidents.tables import Incident, TimelineEntry, Timer
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.flow.routing_fixtures import incident, listen, reasons, routed, timeline

Browsers = Callable[[str], Browser]
ACTS = ("acknowledge", "unacknowledge", "snooze", "unsnooze", "resolve", "reopen")


@pytest.fixture
def existing(cast: Cast) -> Incident:
    """An open incident of a minute ago."""
    listen(cast.workspace)
    return incident(routed(cast.source, present() - timedelta(minutes=1), resource="host:db1", tags=["db"]).id)


def path(existing: Incident, act: str = "") -> str:
    return f"/v1/incidents/{typeid('inc', existing.id)}{act and '/'}{act}"


def soon(**after: int) -> str:
    return times.rfc3339(present() + timedelta(**(after or {"hours": 1})))


def body_of(act: str) -> dict[str, Any] | None:
    return {"until": soon()} if act == "snooze" else {"text": "hm"} if act == "notes" else None


def test_an_incident_is_shown_whole(browser: Browsers, cast: Cast, existing: Incident) -> None:
    answer = browser("vic").get(path(existing))

    assert answer.headers["ETag"].startswith('"1.')
    assert answer.get_json() == {
        "id": typeid("inc", existing.id),
        "number": 1,
        "workspaceId": typeid("wsp", cast.workspace.id),
        "sourceId": typeid("src", cast.source.id),
        "sourceName": "Prometheus",
        "title": "Disk full",
        "severity": "ERROR",
        "lastSeverity": "ERROR",
        "state": "open",
        "flapping": False,
        "notifiedNobody": False,
        "undelivered": None,
        "resource": "host:db1",
        "type": None,
        "tags": ["db"],
        "dedupKey": "disk",
        "fingerprint": existing.fingerprint,
        **dict.fromkeys(("ruleId", "rule", "routingProfileId", "routingProfile", "assigneeId", "assignee"), None),
        "eventCount": 1,
        "reopenCount": 0,
        "alertCount": 1,
        "firingCount": 1,
        "alertsLeftOut": 0,
        "firstSeenAt": times.rfc3339(existing.first_seen_at),
        "lastSeenAt": times.rfc3339(existing.last_seen_at),
        "openedAt": times.rfc3339(existing.opened_at),
        **dict.fromkeys(("acknowledgedAt", "acknowledgedBy", "snoozedUntil"), None),
        **dict.fromkeys(("silencedBy", "silence", "resolvedAt", "resolvedBy"), None),
        "lastEvent": answer.get_json()["lastEvent"],
        "relatedIncidentId": None,
        "url": f"http://127.0.0.1:8080/w/acme/incidents/{typeid('inc', existing.id)}",
        "rev": 1,
    }


def test_a_member_acknowledges_unacknowledges_snoozes_and_resolves_an_incident(
    browser: Browsers, cast: Cast, existing: Incident
) -> None:
    mia, until = browser("mia"), soon()

    taken = mia.post(path(existing, "acknowledge")).get_json()
    assert (taken["state"], taken["acknowledgedBy"]) == (
        "acknowledged",
        {"type": "user", "id": typeid("usr", cast.users["mia"].id), "name": "Mia"},
    )
    assert mia.post(path(existing, "unacknowledge")).get_json()["state"] == "open"
    snoozed = mia.post(path(existing, "snooze"), {"until": until}).get_json()
    assert (snoozed["state"], snoozed["snoozedUntil"]) == ("snoozed", until)
    assert Timer.get().subject_id == existing.id
    assert mia.post(path(existing, "unsnooze")).get_json()["state"] == "open"
    over = mia.post(path(existing, "resolve"))
    assert over.headers["ETag"] == '"6"'
    assert over.get_json()["resolvedBy"] == {"type": "user", "id": typeid("usr", cast.users["mia"].id), "name": "Mia"}
    repeated = mia.post(path(existing, "reopen")).get_json()
    assert (repeated["state"], repeated["reopenCount"], repeated["resolvedBy"]) == ("open", 1, None)

    assert reasons(existing.id) == ["opened", "acknowledged", "renotify", "snoozed", "updated", "resolved", "reopened"]
    assert timeline(existing.id)[1:] == [
        "acknowledged",
        "unacknowledged",
        "snoozed",
        "unsnoozed",
        "resolved",
        "reopened",
    ]
    assert {e.actor["name"] for e in TimelineEntry.select().where(TimelineEntry.kind != "opened")} == {"Mia"}


def test_a_repeated_act_has_the_same_answer_and_notifies_nobody(browser: Browsers, existing: Incident) -> None:
    mia = browser("mia")
    first, second = mia.post(path(existing, "resolve")), mia.post(path(existing, "resolve"))

    assert first.status_code == second.status_code == 200
    assert first.get_json() == second.get_json()
    assert reasons(existing.id) == ["opened", "resolved"]


def test_an_impossible_act_names_the_state(browser: Browsers, existing: Incident) -> None:
    browser("mia").post(path(existing, "resolve"))

    refused = browser("mia").post(path(existing, "acknowledge"))

    assert (refused.status_code, refused.get_json()["code"]) == (409, "invalid_transition")
    assert refused.get_json()["state"] == "resolved"
    assert refused.get_json()["detail"] == "A resolved incident cannot be acknowledged; reopen it first."


def test_the_refusal_to_acknowledge_a_silenced_incident_says_what_to_do(browser: Browsers, existing: Incident) -> None:
    Incident.update(state="silenced").where(Incident.id == existing.id).execute()

    refused = browser("mia").post(path(existing, "acknowledge"))

    stated = "A silenced incident cannot be acknowledged; end its silence first, or resolve it."
    assert (refused.status_code, refused.get_json()["detail"]) == (409, stated)


def test_reopening_beside_a_newer_one_is_a_conflict(browser: Browsers, cast: Cast, existing: Incident) -> None:
    browser("mia").post(path(existing, "resolve"))
    routed(cast.source, present() + timedelta(hours=2))

    refused = browser("mia").post(path(existing, "reopen"))

    assert (refused.status_code, refused.get_json()["code"]) == (409, "conflict")


@pytest.mark.parametrize("until", ["past", "beyond", "tomorrow", None, 5])
def test_a_snooze_ends_within_30_days(browser: Browsers, existing: Incident, until: Any) -> None:
    moments = {"past": soon(seconds=-1), "beyond": soon(days=30, minutes=1)}

    refused = browser("mia").post(path(existing, "snooze"), {"until": moments.get(until, until)})

    assert refused.status_code == 422
    assert refused.get_json()["errors"][0]["pointer"] == "/until"
    assert browser("mia").post(path(existing, "snooze"), {"until": soon(days=29)}).status_code == 200


@pytest.mark.parametrize("act", [*ACTS, "notes"])
def test_a_viewer_may_not_act(browser: Browsers, existing: Incident, act: str) -> None:
    refused = browser("vic").post(path(existing, act), body_of(act))

    assert (refused.status_code, refused.get_json()["requiredRole"]) == (403, "member")
    assert Incident.get_by_id(existing.id).__data__ == existing.__data__


def test_a_viewer_may_not_edit(browser: Browsers, existing: Incident) -> None:
    refused = browser("vic").patch(path(existing), {"title": "Mine"})

    assert (refused.status_code, refused.get_json()["requiredRole"]) == (403, "member")


@pytest.mark.parametrize("act", [*ACTS, "notes"])
def test_a_person_of_another_workspace_cannot_act_on_an_incident(
    browser: Browsers, existing: Incident, act: str
) -> None:
    unknown = f"/v1/incidents/{typeid('inc', uuid4())}/{act}"
    eve = browser("eve")

    foreign_one, nobodys = eve.post(path(existing, act), body_of(act)), eve.post(unknown, body_of(act))

    assert foreign_one.status_code == nobodys.status_code == 404
    assert {**foreign_one.get_json(), "requestId": ""} == {**nobodys.get_json(), "requestId": ""}
    assert Incident.get_by_id(existing.id).__data__ == existing.__data__
    assert Notice.select().count() == 1


@pytest.mark.parametrize("under", ["", "alerts", "timeline", "events", "deliveries", "explain"])
def test_a_stranger_reads_nothing(browser: Browsers, existing: Incident, under: str) -> None:
    assert browser("eve").get(path(existing, under)).status_code == 404
    assert browser("eve").patch(path(existing), {"title": "Mine"}).status_code == 404
    assert browser("vic").get(path(existing, under)).status_code == 200


def test_incidents_require_a_session(anonymous: Browser, existing: Incident) -> None:
    for under in ("", "alerts", "timeline", "events", "deliveries", "explain"):
        assert anonymous.get(path(existing, under)).status_code == 401
    for act in ACTS:
        assert anonymous.post(path(existing, act), body_of(act)).status_code == 401


@pytest.mark.parametrize("wrong", ["inc_nonsense", "evt_01900000000000000000000000", "INC_01900000000000000000000000"])
def test_a_malformed_incident_id_is_not_found(browser: Browsers, existing: Incident, wrong: str) -> None:
    assert browser("mia").get(f"/v1/incidents/{wrong}").status_code == 404


def test_an_edit_of_an_incident_changes_only_the_named_fields(
    browser: Browsers, cast: Cast, existing: Incident
) -> None:
    adam = typeid("usr", cast.users["adam"].id)
    edited = browser("mia").patch(
        path(existing), {"title": " Disk of db1 ", "severity": "crit", "assigneeId": adam, "tags": ["db", "prod"]}
    )

    assert (edited.status_code, edited.headers["ETag"]) == (200, '"2"')
    shown = edited.get_json()
    assert (shown["title"], shown["severity"], shown["assigneeId"]) == ("Disk of db1", "CRITICAL", adam)
    assert (shown["tags"], shown["lastSeverity"]) == (["db", "prod"], "ERROR")
    assert browser("mia").patch(path(existing), {"assigneeId": None}).get_json()["assigneeId"] is None
    assert reasons(existing.id) == ["opened", "escalated", "updated"]


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"title": " "}, "/title"),
        ({"title": "x" * 257}, "/title"),
        ({"title": "a\nb"}, "/title"),
        ({"severity": "LOUD"}, "/severity"),
        ({"tags": ["x"] * 21}, "/tags"),
        ({"tags": ["x" * 65]}, "/tags/0"),
        ({"assigneeId": "usr_01900000000000000000000000"}, "/assigneeId"),
        ({"assigneeId": "eve"}, "/assigneeId"),
        ({"state": "resolved"}, "/state"),
    ],
)
def test_a_bad_edit_is_refused_by_field(
    browser: Browsers, cast: Cast, existing: Incident, fields: dict[str, Any], pointer: str
) -> None:
    if fields == {"assigneeId": "eve"}:
        fields = {"assigneeId": typeid("usr", cast.users["eve"].id)}

    refused = browser("mia").patch(path(existing), fields)

    assert (refused.status_code, refused.get_json()["errors"][0]["pointer"]) == (422, pointer)
    assert Incident.get_by_id(existing.id).__data__ == existing.__data__


def test_an_edit_of_an_outdated_revision_is_refused(browser: Browsers, existing: Incident) -> None:
    mia = browser("mia")
    assert mia.patch(path(existing), {"title": "One"}, headers={"If-Match": '"1"'}).status_code == 200

    refused = mia.patch(path(existing), {"title": "Two"}, headers={"If-Match": '"1"'})

    assert (refused.status_code, refused.get_json()["code"]) == (412, "rev_mismatch")


def test_a_resolved_incident_keeps_its_title_and_may_change_its_tags(browser: Browsers, existing: Incident) -> None:
    mia = browser("mia")
    mia.post(path(existing, "resolve"))

    assert mia.patch(path(existing), {"title": "Two"}).get_json()["code"] == "invalid_transition"
    assert mia.patch(path(existing), {"tags": ["postmortem"]}).get_json()["tags"] == ["postmortem"]


def test_a_note_is_added_with_our_keys_redacted(browser: Browsers, cast: Cast, existing: Incident) -> None:
    added = browser("mia").post(path(existing, "notes"), {"text": f"the key was {cast.key}\nreplaced"})

    assert (added.status_code, added.headers["Location"]) == (201, path(existing, "timeline"))
    shown = added.get_json()
    assert (shown["kind"], shown["actor"]["name"], shown["eventId"]) == ("note", "Mia", None)
    assert shown["details"] == {"text": "the key was svc_[REDACTED]\nreplaced"}
    assert browser("vic").get(path(existing, "timeline")).get_json()["items"][0] == shown


@pytest.mark.parametrize("text", ["", "  ", "x" * 10_001, 5, None])
def test_a_note_has_a_text(browser: Browsers, existing: Incident, text: Any) -> None:
    refused = browser("mia").post(path(existing, "notes"), {"text": text})

    assert (refused.status_code, refused.get_json()["errors"][0]["pointer"]) == (422, "/text")
