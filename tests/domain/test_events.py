import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inbox.domain.events import FIELDS, Action, NewEvent, accept
from inbox.domain.fields import WarningCode
from inbox.domain.refusals import BadRequest, Refusal, ValidationFailed
from inbox.domain.severity import Severity
from inbox.domain.times import rfc3339

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
KEY = "svc_src_" + "K" * 49
SECRET = "whsec_" + "S" * 44
URL = "https://user:CANARYPASSWORD@host"
TEXT_LIMITS = {"title": 256, "body": 16_384, "resource": 128}


def one(**fields: Any) -> NewEvent:
    return accept({"title": "disk full", **fields}, received_at=NOW)[0]


def codes(event: NewEvent) -> list[tuple[str, str]]:
    return [(warning.code, warning.pointer) for warning in event.warnings]


def nested(depth: int) -> list[Any]:
    return [nested(depth - 1)] if depth > 1 else []


def faults(body: Any) -> list[str]:
    with pytest.raises(ValidationFailed) as refused:
        accept(body, received_at=NOW)
    assert all(fault.detail for fault in refused.value.errors)
    return [fault.pointer for fault in refused.value.errors]


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
def test_what_is_no_json_is_a_bad_request_in_ignored_fields_too(odd: Any) -> None:
    for body in ({"title": "x", "unknown": odd}, {"events": [{"title": "x", "unknown": [odd]}]}):
        with pytest.raises(BadRequest):
            accept(body, received_at=NOW)


def test_metadata_may_nest_as_deep_as_the_body_may() -> None:
    assert one(metadata={"a": nested(30)}).metadata == {"a": nested(30)}
    with pytest.raises(BadRequest):
        one(metadata={"a": nested(31)})


@pytest.mark.parametrize("value", [0, 1, 1.5, True, [], ["x"], {}, {"a": 1}])
@pytest.mark.parametrize("name", [name for name in FIELDS if name not in {"tags", "metadata"}])
def test_a_field_of_the_wrong_json_type_is_refused_where_it_stands(name: str, value: Any) -> None:
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


def test_a_batch_does_not_stand_beside_fields_of_an_event() -> None:
    assert faults({"events": [{"title": "x"}], "title": "y", "severity": None, "tags": []}) == ["/title", "/tags"]


def test_a_batch_may_stand_beside_unknown_fields() -> None:
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


def test_a_missing_severity_is_that_of_the_source() -> None:
    assert one().severity is Severity.INFO
    assert accept({"title": "x"}, received_at=NOW, default_severity=Severity.ERROR)[0].severity is Severity.ERROR


@pytest.mark.parametrize("action", ["", "Trigger", "RESOLVE", "resolve ", "acknowledge", "close"])
def test_an_unknown_action_is_refused(action: str) -> None:
    assert faults({"title": "x", "action": action, "dedupKey": "k"}) == ["/action"]


@pytest.mark.parametrize("key", [{}, {"dedupKey": None}, {"dedupKey": ""}])
def test_to_resolve_needs_a_dedup_key(key: dict[str, Any]) -> None:
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


# --- redaction


@pytest.mark.parametrize("secret", [KEY, SECRET, URL])
@pytest.mark.parametrize("name", ["title", "body", "resource"])
def test_secrets_in_text_are_removed_with_a_warning(name: str, secret: str) -> None:
    event = one(**{name: f"a {secret} b"})

    assert "[REDACTED]" in getattr(event, name)
    assert codes(event) == [("redacted", f"/{name}")]


def test_secrets_are_removed_from_type_tags_link_and_metadata() -> None:
    event = one(type=KEY, tags=["a", SECRET], url=f"{URL}/?k={KEY}", metadata={KEY: [SECRET]})

    assert event.type == "svc_[REDACTED]"
    assert event.tags == ["a", "whsec_[REDACTED]"]
    assert event.url == "https://[REDACTED]@host/?k=svc_[REDACTED]"
    assert event.metadata == {"svc_[REDACTED]": ["whsec_[REDACTED]"]}
    assert codes(event) == [("redacted", pointer) for pointer in ("/type", "/tags/1", "/url", "/metadata")]


@pytest.mark.parametrize("secret", [KEY, SECRET, URL])
@pytest.mark.parametrize(("name", "limit"), [*TEXT_LIMITS.items(), ("tags", 64)])
def test_no_head_of_a_secret_survives_at_any_place_of_the_cut(name: str, limit: int, secret: str) -> None:
    for before in range(limit - len(secret) - 20, limit + 2):
        text = "." * before + secret + "." * 40
        event = one(**{name: [text] if name == "tags" else text})

        stored = event.tags[0] if name == "tags" else getattr(event, name)
        assert len(stored) <= limit
        assert not any(head in stored for head in ("svc_s", "KK", "whsec_S", "SS", "user", "CAN"))
        assert stored.count("[") == stored.count("]")


@pytest.mark.parametrize("inside", ["\x00", "\x01", "\u202e"])
def test_a_character_that_the_title_loses_does_not_hide_a_password(inside: str) -> None:
    assert "SECRET" not in one(title=f"x https://user:SEC{inside}SECRET@host").title


def test_warnings_and_refusals_never_repeat_what_was_sent() -> None:
    event = one(title=KEY, body=KEY, severity=KEY, type=f"{KEY} x", url=KEY, tags=[KEY * 9], metadata={KEY: KEY * 900})
    assert "KKK" not in repr(event.warnings)

    with pytest.raises(ValidationFailed) as refused:
        accept({"title": "x", "action": KEY, "occurredAt": KEY, "dedupKey": KEY * 9}, received_at=NOW)
    assert "KKK" not in repr(refused.value.errors)


def test_nul_becomes_the_replacement_character_in_free_text() -> None:
    event = one(title="a\x00", body="b\x00", resource="c\x00", tags=["d\x00"], metadata={"e\x00": "f\x00"})

    assert (event.title, event.body, event.resource, event.tags) == ("a\ufffd", "b\ufffd", "c\ufffd", ["d\ufffd"])
    assert event.metadata == {"e\ufffd": "f\ufffd"}


# --- digest of the content


def test_the_digest_is_of_all_that_was_sent_and_of_nothing_else() -> None:
    base = {"title": "x", "idempotencyKey": "k", "metadata": {"a": 1, "b": 2}}

    def digest(body: dict[str, Any], received_at: datetime = NOW) -> bytes | None:
        return accept(body, received_at=received_at)[0].content_digest

    assert digest(base) == digest({"metadata": {"b": 2, "a": 1}, "idempotencyKey": "k", "title": "x"})
    assert digest(base) == digest({**base, "severity": None, "unknown": 1}, NOW + timedelta(days=1))
    assert digest(base) == accept({"events": [base]}, received_at=NOW)[0].content_digest
    for change in ({"title": "y"}, {"severity": "INFO"}, {"metadata": {"a": 1}}, {"body": "z"}, {"tags": []}):
        assert digest({**base, **change}) != digest(base)


def test_the_digest_sees_what_redaction_and_cutting_would_hide() -> None:
    long = "x" * 300
    digests = {
        one(idempotencyKey="k", title=title).content_digest for title in (long, long + "y", "svc_src_a", "svc_src_b")
    }

    assert len(digests) == 4


# --- whatever is sent

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.text(st.characters(exclude_categories=()))
)
ANY_JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=8,
)
TEXTS = st.text(max_size=30) | st.sampled_from(
    ["x" * 300, "\n" * 70, KEY, SECRET, URL, "é" * 17_000, "resolve", "trigger", "warn", "2026-03-01T12:00:00Z", "https://h", "a.b",
     "\x00", "svc_src_" * 40, "." * 250 + KEY]
)  # fmt: skip
NEARLY = st.fixed_dictionaries(
    {"title": TEXTS},
    optional={
        **{
            name: TEXTS | st.none()
            for name in FIELDS
            if name not in {"title", "tags", "metadata", "action", "occurredAt"}
        },
        "tags": st.lists(TEXTS, max_size=25),
        "metadata": st.dictionaries(TEXTS, ANY_JSON | TEXTS, max_size=5),
        "occurredAt": st.datetimes(timezones=st.just(UTC)).map(rfc3339),
    },
)
MISFIT = st.dictionaries(st.sampled_from(FIELDS) | st.text(max_size=5), ANY_JSON | TEXTS, max_size=8)
BODIES = ANY_JSON | MISFIT | st.fixed_dictionaries({"events": st.lists(NEARLY | MISFIT, max_size=4) | ANY_JSON})


@settings(max_examples=400, deadline=None)
@given(BODIES)
def test_whatever_is_sent_is_taken_or_refused_and_nothing_else_happens(body: Any) -> None:
    try:
        batch = accept(body, received_at=NOW)
    except Refusal as refusal:
        assert isinstance(refusal, BadRequest | ValidationFailed)
        assert bool(refusal.errors) == isinstance(refusal, ValidationFailed)
    else:
        assert 1 <= len(batch) <= 100


@settings(max_examples=300, deadline=None)
@given(NEARLY)
def test_what_is_taken_is_within_every_limit_and_can_be_stored(body: dict[str, Any]) -> None:
    try:
        (event,) = accept(body, received_at=NOW)
    except Refusal:
        return

    assert 1 <= len(event.title) <= 256
    assert event.title == event.title.strip() and len(event.title.splitlines()) == 1
    assert len(event.body or "") <= 16_384
    assert len(event.type or "") <= 128
    assert len(event.resource or "") <= 128
    assert len(event.url or "") <= 2_048
    assert len(event.tags) <= 20
    assert all(len(tag) <= 64 for tag in event.tags)
    assert all(len(text or "") <= 255 for text in (event.dedup_key, event.external_id, event.idempotency_key))
    assert NOW - timedelta(days=7) <= event.occurred_at <= NOW + timedelta(minutes=5)
    assert {warning.code for warning in event.warnings} <= set(WarningCode)
    stored = json.dumps(
        [event.title, event.body, event.type, event.resource, event.url, event.tags, event.metadata], allow_nan=False
    )
    assert "\\u0000" not in stored
    assert "KKKKKKKK" not in stored
    assert "SSSSSSSS" not in stored
    assert "CANARY" not in stored
