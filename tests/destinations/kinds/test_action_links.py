"""Messages with action links, in a form that each service takes."""

from __future__ import annotations

import email
import email.policy
from dataclasses import replace

import pytest

from inbox.destinations import KINDS
from inbox.domain.explaining import notice_content
from inbox.mail.message import SenderIdentity, build_notice
from tests.destinations.kinds.cases import CASES, EDITING
from tests.destinations.kinds.notice_bodies import LINKS, QUIET, REASONS, TEXTS, body
from tests.destinations.kinds.stand_in import Stage, outcome

WITH_LINKS = [name for name, case in CASES.items() if KINDS[case.kind].description.can.action_links]
WITHOUT_LINKS = [name for name in CASES if name not in WITH_LINKS]
EVERY_TEXT = [(reason, text) for reason in REASONS for text in TEXTS]

only = pytest.mark.parametrize


def has_links(stage: Stage) -> bool:
    """Whether the last call has them all."""
    sent = stage.calls()[-1][2].body.decode()
    return all(link.url in sent and link.label in sent for link in LINKS)


@only("stage", WITH_LINKS, indirect=True)
def test_each_message_has_the_action_links_at_any_length_of_text(stage: Stage) -> None:
    stage.action_links = LINKS
    for reason, text in EVERY_TEXT:
        stage.reference = {}
        assert outcome(stage.send(reason, text)) == "sent", (reason, text)
        assert has_links(stage), (reason, text)


@only("stage", EDITING, indirect=True)
def test_a_changed_message_has_the_links_of_its_latest_state(stage: Stage) -> None:
    stage.send()
    stage.action_links = LINKS
    stage.send(QUIET)
    assert has_links(stage)
    stage.action_links = ()
    stage.send("resolved")

    assert not has_links(stage)


@only("stage", WITHOUT_LINKS, indirect=True)
def test_kinds_that_cannot_show_links_send_none(stage: Stage) -> None:
    stage.action_links = LINKS
    stage.send()

    assert "/act/" not in stage.calls()[-1][2].body.decode()


@only("stage", ["telegram"], indirect=True)
def test_a_telegram_message_with_refused_buttons_is_sent_without_them(stage: Stage) -> None:
    answers = stage.service.answer
    refused = stage.service.refused(400, "Bad Request: BUTTON_URL_INVALID")  # type: ignore[attr-defined]
    stage.receiver.answer = lambda request: refused if b"reply_markup" in request.body else answers(request)
    stage.action_links = LINKS

    assert outcome(stage.send()) == "sent"
    assert "Disk full" in "".join(stage.service.messages.values())


def test_a_mail_has_the_links_as_text_and_as_buttons() -> None:
    content = replace(notice_content.of_body(body()), action_links=LINKS)
    sender = SenderIdentity("Inbox", "https://inbox.example.org", "Inbox <inbox@example.org>")
    built = build_notice(content, sender, to="olga@example.org", id="dlv_1")
    mail = email.message_from_bytes(bytes(built), policy=email.policy.default)
    text, html = (part.get_content() for part in mail.iter_parts())

    for link in LINKS:
        assert f"{link.label}: {link.url}" in text.splitlines()
        assert f'href="{link.url}"' in html
