"""Mails in flow: none is lost between the act and the mail server, and repeats are recognised."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import fields, replace
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

import peewee
import pytest

from inbox.config import settings as chosen
from inbox.config.settings import Settings, variable
from inbox.flow import mail_outbox
from inbox.flow.unit_of_work import work
from inbox.flow.upkeep.sweep import sweep
from inbox.mail.templates import MailTemplate, fill
from inbox.models.deliveries import mail_outbox as outbox
from inbox.models.deliveries.mail_outbox import Mail
from inbox.runtime import sealing
from inbox.runtime.queue import QueueName
from tests.cast import NOW
from tests.mail.servers import MailServer

LINK = "https://inbox.example.org/reset#token=canary-4711"
LETTER = fill("password_reset", name="Mia", link=LINK)


@pytest.fixture
def server(ground: peewee.Database, settings: Settings) -> Iterator[MailServer]:
    with MailServer() as server:
        mail_to(settings, server.url)
        yield server


def mail_to(settings: Settings, url: str) -> None:
    chosen.use(replace(settings, smtp_url=url, mail_from="Inbox <inbox@example.org>" if url else ""))


def post(letter: MailTemplate = LETTER, address: str = "mia@example.org", at: datetime = NOW) -> None:
    with work() as done:
        mail_outbox.enqueue(done, letter, address, at)


def send(at: datetime = NOW) -> int:
    return mail_outbox.send_due(lambda: at)


def only() -> Mail:
    (row,) = Mail.select()
    return row


def test_a_mail_is_sent_once_and_its_text_is_deleted(server: MailServer) -> None:
    post()

    assert send() == 1
    assert send() == 0

    (taken,) = server.mails
    row = only()
    assert taken.to == ["mia@example.org"] and LINK in taken.text and LINK in taken.html
    assert taken.sender == "inbox@example.org"
    assert taken.message["Message-ID"] == f"<{row.id}@example.org>"
    assert (row.sent_at, row.due_at, row.sealed, row.attempts) == (NOW, None, None, 1)


def test_an_act_that_is_undone_mails_nothing(server: MailServer) -> None:
    with pytest.raises(ZeroDivisionError), work() as done:
        mail_outbox.enqueue(done, LETTER, "mia@example.org", NOW)
        raise ZeroDivisionError

    assert send() == 0
    assert server.mails == []


def test_an_instance_without_a_mail_server_stores_no_mail(ground: peewee.Database) -> None:
    post()

    assert Mail.select().count() == 0
    assert send() == 0


def test_a_link_waits_sealed_for_its_own_mail_only(server: MailServer) -> None:
    post()
    post(fill("verify_email", name="Vic", link=LINK), "vic@example.org")
    first, second = Mail.select().order_by(Mail.id)

    assert b"canary" not in bytes(first.sealed) + bytes(second.sealed)
    Mail.update(sealed=first.sealed).where(Mail.id == second.id).execute()
    assert send() == 1

    assert len(server.mails) == 1
    assert Mail.get_by_id(second.id).failure == "unreadable"
    with pytest.raises(sealing.CannotUnseal):
        sealing.current().open(first.sealed, sealing.associated_data("mail_outbox", second.id, second.id, "sealed"))


def test_mails_leave_in_the_order_of_their_acts(server: MailServer) -> None:
    for number in range(5):
        post(address=f"m{number}@example.org", at=NOW + timedelta(seconds=number))

    assert send(NOW + timedelta(minutes=1)) == 5

    assert [taken.to[0][:2] for taken in server.mails] == ["m0", "m1", "m2", "m3", "m4"]
    assert server.connections == 1


def test_a_mail_is_retried_for_a_day_while_the_server_is_down(server: MailServer, settings: Settings) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        mail_to(settings, f"smtp://127.0.0.1:{probe.getsockname()[1]}")
    post()
    moments, row = [NOW], only()
    while row.due_at is not None:
        assert send(row.due_at - timedelta(seconds=1)) == 0 and only().attempts == row.attempts
        assert send(row.due_at) == 0
        row = only()
        moments += [row.due_at] if row.due_at else []

    assert row.failed_at == NOW + timedelta(hours=24) == moments[-1]
    assert (row.failure, row.sealed, row.sent_at) == ("unreachable", None, None)
    pauses = [later - sooner for sooner, later in pairwise(moments)]
    assert pauses[0] == timedelta(seconds=30)
    assert max(pauses) <= timedelta(hours=2)
    assert pauses[:-1] == sorted(pauses[:-1])
    assert 15 <= row.attempts <= 25


def test_a_mail_server_that_comes_back_gets_waiting_mails(server: MailServer) -> None:
    server.rcpt = "450 later"
    post()
    assert send() == 0
    assert (only().failure, only().due_at) == ("busy", NOW + timedelta(seconds=30))

    server.rcpt = ""
    assert send(NOW + timedelta(seconds=30)) == 1

    assert (only().failure, only().attempts) == (None, 2)


def test_an_address_that_is_refused_is_not_asked_again(server: MailServer) -> None:
    server.rcpt = "550 no such box"
    post()

    assert send() == 0

    row = only()
    assert (row.failed_at, row.due_at, row.failure, row.sealed) == (NOW, None, "address_refused", None)


def test_an_address_that_cannot_be_written_to_stops_no_other_mail(server: MailServer) -> None:
    post(address="a@b\r\nBcc: eve@example.org")
    post(address="mia@example.org")

    assert send() == 1

    assert [taken.to for taken in server.mails] == [["mia@example.org"]]


def test_a_mail_whose_worker_died_is_sent_by_another_with_the_same_message_id(server: MailServer) -> None:
    post()
    with work():
        (first,) = outbox.claim(now=NOW, lease_until=NOW + mail_outbox.LEASE, room=1)

    assert send(NOW + mail_outbox.LEASE - timedelta(seconds=1)) == 0
    assert send(NOW + mail_outbox.LEASE) == 1

    assert server.mails[0].message["Message-ID"] == f"<{first.id}@example.org>"
    assert server.mails[0].message["Date"].datetime == NOW


WORKER = """
from datetime import datetime
from inbox.services.instance import bootstrap
from inbox.flow.mail_outbox import send_due
from inbox.database.base import db
from inbox.config.settings import Settings, variable
bootstrap.configure(Settings.from_env(), application="inbox-test-worker")
with db.connection_context():
    send_due(lambda: datetime.fromisoformat({now!r}))
"""


def test_a_worker_that_is_killed_before_it_gets_the_answer_costs_a_second_copy_and_no_mail(
    server: MailServer, root: Path
) -> None:
    post()
    values = {variable(each.name): getattr(chosen.current(), each.name) for each in fields(Settings)}
    environment = {name: value for name, value in values.items() if isinstance(value, str)}
    server.keeps_silent = True
    command = [sys.executable, "-c", WORKER.format(now=NOW.isoformat())]
    with subprocess.Popen(command, cwd=root, env=os.environ | environment) as worker:
        until = time.monotonic() + 90
        while not server.mails and time.monotonic() < until:
            time.sleep(0.02)
        worker.kill()
    assert len(server.mails) == 1, "the worker sent its mail"
    server.keeps_silent = False

    assert (only().attempts, only().sent_at) == (1, None)
    assert send(NOW + mail_outbox.LEASE) == 1

    first, second = server.mails
    assert first.message["Message-ID"] == second.message["Message-ID"]
    assert first.text == second.text
    assert only().sent_at == NOW + mail_outbox.LEASE


def test_a_worker_that_lost_its_lease_settles_no_mail(server: MailServer) -> None:
    post()
    with work():
        (first,) = outbox.claim(now=NOW, lease_until=NOW + mail_outbox.LEASE, room=1)
    with work():
        (second,) = outbox.claim(now=NOW + mail_outbox.LEASE, lease_until=NOW + 2 * mail_outbox.LEASE, room=1)

    assert not outbox.fail(first, "busy", NOW)
    assert not outbox.retry(first, "busy", NOW)
    assert outbox.sent(second, NOW)
    assert not outbox.sent(second, NOW)
    assert only().failed_at is None


def test_two_workers_do_not_claim_one_mail(server: MailServer) -> None:
    post()

    with work():
        claims = [outbox.claim(now=NOW, lease_until=NOW + mail_outbox.LEASE, room=1) for _ in range(2)]

    assert [len(claim) for claim in claims] == [1, 0]


def test_the_sweep_sends_a_wake_up_for_an_unclaimed_mail(server: MailServer) -> None:
    assert QueueName.MAIL not in sweep(NOW)
    post()

    assert QueueName.MAIL in sweep(NOW)
    send()
    assert QueueName.MAIL not in sweep(NOW + timedelta(days=1))


def test_logs_of_mails_hold_neither_address_nor_link(
    server: MailServer, capfd: pytest.CaptureFixture[str], settings: Settings
) -> None:
    from inbox.runtime import logs

    logs.start("INFO", application="test")
    server.rcpt = "550 mia@example.org is unknown"
    post()
    send()

    server_says = '"logger": "mail.log"'
    written = "\n".join(line for line in capfd.readouterr().err.splitlines() if server_says not in line)
    with capfd.disabled():  # later tests must not write to what is captured here
        logs.start(settings.log_level, application="test")
    assert str(only().id) in written and "address_refused" in written
    assert "mia@" not in written and "canary" not in written
