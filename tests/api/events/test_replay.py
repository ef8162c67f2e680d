"""Idempotency: a repeated event is stored once, by header, by its own key or by occurrence (specification 4.8)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
import pytest

from inbox.database.base import db
from inbox.domain.values import times
from inbox.models.events.tables import Event, EventDedup, IdempotencyRecord, ReceivedEvent
from inbox.models.senders.sources import Source
from tests.api.events.senders import Sender, counts, event
from tests.cast import Cast, make_key, make_source

NOW = times.rfc3339(datetime.now(UTC))


def age(hours: float) -> None:
    """Let time pass for all that is remembered."""
    for table in ("idempotency_records", "event_dedup"):
        db.execute_sql(f"UPDATE {table} SET created_at = created_at - %s * interval '1 hour'", (hours,))


def mismatched(answer: Any, pointer: str | None = None) -> bool:
    problem = answer.get_json()
    assert (answer.status_code, problem["code"]) == (422, "idempotency_mismatch")
    assert pointer is None or [fault["pointer"] for fault in problem["errors"]] == [pointer]
    return True


def test_a_replay_is_answered_the_very_bytes_of_the_first_answer(sender: Sender) -> None:
    body = orjson.dumps({"events": [event(url="x"), event(title="ü" * 300)]})
    first = sender.post(body, key="k-1")
    repeated = sender.post(body, key="k-1")

    assert (repeated.status_code, repeated.data, repeated.content_type) == (202, first.data, first.content_type)
    assert repeated.headers["Idempotent-Replayed"] == "true"
    assert "Idempotent-Replayed" not in first.headers
    assert counts() == (2, 2, 1, 0)


def test_an_idempotent_replay_ignores_later_changes(sender: Sender, cast: Cast) -> None:
    first = sender.post({"title": "x"}, key="k")
    Source.update(default_severity="CRITICAL", group_by=["title"]).execute()
    ReceivedEvent.delete().execute()

    assert sender.post({"title": "x"}, key="k").data == first.data
    assert Event.select().count() == 0


def test_the_same_key_with_another_body_is_a_mismatch(sender: Sender) -> None:
    sender.stored(event(), key="k")

    assert mismatched(sender.post(event(title="other"), key="k"))
    assert mismatched(sender.post(orjson.dumps(event()) + b" ", key="k"))
    assert mismatched(sender.post({"events": [event()]}, key="k"))
    assert counts() == (1, 1, 1, 0)


def test_a_refused_request_leaves_its_key_free(sender: Sender) -> None:
    assert sender.post(event(title=""), key="k").status_code == 422
    assert sender.post(b"{", key="k").status_code == 400
    sender.stored(event(), key="k")


def test_a_key_is_of_one_source(sender: Sender, other_sender: Sender) -> None:
    own_one = sender.post(event(), key="k")
    foreign_one = other_sender.post(event(title="other"), key="k")
    assert own_one.json["events"][0]["id"] != foreign_one.json["events"][0]["id"]
    assert counts()[:2] == (2, 2)

    assert sender.post(event(), key="k").data == own_one.data
    assert other_sender.post(event(title="other"), key="k").data == foreign_one.data
    assert counts()[:2] == (2, 2)


def test_two_keys_of_a_source_share_idempotency_records(sender: Sender, cast: Cast) -> None:
    first = sender.post(event(), key="k")
    sender.key = make_key(cast.source)
    assert sender.post(event(), key="k").data == first.data


def test_an_idempotency_key_is_remembered_for_forty_eight_hours(sender: Sender) -> None:
    first = sender.post(event(), key="k")
    age(47.99)
    assert sender.post(event(), key="k").data == first.data

    age(0.02)
    second = sender.post(event(title="other"), key="k")
    assert second.status_code == 202
    assert second.data != first.data
    assert "Idempotent-Replayed" not in second.headers
    assert sender.post(event(title="other"), key="k").data == second.data
    assert counts() == (2, 2, 1, 0)


@pytest.mark.parametrize("key", ["x", "~" * 255, "!", '"8e03978e-40d5-43dd-bc93-6894a57f9324"', "a,b"])
def test_a_key_is_1_to_255_visible_ascii_characters(sender: Sender, key: str) -> None:
    assert "Idempotent-Replayed" not in sender.post(event(), key=key).headers
    assert sender.post(event(), key=key).headers["Idempotent-Replayed"] == "true"


@pytest.mark.parametrize("key", ["", "~" * 256, "a b", "\xe9", "\x7f", "\x01"])
def test_any_other_key_is_refused(sender: Sender, key: str) -> None:
    answer = sender.post(event(), key=key)
    assert (answer.status_code, answer.get_json()["code"]) == (422, "validation_failed")
    assert answer.get_json()["errors"][0]["pointer"] == "/header/Idempotency-Key"
    assert counts() == (0, 0, 0, 0)


def test_an_equal_event_without_a_key_is_stored_each_time(sender: Sender) -> None:
    [one] = sender.stored(event())
    [two] = sender.stored(event())
    assert one["id"] != two["id"]
    assert counts() == (2, 2, 0, 0)


def test_an_events_own_key_answers_the_first_events_id(sender: Sender) -> None:
    [first] = sender.stored(event(idempotencyKey="i"))
    [repeated] = sender.stored(event(idempotencyKey="i"))
    [in_batch, new] = sender.stored({"events": [event(idempotencyKey="i"), event(idempotencyKey="j")]})

    assert (repeated["id"], repeated["status"]) == (first["id"], "duplicate")
    assert (in_batch["id"], in_batch["status"]) == (first["id"], "duplicate")
    assert new["status"] == "accepted"
    assert counts() == (2, 2, 0, 2)


def test_an_events_own_key_with_another_content_refuses_the_whole_batch(sender: Sender) -> None:
    sender.stored(event(idempotencyKey="i"))

    answer = sender.post({"events": [event(), event(idempotencyKey="i", title="other")]})

    assert mismatched(answer, "/events/1/idempotencyKey")
    assert counts() == (1, 1, 0, 1)


def test_duplicates_inside_a_batch_are_one_event(sender: Sender) -> None:
    [one, two, three] = sender.stored({"events": [event(idempotencyKey="i")] * 3})
    assert [one["status"], two["status"], three["status"]] == ["accepted", "duplicate", "duplicate"]
    assert one["id"] == two["id"] == three["id"]

    [four, five] = sender.stored({"events": [event(occurredAt=NOW), event(occurredAt=NOW)]})
    assert (five["id"], five["status"]) == (four["id"], "duplicate")
    answer = sender.post({"events": [event(idempotencyKey="z"), event(idempotencyKey="z", body="other")]})
    assert mismatched(answer, "/events/1/idempotencyKey")
    assert counts() == (2, 2, 0, 2)


def test_an_events_own_key_wins_over_the_header(sender: Sender) -> None:
    [first] = sender.stored(event(idempotencyKey="i"), key="h")
    [repeated] = sender.stored(event(idempotencyKey="i"), key="other")
    [new] = sender.stored(event(idempotencyKey="j", title="other"), key="h")

    assert (repeated["id"], repeated["status"]) == (first["id"], "duplicate")
    assert new["status"] == "accepted"
    assert IdempotencyRecord.select().count() == 0


def test_the_header_speaks_for_the_events_of_a_batch_that_have_no_key(sender: Sender) -> None:
    mixed = {"events": [event(idempotencyKey="i"), event(title="other", occurredAt=NOW)]}
    first = sender.post(mixed, key="h")
    repeated = sender.post(mixed, key="h")

    assert repeated.data == first.data
    assert counts() == (2, 2, 1, 1)
    assert mismatched(sender.post({"events": [event(idempotencyKey="i"), event(title="new")]}, key="h"))


def test_an_occurrence_is_stored_once(sender: Sender) -> None:
    at = datetime.now(UTC).replace(microsecond=0)
    spellings = [f"{at:%Y-%m-%dT%H:%M:%S}Z", f"{at:%Y-%m-%dt%H:%M:%S}.000z", f"{at:%Y-%m-%dT%H:%M:%S}+00:00"]

    receipts = [sender.stored(event(occurredAt=spelling))[0] for spelling in spellings]

    assert [receipt["status"] for receipt in receipts] == ["accepted", "duplicate", "duplicate"]
    assert len({receipt["id"] for receipt in receipts}) == 1
    assert counts() == (1, 1, 0, 1)


def test_an_occurrence_is_of_one_time_one_fingerprint_and_one_source(sender: Sender, cast: Cast) -> None:
    later = times.rfc3339(datetime.now(UTC) + timedelta(minutes=1))
    sender.stored(event(occurredAt=NOW))
    sender.stored(event(occurredAt=later))
    sender.stored(event(occurredAt=NOW, title="other"))
    sender.stored(event(occurredAt=NOW, severity="SUCCESS"))
    _, sender.key = make_source(cast.workspace, "Second")
    sender.stored(event(occurredAt=NOW))
    assert counts() == (5, 5, 0, 5)


def test_an_occurrence_is_known_by_the_time_that_was_sent(sender: Sender) -> None:
    long_ago = "2020-01-01T00:00:00Z"
    [first] = sender.stored(event(occurredAt=long_ago))
    [repeated] = sender.stored(event(occurredAt=long_ago))
    assert (repeated["id"], repeated["status"]) == (first["id"], "duplicate")
    assert Event.get().flags == ["clock_skew"]


def test_the_header_replaces_the_occurrence(sender: Sender) -> None:
    sender.stored(event(occurredAt=NOW), key="a")
    [second] = sender.stored(event(occurredAt=NOW), key="b")
    assert second["status"] == "accepted"
    assert counts() == (2, 2, 2, 0)


def test_duplicates_of_events_are_detected_for_forty_eight_hours(sender: Sender) -> None:
    events = [event(idempotencyKey="i"), event(occurredAt=NOW, title="other")]
    first = sender.stored({"events": events})
    age(47.99)
    assert {receipt["status"] for receipt in sender.stored({"events": events})} == {"duplicate"}

    age(0.02)
    fresh = sender.stored({"events": [events[1], events[0] | {"body": "changed"}]})

    assert {receipt["status"] for receipt in fresh} == {"accepted"}
    assert {receipt["id"] for receipt in fresh}.isdisjoint(receipt["id"] for receipt in first)
    assert EventDedup.select().count() == 2


def test_a_request_of_nothing_but_duplicates_is_accepted_and_replayed(sender: Sender) -> None:
    sender.stored(event(idempotencyKey="i"))
    mixed = {"events": [event(idempotencyKey="i"), event(idempotencyKey="i")]}
    first, repeated = sender.post(mixed, key="h"), sender.post(mixed, key="h")
    assert first.status_code == 202
    assert first.data == repeated.data
    assert counts() == (1, 1, 0, 1)
