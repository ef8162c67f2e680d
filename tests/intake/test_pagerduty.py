"""The PagerDuty format: valid requests, and the fields of their events (specification 19.9)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inbox.domain.events import validation
from inbox.domain.values.severity import Severity
from inbox.intake import pagerduty
from inbox.intake.pagerduty import InvalidEvent
from tests.cast import NOW
from tests.intake.test_tools import JSON, places, replaced

OF_ALERTMANAGER: dict[str, Any] = {
    "routing_key": "svc_src_x",
    "dedup_key": "17c4ff41",
    "event_action": "trigger",
    "payload": {
        "summary": "[FIRING:1] DiskFull (db2:9100 critical)",
        "source": "Alertmanager",
        "severity": "page",
        "custom_details": {"firing": "Labels:\n - alertname = DiskFull", "resolved": "", "num_firing": "1"},
    },
    "client": "Alertmanager",
    "client_url": "http://am:9093/#/alerts?receiver=all",
}
"""As Alertmanager 0.25 sends it."""

OF_THE_DOCUMENTATION: dict[str, Any] = {
    "payload": {
        "summary": "Example alert on host1.example.com",
        "timestamp": "2026-11-22T08:42:58.315+0000",
        "source": "monitoringtool:cloudvendor:central-region-dc-01:852559987:cluster/api-stats-prod-003",
        "severity": "info",
        "component": "postgres",
        "group": "prod-datapipe",
        "class": "deploy",
        "custom_details": {"ping time": "1500ms", "load avg": 0.75, "nested": {"a": [1]}},
    },
    "routing_key": "samplekeyhere",
    "dedup_key": "samplekeyhere",
    "images": [{"src": "https://www.example.com/image.png", "href": "https://example.com/", "alt": "Graph"}],
    "links": [{"href": "https://example.com/", "text": "Link text"}, {"text": "no address"}],
    "event_action": "trigger",
    "client": "Sample Monitoring Service",
    "client_url": "https://monitoring.example.com",
}


def stored(document: object, new_key: str = "new") -> validation.NewEvent:
    """The event as ingest stores it."""
    [found] = validation.accept(pagerduty.alert(document, new_key).event, received_at=NOW)
    return found


def payload(**more: Any) -> dict[str, Any]:
    return {"event_action": "trigger", "dedup_key": "k", "payload": {"summary": "Disk full", **more}}


def errors(document: object) -> list[str]:
    with pytest.raises(InvalidEvent) as invalid:
        pagerduty.alert(document, "new")
    return invalid.value.errors


def test_an_alert_of_alertmanager_and_its_end_share_a_key() -> None:
    alarm = stored(OF_ALERTMANAGER)
    end = stored({**OF_ALERTMANAGER, "event_action": "resolve"})

    assert (alarm.title, alarm.severity) == ("DiskFull (db2:9100 critical)", Severity.CRITICAL)
    assert (alarm.resource, alarm.url) == (None, "http://am:9093/#/alerts?receiver=all")
    assert alarm.body == "firing: Labels:\n - alertname = DiskFull\nnum_firing: 1"
    assert (alarm.recovers, end.recovers, end.action) == (False, True, "resolve")
    assert alarm.dedup_key == end.dedup_key == "pd:17c4ff41"


def test_every_field_of_the_documentation_has_its_place() -> None:
    found = stored(OF_THE_DOCUMENTATION)

    assert (found.title, found.severity, found.type) == ("Example alert on host1.example.com", Severity.INFO, "deploy")
    assert found.occurred_at_sent == "2026-11-22T08:42:58.315000"
    assert found.url == "https://example.com/"
    assert found.body == "ping time: 1500ms\nload avg: 0.75"
    assert found.metadata == {
        "component": "postgres",
        "group": "prod-datapipe",
        "client": "Sample Monitoring Service",
        "links": ["https://example.com/"],
        "images": ["https://www.example.com/image.png"],
        "customDetails": OF_THE_DOCUMENTATION["payload"]["custom_details"],
    }


@pytest.mark.parametrize(
    ("word", "severity"),
    [("critical", "CRITICAL"), ("error", "ERROR"), ("warning", "WARNING"), ("info", "INFO"), ("Page", "CRITICAL"),
     ("{{ .severity }}", "WARNING"), ("", "WARNING"), (None, "WARNING"), ([], "WARNING")],
)  # fmt: skip
def test_a_severity_word_gives_its_severity(word: Any, severity: str) -> None:
    assert str(stored(payload(severity=word)).severity) == severity


@pytest.mark.parametrize(("details", "body"), [("text", "text"), (["a"], None), ({}, None), (7, "7"), (None, None)])
def test_details_may_be_anything(details: Any, body: str | None) -> None:
    assert stored(payload(custom_details=details)).body == body


@pytest.mark.parametrize(("length", "in_body"), [(255, False), (256, False), (257, True), (1_024, True)])
def test_a_summary_longer_than_a_title_stands_in_the_body_too(length: int, in_body: bool) -> None:
    summary = "x" * length

    found = stored(payload(summary=summary))

    assert found.title.startswith("x" * 200) and len(found.title) == min(length, 256)
    assert found.body == (summary if in_body else None)


@pytest.mark.parametrize(("length", "is_valid"), [(254, True), (255, True), (256, False)])
def test_a_dedup_key_has_at_most_255_characters(length: int, is_valid: bool) -> None:
    document = {**payload(), "dedup_key": "k" * length}
    if is_valid:
        assert len(stored(document).dedup_key or "") == min(length + 3, 255)
    else:
        assert errors(document) == ["'dedup_key' is too long (maximum is 255 characters)"]


def test_keys_that_differ_at_their_ends_stay_different() -> None:
    found = {stored({**payload(), "dedup_key": "k" * 254 + last}).dedup_key for last in "ab"}
    assert len(found) == 2


def test_a_trigger_without_a_key_gets_the_new_one() -> None:
    sent = pagerduty.alert({**payload(), "dedup_key": ""}, "new")
    assert (sent.dedup_key, sent.event["dedupKey"]) == ("new", "pd:new")


@pytest.mark.parametrize(
    ("document", "expected"),
    [([], ["the event must be a JSON object"]), (None, ["the event must be a JSON object"]),
     ({}, ["'event_action' is missing or blank"]),
     ({"event_action": "close"}, ["'event_action' must be one of trigger, acknowledge, resolve"]),
     ({"event_action": "trigger"}, ["'payload.summary' is missing or blank"]),
     ({"event_action": "trigger", "payload": {"summary": " "}}, ["'payload.summary' is missing or blank"]),
     ({"event_action": "trigger", "payload": "text"}, ["'payload.summary' is missing or blank"]),
     ({"event_action": "resolve"}, ["'dedup_key' is missing or blank"]),
     ({"event_action": "acknowledge"}, ["'dedup_key' is missing or blank"])],
)  # fmt: skip
def test_faults_are_reported_in_the_words_of_the_format(document: Any, expected: list[str]) -> None:
    assert errors(document) == expected


def test_an_acknowledgement_is_reported_for_the_timeline() -> None:
    found = stored({**OF_ALERTMANAGER, "event_action": "acknowledge"})

    assert (found.severity, found.dedup_key, found.type) == (Severity.INFO, None, "acknowledgement")
    assert found.title == "DiskFull (db2:9100 critical) was acknowledged by the sender"
    assert found.metadata == {"act": "acknowledge", "dedupKey": "pd:17c4ff41"}


def test_the_test_buttons_of_uptime_kuma_and_grafana_open_no_incident() -> None:
    kuma = {**OF_ALERTMANAGER, "dedup_key": "Uptime Kuma/test"}
    grafana = {**OF_ALERTMANAGER, "client": "Grafana", "payload": {"summary": "[FIRING:1] TestAlert Grafana"}}

    assert {(stored(each).severity, stored(each).dedup_key) for each in (kuma, grafana)} == {(Severity.INFO, None)}


@pytest.mark.parametrize("action", ["acknowledge", "resolve"])
def test_an_end_needs_no_payload(action: str) -> None:
    assert stored({"event_action": action, "dedup_key": "disk/db2"}).title.startswith("The alert was ")


def test_a_change_is_logged() -> None:
    document = {
        "routing_key": "x",
        "payload": {"summary": "Build succeeded", "timestamp": "2026-11-22T08:42:58.315+0000", "source": "ci"},
        "links": [{"href": "https://ci.example.org/1"}],
    }

    [found] = validation.accept(pagerduty.change(document), received_at=NOW)

    assert (found.title, found.severity, found.type) == ("Build succeeded", Severity.INFO, "change")
    assert (found.dedup_key, found.resource, found.url) == (None, "host:ci", "https://ci.example.org/1")


@pytest.mark.parametrize("document", [{}, {"payload": {}}, {"payload": {"summary": ""}}, 7])
def test_a_change_needs_a_summary(document: Any) -> None:
    with pytest.raises(InvalidEvent):
        pagerduty.change(document)


def test_the_routing_key_is_in_no_event() -> None:
    assert "svc_src_x" not in str(pagerduty.alert(OF_ALERTMANAGER, "new").event)


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_no_request_raises_anything_else_and_every_event_is_valid(data: st.DataObject) -> None:
    document = data.draw(st.sampled_from([OF_ALERTMANAGER, OF_THE_DOCUMENTATION]))
    for _ in range(data.draw(st.integers(1, 3))):
        document = replaced(document, data.draw(st.sampled_from(places(document))), data.draw(JSON))
    pagerduty.routing_key(document)
    for read in (lambda: pagerduty.alert(document, "new").event, lambda: pagerduty.change(document)):
        try:
            found = read()
        except InvalidEvent as invalid:
            assert invalid.errors
        else:
            assert validation.accept(found, received_at=NOW)
