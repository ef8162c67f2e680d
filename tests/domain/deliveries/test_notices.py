"""The payload and the recipients of a notice."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from inbox.domain.deliveries.notices import (
    UPDATES,
    Cause,
    NoticeFields,
    RecipientState,
    body_bytes,
    body_text,
    decide,
    payload,
    payload_of_test,
)
from inbox.domain.incidents.incident import Actor, Escalation
from inbox.domain.incidents.state_machine import Reason
from inbox.domain.values.severity import Severity

NOW = datetime(2026, 3, 1, 12, 0, 0, 123_456, tzinfo=UTC)
FACTS = NoticeFields(
    title="Disk full",
    severity=Severity.CRITICAL,
    state="open",
    source_name="backup",
    resource="host:db1",
    workspace_name="Ops",
    incident_id="inc_01h455vb4pex5vsknk084sn02q",
    first_seen_at=NOW,
    url="https://inbox.example/w/ops/incidents/inc_01h455vb4pex5vsknk084sn02q",
)
DATA = {
    "v": 1,
    "title": "Disk full",
    "severity": "CRITICAL",
    "state": "open",
    "sourceName": "backup",
    "resource": "host:db1",
    "workspaceName": "Ops",
    "incidentId": "inc_01h455vb4pex5vsknk084sn02q",
    "firstSeenAt": "2026-03-01T12:00:00.123Z",
    "url": "https://inbox.example/w/ops/incidents/inc_01h455vb4pex5vsknk084sn02q",
}
ALARMS = sorted(set(Reason) - UPDATES)


@pytest.mark.parametrize("reason", list(Reason))
def test_the_body_equals_the_example_of_the_specification(reason: Reason) -> None:
    assert payload(reason, FACTS, NOW) == {
        "type": f"incident.{reason}",
        "timestamp": "2026-03-01T12:00:00.123Z",
        "data": {**DATA, "reason": str(reason)},
    }


def test_an_absent_field_of_a_notice_is_an_empty_string() -> None:
    data = payload(Reason.INFORMATIONAL, replace(FACTS, resource="", incident_id="", event_id="evt_1"), NOW)["data"]
    assert (data["resource"], data["incidentId"], data["eventId"]) == ("", "", "evt_1")


def test_an_escalation_names_the_old_and_the_new_severity() -> None:
    facts = replace(FACTS, escalation=Escalation("severity", Severity.ERROR, Severity.CRITICAL))
    body = json.loads(body_bytes(payload(Reason.ESCALATED, facts, NOW)))
    assert body["data"]["escalation"] == {"kind": "severity", "from": "ERROR", "to": "CRITICAL"}


def test_a_resolution_names_its_author_and_a_snooze_its_end() -> None:
    facts = replace(
        FACTS, resolved_by=Actor("user", "usr_1", "Mia"), by=Actor("user", "usr_1", "Mia"), snoozed_until=NOW
    )
    data = payload(Reason.RESOLVED, facts, NOW)["data"]

    assert data["resolvedBy"] == data["actor"] == {"type": "user", "id": "usr_1", "name": "Mia"}
    assert data["snoozedUntil"] == "2026-03-01T12:00:00.123Z"


def test_a_test_notice_has_every_field_and_no_incident() -> None:
    body = payload_of_test("Ops", "https://inbox.example/w/ops/destinations", NOW)

    assert body["type"] == "test"
    assert set(body["data"]) == {*DATA, "reason"}
    assert (body["data"]["incidentId"], body["data"]["reason"]) == ("", "test")


def test_the_bytes_are_compact_utf_8_and_the_same_each_time() -> None:
    body = payload(Reason.OPENED, replace(FACTS, title='Größe "40 €" \u2028 😀\n'), NOW)
    sent = body_bytes(body)

    assert sent == body_bytes(json.loads(sent)) == body_text(body).encode()
    assert b'"title":"Gr\xc3\xb6\xc3\x9fe \\"40 \xe2\x82\xac\\"' in sent
    assert json.loads(sent) == body


@pytest.mark.parametrize("reason", list(Reason))
def test_a_disabled_destination_is_sent_nothing(reason: Reason) -> None:
    assert (
        decide(RecipientState(enabled=False, stopped=True, notified_before=True), reason, Severity.CRITICAL)
        is Cause.DISABLED
    )


@pytest.mark.parametrize("reason", list(Reason))
def test_a_notice_for_a_stopped_destination_is_held(reason: Reason) -> None:
    assert decide(RecipientState(stopped=True, notified_before=True), reason, Severity.CRITICAL) is Cause.STOPPED


@pytest.mark.parametrize("reason", list(Reason))
def test_a_destination_without_updates_gets_only_new_problems(reason: Reason) -> None:
    cause = decide(RecipientState(send_updates=False, notified_before=True), reason, Severity.CRITICAL)
    is_update = reason in ("resolved", "acknowledged", "snoozed", "updated")
    assert cause is (Cause.UPDATES_OFF if is_update else Cause.NOTIFY)


@pytest.mark.parametrize("reason", sorted(UPDATES))
def test_a_recipient_of_the_alarm_gets_the_resolution_at_any_severity(reason: Reason) -> None:
    choosy = RecipientState(min_severity=Severity.CRITICAL, notified_before=True)
    assert decide(choosy, reason, Severity.WARNING) is Cause.NOTIFY


@pytest.mark.parametrize("reason", sorted(UPDATES))
def test_a_destination_never_notified_gets_no_resolution(reason: Reason) -> None:
    assert decide(RecipientState(notified_before=False), reason, Severity.CRITICAL) is Cause.NEVER_NOTIFIED


@pytest.mark.parametrize("reason", [reason for reason in ALARMS if reason != Reason.FALLBACK])
@pytest.mark.parametrize("floor", list(Severity))
@pytest.mark.parametrize("severity", list(Severity))
def test_below_its_least_severity_a_destination_gets_no_alarm(
    reason: Reason, floor: Severity, severity: Severity
) -> None:
    cause = decide(RecipientState(min_severity=floor), reason, severity)
    assert cause is (Cause.BELOW_MIN_SEVERITY if severity.rank < floor.rank else Cause.NOTIFY)


def test_a_fallback_is_notified_at_any_severity() -> None:
    assert decide(RecipientState(min_severity=Severity.CRITICAL), Reason.FALLBACK, Severity.WARNING) is Cause.NOTIFY
