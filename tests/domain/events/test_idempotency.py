from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from inbox.domain.events import validation
from inbox.domain.events.validation import (
    Identity,
    IdentityKind,
    NewEvent,
    accept,
    identity,
    well_formed_idempotency_key,
)

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def sent(**fields: object) -> NewEvent:
    return accept({"title": "disk full", **fields}, received_at=NOW)[0]


def existing(event: NewEvent, fingerprint: str = "f1:a") -> Identity:
    found = identity(event, fingerprint)
    assert found is not None
    return found


def test_an_event_without_key_and_time_is_known_by_nothing() -> None:
    assert identity(sent(dedupKey="k", externalId="e"), "f1:a") is None


def test_an_own_key_decides_over_the_time_and_over_the_key_of_the_request() -> None:
    event = sent(idempotencyKey="k", occurredAt="2026-03-01T12:00:00Z")

    assert existing(event).kind is IdentityKind.KEY
    assert identity(event, "f1:a", request_has_key=True) == existing(event)


def test_an_own_key_is_recognised_with_any_fingerprint_and_content() -> None:
    one, other = existing(sent(idempotencyKey="k"), "f1:a"), existing(sent(idempotencyKey="k", body="x"), "f1:b")

    assert (one.kind, one.digest) == (other.kind, other.digest)
    assert one.content_digest != other.content_digest


def test_two_keys_are_two_identities() -> None:
    assert existing(sent(idempotencyKey="k")).digest != existing(sent(idempotencyKey="K")).digest


def test_fingerprint_and_time_sent_make_an_occurrence() -> None:
    event = sent(occurredAt="2026-03-01T12:00:00Z")

    assert existing(event).kind is IdentityKind.OCCURRENCE
    assert existing(event).content_digest is None
    assert len(existing(event).digest) == 32
    assert existing(event) == existing(sent(occurredAt="2026-03-01t13:00:00.000+01:00", body="other"))
    assert existing(event) != existing(event, "f1:b")
    assert existing(event) != existing(sent(occurredAt="2026-03-01T12:00:00.001Z"))


def test_the_key_of_the_request_speaks_for_an_event_that_has_none() -> None:
    assert identity(sent(occurredAt="2026-03-01T12:00:00Z"), "f1:a", request_has_key=True) is None


def test_a_skewed_event_is_known_by_the_time_it_sent() -> None:
    event = sent(occurredAt="2020-01-01T00:00:00Z")
    later = accept({"title": "disk full", "occurredAt": "2020-01-01T00:00:00Z"}, received_at=NOW + timedelta(hours=1))[
        0
    ]

    assert event.occurred_at != later.occurred_at
    assert existing(event) == existing(later)


def test_a_key_and_an_occurrence_are_never_mixed_up() -> None:
    occurrence = sent(occurredAt="2026-03-01T12:00:00Z")
    crafted = replace(sent(), idempotency_key=f"f1:a {occurrence.occurred_at_sent}", content_digest=b"")

    assert existing(crafted).kind is not existing(occurrence).kind


def test_duplicates_are_detected_for_longer_than_the_24_hours_promised() -> None:
    assert validation.IDEMPOTENCY_WINDOW >= timedelta(hours=24)


@pytest.mark.parametrize("header", ["a", "!", "~", "a" * 255, "550e8400-e29b-41d4-a716-446655440000", '"quoted"'])
def test_an_idempotency_key_has_1_to_255_visible_characters(header: str) -> None:
    assert well_formed_idempotency_key(header)


@pytest.mark.parametrize("header", ["", "a" * 256, "a b", " a", "a ", "a\t", "a\n", "é", "a\x00", "\x7f", "\xff"])
def test_a_malformed_idempotency_key_is_refused(header: str) -> None:
    assert not well_formed_idempotency_key(header)


def test_an_alarm_and_its_recovery_in_the_same_second_are_two_occurrences() -> None:
    alarm = sent(occurredAt="2026-03-01T12:00:00Z", dedupKey="disk", severity="ERROR")
    recovery = sent(occurredAt="2026-03-01T12:00:00Z", dedupKey="disk", action="resolve")

    assert existing(alarm).digest != existing(recovery).digest
    assert (
        existing(alarm).digest
        == existing(sent(occurredAt="2026-03-01T12:00:00Z", dedupKey="disk", severity="CRITICAL")).digest
    )
