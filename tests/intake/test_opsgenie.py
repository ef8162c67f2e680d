"""The Opsgenie format: alerts, their ends, and logged acts (specification 19.11)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inbox.domain.events import validation
from inbox.domain.values.severity import Severity
from inbox.intake import opsgenie
from inbox.intake.base import Event, WrongPayload
from tests.cast import NOW
from tests.intake.test_tools import JSON, places, replaced

ALERT: dict[str, Any] = {
    "message": "An example alert message",
    "alias": "Life is too short for no alias",
    "description": "Every alert needs a description",
    "responders": [{"id": "4513b7ea-3b91-438f-b7e4-e3e54af9147c", "type": "team"}],
    "actions": ["Restart", "AnExampleAction"],
    "tags": ["OverwriteQuietHours", "Critical"],
    "details": {"key1": "value1", "key2": "value2"},
    "entity": "An example entity",
    "priority": "P1",
    "source": "http://am:9093/#/alerts?receiver=all",
    "user": "mia",
}
"""As the documentation of the Alert API has it."""


def stored(made: Event) -> validation.NewEvent:
    """The event as ingest stores it."""
    [found] = validation.accept(made, received_at=NOW)
    return found


def test_every_field_of_the_documentation_has_its_place() -> None:
    found = stored(opsgenie.create(ALERT, "new"))

    assert (found.title, found.severity) == ("An example alert message", Severity.CRITICAL)
    assert (found.body, found.resource) == ("Every alert needs a description", "An example entity")
    assert found.dedup_key == "og:Life is too short for no alias"
    assert found.tags == ["OverwriteQuietHours", "Critical"]
    assert found.url == "http://am:9093/#/alerts?receiver=all"
    metadata = found.metadata or {}
    assert (metadata["details"], metadata["actions"]) == (ALERT["details"], ALERT["actions"])
    assert (metadata["request"], metadata["alias"]) == ("Create", "Life is too short for no alias")


@pytest.mark.parametrize(
    ("priority", "severity"),
    [("P1", "CRITICAL"), ("P2", "ERROR"), ("P3", "WARNING"), ("P4", "INFO"), ("P5", "INFO"), (None, "WARNING"),
     ("urgent", "WARNING")],
)  # fmt: skip
def test_a_priority_is_a_severity(priority: Any, severity: str) -> None:
    assert str(stored(opsgenie.create({**ALERT, "priority": priority}, "new")).severity) == severity


@pytest.mark.parametrize("length", [251, 252, 253, 512])
def test_a_long_alias_gives_a_key_of_at_most_255_characters(length: int) -> None:
    keys = {stored(opsgenie.create({**ALERT, "alias": "a" * length + last}, "new")).dedup_key or "" for last in "xy"}
    assert len(keys) == 2
    assert all(len(key) == min(255, length + 4) for key in keys)


@pytest.mark.parametrize(("length", "in_body"), [(130, False), (256, False), (257, True)])
def test_a_message_longer_than_a_title_stands_in_the_body_too(length: int, in_body: bool) -> None:
    found = stored(opsgenie.create({"message": "m" * length}, "new"))
    assert (found.body == "m" * length) is in_body


def test_an_alert_without_an_alias_gets_the_new_one() -> None:
    assert stored(opsgenie.create({"message": "x"}, "new")).dedup_key == "og:new"


@pytest.mark.parametrize("document", [{}, {"message": ""}, {"message": []}, [], None, "x"])
def test_an_alert_needs_a_message(document: Any) -> None:
    with pytest.raises(WrongPayload):
        opsgenie.create(document, "new")


def test_a_close_ends_the_alert() -> None:
    found = stored(opsgenie.act("close", {"note": "Disk extended", "user": "mia"}, "disk", "og:disk"))

    assert (found.recovers, found.action, found.dedup_key, found.body) == (True, "resolve", "og:disk", "Disk extended")
    assert found.metadata == {"request": "Close", "alias": "disk", "note": "Disk extended", "user": "mia"}


@pytest.mark.parametrize("name", sorted({*opsgenie.ACTS, *opsgenie.CHANGES} - {"close"}))
def test_every_other_act_is_reported_for_the_timeline(name: str) -> None:
    found = stored(opsgenie.act(name, {"note": "text", "endTime": "2026-12-01T00:00:00Z"}, "disk", "og:disk"))

    assert (found.severity, found.dedup_key, found.recovers) == (Severity.INFO, None, False)
    assert found.title.startswith("The alert was ") and found.title.endswith(" by the sender")
    assert (found.metadata or {})["dedupKey"] == "og:disk"


@pytest.mark.parametrize(("name", "pointer"), [("snooze", "/endTime"), ("notes", "/note")])
def test_an_act_without_a_required_field_is_refused_with_its_pointer(name: str, pointer: str) -> None:
    with pytest.raises(WrongPayload) as wrong:
        opsgenie.act(name, {}, "disk", "og:disk")
    assert [fault.pointer for fault in wrong.value.faults] == [pointer]


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_no_request_raises_anything_else_and_every_event_is_valid(data: st.DataObject) -> None:
    document: Any = {**ALERT, "note": "text", "endTime": "2026-12-01T00:00:00Z"}
    for _ in range(data.draw(st.integers(1, 3))):
        document = replaced(document, data.draw(st.sampled_from(places(document))), data.draw(JSON))
    name = data.draw(st.sampled_from(sorted({*opsgenie.ACTS, *opsgenie.CHANGES})))
    for make in (lambda: opsgenie.create(document, "new"), lambda: opsgenie.act(name, document, "a", "og:a")):
        try:
            made = make()
        except WrongPayload as wrong:
            assert wrong.faults
        else:
            assert validation.accept(made, received_at=NOW)
