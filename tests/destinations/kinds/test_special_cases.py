"""Special cases of single kinds: retries in a plainer form, moved groups, repeating alarms."""

from __future__ import annotations

import base64
from dataclasses import replace

import pytest

from inbox.destinations import Config, pushover
from inbox.destinations.layout import cut, cut_escaped, escape_markdown, utf8_length, utf16_length
from inbox.destinations.slack import UNSHOWABLE
from inbox.destinations.teams import LARGEST
from inbox.domain.explaining import notice_content
from inbox.domain.explaining.notice_content import ActionLink
from tests.destinations.kinds.cases import CASES
from tests.destinations.kinds.notice_bodies import INCIDENT, TEXTS, WITHOUT_DETAILS, body
from tests.destinations.kinds.stand_in import Stage, given, outcome, vet
from tests.destinations.telegram import Telegram
from tests.stand_ins.receivers import Answer

only = pytest.mark.parametrize


@only("error", sorted(UNSHOWABLE))
@only("stage", ["slack_bot", "slack_webhook"], indirect=True)
@only("reason", ["opened", "resolved"])
def test_a_message_whose_blocks_are_refused_is_sent_as_text(stage: Stage, error: str, reason: str) -> None:
    if reason == "resolved":
        stage.send()
    refused = (
        Answer(400, error.encode()) if stage.case.name == "slack_webhook" else given(200, {"ok": False, "error": error})
    )
    stage.receiver.script(refused)
    receipt = stage.send(reason)

    assert outcome(receipt) == "sent"
    last = stage.receiver.requests[-1].json
    assert last["blocks"] == []
    assert "Disk full" in last["text"]


@only("stage", ["slack_bot"], indirect=True)
def test_a_message_that_is_refused_as_text_too_is_not_sent_a_third_time(stage: Stage) -> None:
    refused = given(200, {"ok": False, "error": "invalid_blocks"})
    stage.receiver.script(refused, refused)

    assert outcome(stage.send()) == "message refused"
    assert len(stage.calls()) == 2


@only("stage", ["slack_bot"], indirect=True)
def test_a_bot_of_another_server_posts_and_changes_its_messages_there(stage: Stage) -> None:
    stage.service.origin = "https://slack-gov.com"
    stage.config = replace(stage.config, public={**stage.config.public, "server": "https://slack-gov.com/"})

    assert [outcome(stage.send(reason)) for reason in ("opened", "acknowledged")] == ["sent", "sent"]
    assert stage.client.urls == [f"https://slack-gov.com/api/chat.{act}" for act in ("postMessage", "update")]


@only("stage", ["slack_bot"], indirect=True)
def test_a_link_keeps_the_signs_of_its_address(stage: Stage) -> None:
    stage.send()

    section = stage.receiver.requests[0].json["blocks"][1]["text"]["text"]
    assert f"/{INCIDENT}?from=notice&amp;x=1|" in section


@only("stage", ["telegram"], indirect=True)
def test_a_group_that_moved_gets_the_message_and_later_changes(stage: Stage) -> None:
    assert isinstance(stage.service, Telegram)
    moved = Telegram.refused(400, "Bad Request: group chat was upgraded", migrate_to_chat_id=-100999)
    stage.receiver.script(moved, given(200, {"ok": True, "result": {"message_id": 5}}))
    assert outcome(stage.send()) == "sent"
    assert stage.receiver.requests[1].json["chat_id"] == -100999

    stage.receiver.script(given(200, {"ok": True, "result": {"message_id": 5}}))
    stage.send("resolved")
    last = stage.receiver.requests[2]
    assert (last.path.rsplit("/", 1)[1], last.json["chat_id"], last.json["message_id"]) == (
        "editMessageText",
        -100999,
        5,
    )


@only("stage", ["telegram"], indirect=True)
@only("reason", ["opened", "resolved"])
def test_a_message_whose_markup_is_refused_is_sent_as_plain_text(stage: Stage, reason: str) -> None:
    if reason == "resolved":
        stage.send()
    stage.receiver.script(Telegram.refused(400, "Bad Request: can't parse entities: unsupported start tag"))

    assert outcome(stage.send(reason)) == "sent"
    last = stage.receiver.requests[-1].json
    assert "parse_mode" not in last
    assert "&x=1\nRunbook: https://wiki.example.org/" in last["text"]


@only("stage", ["telegram"], indirect=True)
def test_a_repeated_change_is_sent_although_nothing_is_modified(stage: Stage) -> None:
    stage.send()
    stage.send("resolved")

    assert outcome(stage.send("resolved")) == "sent"


@only("stage", ["telegram"], indirect=True)
def test_a_quiet_notice_without_an_earlier_message_makes_no_sound(stage: Stage) -> None:
    stage.send("resolved")

    assert stage.service.alerts == []
    assert len(stage.service.messages) == 1


@only("stage", ["ntfy"], indirect=True)
def test_a_user_name_and_password_are_sent_instead_of_a_token(stage: Stage) -> None:
    stage.config = stage.kind.validate({"topic": "ops", "user": "olga", "password": "pa:ss é"}, vet)
    stage.send()

    sent = stage.receiver.requests[0].headers["authorization"].removeprefix("Basic ")
    assert base64.b64decode(sent).decode() == "olga:pa:ss é"
    stage.service.violations.clear()  # the stand-in expects a token


@only("stage", ["ntfy"], indirect=True)
def test_an_open_server_gets_no_authorization(stage: Stage) -> None:
    stage.config = stage.kind.validate({"topic": "ops"}, vet)
    stage.send()

    assert "authorization" not in stage.receiver.requests[0].headers
    stage.service.violations.clear()  # the stand-in expects a token


@only("stage", ["pushover"], indirect=True)
@only(("reason", "left"), [("resolved", 0), ("acknowledged", 0), ("snoozed", 0), ("updated", 1), ("escalated", 2)])
def test_an_alarm_repeats_until_the_incident_is_taken_care_of(stage: Stage, reason: str, left: int) -> None:
    stage.send()
    stage.send(reason)

    assert stage.service.repeating == [INCIDENT] * left  # type: ignore[attr-defined]


@only("stage", ["pushover"], indirect=True)
@only("data", [{"incidentId": ""}, {"severity": "ERROR"}])
def test_an_alarm_that_nothing_would_end_does_not_repeat(stage: Stage, data: dict[str, str]) -> None:
    stage.send("informational", **data)

    assert stage.receiver.requests[0].json["priority"] == 1


@only("stage", ["pushover"], indirect=True)
@only(("status", "calls", "expected"), [(400, 2, "sent"), (404, 2, "sent"), (500, 1, "retry"), (429, 1, "retry")])
def test_the_end_of_a_repetition_that_fails(stage: Stage, status: int, calls: int, expected: str) -> None:
    stage.receiver.script(given(status, {"status": 0}))

    assert outcome(stage.send("resolved")) == expected
    assert len(stage.calls()) == calls


@only(("length", "count"), [(336, 2), (337, 1), (697, 1), (698, 0)])
def test_links_of_pushover_that_would_leave_too_little_text_are_left_out(length: int, count: int) -> None:
    url = "https://inbox.example.org/act/".ljust(length, "x")
    links = tuple(ActionLink(label, url) for label in ("Acknowledge", "Resolve"))
    content = replace(notice_content.of_body(body("opened", "long", **WITHOUT_DETAILS)), action_links=links)

    found = pushover.layout(content, CASES["pushover"].config)

    assert found["message"].count("<a href=") == count
    assert len(found["message"]) <= pushover.LONGEST_MESSAGE
    assert ("html" in found) is (count > 0)


@only("stage", ["matrix", "mattermost_bot", "pagerduty"], indirect=True)
def test_a_repeated_call_is_harmless(stage: Stage) -> None:
    for _ in range(2):
        stage.reference, stage.sent = {}, 0
        stage.send()

    first, second = (each.body for each in stage.receiver.requests)
    assert first == second
    assert stage.receiver.requests[0].path == stage.receiver.requests[1].path


@only("stage", ["pagerduty", "opsgenie"], indirect=True)
def test_a_snooze_acknowledges_the_alert(stage: Stage) -> None:
    stage.send()
    stage.send("snoozed")

    (alert,) = stage.service.messages.values()
    assert alert.startswith("ACKNOWLEDGED")


@only("stage", ["teams"], indirect=True)
@only("text", list(TEXTS))
def test_a_card_is_within_the_size_that_teams_takes(stage: Stage, text: str) -> None:
    stage.send("opened", text)

    assert len(stage.receiver.requests[0].body) <= LARGEST


@only("length", [len, utf16_length, utf8_length])
@only("longest", range(1, 40))
def test_a_text_is_cut_by_the_unit_and_never_within_a_character(length: object, longest: int) -> None:
    text = "a\N{PILE OF POO}é" * 20
    measured = length if callable(length) else len
    found = cut(text, max(longest, 3), measured)

    assert measured(found) <= max(longest, 3)
    assert text.startswith(found.removesuffix("…"))
    assert found.encode().decode() == found


@only("longest", range(4, 30))
def test_a_text_that_is_cut_before_it_is_escaped_ends_with_no_half_of_an_escape(longest: int) -> None:
    found = cut_escaped("*" * 50, longest, escape_markdown)

    assert len(found) <= longest
    assert found.removesuffix("…").replace("\\*", "") == ""


def test_a_secret_is_not_in_the_text_of_settings() -> None:
    assert "xoxb" not in repr(Config({}, {"token": "xoxb-1"}))
