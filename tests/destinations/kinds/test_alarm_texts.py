"""The messages of each kind about alarms of tools, from the webhook of the tool on: read them after `REWRITE_GOLDEN=1`."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from inbox.destinations import KINDS, twilio_sms
from inbox.destinations.base import Message
from inbox.destinations.phone_answers import speech
from inbox.domain.deliveries.event_details import added
from inbox.domain.explaining import push_text
from inbox.flow.routing.route import route
from inbox.mail.templates import render_notice
from inbox.models.deliveries import event_details
from inbox.models.deliveries.tables import Notice
from tests.cast import Cast, present
from tests.destinations.kinds.cases import CASES
from tests.destinations.kinds.notice_bodies import AT, INCIDENT
from tests.destinations.kinds.stand_in import RedirectedClient
from tests.destinations.kinds.test_digests import ACCEPTED
from tests.flow.routing_fixtures import route_to
from tests.stand_ins.outgoing_posts import make_destination
from tests.stand_ins.receivers import Answer, Receiver

ALARMS = Path(__file__).parent / "alarms"
CAST = json.loads((ALARMS / "payloads.json").read_text())
STARTED = "@START@"


def body_of(app: Flask, cast: Cast, tool: str) -> bytes:
    """The body of the notice that this alarm causes, with a fixed incident and time."""
    route_to(cast.workspace, [make_destination(cast.workspace, "http://127.0.0.1:9/")])
    sent = json.dumps(CAST[tool]).replace(STARTED, present().isoformat())
    headers = {"Authorization": f"Bearer {cast.key}", "Content-Type": "application/json"}
    assert app.test_client().post(f"/v1/hooks/{tool}", data=sent, headers=headers).status_code < 300
    route(present)
    notice = Notice.get()
    text = added(notice.body, event_details.of_notices([notice.id])[notice.id])
    fixed = re.sub(r"inc_[0-9a-z]{26}", INCIDENT, text).replace("http://127.0.0.1:8080", "https://inbox.example.org")
    return re.sub(r'("(?:timestamp|firstSeenAt)":)"[^"]*"', r'\1"2026-11-22T10:00:00Z"', fixed).encode()


SAID = {"twilio_sms": twilio_sms.text_of, "twilio_voice": speech}
"""The text of kinds that send forms."""


def messages(body: bytes, receiver: Receiver) -> dict[str, Any]:
    """What each kind sends."""
    message = Message("dlv_1", body, AT)
    found: dict[str, Any] = {"webhook": json.loads(body)}
    receiver.answer = Answer(200, ACCEPTED, {"Content-Type": "application/json"})
    client = RedirectedClient(receiver)
    for case in CASES.values():
        before = len(receiver.requests)
        KINDS[case.kind].send(message, case.config, client)
        sent = receiver.requests[before].body.decode()
        found[case.name] = json.loads(sent) if sent.startswith("{") else SAID[case.kind](message.content)
    client.close()
    found["email"] = render_notice(
        message.content, instance="Inbox", base_url="https://inbox.example.org"
    ).text.splitlines()
    found["web_push"] = json.loads(push_text.message(body, hide_content=False))["notification"]
    return found


@pytest.mark.parametrize("tool", sorted(CAST))
def test_the_messages_about_an_alarm_are_the_golden_ones(tool: str, app: Flask, cast: Cast, receiver: Receiver) -> None:
    found = messages(body_of(app, cast, tool), receiver)
    file = ALARMS / f"{tool}.json"
    if os.environ.get("REWRITE_GOLDEN"):
        file.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n")

    assert found == json.loads(file.read_text())


@pytest.mark.parametrize("tool", sorted(CAST))
def test_a_phone_says_in_the_first_line_what_is_wrong(tool: str) -> None:
    shown = json.loads((ALARMS / f"{tool}.json").read_text())["web_push"]

    assert shown["title"].split(" · ")[0] in ("CRITICAL", "ERROR", "WARNING")
    assert len(shown["title"]) > len("CRITICAL · ")
    assert shown["body"].splitlines()[0] != ""


def test_a_text_message_about_an_alarm_has_one_part() -> None:
    for tool in CAST:
        assert len(json.loads((ALARMS / f"{tool}.json").read_text())["twilio_sms"]) <= twilio_sms.LONGEST_TEXT


def test_hidden_content_of_a_phone_has_nothing_that_the_sender_wrote(app: Flask, cast: Cast) -> None:
    body = body_of(app, cast, "alertmanager")
    notification = json.loads(push_text.message(body, hide_content=True))["notification"]
    shown = f"{notification['title']} {notification['body']}"
    data = json.loads(body)["data"]

    written = [data["body"][:20], *data["tags"], data["sourceUrl"], data["runbookUrl"], data["title"]]
    assert [each for each in written if each in shown] == []
