"""Appliances that insist on a user name and a password for SMTP (specification 19.16)."""

from __future__ import annotations

import smtplib
import socket
import ssl
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from inbox.mail_in import session
from inbox.models.events.tables import Event
from tests.destinations.test_tls import Authority
from tests.mail_in.conftest import MAIL, SECONDS, MailIn

USER, PASSWORD = "some-user@example.org", "hunter2-secret"


@pytest.mark.parametrize("mechanism", ["PLAIN", "LOGIN"])
def test_a_sender_on_this_machine_may_sign_in_with_any_credentials(mail_in: MailIn, mechanism: str) -> None:
    with mail_in.client() as client:
        assert client.esmtp_features["auth"].split() == ["LOGIN", "PLAIN"]
        client.user, client.password = USER, PASSWORD
        client.auth(mechanism, getattr(client, f"auth_{mechanism.lower()}"))
        client.sendmail("nas@example.org", [mail_in.address], MAIL)

    assert Event.select().count() == 1


def encoded(text: str) -> str:
    return b64encode(text.encode()).decode()


@pytest.mark.parametrize(
    "steps",
    [
        [("auth login", 334), (encoded(USER), 334), (encoded(PASSWORD), 235)],
        [(f"AUTH LOGIN {encoded(USER)}", 334), (encoded(PASSWORD), 235)],
        [("AUTH PLAIN", 334), (encoded(f"\0{USER}\0{PASSWORD}"), 235)],
        [(f"AUTH plain {encoded(f'{USER}{chr(0)}{USER}{chr(0)}{PASSWORD}')}", 235)],
        [("AUTH LOGIN", 334), ("", 334), ("", 235)],
        [("AUTH PLAIN", 334), ("*", 501)],
        [("AUTH CRAM-MD5", 504)],
    ],
)
def test_each_way_to_sign_in_works_and_a_mail_may_name_the_user(mail_in: MailIn, steps: list[tuple[str, int]]) -> None:
    with mail_in.client() as client:
        assert [client.docmd(command)[0] for command, _ in steps] == [code for _, code in steps]
        assert client.mail("nas@example.org", ["AUTH=<>", "SIZE=200"])[0] == 250
        client.rcpt(mail_in.address)
        assert client.data(MAIL)[0] == 250


def test_the_questions_are_those_that_appliances_know(mail_in: MailIn) -> None:
    with mail_in.client() as client:
        assert client.docmd("AUTH LOGIN")[1] == encoded("Username:").encode()
        assert client.docmd(encoded(USER))[1] == encoded("Password:").encode()
        client.docmd(encoded(PASSWORD))


def test_a_recipient_stays_the_credential(mail_in: MailIn) -> None:
    with mail_in.client() as client:
        client.login(USER, PASSWORD)
        client.mail("nas@example.org")
        assert client.rcpt("someone@example.net")[0] == 550


@pytest.mark.parametrize(
    ("peer", "tls", "may"),
    [("127.0.0.1", None, True), ("127.8.0.1", None, True), ("::1", None, True), ("::ffff:127.0.0.1", None, True),
     ("192.168.1.7", None, False), ("2001:db8::1", None, False), ("", None, False), ("192.168.1.7", {}, True)],
)  # fmt: skip
def test_others_sign_in_after_tls_only(peer: str, tls: Any, may: bool) -> None:
    assert session.takes_credentials(SimpleNamespace(peer=(peer, 1), ssl=tls)) is may  # type: ignore[arg-type]


def own_address() -> str:
    """An address of this machine that is none of loopback. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            pytest.skip("the machine has no network")
        return str(probe.getsockname()[0])


def test_a_sender_elsewhere_is_neither_offered_nor_granted_auth_without_tls(
    receive: Callable[..., MailIn], tmp_path: Path
) -> None:
    authority, host = Authority(tmp_path), own_address()
    authority.context(host)
    [chain] = tmp_path.glob(f"{host.partition('.')[0]}.*.pem")
    mail_in = receive(mail_in_host="0.0.0.0", mail_in_certificate=str(chain), mail_in_certificate_key=str(chain))
    with smtplib.SMTP(host, mail_in.port, local_hostname="nas.local", timeout=SECONDS) as client:
        client.ehlo()
        assert not client.has_extn("auth")
        assert client.docmd("AUTH PLAIN AGEAYg==")[0] == 538
        client.starttls(context=ssl.create_default_context(cafile=str(authority.file)))
        client.ehlo()
        assert client.login(USER, PASSWORD)[0] == 235
        client.sendmail("nas@example.org", [mail_in.address], MAIL)

    assert Event.select().count() == 1


def test_credentials_reach_no_log_and_no_event(
    mail_in: MailIn, lines: Callable[[], list[dict[str, object]]], capfd: pytest.CaptureFixture[str]
) -> None:
    with mail_in.client() as client:
        client.docmd(f"AUTH PLAIN {encoded(USER)}{PASSWORD}")
        client.docmd(f"AUTH PLAIN {encoded(PASSWORD)}")
        client.login(USER, PASSWORD)
        client.sendmail("nas@example.org", [mail_in.address], MAIL)
    with mail_in.client() as client:
        client.docmd("AUTH LOGIN")
        assert client.sock is not None
        client.sock.sendall(f"{PASSWORD}\xe4\r\n".encode("latin-1"))
        assert client.getreply()[0] == 501

    logged = str(lines()) + "".join(capfd.readouterr())
    [event] = Event.select().dicts()
    assert "accepted" in logged
    for secret in (USER, PASSWORD, encoded(USER), encoded(PASSWORD)):
        assert secret not in logged and secret not in str(event)


def test_a_refused_sign_in_leaves_the_session_open(mail_in: MailIn) -> None:
    with mail_in.client() as client:
        assert client.docmd("AUTH PLAIN !!!")[0] == 501
        with pytest.raises(smtplib.SMTPException):
            client.sendmail("nas@example.org", ["nobody@example.net"], MAIL)
        client.rset()
        client.sendmail("nas@example.org", [mail_in.address], MAIL)
