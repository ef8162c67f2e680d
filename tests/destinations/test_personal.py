"""Settings that reach one person, what a call says, and the signature of Twilio (specification 23.18, 23.21)."""

from __future__ import annotations

from typing import Any

import pytest

from inbox.destinations import KINDS, PERSONAL_KINDS, Config, personal, twilio
from inbox.destinations.base import Message
from inbox.destinations.phone_answers import LONGEST_SPEECH, speech
from inbox.domain.deliveries.phone_answers import PhoneAnswer, Reply, reply_of
from inbox.models.deliveries.contacts import personal_config
from tests.destinations.kinds.notice_bodies import AT, body


def test_the_kinds_that_reach_one_person_are_these() -> None:
    assert set(PERSONAL_KINDS) == {"twilio_sms", "twilio_voice", "call_request", "telegram", "ntfy", "pushover"}


def test_an_address_replaces_the_one_of_the_destination_and_settings_of_a_group_are_left_out() -> None:
    group = {"chatId": "-100", "topicId": 7, "buttons": True, "mention": "@olga", "actionLinks": True}
    stored = Config({**group, **personal_config("4711")}, {"token": "secret"})

    found = personal.for_person(stored, KINDS["telegram"])

    assert found.public == {"chatId": "4711", "actionLinks": True}
    assert found.secrets == {"token": "secret"}


def test_an_address_that_is_a_secret_of_the_kind_becomes_one() -> None:
    stored = Config({"device": "phone", "emergency": True, **personal_config("u" * 30)}, {"token": "t", "user": "g"})

    found = personal.for_person(stored, KINDS["pushover"])

    assert found.public == {"emergency": True}
    assert found.secrets == {"token": "t", "user": "u" * 30}


@pytest.mark.parametrize(
    ("kind", "address", "is_taken"),
    [
        ("telegram", "4711", True),
        ("telegram", "-1001234", False),
        ("telegram", "@channel", False),
        ("twilio_sms", "+491700000001", True),
        ("twilio_voice", "+0491700000001", False),
        ("ntfy", "two words", False),
        ("pushover", "u" * 29, False),
    ],
)
def test_an_address_has_the_form_of_one_person(kind: str, address: str, *, is_taken: bool) -> None:
    assert (personal.address_fault(KINDS[kind], address) is None) == is_taken


def test_a_signature_is_that_of_the_documentation_of_twilio() -> None:
    form = {
        "Digits": "1234", "To": "+18005551212", "From": "+14158675310", "Caller": "+14158675310",
        "CallSid": "CA1234567890ABCDE",
    }  # fmt: skip
    url, signature = "https://example.com/myapp.php?foo=1&bar=2", "L/OH5YylLD5NRKLltdqwSvS0BnU="
    config = Config({"keySid": "SK1"}, {"keySecret": "other", "authToken": "12345"})

    assert twilio.is_signed(config, url, form, signature)
    assert not twilio.is_signed(config, url, {**form, "Digits": "4"}, signature)
    assert not twilio.is_signed(config, url.replace("foo", "fo"), form, signature)
    assert not twilio.is_signed(Config({"keySid": "SK1"}, {"keySecret": "12345"}), url, form, signature)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("15a", Reply(15, PhoneAnswer.ACKNOWLEDGE)),
        (" 7 R ", Reply(7, PhoneAnswer.RESOLVE)),
        ("999e", Reply(999, PhoneAnswer.ESCALATE)),
        ("1000a", None),
        ("15c", None),
        ("a15", None),
        ("15a now", None),
    ],
)
def test_a_reply_is_a_number_and_a_letter(words: str, expected: Reply | None) -> None:
    assert reply_of(words) == expected


@pytest.mark.parametrize(
    ("title", "said"),
    [
        ("Disk full", "Disk full."),
        ("Down: https://shop.example.org/?q=1 is 503", "Down: is 503."),
        ("Pod web-5d8f7c9b6d4f3a21b0 restarts", "Pod web- restarts."),
        ("Job 3f2504e0-4f89-11d3-9a0c-0305e82c3301 failed", "Job failed."),
    ],
)
def test_a_call_says_neither_addresses_nor_long_ids(title: str, said: str) -> None:
    words = speech(Message("dlv_1", body(title=title), AT).content)

    assert f" {said} From " in words


@pytest.mark.parametrize("text", ["word " * 200, "<&>" * 300])
def test_a_call_says_a_bounded_text(text: str) -> None:
    content = Message("dlv_1", body(title=text[:256], sourceName=text), AT).content
    fields: dict[str, Any] = {"words": speech(content)}

    assert len(fields["words"]) <= LONGEST_SPEECH
