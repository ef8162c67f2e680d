"""Buttons of Mattermost: their form in a post, their tokens, and the answer to a request."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from inbox.destinations import INTERACTIVE, KINDS, Config
from inbox.destinations.interactions import Ignored, InteractionRefused, Press
from inbox.destinations.mattermost.interactions import LIFETIME, LONGEST_TRIGGER, TOO_OLD
from inbox.destinations.recording_client import RecordingClient
from inbox.domain.incidents.incident import Act
from inbox.domain.values.refusals import ValidationFailed
from tests.cast import NOW
from tests.destinations.kinds.cases import CASES
from tests.destinations.kinds.notice_bodies import INCIDENT, LINKS
from tests.destinations.kinds.stand_in import Stage, staged, vet
from tests.stand_ins.chat_buttons import CALLBACK, SERVICES
from tests.stand_ins.mattermost_requests import PERSON, payload, sent

MATTERMOST = SERVICES["mattermost"]
PLAIN, WITH_BUTTONS = CASES["mattermost_bot"], MATTERMOST.case
OTHER = {"server": "https://other.example.org:8443/chat/"}
SECOND = timedelta(seconds=1)


def token(act: str = "acknowledge", **more: Any) -> str:
    return str(json.loads(MATTERMOST.pressed(INCIDENT, act=act, **more)[0])["context"]["token"])


def read(fields: Any, config: Config | None = None, *, later: timedelta = timedelta()) -> Any:
    return MATTERMOST.read(sent(fields), at=NOW + later, config=config)


def attachment(stage: Stage) -> Any:
    """The attachment of the last post."""
    return stage.calls()[-1][2].json["props"]["attachments"][0]


def test_mattermost_buttons_act_directly_when_enabled_and_otherwise_open_links() -> None:
    with staged(WITH_BUTTONS) as stage:
        stage.action_links, stage.callback = LINKS, CALLBACK
        stage.send()
        actions = attachment(stage)["actions"]
        assert [(each["id"], each["name"]) for each in actions] == [
            ("acknowledge", "Acknowledge"),
            ("resolve", "Resolve"),
            ("take", "Take"),
            ("escalate", "Escalate"),
        ]
        assert {each["integration"]["url"] for each in actions} == {CALLBACK.url}
        assert LINKS[0].url not in stage.calls()[-1][2].body.decode()
        stage.action_links = ()
        stage.send("resolved")
        assert attachment(stage)["actions"] == []

        stage.config, stage.reference, stage.action_links = PLAIN.config, {}, LINKS
        stage.send()
        assert "actions" not in attachment(stage)
        assert LINKS[0].url in attachment(stage)["text"]


def test_the_tokens_of_buttons_are_not_kept_with_the_request() -> None:
    with staged(WITH_BUTTONS) as stage:
        stage.action_links, stage.callback = LINKS, CALLBACK
        stage.send()
        made = attachment(stage)["actions"][0]["integration"]["context"]["token"]
        body = stage.calls()[-1][2].body
        recorder = RecordingClient(stage.client)
        recorder.exchange("POST", "https://chat.example.org/api/v4/posts", {"Content-Type": "application/json"}, body)
        (stored,) = recorder.requests([])
        assert made.removeprefix("svc_btn_") not in stored.body
        assert "svc_[REDACTED]" in stored.body
        stage.service.violations.clear()  # the repeated request had no authorization


def test_buttons_are_for_a_bot() -> None:
    with pytest.raises(ValidationFailed) as refused:
        KINDS["mattermost"].validate({**CASES["mattermost_webhook"].settings, "buttons": True}, vet)
    assert [fault.pointer for fault in refused.value.errors] == ["/config/buttons"]
    assert KINDS["mattermost"].validate({**CASES["mattermost_webhook"].settings, "buttons": False}, vet)


@pytest.mark.parametrize("act", [Act.ACKNOWLEDGE, Act.RESOLVE])
def test_a_mattermost_press_names_the_person_and_the_button(act: Act) -> None:
    found = read(payload(token(str(act)), id="77"))

    assert isinstance(found, Press)
    assert (found.account_id, found.account_name) == (f"chat.example.org/{PERSON}", "mia")
    assert (found.act, found.incident_id, found.replay_key) == (act, INCIDENT, "trigger-77")


def test_a_server_vouches_for_its_own_accounts_alone() -> None:
    there = replace(MATTERMOST, case=replace(WITH_BUTTONS, settings={**WITH_BUTTONS.settings, **OTHER}))
    pressed = there.pressed(INCIDENT)

    found = there.read(pressed)

    assert isinstance(found, Press) and found.account_id == f"other.example.org:8443/chat/{PERSON}"
    with pytest.raises(InteractionRefused):
        MATTERMOST.read(pressed)
    with pytest.raises(InteractionRefused):
        there.read(MATTERMOST.pressed(INCIDENT))


def test_a_button_is_of_one_destination() -> None:
    with pytest.raises(InteractionRefused):
        read(payload(token(callback=replace(CALLBACK, secret="another"))))
    with pytest.raises(InteractionRefused):
        read(payload(token()), PLAIN.config)


def test_each_letter_of_a_token_is_signed() -> None:
    good = token()
    for place in range(len(good) - 1):  # the last letter holds bits that are not used
        changed = good[:place] + ("A" if good[place] != "A" else "B") + good[place + 1 :]
        with pytest.raises(InteractionRefused):
            read(payload(changed))


@pytest.mark.parametrize(
    "other", ["", "x", "svc_btn_", "svc_btn_x", "svc_btn_é", "svc_btn_" + "A" * 80, None, 5, ["x"]]
)
def test_another_token_is_refused(other: Any) -> None:
    with pytest.raises(InteractionRefused):
        read(payload(other))


def test_a_token_for_another_purpose_is_refused() -> None:
    other = "svc_btn_" + CALLBACK.sign("telegram start", f"acknowledge\n{INCIDENT}", NOW + LIFETIME)
    with pytest.raises(InteractionRefused):
        read(payload(other))


@pytest.mark.parametrize(
    "changed",
    [
        {"channel_id": "x" * 26}, {"user_id": ""}, {"user_id": "x" * 25}, {"user_id": "X" * 26}, {"user_id": None},
        {"trigger_id": ""}, {"trigger_id": None}, {"trigger_id": "x" * (LONGEST_TRIGGER + 1)}, {"trigger_id": "\ud800"}, {"context": None}, {"context": {}},
    ],
)  # fmt: skip
def test_a_request_of_another_channel_or_form_is_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(InteractionRefused):
        read({**payload(token()), **changed})
    assert isinstance(read({**payload(token()), "trigger_id": "x" * LONGEST_TRIGGER}), Press)


@pytest.mark.parametrize("fields", [None, [], "x", {}])
def test_a_body_of_another_form_is_refused(fields: Any) -> None:
    with pytest.raises(InteractionRefused):
        read(fields)


def test_a_button_acts_for_a_week_and_then_says_that_it_is_too_old() -> None:
    assert isinstance(read(payload(token()), later=LIFETIME - SECOND), Press)
    assert read(payload(token()), later=LIFETIME) == Ignored({"ephemeral_text": TOO_OLD})
    assert timedelta(days=7) == LIFETIME


@pytest.mark.parametrize("name", ["", "mia\0", "\ud800"])
def test_a_name_that_cannot_be_stored_is_left_out(name: str) -> None:
    assert read({**payload(token()), "user_name": name}).account_name == payload(token())["user_id"]


def test_an_answer_has_a_hint_that_only_the_person_who_pressed_sees() -> None:
    kind, found = INTERACTIVE["mattermost"], read(payload(token()))

    assert kind.answer_to(found, "", "") == {}
    hint = kind.answer_to(found, "Not linked.", "https://inbox.example.org/chat-account/x")
    assert hint == {"ephemeral_text": "Not linked. [Link your account](https://inbox.example.org/chat-account/x)"}
