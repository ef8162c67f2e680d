"""Buttons of Discord: their form in a message, the signature of a request, and the answer."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from inbox.destinations import INTERACTIVE, KINDS, Config
from inbox.destinations.interactions import Ignored, InteractionRefused, InteractionRequest, Press
from inbox.domain.incidents.incident import Act
from inbox.domain.values.refusals import ValidationFailed
from tests.cast import NOW
from tests.destinations.kinds.cases import CASES
from tests.destinations.kinds.notice_bodies import INCIDENT, LINKS
from tests.destinations.kinds.stand_in import staged, vet
from tests.stand_ins.chat_buttons import SERVICES, lowered, request_of
from tests.stand_ins.discord_requests import payload, signed

DISCORD = SERVICES["discord"]
PLAIN, WITH_BUTTONS = CASES["discord"], DISCORD.case
SECOND = timedelta(seconds=1)


def request(fields: Any, *, age: timedelta = timedelta(), **changed: str) -> InteractionRequest:
    body, headers = signed(fields, NOW - age)
    return request_of((body, {**lowered(headers), **changed}))


def press(of: InteractionRequest, config: Config = DISCORD.case.config) -> Press | Ignored:
    return INTERACTIVE["discord"].press(of, config)


def test_discord_buttons_act_with_a_public_key_and_otherwise_open_links() -> None:
    with staged(WITH_BUTTONS) as stage:
        stage.action_links = LINKS
        stage.send()
        sent = stage.calls()[-1][2]
        (row,) = sent.json["components"]
        ids = [each["custom_id"] for each in row["components"]]
        assert ids == [f"{act}:{INCIDENT}" for act in ("acknowledge", "resolve", "take", "escalate")]
        assert "with_components=true" in sent.path
        assert LINKS[0].url not in sent.body.decode()

        stage.action_links = ()
        stage.send("resolved")
        assert stage.calls()[-1][2].json["components"] == []

        stage.config, stage.reference, stage.action_links = PLAIN.config, {}, LINKS
        stage.send()
        assert "components" not in stage.calls()[-1][2].json


@pytest.mark.parametrize("key", ["x" * 64, "a" * 63, "a" * 65, "A" * 64])
def test_a_public_key_has_64_hexadecimal_digits(key: str) -> None:
    with pytest.raises(ValidationFailed):
        KINDS["discord"].validate({**PLAIN.settings, "publicKey": key}, vet)


@pytest.mark.parametrize("act", [Act.ACKNOWLEDGE, Act.RESOLVE])
def test_a_signed_discord_press_names_the_person_and_the_button(act: Act) -> None:
    found = press(request(payload(INCIDENT, act=str(act))))

    assert isinstance(found, Press)
    assert (found.account_id, found.account_name) == ("80351110224678912", "mia")
    assert (found.act, found.incident_id, found.replay_key) == (act, INCIDENT, "900")


def test_a_ping_gets_its_answer_and_other_requests_change_nothing() -> None:
    assert press(request({"id": "1", "type": 1})) == Ignored({"type": 1})
    assert press(request({"id": "1", "type": 2})) == Ignored({"type": 6})
    assert press(request(payload(INCIDENT, act="open"))) == Ignored({"type": 6})


def test_an_answer_has_a_hint_that_only_the_person_who_pressed_sees() -> None:
    kind, found = INTERACTIVE["discord"], press(request(payload(INCIDENT)))
    assert isinstance(found, Press)

    assert kind.answer_to(found, "", "") == {"type": 6}
    hint = kind.answer_to(found, "Not linked.", "https://inbox.example.org/chat-account/x")
    assert hint is not None
    assert (hint["type"], hint["data"]["flags"], hint["data"]["allowed_mentions"]) == (4, 64, {"parse": []})
    assert "(https://inbox.example.org/chat-account/x)" in hint["data"]["content"]


@pytest.mark.parametrize("age", [300 * SECOND, -300 * SECOND])
def test_a_request_of_five_minutes_is_taken_and_no_older_one(age: timedelta) -> None:
    assert isinstance(press(request(payload(INCIDENT), age=age)), Press)

    with pytest.raises(InteractionRefused):
        press(request(payload(INCIDENT), age=age + (SECOND if age > timedelta() else -SECOND)))


@pytest.mark.parametrize(
    "changed",
    [
        {"x-signature-ed25519": ""},
        {"x-signature-ed25519": "0" * 128},
        {"x-signature-ed25519": "é" * 128},
        {"x-signature-timestamp": ""},
        {"x-signature-timestamp": "soon"},
        {"x-signature-timestamp": str(int(NOW.timestamp()) + 1)},
    ],
)
def test_a_request_with_another_signature_or_time_is_refused(changed: dict[str, str]) -> None:
    with pytest.raises(InteractionRefused):
        press(request(payload(INCIDENT), **changed))


def test_each_byte_of_the_body_is_signed_with_the_key_of_the_application() -> None:
    good = request(payload(INCIDENT))
    for place in range(len(good.body)):
        flipped = bytes([*good.body[:place], good.body[place] ^ 1, *good.body[place + 1 :]])
        with pytest.raises(InteractionRefused):
            press(replace(good, body=flipped))

    body, headers = signed(payload(INCIDENT), NOW, Ed25519PrivateKey.from_private_bytes(b"e" * 32))
    with pytest.raises(InteractionRefused):
        press(request_of((body, headers)))
    with pytest.raises(InteractionRefused):
        press(good, PLAIN.config)


@pytest.mark.parametrize(
    "fields",
    [
        None, [], {}, {"type": 3}, {**payload(INCIDENT), "data": None}, {**payload(INCIDENT), "member": {}},
        {**payload(INCIDENT), "member": {"user": {"id": "x"}}}, {**payload(INCIDENT), "member": {"user": {"id": 5}}},
    ],
)  # fmt: skip
def test_a_signed_body_of_another_form_is_refused(fields: Any) -> None:
    with pytest.raises(InteractionRefused):
        press(request(fields))
