"""Redaction of events, digests of their content, and arbitrary bodies."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inbox.domain.events.fields import WarningCode
from inbox.domain.events.validation import FIELDS, accept
from inbox.domain.values.refusals import BadRequest, Refusal, ValidationFailed
from inbox.domain.values.times import rfc3339
from tests.domain.events.events_steps import KEY, NOW, TEXT_LIMITS, URL, codes, one

SECRET = "whsec_" + "S" * 44


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


def test_warnings_and_refusals_never_repeat_the_sent_text() -> None:
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


def test_the_digest_is_computed_before_redaction_and_truncation() -> None:
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
def test_every_generated_body_is_accepted_or_refused(body: Any) -> None:
    try:
        batch = accept(body, received_at=NOW)
    except Refusal as refusal:
        assert isinstance(refusal, BadRequest | ValidationFailed)
        assert bool(refusal.errors) == isinstance(refusal, ValidationFailed)
    else:
        assert 1 <= len(batch) <= 100


@settings(max_examples=300, deadline=None)
@given(NEARLY)
def test_every_accepted_event_is_within_its_limits_and_can_be_stored(body: dict[str, Any]) -> None:
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
