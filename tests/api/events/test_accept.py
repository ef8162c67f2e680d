"""Accepted, refused and stored events (specification 4)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import orjson
import pytest

from inbox.models.events.queue import shard_of
from inbox.models.events.tables import Event, EventQueueRow, ReceivedEvent
from tests.api.events.senders import Sender, counts, event, only_event
from tests.cast import Cast, typeid


def test_an_accepted_event_is_answered_with_its_receipt(sender: Sender, cast: Cast) -> None:
    answer = sender.post(event())

    assert answer.status_code == 202
    assert answer.content_type == "application/json"
    [receipt] = answer.get_json()["events"]
    stored = only_event()
    assert receipt == {
        "id": typeid("evt", stored.id),
        "index": 0,
        "status": "accepted",
        "fingerprint": stored.fingerprint,
        "warnings": [],
    }


def test_an_accepted_event_is_stored_and_waits_to_be_routed(sender: Sender, cast: Cast) -> None:
    before = datetime.now(UTC)
    sender.stored(
        event(
            action="resolve", type="disk.usage", resource="host:db-1", dedupKey="Disk:db-1", body="93 %\nof 1 TB",
            tags=["prod", "eu"], url="https://example.org/d/1", externalId="x-1", idempotencyKey="i-1",
            metadata={"usage": 0.93, "path": ["/", {"deep": None}], "n": 1},
        )
    )  # fmt: skip

    stored = only_event()
    assert (stored.workspace_id, stored.source_id) == (cast.workspace.id, cast.source.id)
    assert (stored.title, stored.severity, stored.action) == ("Disk nearly full", "ERROR", "resolve")
    assert (stored.type, stored.resource, stored.dedup_key) == ("disk.usage", "host:db-1", "Disk:db-1")
    assert (stored.body, stored.tags, stored.url) == ("93 %\nof 1 TB", ["prod", "eu"], "https://example.org/d/1")
    assert (stored.external_id, stored.idempotency_key) == ("x-1", "i-1")
    assert stored.metadata == {"usage": 0.93, "path": ["/", {"deep": None}], "n": 1}
    assert before <= stored.received_at == stored.occurred_at <= datetime.now(UTC)
    assert (stored.disposition, stored.incident_id, stored.routing) == ("pending", None, None)
    queued = EventQueueRow.get()
    assert (queued.event_id, queued.workspace_id) == (stored.id, cast.workspace.id)
    assert queued.shard == shard_of(cast.source.id)


def test_a_batch_is_stored_in_its_order_with_an_index_for_each(sender: Sender) -> None:
    receipts = sender.stored({"events": [event(title=f"Event {number}") for number in range(100)]})

    assert [receipt["index"] for receipt in receipts] == list(range(100))
    queued = [row.event_id for row in EventQueueRow.select().order_by(EventQueueRow.shard, EventQueueRow.seq)]
    sorted_by_id = [row.id for row in Event.select().order_by(Event.id)]
    assert [typeid("evt", event_id) for event_id in queued] == [receipt["id"] for receipt in receipts]
    assert sorted_by_id == queued
    assert [row.title for row in Event.select().order_by(Event.id)] == [f"Event {number}" for number in range(100)]


def test_a_batch_is_accepted_whole_or_refused(sender: Sender) -> None:
    answer = sender.post({"events": [event(), event(title=" "), event(action="close"), event(dedupKey=1)]})

    assert answer.status_code == 422
    assert {fault["pointer"] for fault in answer.get_json()["errors"]} == {
        "/events/1/title",
        "/events/2/action",
        "/events/3/dedupKey",
    }
    assert counts() == (0, 0, 0, 0)


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/title"),
        (event(title=" \t "), "/title"),
        (event(title=None), "/title"),
        (event(title=5), "/title"),
        ({"events": []}, "/events"),
        ({"events": [event()] * 101}, "/events"),
        ({"events": event()}, "/events"),
        ({"events": ["text"]}, "/events/0"),
        ({"events": [event()], "severity": "INFO"}, "/severity"),
        (event(action="close"), "/action"),
        (event(action="resolve"), "/dedupKey"),
        (event(dedupKey="k" * 256), "/dedupKey"),
        (event(externalId="k" * 256), "/externalId"),
        (event(idempotencyKey="k" * 256), "/idempotencyKey"),
        (event(dedupKey="a\0b"), "/dedupKey"),
        (event(severity=3), "/severity"),
        (event(tags="prod"), "/tags"),
        (event(tags=["prod", 3]), "/tags/1"),
        (event(metadata=[]), "/metadata"),
        (event(occurredAt="yesterday"), "/occurredAt"),
        (event(occurredAt="2026-01-01T00:00:00"), "/occurredAt"),
        (event(body=["text"]), "/body"),
        (event(url=7), "/url"),
    ],
)
def test_a_bad_field_is_refused_with_its_pointer(sender: Sender, body: Any, pointer: str) -> None:
    answer = sender.post(body)

    assert answer.status_code == 422
    problem = answer.get_json()
    assert problem["code"] == "validation_failed"
    assert pointer in [fault["pointer"] for fault in problem["errors"]]
    assert counts() == (0, 0, 0, 0)


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"null", b"[]", b'"text"', b"1", b"\xff\xfe", b'\xef\xbb\xbf{"title"', b'{"title":"\\ud800"}',
        b'{"title":"x","metadata":{"a":NaN}}', b'{"title":"x","metadata":{"a":1e400}}',
        b'{"title":"x","metadata":' + b'{"a":' * 32 + b"1" + b"}" * 32 + b"}", b"[" * 100_000,
        '{"title"'.encode("utf-16"),
    ],
)  # fmt: skip
def test_a_body_that_is_not_a_json_object_is_a_bad_request(sender: Sender, body: bytes) -> None:
    answer = sender.post(body)

    assert (answer.status_code, answer.get_json()["code"]) == (400, "bad_request")
    assert counts() == (0, 0, 0, 0)


@pytest.mark.parametrize(
    ("field", "limit", "code", "pointer"),
    [
        ("title", 256, "title_truncated", "/title"),
        ("body", 16_384, "body_truncated", "/body"),
        ("resource", 128, "resource_truncated", "/resource"),
    ],
)
def test_text_is_cut_above_its_limit_and_not_at_it(
    sender: Sender, field: str, limit: int, code: str, pointer: str
) -> None:
    for length in (limit - 1, limit, limit + 1):
        ReceivedEvent.delete().execute()
        [receipt] = sender.stored(event(**{field: "ü" * length}))
        assert getattr(only_event(), field) == "ü" * min(length, limit)
        expected = [{"code": code, "pointer": pointer}] if length > limit else []
        assert [{"code": w["code"], "pointer": w["pointer"]} for w in receipt["warnings"]] == expected
        assert only_event().warnings == receipt["warnings"]


@pytest.mark.parametrize("field", ["dedupKey", "externalId", "idempotencyKey"])
def test_an_identity_field_of_255_characters_is_stored_verbatim(sender: Sender, field: str) -> None:
    value = "svc_src_" + "\U0001f600" * 247

    sender.stored(event(**{field: value}))

    columns = {"dedupKey": "dedup_key", "externalId": "external_id", "idempotencyKey": "idempotency_key"}
    assert getattr(only_event(), columns[field]) == value


def test_tags_beyond_twenty_are_dropped_and_long_ones_cut(sender: Sender) -> None:
    [receipt] = sender.stored(event(tags=["t" * 65, *(f"t{number}" for number in range(20))]))

    assert only_event().tags == ["t" * 64, *(f"t{number}" for number in range(19))]
    assert {warning["code"] for warning in receipt["warnings"]} == {"tags_dropped", "tag_truncated"}


def test_metadata_beyond_its_limits_is_cut_and_reported(sender: Sender) -> None:
    [receipt] = sender.stored(event(metadata={"small": 1, "large": "x" * 40_000}))
    stored = only_event().metadata
    assert stored["small"] == 1
    assert len(orjson.dumps(stored)) <= 32 * 1024
    assert [warning["code"] for warning in receipt["warnings"]] == ["metadata_truncated"]

    [receipt] = sender.stored(event(metadata={f"k{number}": number for number in range(257)}))
    assert len(Event.get(Event.metadata.contains({"k0": 0})).metadata) == 256
    assert [warning["code"] for warning in receipt["warnings"]] == ["metadata_truncated"]


def test_a_link_that_is_none_and_an_unknown_severity_are_warned_about(sender: Sender) -> None:
    [receipt] = sender.stored(event(url="javascript:alert(1)", severity="terrible", type="Not A Type"))

    stored = only_event()
    assert (stored.url, stored.severity, stored.type) == (None, "INFO", None)
    assert {warning["code"] for warning in receipt["warnings"]} == {"url_dropped", "severity_unknown", "type_dropped"}
