"""Notices by mail: threads, headers, answers of mail servers, and availability."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from email.message import EmailMessage
from typing import Any

import pytest

from inbox.config import settings as in_force
from inbox.config.settings import Settings
from inbox.destinations import KINDS, Config, Message, kind
from inbox.destinations.http import Client
from inbox.domain.deliveries import notices
from inbox.domain.deliveries.delivery import FailureReason, Receipt
from inbox.domain.deliveries.notices import NoticeFields
from inbox.domain.incidents.incident import Escalation
from inbox.domain.incidents.state_machine import Reason
from inbox.domain.values.addresses import OutboundPolicy
from inbox.domain.values.refusals import ValidationFailed
from tests.cast import NOW
from tests.mail.servers import MailServer

EMAIL = KINDS["email"]
ON_CALL, OLGA, MIA = "on-call@example.org", "olga@example.org", "mia@example.net"
CONFIG = Config({"to": ON_CALL})
SEVERAL = Config({"to": f"{ON_CALL}, {OLGA}; {MIA}"})
CLIENT = Client(OutboundPolicy(allow_private=True, allow_loopback=True))
HOSTILE = '<b onclick="x">Disk</b> & \u202eturned\r\nBcc: all@example.org'


@pytest.fixture
def server(settings: Settings) -> Iterator[MailServer]:
    with MailServer() as running:
        in_force.use(replace(settings, smtp_url=running.url, mail_from="Inbox <inbox@example.org>"))
        yield running
    in_force.use(settings)


def send(
    reason: Reason = Reason.OPENED, *, id: str = "dlv_01", thread: Any = None, config: Config = CONFIG, **fields: Any
) -> Receipt:
    about = NoticeFields(
        **{
            "title": "Disk full", "severity": "CRITICAL", "state": "open", "source_name": "Backups",
            "workspace_name": "Home", "incident_id": "inc_01", "first_seen_at": NOW,
            "url": "https://inbox.example.org/w/home/incidents/inc_01", **fields,
        }
    )  # fmt: skip
    body = notices.body_bytes(notices.payload(reason, about, NOW))
    return EMAIL.send(Message(id, body, NOW, thread or {}), config, CLIENT)


def parts(mail: EmailMessage) -> tuple[str, str]:
    text, html = (mail.get_body((kind,)) for kind in ("plain", "html"))
    assert text is not None
    assert html is not None
    return text.get_content(), html.get_content()


def test_the_mails_of_an_incident_form_a_thread(server: MailServer) -> None:
    first = send()
    later = send(Reason.RESOLVED, id="dlv_02", thread=first.reference)

    opened, resolved = (each.message for each in server.mails)
    assert (first.is_accepted, later.is_accepted, later.reference) == (True, True, None)
    assert opened["Message-ID"] == "<dlv_01@example.org>" != resolved["Message-ID"]
    assert opened["References"] == "<inc_01@example.org>"
    assert resolved["References"] == f"<inc_01@example.org> {opened['Message-ID']}"
    assert (opened["In-Reply-To"], resolved["In-Reply-To"]) == (None, opened["Message-ID"])
    assert "RESOLVED · Disk full" in parts(resolved)[0]
    assert (opened["Importance"], resolved["Importance"]) == ("high", None)
    assert opened["Auto-Submitted"] == "auto-generated"


def test_the_subject_of_each_mail_has_the_state_at_that_time(server: MailServer) -> None:
    thread = send(severity="WARNING", title="Queue grows").reference
    send(
        Reason.ESCALATED,
        id="dlv_02",
        thread=thread,
        title="Queue is full",
        escalation=Escalation("severity", "WARNING", "CRITICAL"),
    )
    send(Reason.ACKNOWLEDGED, id="dlv_03", thread=thread, title="Queue is full", state="acknowledged")
    send(Reason.RESOLVED, id="dlv_04", thread=thread, title="Queue is full", state="resolved")

    assert [each.message["Subject"] for each in server.mails] == [
        "WARNING · Queue grows",
        "CRITICAL · Queue is full",
        "ACKNOWLEDGED · Queue is full",
        "RESOLVED · Queue is full",
    ]


@pytest.mark.parametrize(
    ("title", "resource", "subject"),
    [
        ("Disk full", "db-1", "CRITICAL · Disk full · db-1"),
        ("Disk full on DB-1", "db-1", "CRITICAL · Disk full on DB-1"),
        ("Disk full", "", "CRITICAL · Disk full"),
        ("Disk full", "a\r\nb", "CRITICAL · Disk full · a b"),
        ("x" * 300, "y" * 100, f"CRITICAL · {'x' * 75}… · {'y' * 59}…"),
    ],
)
def test_the_subject_names_the_resource_unless_the_title_does(
    server: MailServer, title: str, resource: str, subject: str
) -> None:
    send(title=title, resource=resource)

    assert server.mails[0].message["Subject"] == subject
    assert len(subject) <= 150


def test_each_address_of_a_destination_gets_a_mail_of_its_own(server: MailServer) -> None:
    assert send(config=SEVERAL).is_accepted

    assert [each.to for each in server.mails] == [[ON_CALL], [OLGA], [MIA]]
    assert [each.message["To"] for each in server.mails] == [ON_CALL, OLGA, MIA]
    assert len({each.message["Message-ID"] for each in server.mails}) == 1
    assert server.connections == 1


def test_a_repeated_attempt_writes_only_to_addresses_that_got_no_mail(server: MailServer) -> None:
    server.rcpt_of = {OLGA: "451 4.7.1 greylisted"}
    first = send(config=SEVERAL)
    server.rcpt_of = {}
    again = send(config=SEVERAL, thread=first.reference)
    later = send(Reason.RESOLVED, config=SEVERAL, id="dlv_02", thread=again.reference or first.reference)

    assert (first.failure, again.is_accepted, later.is_accepted) == (FailureReason.SERVICE_BUSY, True, True)
    assert [each.to for each in server.mails] == [[ON_CALL], [MIA], [OLGA], [ON_CALL], [OLGA], [MIA]]
    assert {each.message["In-Reply-To"] for each in server.mails[3:]} == {"<dlv_01@example.org>"}


def test_a_refused_address_does_not_hold_up_the_others(server: MailServer) -> None:
    server.rcpt_of = {OLGA: "550 5.1.1 no such box"}
    receipt = send(config=SEVERAL)

    assert (receipt.is_accepted, receipt.excerpt) == (True, f"The mail server refused {OLGA}.")
    assert [each.to for each in server.mails] == [[ON_CALL], [MIA]]

    server.rcpt_of |= {ON_CALL: "552 5.2.2 full", MIA: "550 5.1.1 no such box"}
    assert send(config=SEVERAL).failure is FailureReason.MESSAGE_REFUSED
    server.rcpt = "550 5.1.1 no such box"
    server.rcpt_of = {}
    assert send(config=SEVERAL).stops


def test_a_mail_thread_is_found_at_any_length_of_the_sender(server: MailServer) -> None:
    domain = "notifications.operations.of-a-long-company-name.example.org"
    in_force.use(replace(in_force.current(), mail_from=f"Inbox <inbox@{domain}>"))
    id = "dlv_01h455vb4pex5vsknk084sn02q"
    send(Reason.RESOLVED, id="dlv_02", thread=send(id=id).reference)

    as_sent = dict(server.mails[1].message.raw_items())
    assert as_sent["In-Reply-To"] == f"<{id}@{domain}>"
    assert as_sent["References"] == f"<inc_01@{domain}> <{id}@{domain}>"


def test_a_repeated_call_sends_the_same_mail(server: MailServer) -> None:
    send()
    send()

    one, other = (each.message for each in server.mails)
    assert one.as_bytes() == other.as_bytes()


def test_texts_of_senders_are_only_text(server: MailServer) -> None:
    send(title=HOSTILE, resource="<script>")

    (mail,) = server.mails
    text, html = parts(mail.message)
    assert mail.to == ["on-call@example.org"]
    assert mail.message["Bcc"] is None
    assert len(mail.message["Subject"]) <= 150
    assert "<b onclick" in text
    assert not any(each in html for each in ("<b onclick", "<script"))
    assert "https://inbox.example.org/w/home/incidents/inc_01" in html


@pytest.mark.parametrize(
    ("reply", "failure"),
    [
        ("550 5.1.1 no such box", FailureReason.DESTINATION_REFUSED),
        ("451 4.7.1 greylisted", FailureReason.SERVICE_BUSY),
        ("552 5.2.2 mailbox full", FailureReason.MESSAGE_REFUSED),
        ("554 5.7.1 relay access denied", FailureReason.UNSENDABLE),
    ],
)
def test_the_reply_of_the_server_decides(server: MailServer, reply: str, failure: FailureReason) -> None:
    server.rcpt = reply

    assert send().failure is failure


def test_no_mail_is_sent_without_a_mail_server(settings: Settings) -> None:
    in_force.use(settings)

    assert send().failure is FailureReason.UNSENDABLE


@pytest.mark.parametrize(
    ("address", "is_taken"),
    [
        ("on-call@example.org", True), ("o'neil+pager@sub.example.org", True), ("é@bücher.example", True),
        ("a@example.org, b@example.org", True), ("a@example.org;b@example.org c@example.org", True),
        (", ".join(f"{n}@example.org" for n in range(10)), True), (", ".join(["a@example.org"] * 20), True),
        (", ".join(f"{n}@example.org" for n in range(11)), False), ("a@example.org, b", False), (",", False),
        ("", False), ("on-call", False), ("a@b", False),
        ("Name <a@example.org>", False), ("a@example.org\r\nBcc: b@example.org", False), ("a" * 250 + "@b.org", False),
    ],
)  # fmt: skip
def test_a_destination_takes_one_to_ten_mail_addresses(address: str, is_taken: bool) -> None:
    if is_taken:
        assert EMAIL.validate({"to": address}, CLIENT.vet).public["to"] == address
        return
    with pytest.raises(ValidationFailed) as refused:
        EMAIL.validate({"to": address}, CLIENT.vet)
    assert [fault.pointer for fault in refused.value.errors] == ["/config/to"]


def test_mail_is_available_with_a_server_and_where_strangers_cannot_sign_up(
    server: MailServer, settings: Settings
) -> None:
    own = in_force.current()
    for chosen, is_available in ((own, True), (settings, False), (replace(own, edition="hosted"), False)):
        in_force.use(chosen)
        assert (EMAIL.unavailable_because() is None) is is_available
        if is_available:
            assert kind("email", is_new=True) is EMAIL
        else:
            with pytest.raises(ValidationFailed) as refused:
                kind("email", is_new=True)
            (fault,) = refused.value.errors
            assert (fault.pointer, "not available here" in fault.detail) == ("/kind", True)
        assert kind("email") is EMAIL
