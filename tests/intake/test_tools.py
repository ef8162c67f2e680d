"""Each tool: the alarm and its end share a key, odd items drop no good ones, and nothing raises (specification 19.6)."""

from __future__ import annotations

import string
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inbox.domain.events import validation
from inbox.domain.values.severity import Severity
from inbox.intake import event as event_texts
from inbox.intake import registry
from inbox.intake.base import Payload, WrongPayload
from inbox.intake.registry import TOOLS
from tests.cast import NOW
from tests.intake.payloads import NAMES, payload
from tests.intake.tools import table

ALARMS = table("ALARM")
"""Title, severity and key of the alarm of each tool."""


def accepted(tool: str, document: Any, **headers: str) -> list[validation.NewEvent]:
    """The events of a payload as ingest stores them; it accepts every one."""
    made = TOOLS[tool].events(Payload(document, headers)).events
    return validation.accept({"events": made}, received_at=NOW) if made else []


def test_every_tool_has_payloads_and_words() -> None:
    assert sorted(TOOLS) == sorted(ALARMS), "tests/intake/tools/TOOL/__init__.py has the ALARM of each tool"
    assert sorted(TOOLS) == NAMES, "tests/intake/tools/TOOL/payload.json has an alarm and its end"
    assert all(tool.label and tool.summary and tool.setup and tool.expected for tool in TOOLS.values())


@pytest.mark.parametrize("tool", sorted(TOOLS))
def test_the_alarm_and_its_end_share_a_key(tool: str) -> None:
    [alarm], [end] = accepted(tool, payload(tool, "alarm")), accepted(tool, payload(tool, "end"))

    assert (alarm.title, str(alarm.severity), alarm.dedup_key) == ALARMS[tool]
    assert (alarm.recovers, end.recovers) == (False, True)
    assert (end.severity, end.action, end.dedup_key) == (Severity.SUCCESS, "resolve", alarm.dedup_key)
    assert [warning.code for warning in (*alarm.warnings, *end.warnings) if warning.code != "clock_skew"] == []


@pytest.mark.parametrize("tool", sorted(TOOLS))
@pytest.mark.parametrize("document", [{}, [], {"hello": "world"}, [1, "x", None], "text", 7, None, {"alerts": []}])
def test_an_unrelated_payload_is_refused(tool: str, document: Any) -> None:
    with pytest.raises(WrongPayload) as wrong:
        TOOLS[tool].events(Payload(document))

    assert wrong.value.faults and all(fault.detail for fault in wrong.value.faults)


@pytest.mark.parametrize("tool", ["alertmanager", "grafana"])
def test_an_odd_item_drops_no_good_one(tool: str) -> None:
    document = payload(tool, "alarm")
    good = document["alerts"][0]
    document["alerts"] = [7, good, {**good, "fingerprint": None}, {**good, "fingerprint": "second", "labels": "x"}]

    result = TOOLS[tool].events(Payload(document))

    assert [event["dedupKey"].rpartition(":")[2] for event in result.events] == [good["fingerprint"], "second"]
    assert [fault.pointer for fault in result.faults] == ["/alerts/0/fingerprint", "/alerts/2/fingerprint"]


def test_a_payload_without_a_readable_item_is_wrong() -> None:
    with pytest.raises(WrongPayload) as wrong:
        TOOLS["alertmanager"].events(Payload({"alerts": [{}, 1]}))
    assert [fault.pointer for fault in wrong.value.faults] == ["/alerts/0/fingerprint", "/alerts/1/fingerprint"]


@pytest.mark.parametrize(
    ("tool", "headers", "document"),
    [("github", {"x-github-event": "ping"}, {"zen": "Keep it logically awesome.", "repository": {"full_name": "a/b"}}),
     ("github", {}, {"action": "requested", "workflow_run": {"id": 1}, "repository": {"full_name": "a/b"}}),
     ("gitlab", {}, {"object_kind": "note"}), ("jenkins", {}, {"build": {"phase": "STARTED"}}),
     ("home_assistant", {}, {"entity": "light.a", "state": "unavailable"}), ("sentry", {}, {"data": {"comment": {}}})],
)  # fmt: skip
def test_an_irrelevant_payload_is_accepted_without_an_event(tool: str, headers: dict[str, str], document: Any) -> None:
    result = TOOLS[tool].events(Payload(document, headers))
    assert (result.events, result.faults) == ([], [])


@pytest.mark.parametrize(
    ("tool", "document", "title"),
    [("uptime_kuma", {"heartbeat": None, "monitor": None, "msg": "Testing"}, "Testing"),
     ("zabbix", {"eventId": "{EVENT.ID}", "value": "{EVENT.VALUE}", "name": "Test"}, "Test"),
     ("icinga", {"type": "DOWNTIMESTART", "host": "db2"}, "Host db2: downtimestart"),
     ("librenms", {"id": "1", "state": 2, "title": "Port"}, "Port was acknowledged in LibreNMS"),
     ("prtg", {"sensorid": "1", "status": "Down (Acknowledged)"}, "Sensor 1 was acknowledged in PRTG"),
     ("proxmox", {"title": "Updates", "severity": "info", "fields": {"type": "package-updates"}}, "Updates"),
     ("better_stack", {"event": "x", "data": {"type": "monitor", "attributes": {"name": "API"}}}, "API: x")],
)  # fmt: skip
def test_a_notice_without_an_alarm_is_logged(tool: str, document: Any, title: str) -> None:
    [event] = accepted(tool, document)
    assert (event.title, event.severity, event.dedup_key) == (title, Severity.INFO, None)


def test_a_repeat_has_the_time_of_its_alarm_in_nanoseconds() -> None:
    document = payload("alertmanager", "alarm")
    document["alerts"][0]["annotations"]["summary"] = "db2 has 2 % free"

    [repeated], [end] = accepted("alertmanager", document), accepted("alertmanager", payload("alertmanager", "end"))

    assert repeated.occurred_at_sent == "2026-11-22T12:34:12.666009589"
    assert end.occurred_at_sent == "2026-11-22T13:00:00.000000"


LINK = "%%%\nDisk\n[Monitor](https://app.datadoghq.com/monitors/123?group=host%3Adb2)\n%%%"


@pytest.mark.parametrize(
    ("title", "body", "expected"),
    [("[Triggered] Disk", LINK, ("Disk", "ERROR", "dd:monitor:123")),
     ("[Recovered] Disk", LINK, ("Disk", "SUCCESS", "dd:monitor:123")),
     ("[Triggered on {host:db2}] Disk", LINK, ("Disk (host:db2)", "ERROR", "dd:monitor:123:host:db2")),
     ("[Recovered on {host:db2}] Disk", LINK, ("Disk (host:db2)", "SUCCESS", "dd:monitor:123:host:db2")),
     ("[P2] [Re-Triggered on {@a:B C,url:http://x/{id}}] Disk", LINK,
      ("Disk (@a:B C,url:http://x/{id})", "ERROR", "dd:monitor:123:@a:B C,url:http://x/{id}")),
     ("[P2] [Recovered on {@a:B C,url:http://x/{id}}] Disk", LINK,
      ("Disk (@a:B C,url:http://x/{id})", "SUCCESS", "dd:monitor:123:@a:B C,url:http://x/{id}")),
     ("[P1] [Warn] Disk", LINK, ("Disk", "WARNING", "dd:monitor:123")),
     ("[No Data on {host:db2}] [Shop] Disk", "", ("[Shop] Disk (host:db2)", "WARNING", "dd:title:[Shop] Disk (host:db2)")),
     ("[Recovered on {host:db2}] [Shop] Disk", "", ("[Shop] Disk (host:db2)", "SUCCESS", "dd:title:[Shop] Disk (host:db2)"))],
)  # fmt: skip
def test_the_default_payload_of_datadog_has_its_state_and_scope_in_the_title(
    title: str, body: str, expected: tuple[str, str, str]
) -> None:
    [event] = accepted("datadog", {"id": "1", "title": title, "body": body, "date": "1763803530000"})

    assert (event.title, str(event.severity), event.dedup_key) == expected
    assert event.recovers is (expected[1] == "SUCCESS")


def test_a_backup_by_hand_closes_no_scheduled_failure() -> None:
    by_hand = payload("proxmox", "end")
    del by_hand["fields"]["job-id"]
    assert accepted("proxmox", by_hand)[0].dedup_key == "pve:pve1:vzdump:manual"


@pytest.mark.parametrize("kind", ["system-mail", "", "new-kind"])
def test_notifications_of_proxmox_about_two_things_have_two_keys(kind: str) -> None:
    sent = {"severity": "unknown", "fields": {"type": kind, "hostname": "pve1"}}
    titles = ["Pool tank is 91 % full", "Pool tank is 95 % full", "VM 101 failed", "VM 102 failed"]

    pool, repeated, *others = (accepted("proxmox", {**sent, "title": each})[0].dedup_key for each in titles)

    assert pool == repeated == f"pve:pve1:{kind}:pool tank is # full"
    assert others == [f"pve:pve1:{kind}:vm 101 failed", f"pve:pve1:{kind}:vm 102 failed"]


def test_fencing_of_a_host_has_one_key() -> None:
    sent = {"severity": "error", "fields": {"type": "fencing", "hostname": "pve1"}}

    found = [
        accepted("proxmox", {**sent, "title": each})[0] for each in ("Try to fence pve1", "Fencing of pve1 succeeded")
    ]

    assert {(each.dedup_key, str(each.severity)) for each in found} == {("pve:pve1:fencing:manual", "CRITICAL")}


UPDATE = {**payload("zabbix", "alarm"), "update": "1", "ack": "Yes", "nseverity": "5"}


@pytest.mark.parametrize(
    ("action", "title"),
    [(None, "High CPU on db2 was acknowledged in Zabbix"), ("", "High CPU on db2 was acknowledged in Zabbix"),
     ("acknowledged", "High CPU on db2 was acknowledged in Zabbix"),
     ("acknowledged and commented", "High CPU on db2 was acknowledged in Zabbix"),
     ("commented", "High CPU on db2 was updated in Zabbix"), ("suppressed", "High CPU on db2 was updated in Zabbix")],
)  # fmt: skip
def test_an_update_of_an_acknowledged_problem_of_zabbix_is_logged(action: str | None, title: str) -> None:
    [event] = accepted("zabbix", {**UPDATE, "action": action})

    assert (event.title, event.severity, event.dedup_key) == (title, Severity.INFO, None)


@pytest.mark.parametrize(
    "action",
    ["changed severity from High to Disaster", "acknowledged, changed severity from High to Disaster and commented"],
)
def test_a_severity_raised_in_zabbix_raises_the_severity_of_the_alarm(action: str) -> None:
    [event] = accepted("zabbix", {**UPDATE, "action": action, "timestamp": "1763803530"})

    assert (event.title, event.severity, event.dedup_key) == ("High CPU on db2", Severity.CRITICAL, "zbx:8123")
    assert event.occurred_at_sent is None, "else it is a duplicate of the alarm"


def test_an_update_without_an_action_of_a_problem_that_is_not_acknowledged_is_an_alarm() -> None:
    [event] = accepted("zabbix", {**UPDATE, "ack": "No"})

    assert (event.title, event.severity, event.dedup_key) == ("High CPU on db2", Severity.CRITICAL, "zbx:8123")


@pytest.mark.parametrize(
    "metadata",
    [None, [], "x", {"act": {}, "dedupKey": "k"}, {"act": "note"}, {"act": "note", "dedupKey": []}, {"act": "x"}],
)
def test_metadata_of_another_form_report_no_act_and_no_reason(metadata: Any) -> None:
    made = {"title": "x", "metadata": metadata, "action": "resolve", "dedupKey": "k"}

    assert (event_texts.is_act(made), event_texts.reason_of_end(made)) == (False, "")
    assert event_texts.reason_of_end({**made, "metadata": {"endReason": {}}}) == ""


def test_names_are_found_with_hyphens_and_synonyms() -> None:
    assert registry.find("Uptime-Kuma") is TOOLS["uptime_kuma"]
    assert registry.find("nagios") is TOOLS["icinga"]
    assert registry.find("nothing") is None


TEXTS = st.text(max_size=12) | st.sampled_from(
    ["firing", "resolved", "x" * 300, "0001-01-01T00:00:00Z", "2026-11-22 09:58:03", "\x00", "1e308", "-5", "http://["]
)
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(string.ascii_letters, max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every member of a JSON value."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for name, inner in members for place in places(inner, (*path, name)))]


def replaced(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    document = deepcopy(document)
    target = document
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = value
    return document


@settings(max_examples=150, deadline=None)
@given(data=st.data())
@pytest.mark.parametrize("tool", sorted(TOOLS))
def test_no_payload_raises_anything_else_and_every_event_is_valid(tool: str, data: st.DataObject) -> None:
    document = payload(tool, data.draw(st.sampled_from(["alarm", "end"])))
    for _ in range(data.draw(st.integers(1, 3))):
        document = replaced(document, data.draw(st.sampled_from(places(document))), data.draw(JSON))
    headers = {
        "x-github-event": data.draw(st.sampled_from(["workflow_run", "dependabot_alert"])),
        "request-id": data.draw(TEXTS),
    }

    try:
        found = TOOLS[tool].events(Payload(document, headers))
    except WrongPayload as wrong:
        assert wrong.faults
        return

    for event in found.events:
        assert validation.accept(event, received_at=NOW)
