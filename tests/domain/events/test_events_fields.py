"""Fields of an event: type, resource, link, metadata, severity, action and time."""

from datetime import timedelta
from typing import Any

import pytest

from inbox.domain.events.validation import accept
from inbox.domain.values.severity import Severity
from inbox.domain.values.times import rfc3339
from tests.domain.events.events_steps import NOW, codes, faults, one


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        ("a", "a"), ("disk.full", "disk.full"), ("0a_-.", "0a_-."), ("t" * 128, "t" * 128), ("Disk.Full", "disk.full"),
        ("HTTP_500", "http_500"),
    ],
)  # fmt: skip
def test_a_type_is_lower_cased_where_that_helps(sent: str, stored: str) -> None:
    event = one(type=sent)

    assert (event.type, event.warnings) == (stored, [])


@pytest.mark.parametrize("sent", ["t" * 129, "disk full", ".a", "-a", "_a", "é", "a\n", "a\x00", "a/b", "Ünder", " a"])
def test_a_type_that_cannot_be_made_to_fit_is_dropped_with_a_warning(sent: str) -> None:
    event = one(type=sent)

    assert event.type is None
    assert codes(event) == [("type_dropped", "/type")]


def test_a_type_that_grows_by_redaction_stays_within_its_limit() -> None:
    event = one(type=".".join(["svc_src_x"] * 12))

    assert event.type is not None and len(event.type) <= 128
    assert codes(event) == [("redacted", "/type")]


@pytest.mark.parametrize("sent", ["host:db1", "no colon", "a:b:c", " spaces ", "é"])
def test_a_resource_is_kept_even_if_it_is_not_kind_and_name(sent: str) -> None:
    event = one(resource=sent)

    assert (event.resource, event.warnings) == (sent, [])


@pytest.mark.parametrize("length", [2_047, 2_048])
def test_a_link_up_to_2048_characters_is_kept(length: int) -> None:
    link = "https://host/".ljust(length, "x")

    assert (one(url=link).url, one(url=f" {link}\n").url, codes(one(url=link))) == (link, link, [])


@pytest.mark.parametrize(
    "link",
    ["https://host/".ljust(2_049, "x"), "ftp://host", "/path", "host", "javascript:alert(1)", "https://", "http://a b",
     "https://h/?" + "&u=https://a:b@h" * 120],
)  # fmt: skip
def test_any_other_link_is_dropped_with_a_warning(link: str) -> None:
    event = one(url=link)

    assert event.url is None
    assert codes(event) == [("url_dropped", "/url")]


def test_metadata_beyond_its_limits_is_cut_with_a_warning() -> None:
    assert codes(one(metadata={"a": "x" * 40_000})) == [("metadata_truncated", "/metadata")]
    assert codes(one(metadata={str(number): 1 for number in range(257)})) == [("metadata_truncated", "/metadata")]


# --- severity and action


@pytest.mark.parametrize(
    ("sent", "stored"), [("warn", "WARNING"), ("FATAL", "CRITICAL"), ("Err", "ERROR"), ("info", "INFO")]
)
def test_a_severity_is_stored_by_its_canonical_name(sent: str, stored: str) -> None:
    event = one(severity=sent)

    assert (event.severity, event.warnings) == (stored, [])


@pytest.mark.parametrize("sent", ["", "emergency", "warn ", "3"])
def test_an_unknown_severity_is_info_with_a_warning(sent: str) -> None:
    event = accept({"title": "x", "severity": sent}, received_at=NOW, default_severity=Severity.ERROR)[0]

    assert event.severity is Severity.INFO
    assert codes(event) == [("severity_unknown", "/severity")]


def test_a_missing_severity_defaults_to_the_severity_of_the_source() -> None:
    assert one().severity is Severity.INFO
    assert accept({"title": "x"}, received_at=NOW, default_severity=Severity.ERROR)[0].severity is Severity.ERROR


@pytest.mark.parametrize("action", ["", "Trigger", "RESOLVE", "resolve ", "acknowledge", "close"])
def test_an_unknown_action_is_refused(action: str) -> None:
    assert faults({"title": "x", "action": action, "dedupKey": "k"}) == ["/action"]


@pytest.mark.parametrize("key", [{}, {"dedupKey": None}, {"dedupKey": ""}])
def test_a_resolve_requires_a_dedup_key(key: dict[str, Any]) -> None:
    assert faults({"title": "x", "action": "resolve", **key}) == ["/dedupKey"]


@pytest.mark.parametrize(
    ("fields", "recovers"),
    [
        ({}, False),
        ({"action": "trigger", "severity": "ERROR"}, False),
        ({"action": "resolve", "dedupKey": "k", "severity": "CRITICAL"}, True),
        ({"severity": "SUCCESS"}, True),
        ({"severity": "success", "action": "trigger", "dedupKey": "k"}, True),
    ],
)
def test_resolve_and_success_always_recover(fields: dict[str, Any], recovers: bool) -> None:
    assert one(**fields).recovers is recovers


# --- time


@pytest.mark.parametrize(
    ("ahead", "skewed"),
    [
        (timedelta(), False),
        (timedelta(minutes=5), False),
        (timedelta(minutes=5, milliseconds=1), True),
        (timedelta(days=-7), False),
        (timedelta(days=-7, milliseconds=-1), True),
        (timedelta(days=365), True),
    ],
)
def test_a_time_too_far_from_the_receipt_is_replaced_and_flagged(ahead: timedelta, skewed: bool) -> None:
    event = one(occurredAt=rfc3339(NOW + ahead))

    assert event.occurred_at == (NOW if skewed else NOW + ahead)
    assert event.flags == (["clock_skew"] if skewed else [])
    assert codes(event) == ([("clock_skew", "/occurredAt")] if skewed else [])
    assert event.occurred_at_sent is not None and rfc3339(NOW + ahead)[:22] in event.occurred_at_sent


@pytest.mark.parametrize("sent", ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:60-23:59"])
def test_the_ends_of_the_calendar_are_only_skewed(sent: str) -> None:
    event = one(occurredAt=sent)

    assert (event.occurred_at, event.flags) == (NOW, ["clock_skew"])


@pytest.mark.parametrize("sent", ["", "now", "2026-03-01T12:00:00", "2026-03-01", "2026-02-30T12:00:00Z", "1772366400"])
def test_a_time_that_is_not_rfc_3339_is_refused(sent: str) -> None:
    assert faults({"title": "x", "occurredAt": sent}) == ["/occurredAt"]
