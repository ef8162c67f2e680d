"""Sessions of the mail server: recipients, sizes, connections, TLS (specification 19.16)."""

from __future__ import annotations

import contextlib
import smtplib
import socket
import ssl
from collections.abc import Callable
from pathlib import Path

import pytest

from inbox.mail_in.hooks import MOST_RECIPIENTS, MOST_REFUSED
from inbox.mail_in.session import COMMANDS, MOST_PER_PEER
from inbox.models.events.tables import Event
from tests.cast import Cast, make_key
from tests.destinations.test_tls import Authority
from tests.mail_in.conftest import DOMAIN, MAIL, SECONDS, MailIn
from tests.runtime.metrics.counted import Counted


@pytest.mark.parametrize(
    ("recipient", "code", "reason"),
    [(f"nobody@{DOMAIN}", 550, "unknown"), (f"svc_mail_{'a' * 26}@{DOMAIN}", 550, "unknown"),
     (f"svc_mail_{'a' * 25}@{DOMAIN}", 550, "unknown"), ("someone@example.net", 550, "other_domain")],
)  # fmt: skip
def test_a_recipient_that_is_no_address_of_a_source_is_refused(
    mail_in: MailIn, recipient: str, code: int, reason: str
) -> None:
    counted = Counted()

    assert mail_in.send(to=recipient)[0] == code
    assert counted.of("inbox_mail_in_recipients_refused_total", reason=reason) == 1


def test_the_mail_server_relays_no_mail(mail_in: MailIn) -> None:
    local = mail_in.address.partition("@")[0]

    assert mail_in.send(to=f"{local}@example.net") == (550, "5.7.1 This server takes mail for its own addresses only")


@pytest.mark.parametrize(("more", "code"), [(-1, 250), (0, 250), (1, 552)])
def test_a_mail_has_a_largest_size(receive: Callable[..., MailIn], more: int, code: int) -> None:
    mail_in = receive(mail_in_bytes=4_096)
    head = "Subject: s\r\n\r\n"
    text = head + "x" * (4_096 + more - len(head) - 2) + "\r\n"
    assert len(text) == 4_096 + more

    assert mail_in.send(text)[0] == code
    assert Event.select().count() == (code == 250)


@pytest.mark.parametrize(("more", "code"), [(-1, 250), (0, 250), (1, 552)])
def test_a_mail_that_announces_its_size_is_refused_before_it_is_sent(
    receive: Callable[..., MailIn], more: int, code: int
) -> None:
    with receive(mail_in_bytes=4_096).client() as client:
        assert client.esmtp_features["size"] == "4096"
        assert client.mail("nas@example.org", [f"SIZE={4_096 + more}"])[0] == code


def test_a_line_without_an_end_ends_the_session(receive: Callable[..., MailIn]) -> None:
    mail_in = receive(mail_in_bytes=4_096)
    with mail_in.client() as client:
        client.mail("nas@example.org")
        client.rcpt(mail_in.address)
        client.docmd("DATA")
        assert client.sock is not None
        with contextlib.suppress(OSError):  # the other end closes while this one still sends
            for _ in range(1_000):
                client.sock.sendall(b"x" * 10_000)
        with contextlib.suppress(OSError, smtplib.SMTPException):
            assert client.getreply()[0] == 552
        with pytest.raises((OSError, smtplib.SMTPException)):
            client.noop()
        client.close()

    assert Event.select().count() == 0
    assert mail_in.send()[0] == 250


@pytest.mark.parametrize(("number", "code"), [(MOST_RECIPIENTS, 250), (MOST_RECIPIENTS + 1, 452)])
def test_a_mail_has_a_bounded_number_of_recipients(mail_in: MailIn, cast: Cast, number: int, code: int) -> None:
    recipients = [f"{make_key(cast.source, kind='mail_address')}@{DOMAIN}" for _ in range(number)]
    with mail_in.client() as client:
        client.mail("nas@example.org")
        codes = [client.rcpt(each)[0] for each in recipients]

    assert codes[:-1] == [250] * (number - 1) and codes[-1] == code


def test_a_sender_that_guesses_addresses_is_disconnected(mail_in: MailIn) -> None:
    with mail_in.client() as client:
        client.mail("nas@example.org")
        codes = [client.rcpt(f"svc_mail_{'b' * 26}@{DOMAIN}")[0] for _ in range(MOST_REFUSED + 1)]
        with pytest.raises((OSError, smtplib.SMTPException)):
            client.noop()
        client.close()

    assert codes == [550] * MOST_REFUSED + [421]


@pytest.mark.parametrize("number", [60, COMMANDS["MAIL"]])
def test_one_session_sends_many_mails(mail_in: MailIn, number: int) -> None:
    with mail_in.client() as client:
        codes = [_sent(client, mail_in.address, f"{MAIL}{each}\r\n") for each in range(number)]

    assert codes == [250] * number
    assert Event.select().count() == number


def test_a_session_has_a_largest_number_of_mails(mail_in: MailIn) -> None:
    with mail_in.client() as client:
        for _ in range(COMMANDS["MAIL"]):
            client.mail("nas@example.org")
            client.rset()
        assert client.mail("nas@example.org")[0] == 421
        client.close()


def _sent(client: smtplib.SMTP, recipient: str, text: str) -> int:
    """Send a mail as a relay that empties its queue: it resets the session before each."""
    client.rset()
    client.mail("nas@example.org")
    client.rcpt(recipient)
    return client.data(text)[0]


def greeting(port: int, opened: list[socket.socket]) -> bytes:
    connection = socket.create_connection(("127.0.0.1", port), timeout=SECONDS)
    opened.append(connection)
    return connection.recv(100)


@pytest.mark.parametrize(("most", "accepted"), [(2, 2), (500, MOST_PER_PEER)])
def test_connections_are_bounded_in_all_and_for_each_address(
    receive: Callable[..., MailIn], most: int, accepted: int
) -> None:
    mail_in, opened, counted = receive(mail_in_connections=most), list[socket.socket](), Counted()

    greetings = [greeting(mail_in.port, opened)[:4] for _ in range(accepted + 1)]

    assert greetings == [b"220 "] * accepted + [b"421 "]
    assert counted.of("inbox_mail_in_connections_refused_total") == 1
    opened.pop(0).close()
    opened.pop().close()
    repeat = next(filter(None, (_accepted(mail_in.port, opened) for _ in range(500))), b"")
    assert repeat == b"220 "
    for connection in opened:
        connection.close()


def _accepted(port: int, opened: list[socket.socket]) -> bytes:
    """The greeting of a connection, once the end of another one was noticed."""
    found = greeting(port, opened)[:4]
    if found == b"421 ":
        opened.pop().close()
        return b""
    return found


def test_no_secret_and_no_address_is_in_the_log(
    mail_in: MailIn, lines: Callable[[], list[dict[str, object]]], capfd: pytest.CaptureFixture[str]
) -> None:
    mail_in.send()
    mail_in.send(to=f"someone@{DOMAIN}")

    local = mail_in.address.partition("@")[0]
    logged = str(lines()) + "".join(capfd.readouterr())
    assert "accepted" in logged
    assert not any(secret in logged for secret in (local, "nas@example.org", "someone@", "Volume full"))


def test_starttls_is_offered_with_a_certificate_and_recorded_in_the_event(
    receive: Callable[..., MailIn], tmp_path: Path
) -> None:
    authority = Authority(tmp_path)
    authority.context("127.0.0.1")
    [chain] = tmp_path.glob("127.*.pem")
    mail_in = receive(mail_in_certificate=str(chain), mail_in_certificate_key=str(chain))
    with mail_in.client() as client:
        client.starttls(context=ssl.create_default_context(cafile=str(authority.file)))
        assert client.ehlo()[0] == 250
        client.sendmail("nas@example.org", [mail_in.address], MAIL)

    [event] = Event.select()
    assert event.metadata["mail"]["encrypted"] is True


def test_starttls_is_not_offered_without_a_certificate(mail_in: MailIn) -> None:
    with mail_in.client() as client:
        assert not client.has_extn("starttls")


@pytest.mark.parametrize(
    "command", ["VRFY nobody", "EXPN list", "AUTH PLAIN AGEAYg==", "HELP", "NONSENSE", "RCPT TO:<@>", "\x00"]
)
def test_unsupported_commands_reveal_nothing_and_end_no_session(mail_in: MailIn, command: str) -> None:
    with mail_in.client() as client:
        code, _ = client.docmd(command)
        assert 200 <= code < 600
        client.rset()
        client.sendmail("nas@example.org", [mail_in.address], MAIL)

    assert Event.select().count() == 1
