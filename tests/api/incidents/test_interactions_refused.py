"""Refused and ignored button requests: replays, other secrets, rate limits, old requests (specification 9.18)."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from flask import Flask

from inbox.api.incidents.interactions import CAP
from inbox.config.settings import Settings
from inbox.database.base import db
from inbox.destinations import INTERACTIVE
from inbox.domain.values import ids
from inbox.domain.values.refusals import RateLimited, Unauthenticated
from inbox.models.deliveries.destinations import Destination
from inbox.models.records.audit import AuditEntry
from inbox.models.workspaces.tables import Workspace
from inbox.services.incidents import verified_requests
from inbox.services.incidents.interactions import PRESSES_PER_MINUTE, TOO_OFTEN
from tests.api.incidents.interaction_steps import Chat, chat_at, post
from tests.browser import Browser
from tests.cast import Cast, present
from tests.stand_ins.chat_buttons import SERVICES, Sent, call


@pytest.fixture(params=list(SERVICES))
def chat(request: pytest.FixtureRequest, cast: Cast) -> Chat:
    return chat_at(request.param, cast)


def test_a_request_acts_once(chat: Chat, anonymous: Browser) -> None:
    chat.link(chat.cast.users["mia"])
    sent = chat.request()

    codes = [post(anonymous, chat, sent).status_code for _ in range(2)]

    assert codes == [200, 200 if INTERACTIVE[chat.service.kind].repeats_refused else 401]
    assert AuditEntry.select().where(AuditEntry.action == "destination.button_used").count() == 1


def test_a_request_that_failed_in_the_database_acts_when_it_comes_again(chat: Chat, anonymous: Browser) -> None:
    chat.link(chat.cast.users["mia"])
    sent = chat.request()
    db.execute_sql("ALTER TABLE audit_log RENAME TO audit_log_away")
    try:
        failed = post(anonymous, chat, sent).status_code
    finally:
        db.execute_sql("ALTER TABLE audit_log_away RENAME TO audit_log")
    assert (failed >= 500, chat.state) == (True, "open")

    codes = [post(anonymous, chat, sent).status_code for _ in range(2)]

    assert (codes[0], chat.state) == (200, "acknowledged")
    assert AuditEntry.select().where(AuditEntry.action == "destination.button_used").count() == 1


def test_a_hint_is_given_once(chat: Chat) -> None:
    sent = chat.request()

    first = call(chat.destination.id, sent, chat.clock())
    assert first.hint is not None
    if INTERACTIVE[chat.service.kind].repeats_refused:
        assert call(chat.destination.id, sent, chat.clock()).hint is None
    else:
        with pytest.raises(Unauthenticated):
            call(chat.destination.id, sent, chat.clock())


def test_a_request_is_of_one_destination(chat: Chat, anonymous: Browser) -> None:
    chat.link(chat.cast.users["mia"])
    sent = chat.request()
    chat.destination = chat.service.destination(chat.cast.workspace)

    # Slack and Discord sign with the key of an application: who enters it twice takes the requests of both
    expected = 200 if chat.service.has_time else 401
    assert post(anonymous, chat, sent).status_code == expected
    assert chat.state == ("acknowledged" if chat.service.has_time else "open")


def forged(sent: Sent) -> Sent:
    """The request as somebody sends it who does not know the secret."""
    body, headers = sent
    secrets = ("X-Slack-Signature", "X-Signature-Ed25519", "X-Telegram-Bot-Api-Secret-Token")
    changed = {name: value[:-4] + "0000" if name in secrets else value for name, value in headers.items()}
    return re.sub(rb"(svc_btn_[A-Za-z0-9_-]{4})[A-Za-z0-9_-]{4}", rb"\g<1>0000", body), changed


@pytest.mark.parametrize("of", ["secret", "destination", "deleted", "kind", "without buttons", "workspace"])
def test_every_other_request_is_answered_alike(chat: Chat, anonymous: Browser, of: str) -> None:
    chat.link(chat.cast.users["mia"])
    path, sent = chat.path, chat.request()
    match of:
        case "secret":
            sent = forged(sent)
        case "destination":
            path = f"/v1/destinations/{ids.encode('dst', chat.incident.id)}/interactions"
        case "deleted":
            Destination.update(deleted_at=present()).execute()
        case "kind":
            Destination.update(kind="webhook").execute()
        case "without buttons":
            chat.destination = chat.service.destination(chat.cast.workspace, has_buttons=False)
            path, sent = chat.path, chat.request()
        case "workspace":
            Workspace.update(deleted_at=present()).where(Workspace.id == chat.cast.workspace.id).execute()

    answer = post(anonymous, chat, sent, path=path)

    assert (answer.status_code, answer.json["code"]) == (401, "unauthenticated")
    assert answer.json["detail"] == verified_requests.REFUSED
    assert chat.state == "open"


def test_a_body_of_64_kibibytes_is_read_and_no_longer_one(chat: Chat, anonymous: Browser) -> None:
    most = CAP
    bare = len(chat.request(more="", id="10000")[0])

    def sent(length: int) -> int:
        return int(post(anonymous, chat, chat.request(more="x" * (length - bare), id=str(length))).status_code)

    assert most == 64 * 1024
    assert (sent(most - 1), sent(most), sent(most + 1)) == (200, 200, 413)


def test_an_account_presses_so_often_in_a_minute(chat: Chat, in_settings: Callable[..., Settings]) -> None:
    in_settings(rate_limits=True)
    moment = present()
    chat.clock = lambda: moment
    for number in range(PRESSES_PER_MINUTE):
        chat.press(id=str(number))

    if INTERACTIVE[chat.service.kind].repeats_refused:
        answer = call(chat.destination.id, chat.request(id="1000"), moment).answer
        assert answer is not None
        assert answer["text"] == TOO_OFTEN
    else:
        with pytest.raises(RateLimited):
            chat.press(id="1000")
    assert chat.press(user=1, id="1001") is not None  # another account is not limited


def test_an_old_request_is_refused(chat: Chat) -> None:
    sent, after = chat.request(), present() + timedelta(minutes=6)

    if chat.service.has_time:
        with pytest.raises(Unauthenticated):
            call(chat.destination.id, sent, after)
    else:
        assert call(chat.destination.id, sent, after).hint is not None


def test_the_hint_is_sent_when_the_answer_has_left(chat: Chat, app: Flask) -> None:
    body, headers = chat.request(response_url="https://elsewhere.example/")

    answer = app.test_client().post(chat.path, data=body, headers=headers)

    assert answer.status_code == 200
    answer.close()  # calls nobody: the address is none of Slack
    assert chat.state == "open"
