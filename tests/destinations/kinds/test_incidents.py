"""Incidents in messages: one message in its latest state where the service can, and sounds only when asked."""

from __future__ import annotations

from typing import Any

import pytest

from tests.destinations.kinds.cases import CONVERGING, EDITING
from tests.destinations.kinds.notice_bodies import LOUD, QUIET, REASONS, TEXTS
from tests.destinations.kinds.stand_in import Stage, outcome

only = pytest.mark.parametrize
EVERY_TEXT = [(reason, text) for reason in REASONS for text in TEXTS]


def test_every_reason_and_text_is_sent_in_a_form_that_the_service_takes(stage: Stage) -> None:
    for reason, text in EVERY_TEXT:
        stage.reference = {}
        assert outcome(stage.send(reason, text)) == "sent", (reason, text)
    assert len(stage.calls()) >= len(EVERY_TEXT)


@only("stage", EDITING, indirect=True)
def test_every_change_and_reply_is_sent_in_a_form_that_the_service_takes(stage: Stage) -> None:
    stage.send()
    for reason, text in EVERY_TEXT:
        assert outcome(stage.send(reason, text)) == "sent", (reason, text)


@only("stage", CONVERGING, indirect=True)
def test_an_incident_is_one_message_in_its_latest_state(stage: Stage) -> None:
    stage.send()
    (first,) = stage.service.messages
    stage.send(QUIET)
    assert list(stage.service.messages) == [first]
    assert "ACKNOWLEDGED" in stage.service.messages[first].upper()
    stage.send("resolved")

    assert list(stage.service.messages) == [first]
    assert "RESOLVED" in stage.service.messages[first]
    assert "Disk full" in stage.service.messages[first]


@only("stage", EDITING, indirect=True)
def test_a_quiet_notice_makes_no_sound_and_a_loud_one_is_posted_as_a_reply_too(stage: Stage) -> None:
    stage.send()
    stage.send(QUIET)
    assert len(stage.service.alerts) == 1
    stage.send(LOUD)

    assert len(stage.service.alerts) == 2
    first, reply = stage.service.messages.values()
    assert "rose from WARNING to CRITICAL" in first.replace("\\", "")
    assert "rose from WARNING to CRITICAL" in reply.replace("\\", "")


@only("stage", [name for name in EDITING if name != "matrix"], indirect=True)
def test_a_deleted_message_is_posted_again_and_edited_later(stage: Stage) -> None:
    """A homeserver of Matrix does not say that an event was removed."""
    stage.send()
    stage.service.forget()
    assert outcome(stage.send("resolved")) == "sent"
    (posted,) = stage.service.messages
    stage.send("reopened")

    assert next(iter(stage.service.messages)) == posted
    assert "CRITICAL" in stage.service.messages[posted]


ELSEWHERE: dict[str, dict[str, Any]] = {
    "slack_bot": {"channel": "C0000000000"},
    "discord": {"threadId": "1180000000000000001"},
    "telegram": {"topicId": 8},
    "mattermost_bot": {"channelId": "zzzzzzzzzzzzzzzzzzzzzzzzzz"},
    "matrix": {"roomId": "!other:example.org"},
}


@only("stage", EDITING, indirect=True)
def test_an_edit_of_the_place_leaves_the_earlier_message_unchanged(stage: Stage) -> None:
    stage.send()
    stage.config = stage.kind.validate(ELSEWHERE[stage.case.name], lambda url: None, stage.config)
    stage.receiver.forget()
    stage.client.urls.clear()
    stage.send("resolved")

    ((_, url, request),) = stage.calls()
    assert not any(part in url for part in ("update", "edit", "/messages/"))
    assert b"m.replace" not in request.body
    assert request.method in ("POST", "PUT")
    stage.service.violations.clear()  # the stand-in knows only the first place


@only("stage", ["slack_bot", "mattermost_bot"], indirect=True)
def test_a_bot_that_became_a_webhook_posts(stage: Stage) -> None:
    stage.send()
    without = dict.fromkeys(stage.case.settings)
    stage.config = stage.kind.validate(
        {**without, "url": f"{stage.service.origin}/hook"}, lambda url: None, stage.config
    )

    assert stage.send("resolved").status_code == 400
    assert stage.client.urls[-1].endswith("/hook")
    stage.service.violations.clear()  # the stand-in is one of a bot


def test_a_test_notice_is_named_as_a_test_and_opens_no_incident(stage: Stage) -> None:
    assert outcome(stage.send("test")) == "sent"

    if stage.case.kind == "pagerduty":
        assert stage.service.messages == {}
        assert stage.receiver.requests[0].json["event_action"] == "resolve"
    else:
        (text,) = stage.service.messages.values()
        assert "test" in text.lower()
        assert "open " not in text or stage.case.kind != "opsgenie"
