"""The document lists the values of fields whose values the code takes from a list (specification 2.3)."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask
from jsonschema import Draft202012Validator

from inbox.domain.deliveries.causes import Unavailable
from inbox.domain.deliveries.delivery import ATTEMPTS, FailureReason, Receipt, Stop, next_step
from inbox.domain.deliveries.quiet_hours import SkipCause
from inbox.domain.events.validation import EventFlag
from tests.api.audit.audited import ENTRIES, REFUSALS

FIELDS = [
    ("DeliveryRecord", "cause"),
    ("AttemptRecord", "error"),
    ("Stopped", "reason"),
    ("LastDeliveryRecord", "reason"),
    ("TestReceipt", "error"),
    ("AuditRecord", "action"),
    ("EventRecord", "flags"),
]
FAILURES = [
    ("DeliveryRecord", "cause"),
    ("AttemptRecord", "error"),
    ("LastDeliveryRecord", "reason"),
    ("TestReceipt", "error"),
]
RECEIPTS = [Receipt(failure=each) for each in FailureReason] + [Receipt(status_code=code) for code in range(100, 600)]


@pytest.fixture(scope="module")
def components(app: Flask) -> dict[str, Any]:
    found: dict[str, Any] = app.test_client().get("/v1/openapi.json").json
    return dict(found["components"])


def field(components: dict[str, Any], record: str, name: str) -> dict[str, Any]:
    """The schema of a field; of a list, that of its items."""
    described: dict[str, Any] = components["schemas"][record]["properties"][name]
    return dict(described.get("items", described))


def values(schema: dict[str, Any]) -> set[str | None]:
    ways = schema.get("anyOf", [schema])
    return {value for way in ways for value in (*way.get("enum", ()), *([None] if way.get("type") == "null" else ()))}


@pytest.mark.parametrize(("record", "name"), FIELDS)
def test_a_field_with_closed_values_is_no_plain_string(components: dict[str, Any], record: str, name: str) -> None:
    schema = field(components, record, name)

    assert "Clients must ignore values that they do not know." in schema["description"]
    for other in ("", "no such value", "http_", "http_5030", "redirect_30", "member.removedx"):
        assert not Draft202012Validator(schema).is_valid(other), other


@pytest.mark.parametrize(("record", "name"), FAILURES)
def test_the_reason_of_every_failure_fits(components: dict[str, Any], record: str, name: str) -> None:
    schema = Draft202012Validator(field(components, record, name))

    assert [each.reason for each in RECEIPTS if not schema.is_valid(each.reason)] == []
    assert values(schema.schema) >= {*FailureReason, None}


def test_the_reason_for_which_a_destination_stops_fits(components: dict[str, Any]) -> None:
    schema = Draft202012Validator(field(components, "Stopped", "reason"))
    stopping = [found.reason for each in RECEIPTS if isinstance(found := next_step(each, 1, 4, 0), Stop)]

    assert len(stopping) == 100
    assert {each for each in stopping if not schema.is_valid(each)} == set()
    by_words = [each for each in FailureReason if isinstance(next_step(Receipt(failure=each), ATTEMPTS, 4, 0), Stop)]
    assert by_words == [FailureReason.MESSAGE_REFUSED, FailureReason.DESTINATION_REFUSED]
    assert all(schema.is_valid(str(each)) for each in by_words)
    assert not schema.is_valid("timeout") and not schema.is_valid("http_503")


def test_a_cause_says_why_a_delivery_waits_or_is_not_sent(components: dict[str, Any]) -> None:
    waiting = {"stopped", "quiet_hours", "digest", "summary", "notification_rule", "acknowledged", "daily_limit"}

    assert values(field(components, "DeliveryRecord", "cause")) == {
        *waiting,
        *Unavailable,
        *SkipCause,
        *FailureReason,
        None,
    }


def test_every_action_that_an_operation_records_is_listed(components: dict[str, Any]) -> None:
    recorded = {action for table in (ENTRIES, REFUSALS) for actions in table.values() for action in actions}

    assert recorded < values(field(components, "AuditRecord", "action"))


def test_every_flag_is_listed(components: dict[str, Any]) -> None:
    assert values(field(components, "EventRecord", "flags")) == set(EventFlag)
