"""Stored fields of an accepted event, and answers to arbitrary requests (specification 4)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inbox.domain.values import ids, times
from inbox.models.events.tables import ReceivedEvent
from tests.api.events.senders import Sender, counts, event, only_event
from tests.cast import Cast

CAP = 2 * 1024 * 1024


@pytest.mark.parametrize(
    ("sent", "stored"), [("warn", "WARNING"), ("Err", "ERROR"), ("CRIT", "CRITICAL"), ("fatal", "CRITICAL")]
)
def test_an_alias_is_stored_under_its_canonical_name(sender: Sender, sent: str, stored: str) -> None:
    sender.stored(event(severity=sent))
    assert only_event().severity == stored


def test_a_missing_severity_is_the_default_of_the_source(sender: Sender, cast: Cast) -> None:
    sender.stored({"title": "x"})
    assert only_event().severity == "INFO"

    cast.source.default_severity = "CRITICAL"
    cast.source.save()
    ReceivedEvent.delete().execute()
    sender.stored({"title": "x"})
    assert only_event().severity == "CRITICAL"


def test_the_fingerprint_follows_the_grouping_of_the_source(sender: Sender, cast: Cast) -> None:
    cast.source.group_by = ["metadata.rack"]
    cast.source.save()

    [one] = sender.stored(event(title="Fan 1", metadata={"rack": "A"}))
    [same] = sender.stored(event(title="Disk gone", metadata={"rack": "A"}))
    [other] = sender.stored(event(title="Fan 1", metadata={"rack": "B"}))

    assert one["fingerprint"] == same["fingerprint"] != other["fingerprint"]


def test_two_sources_never_share_a_fingerprint(sender: Sender, other_sender: Sender) -> None:
    [here] = sender.stored(event(dedupKey="k"))
    [there] = other_sender.stored(event(dedupKey="k"))
    assert here["fingerprint"] != there["fingerprint"]


def test_a_time_too_far_off_is_replaced_and_flagged(sender: Sender) -> None:
    for ahead in (timedelta(days=-8), timedelta(minutes=6)):
        ReceivedEvent.delete().execute()
        [receipt] = sender.stored(event(occurredAt=times.rfc3339(datetime.now(UTC) + ahead)))
        stored = only_event()
        assert stored.occurred_at == stored.received_at
        assert stored.flags == ["clock_skew"]
        assert [warning["code"] for warning in receipt["warnings"]] == ["clock_skew"]


def test_a_time_within_bounds_is_kept(sender: Sender) -> None:
    at = datetime.now(UTC).replace(microsecond=123_000) - timedelta(days=6)
    sender.stored(event(occurredAt=times.rfc3339(at)))
    assert only_event().occurred_at == at
    assert only_event().flags == []


def test_unknown_fields_are_ignored(sender: Sender) -> None:
    sender.stored(event(colour="red", links=[1], source_id="x"))
    assert only_event().title == "Disk nearly full"


SECRET = "svc_src_" + "a" * 49


def test_secrets_are_removed_before_anything_is_stored(sender: Sender) -> None:
    whsec = "whsec_" + "b" * 40
    [receipt] = sender.stored(
        event(
            title=f"key {SECRET}",
            body=f"{whsec} https://joe:hunter2@example.org/",
            resource=f"host:{SECRET}",
            tags=[SECRET],
            url="https://joe:hunter2@example.org/x",
            metadata={SECRET: {"deep": [whsec]}},
            dedupKey=SECRET,
        )
    )

    stored = only_event()
    text = repr({name: value for name, value in stored.__data__.items() if name != "dedup_key"})
    for secret in (SECRET, whsec, "hunter2"):
        assert secret not in text
    assert stored.dedup_key == SECRET
    assert stored.url == "https://[REDACTED]@example.org/x"
    assert {warning["code"] for warning in receipt["warnings"]} == {"redacted"}


def test_characters_that_the_database_cannot_hold_are_replaced(sender: Sender) -> None:
    sender.stored(event(title="a\0b", body="a\0b", tags=["a\0b"], metadata={"a\0b": "a\0b"}))

    stored = only_event()
    assert (stored.title, stored.body, stored.tags) == ("a\ufffdb", "a\ufffdb", ["a\ufffdb"])
    assert stored.metadata == {"a\ufffdb": "a\ufffdb"}


@pytest.mark.parametrize("length", [CAP, CAP + 1])
def test_the_cap_of_the_body_is_two_mebibytes(sender: Sender, length: int) -> None:
    bare = orjson.dumps(event())

    answer = sender.post(bare + b" " * (length - len(bare)))

    if length <= CAP:
        assert answer.status_code == 202
    else:
        assert (answer.status_code, answer.get_json()["code"]) == (413, "payload_too_large")
        assert counts() == (1, 1, 0, 0), "the report of the refusal alone"


@pytest.mark.parametrize(
    "content_type",
    [
        None,
        "application/json",
        "application/json; charset=utf-8",
        "Application/JSON",
        "application/cloudevents+json",
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "nonsense",
    ],
)
def test_any_content_type_is_taken_with_a_source_key(sender: Sender, content_type: str | None) -> None:
    answer = sender.post(event(), content_type=content_type)
    assert answer.status_code == 202


@pytest.mark.parametrize("encoding", ["gzip", "br", "zstd", "deflate", "gzip, gzip", "x"])
def test_any_content_encoding_but_identity_is_refused(sender: Sender, encoding: str) -> None:
    answer = sender.post(event(), headers={"Content-Encoding": encoding})
    assert (answer.status_code, answer.get_json()["code"]) == (415, "unsupported_media_type")
    assert sender.post(event(), headers={"Content-Encoding": "identity"}).status_code == 202


def test_the_id_reports_when_the_event_came(sender: Sender) -> None:
    [receipt] = sender.stored(event())
    event_id = ids.decode("evt", receipt["id"])
    assert event_id is not None
    assert event_id.int >> 80 == int(only_event().received_at.timestamp() * 1000)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


names = st.sampled_from(
    ["title", "severity", "action", "type", "resource", "dedupKey", "body", "tags", "url", "occurredAt", "externalId",
     "idempotencyKey", "metadata", "other"]
)  # fmt: skip


likely = st.sampled_from(["x", "", "resolve", "SUCCESS", "2026-01-01T00:00:00Z", "https://a.b/", "\0", "k" * 300])


bodies = st.dictionaries(names, likely | json_values) | st.builds(
    lambda items: {"events": items}, st.lists(st.dictionaries(names, likely | json_values) | json_values, max_size=4)
)


@pytest.mark.slow
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=bodies | json_values, key=st.none() | st.text(st.characters(max_codepoint=255), max_size=8))
def test_every_generated_event_is_stored_or_refused(sender: Sender, body: Any, key: str | None) -> None:
    try:
        raw = orjson.dumps(body)
    except (orjson.JSONEncodeError, TypeError):
        raw = repr(body).encode("utf-8", "surrogatepass")
    headers = {} if key is None or "\n" in key or "\r" in key else {"Idempotency-Key": key}

    answer = sender.post(raw, headers=headers)

    assert answer.status_code in (202, 400, 422)


@pytest.mark.slow
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(raw=st.binary(max_size=200))
def test_every_sequence_of_bytes_is_answered(sender: Sender, raw: bytes) -> None:
    assert sender.post(raw).status_code in (202, 400, 422)
