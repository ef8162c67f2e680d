"""None"""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from inbox.domain.events.validation import FIELDS, Action, accept
from inbox.domain.values.refusals import BadRequest
from inbox.domain.values.severity import Severity
from tests.domain.events.events_steps import KEY, NOW, TEXT_LIMITS, URL, codes, faults, one


def nested(depth: int) -> list[Any]:
    return [nested(depth - 1)] if depth > 1 else []


# --- the whole event


def test_an_event_keeps_every_field_of_the_specification() -> None:
    event = one(
        severity="ERROR",
        action="resolve",
        type="disk.full",
        resource="host:db1",
        dedupKey="disk:db1",
        body="line 1\nline 2",
        tags=["prod", "db"],
        url="https://host/x",
        occurredAt="2026-03-01T11:59:00+00:00",
        externalId="e-1",
        idempotencyKey="i-1",
        metadata={"a": {"b": [1, 2.5, True, None, "x"]}},
    )

    assert (event.title, event.severity, event.action) == ("disk full", Severity.ERROR, Action.RESOLVE)
    assert (event.type, event.resource, event.dedup_key) == ("disk.full", "host:db1", "disk:db1")
    assert (event.body, event.tags, event.url) == ("line 1\nline 2", ["prod", "db"], "https://host/x")
    assert (event.external_id, event.idempotency_key) == ("e-1", "i-1")
    assert event.occurred_at == NOW - timedelta(minutes=1)
    assert event.metadata == {"a": {"b": [1, 2.5, True, None, "x"]}}
    assert (event.flags, event.warnings, event.pointer) == ([], [], "")


@pytest.mark.parametrize("absent", [{}, {name: None for name in FIELDS if name != "title"}])
def test_a_missing_field_and_a_null_one_are_the_same(absent: dict[str, None]) -> None:
    event = one(**absent, events=None)

    assert (event.severity, event.action) == (Severity.INFO, Action.TRIGGER)
    assert event.occurred_at == NOW
    assert event.tags == []
    assert {event.type, event.resource, event.dedup_key, event.body, event.url, event.external_id} == {None}
    assert (event.idempotency_key, event.occurred_at_sent, event.metadata, event.content_digest) == (None,) * 4
    assert event.warnings == []


@pytest.mark.parametrize("name", ["type", "resource", "dedupKey", "body", "url", "externalId", "idempotencyKey"])
def test_an_empty_text_counts_as_missing(name: str) -> None:
    assert one(**{name: ""}) == one()


def test_unknown_fields_are_not_stored_and_each_is_a_warning() -> None:
    event = one(links=["x"], foo={"bar": KEY}, Title=7)

    assert codes(event) == [("field_unknown", "/links"), ("field_unknown", "/foo"), ("field_unknown", "/Title")]
    assert [warning.detail.endswith("did you mean `title`?") for warning in event.warnings] == [False, False, True]
    assert KEY not in str(event)
    assert replace(event, warnings=[]) == one()


@pytest.mark.parametrize("body", [None, True, 1, 1.5, "title", [], [{"title": "x"}]])
def test_a_body_that_is_no_object_is_a_bad_request(body: Any) -> None:
    with pytest.raises(BadRequest):
        accept(body, received_at=NOW)


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), "\ud800", nested(32)])
def test_invalid_json_values_are_refused_in_ignored_fields_too(odd: Any) -> None:
    for body in ({"title": "x", "unknown": odd}, {"events": [{"title": "x", "unknown": [odd]}]}):
        with pytest.raises(BadRequest):
            accept(body, received_at=NOW)


def test_metadata_may_nest_as_deep_as_the_body_may() -> None:
    assert one(metadata={"a": nested(30)}).metadata == {"a": nested(30)}
    with pytest.raises(BadRequest):
        one(metadata={"a": nested(31)})


@pytest.mark.parametrize("value", [0, 1, 1.5, True, [], ["x"], {}, {"a": 1}])
@pytest.mark.parametrize("name", [name for name in FIELDS if name not in {"tags", "metadata"}])
def test_a_field_of_the_wrong_json_type_is_refused_with_its_pointer(name: str, value: Any) -> None:
    assert faults({"title": "x", name: value}) == [f"/{name}"]


@pytest.mark.parametrize("value", [0, 1, True, False, "", "x", {}, {"a": "b"}])
def test_tags_are_an_array(value: Any) -> None:
    assert faults({"title": "x", "tags": value}) == ["/tags"]


@pytest.mark.parametrize("value", [0, 1, True, False, "", "x", [], [1]])
def test_metadata_is_an_object(value: Any) -> None:
    assert faults({"title": "x", "metadata": value}) == ["/metadata"]


def test_every_bad_field_is_named_once() -> None:
    bad = {"severity": 1, "action": "close", "tags": [1, "a", None], "occurredAt": "now", "metadata": [], "dedupKey": 1}

    assert sorted(faults(bad)) == sorted(
        ["/title", "/severity", "/action", "/tags/0", "/tags/2", "/occurredAt", "/metadata", "/dedupKey"]
    )


# --- batches


@pytest.mark.parametrize("size", [1, 2, 99, 100])
def test_a_batch_of_1_to_100_is_taken_in_its_order(size: int) -> None:
    batch = accept({"events": [{"title": f"event {index}"} for index in range(size)]}, received_at=NOW)

    assert [event.title for event in batch] == [f"event {index}" for index in range(size)]
    assert [event.pointer for event in batch] == [f"/events/{index}" for index in range(size)]


@pytest.mark.parametrize("size", [0, 101, 1_000])
def test_a_batch_of_another_size_is_refused(size: int) -> None:
    assert faults({"events": [{"title": "x"}] * size}) == ["/events"]


@pytest.mark.parametrize("events", [0, False, "", "x", {}, {"title": "x"}])
def test_events_is_an_array(events: Any) -> None:
    assert faults({"events": events}) == ["/events"]


def test_a_batch_with_fields_of_an_event_is_refused() -> None:
    assert faults({"events": [{"title": "x"}], "title": "y", "severity": None, "tags": []}) == ["/title", "/tags"]


def test_a_batch_with_unknown_fields_is_accepted() -> None:
    assert len(accept({"events": [{"title": "x"}], "sender": "y", "title": None}, received_at=NOW)) == 1


def test_one_bad_event_refuses_the_batch_and_is_named_exactly() -> None:
    batch = [
        {"title": "x"},
        7,
        {"title": " "},
        {"title": "x", "tags": [1]},
        None,
        {"title": "x", "dedupKey": "k" * 256},
    ]

    assert faults({"events": batch}) == [
        "/events/1", "/events/2/title", "/events/3/tags/0", "/events/4", "/events/5/dedupKey",
    ]  # fmt: skip


def test_a_batch_within_a_batch_is_an_ignored_field() -> None:
    assert accept({"events": [{"title": "x", "events": [{}]}]}, received_at=NOW)[0].title == "x"


# --- title


@pytest.mark.parametrize("title", ["", " ", "\n\t", "\u2028", "\u200b\ufeff", "\x01\x02", "\u202e", "\xa0\u3000"])
def test_a_blank_title_is_refused(title: str) -> None:
    assert faults({"title": title}) == ["/title"]


@pytest.mark.parametrize("body", [{}, {"title": None}, {"severity": "ERROR"}])
def test_a_missing_title_is_refused(body: dict[str, Any]) -> None:
    assert faults(body) == ["/title"]


def test_a_title_is_one_trimmed_line() -> None:
    assert one(title="  disk\r\nfull\u202e\x00 now ").title == "disk full \ufffd now"


# --- limits


@pytest.mark.parametrize(("name", "limit"), TEXT_LIMITS.items())
@pytest.mark.parametrize("character", ["x", "é", "😀"])
def test_long_text_is_cut_to_its_limit_with_a_warning(name: str, limit: int, character: str) -> None:
    for length in (limit - 1, limit):
        fits = one(**{name: character * length})
        assert (getattr(fits, name), codes(fits)) == (character * length, [])

    cut = one(**{name: character * (limit + 1)})
    assert getattr(cut, name) == character * limit
    assert codes(cut) == [(f"{name}_truncated", f"/{name}")]


@pytest.mark.parametrize("name", ["dedupKey", "externalId", "idempotencyKey"])
def test_an_identity_is_kept_verbatim_or_refused(name: str) -> None:
    attribute = {"dedupKey": "dedup_key", "externalId": "external_id", "idempotencyKey": "idempotency_key"}[name]
    for value in ("k" * 254, "😀" * 255, " k\n", KEY, URL, "svc_src_x whsec_y"):
        event = one(**{name: value})
        assert (getattr(event, attribute), event.warnings) == (value, [])
    for value in ("k" * 256, "😀" * 256, "a\x00"):
        assert faults({"title": "x", name: value}) == [f"/{name}"]


def test_20_tags_of_64_characters_are_kept() -> None:
    assert codes(one(tags=["t" * 64] * 20)) == []

    event = one(tags=["a", "t" * 65] + ["b"] * 19)
    assert event.tags == ["a", "t" * 64] + ["b"] * 18
    assert codes(event) == [("tags_dropped", "/tags"), ("tag_truncated", "/tags/1")]


def test_blank_tags_are_dropped() -> None:
    event = one(tags=["", "a", " ", "b"])

    assert event.tags == ["a", "b"]
    assert codes(event) == [("tags_dropped", "/tags")]


@pytest.mark.parametrize("member", [None, 1, True, ["x"], {}])
def test_a_tag_that_is_no_string_is_refused_wherever_it_stands(member: Any) -> None:
    assert faults({"title": "x", "tags": ["a"] * 30 + [member]}) == ["/tags/30"]


def test_many_wrong_tags_do_not_make_an_endless_answer() -> None:
    assert len(faults({"title": "x", "tags": [1] * 100_000})) == 20
