"""Buttons of Slack: their form in a message, the signature of a request, and the hint to the person."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from inbox.destinations import INTERACTIVE, KINDS, Config
from inbox.destinations.interactions import Ignored, InteractionRefused, InteractionRequest, Press
from inbox.domain.incidents.incident import Act
from inbox.domain.values.refusals import ValidationFailed
from tests.cast import NOW
from tests.destinations.kinds.cases import CASES
from tests.destinations.kinds.notice_bodies import INCIDENT, LINKS
from tests.destinations.kinds.stand_in import Stage, staged, vet
from tests.destinations.slack import SlackWebhook
from tests.stand_ins.chat_buttons import SERVICES, lowered, request_of
from tests.stand_ins.receivers import Answer, Request
from tests.stand_ins.slack_requests import REPLY_URL, SIGNING_SECRET, payload, signed

SLACK = SERVICES["slack"]
BOT, WITH_BUTTONS = CASES["slack_bot"], SLACK.case
SECOND = timedelta(seconds=1)


def request(fields: Any, *, age: timedelta = timedelta(), **changed: str) -> InteractionRequest:
    body, headers = signed(fields, NOW - age)
    return request_of((body, {**lowered(headers), **changed}))


def press(of: InteractionRequest, config: Config = SLACK.case.config) -> Press | Ignored:
    return INTERACTIVE["slack"].press(of, config)


@pytest.fixture
def stage() -> Iterator[Stage]:
    with staged(WITH_BUTTONS) as found:
        found.action_links = LINKS
        yield found


def buttons(stage: Stage) -> list[dict[str, Any]]:
    (_, _, sent) = stage.calls()[-1]
    elements: list[dict[str, Any]] = sent.json["blocks"][-1]["elements"]
    return elements


def test_slack_buttons_act_with_a_signing_secret_and_otherwise_open_links(stage: Stage) -> None:
    stage.send()
    opens, *shown = buttons(stage)
    act, links = shown[:4], shown[4:]
    assert all("url" in each for each in (opens, *links))
    assert [each["action_id"] for each in act] == ["acknowledge", "resolve", "take", "escalate"]
    assert {each["value"] for each in act} == {INCIDENT}
    assert not any("url" in each for each in act)

    stage.config, stage.reference = BOT.config, {}
    stage.send()
    assert all("url" in each and "value" not in each for each in buttons(stage))


def test_a_signing_secret_is_for_a_bot_and_has_the_form_of_one() -> None:
    webhook = {**CASES["slack_webhook"].settings, "signingSecret": SIGNING_SECRET}
    for settings in (webhook, {**BOT.settings, "signingSecret": "x" * 32}, {**BOT.settings, "signingSecret": "a" * 31}):
        with pytest.raises(ValidationFailed) as refused:
            KINDS["slack"].validate(settings, vet)
        assert [fault.pointer for fault in refused.value.errors] == ["/config/signingSecret"]


@pytest.mark.parametrize("act", [Act.ACKNOWLEDGE, Act.RESOLVE])
def test_a_signed_slack_press_names_the_person_and_the_button(act: Act) -> None:
    found = press(request(payload(INCIDENT, act=str(act))))

    assert isinstance(found, Press)
    assert (found.account_id, found.account_name) == ("T0001/U0002", "mia")
    assert (found.act, found.incident_id, found.reply_to) == (act, INCIDENT, REPLY_URL)


@pytest.mark.parametrize("fields", [payload(INCIDENT, act="open"), {**payload(INCIDENT), "type": "view_submission"}])
def test_a_link_button_and_other_interactions_ask_for_nothing(fields: Any) -> None:
    assert press(request(fields)) == Ignored()


@pytest.mark.parametrize("age", [5 * 60 * SECOND, -5 * 60 * SECOND])
def test_a_request_of_five_minutes_is_taken_and_no_older_one(age: timedelta) -> None:
    assert isinstance(press(request(payload(INCIDENT), age=age)), Press)

    with pytest.raises(InteractionRefused):
        press(request(payload(INCIDENT), age=age + (SECOND if age > timedelta() else -SECOND)))


@pytest.mark.parametrize(
    "changed",
    [
        {"x-slack-signature": ""},
        {"x-slack-signature": "v0=" + "0" * 64},
        {"x-slack-signature": "v0=é"},
        {"x-slack-request-timestamp": ""},
        {"x-slack-request-timestamp": "1e9"},
        {"x-slack-request-timestamp": "9" * 12},
        {"x-slack-request-timestamp": "9" * 30},
        {"x-slack-request-timestamp": str(int(NOW.timestamp()) + 1)},
    ],
)
def test_a_request_with_another_signature_or_time_is_refused(changed: dict[str, str]) -> None:
    with pytest.raises(InteractionRefused):
        press(request(payload(INCIDENT), **changed))


def test_each_byte_of_the_body_is_signed() -> None:
    good = request(payload(INCIDENT))
    for place in range(len(good.body)):
        flipped = bytes([*good.body[:place], good.body[place] ^ 1, *good.body[place + 1 :]])
        with pytest.raises(InteractionRefused):
            press(replace(good, body=flipped))


def test_a_request_for_a_destination_without_a_signing_secret_is_refused() -> None:
    with pytest.raises(InteractionRefused):
        press(request(payload(INCIDENT)), BOT.config)


@pytest.mark.parametrize(
    "fields",
    [
        None, [], "x", {}, {"type": "block_actions"}, {**payload(INCIDENT), "actions": []},
        {**payload(INCIDENT), "user": None}, {**payload(INCIDENT), "team": {"id": "T" * 65}},
        {**payload(INCIDENT), "actions": [{"action_id": ["acknowledge"], "value": INCIDENT}]},
    ],
)  # fmt: skip
def test_a_signed_body_of_another_form_is_refused(fields: Any) -> None:
    with pytest.raises(InteractionRefused):
        press(request(fields))


class Hints(SlackWebhook):
    """Takes hints at the address that Slack gave."""

    def answer(self, request: Request) -> Answer:
        assert request.path == "/actions/T0001/1/secret"
        assert set(request.json) == {"response_type", "replace_original", "text"}
        assert (request.json["response_type"], request.json["replace_original"]) == ("ephemeral", False)
        self.show(request.json["text"])
        return Answer(200, b"ok")


def test_a_slack_hint_is_shown_only_to_the_person_who_pressed() -> None:
    with staged(replace(WITH_BUTTONS, service=Hints)) as stage:
        found = press(request(payload(INCIDENT)))
        assert isinstance(found, Press)
        kind = INTERACTIVE["slack"]
        kind.hint(found, "Not linked.", "https://inbox.example.org/chat-account/x", stage.client)
        kind.hint(found, "Not allowed.", "", stage.client)
        for url in (
            "",
            "https://evil.example/actions/T1",
            "http://hooks.slack.com/x",
            "https://hooks.slack.com.evil/x",
        ):
            kind.hint(replace(found, reply_to=url), "Not linked.", "", stage.client)

        assert list(stage.service.messages.values()) == [
            "Not linked. <https://inbox.example.org/chat-account/x|Link your account>", "Not allowed.",
        ]  # fmt: skip
