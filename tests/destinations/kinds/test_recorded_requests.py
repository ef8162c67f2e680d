"""Recorded requests: exact, without a secret and without the tokens of action links."""

from __future__ import annotations

import json
import threading

import pytest

from inbox.destinations import Message
from inbox.destinations.recording_client import LONGEST_BODY, RecordingClient
from inbox.destinations.sent_requests import SentRequest, WebhookBody, from_text, to_text
from inbox.domain.deliveries.delivery import FailureReason
from inbox.domain.values.redaction import MARK
from tests.destinations.kinds.cases import CASES, EDITING
from tests.destinations.kinds.notice_bodies import AT, LINKS, LOUD, TEXTS, body
from tests.destinations.kinds.stand_in import RedirectedClient, Stage, staged
from tests.stand_ins.receivers import Answer, Receiver

only = pytest.mark.parametrize


def recorded(stage: Stage, reason: str = "opened", words: str = "usual") -> list[SentRequest]:
    """Send the notice as a worker does, and read what it kept of the requests."""
    client = RecordingClient(stage.client)
    message = Message("dlv_1", body(reason, words), AT, stage.reference, LINKS)
    receipt = stage.kind.send(message, stage.config, client)
    stage.reference = receipt.reference or stage.reference
    secrets = [*stage.config.secrets.values(), *(link.url.rpartition("/")[2] for link in LINKS)]
    text = to_text(client.requests(secrets))
    return from_text(text, delivery_id="dlv_1", at=AT, body=WebhookBody("", ""))


def hidden_in(stage: Stage) -> list[str]:
    """All that must not be visible."""
    secrets = [each for each in stage.config.secrets.values() if "://" not in each]
    ends = [each.rpartition("/")[2] for each in stage.config.secrets.values() if "://" in each]
    return [*secrets, *ends, *(link.url.rpartition("/")[2] for link in LINKS), "Secret", "secretof"]


@only("text", TEXTS)
def test_a_request_is_recorded_without_its_secrets(stage: Stage, text: str) -> None:
    (found,) = recorded(stage, words=text)

    method, url, sent = stage.calls()[-1]
    assert found.method == method
    assert found.url.split("/")[:3] == url.split("/")[:3]
    assert found.headers["Content-Type"] == sent.headers["content-type"]
    text = json.dumps([found.url, dict(found.headers), found.body])
    assert [each for each in hidden_in(stage) if each in text] == []
    assert without_marks(found.body)[:LONGEST_BODY] in restored(stage, sent.body.decode())


def restored(stage: Stage, sent: str) -> str:
    """What was sent, with its secrets taken out."""
    for each in sorted((*stage.config.secrets.values(), *(link.url.rpartition("/")[2] for link in LINKS)), key=len):
        sent = sent.replace(each, "")
    return sent


def without_marks(text: str) -> str:
    return text.replace(MARK, "")


@only("stage", EDITING, indirect=True)
def test_a_message_that_is_changed_and_answered_takes_two_requests(stage: Stage) -> None:
    recorded(stage)

    changed, posted = recorded(stage, LOUD)

    assert [changed.method, posted.method] == [each.method for each in stage.receiver.requests[-2:]]
    assert changed.body != posted.body


@only(("name", "visible"), {
    "telegram": "https://api.telegram.org/bot[REDACTED]/sendMessage",
    "discord": "https://discord.com/[REDACTED]?wait=true&thread_id=1180000000000000000",
    "google_chat": "https://chat.googleapis.com/[REDACTED]&messageReplyOption=REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD",
    "teams": "https://prod-00.westeurope.logic.azure.com/[REDACTED]",
    "slack_bot": "https://slack.com/api/chat.postMessage",
}.items())  # fmt: skip
def test_only_the_secret_part_of_an_address_is_hidden(name: str, visible: str) -> None:
    with staged(CASES[name]) as stage:
        assert [each.url for each in recorded(stage)] == [visible]


def test_a_signed_webhook_is_rebuilt_from_its_address() -> None:
    stored = '[{"url":"https://example.org/hook"}]'

    (request,) = from_text(stored, delivery_id="dlv_1", at=AT, body=WebhookBody('{"v":1}', ""))

    assert (request.method, request.url, request.body) == ("POST", "https://example.org/hook", '{"v":1}')
    assert request.headers["webhook-signature"] == "v1,[REDACTED]"


def test_an_attempt_without_requests_has_none() -> None:
    assert from_text(None, delivery_id="dlv_1", at=AT, body=WebhookBody("", "")) == []


def test_all_calls_of_a_message_share_its_time_limit(receiver: Receiver) -> None:
    receiver.answer = Answer(gate=threading.Event())
    recording = RecordingClient(RedirectedClient(receiver), seconds=0.3)

    receipts = [recording.post(f"{receiver.url}/", b"{}", {}) for _ in range(3)]

    assert [each.failure for each in receipts] == [FailureReason.TIMEOUT] * 3
    assert len(receiver.requests) == len(recording.requests([])) == 1


@only("secret", ['a"b\\c', "ä ö", "x" * 3])
def test_a_secret_is_found_in_every_way_of_writing(secret: str, receiver: Receiver) -> None:
    recording = RecordingClient(RedirectedClient(receiver))
    recording.exchange("POST", f"{receiver.url}/?q=1", {}, json.dumps({"k": secret}).encode())
    recording.exchange("POST", f"{receiver.url}/?q=1", {}, json.dumps({"k": secret}, ensure_ascii=False).encode())

    assert [json.loads(each.body) for each in recording.requests([secret])] == [{"k": MARK}] * 2
