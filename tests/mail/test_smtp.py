"""SMTP: the result of a mail for every kind of mail server."""

from __future__ import annotations

import socket
import ssl
from email.message import EmailMessage
from pathlib import Path

import pytest

from inbox.mail.smtp import FailureReason, Mailer, SendOutcome, SendResult, Server
from tests.destinations.test_tls import Authority
from tests.mail.servers import MailServer, Scripted

HELLO = ["220 hi", "250-me\r\n250 SIZE 1000000"]


def message(subject: str = "Hello") -> EmailMessage:
    written = EmailMessage()
    written["From"], written["To"], written["Subject"] = "inbox@example.org", "mia@example.org", subject
    written.set_content("Words\n.\nafter a dot")
    return written


def sent(url: str, *, to: str = "mia@example.org", trust: ssl.SSLContext | None = None) -> SendOutcome:
    with Mailer(url, trust=trust, whole_seconds=2.0) as mailer:
        return mailer.send(message(), sender="inbox@example.org", to=to)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def trust(authority: Authority) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(authority.file))


def test_a_mail_is_taken_whole() -> None:
    with MailServer() as server:
        assert sent(server.url) == SendOutcome(SendResult.SENT)

    (taken,) = server.mails
    assert (taken.sender, taken.to) == ("inbox@example.org", ["mia@example.org"])
    assert taken.message.get_content().splitlines() == ["Words", ".", "after a dot"]


def test_many_mails_leave_over_one_connection() -> None:
    with MailServer() as server, Mailer(server.url) as mailer:
        final_states = [
            mailer.send(message(str(n)), sender="inbox@example.org", to="mia@example.org").result for n in range(5)
        ]

    assert final_states == [SendResult.SENT] * 5
    assert [taken.message["Subject"] for taken in server.mails] == ["0", "1", "2", "3", "4"]
    assert server.connections == 1


def test_a_refused_mail_does_not_stop_the_next_one() -> None:
    with MailServer(rcpt="550 no such box") as server, Mailer(server.url) as mailer:
        first = mailer.send(message(), sender="inbox@example.org", to="nobody@example.org")
        server.rcpt = ""
        second = mailer.send(message(), sender="inbox@example.org", to="mia@example.org")

    assert first == SendOutcome(SendResult.REJECTED, FailureReason.ADDRESS_REFUSED)
    assert second.result is SendResult.SENT


@pytest.mark.parametrize(
    ("rcpt", "data", "outcome"),
    [
        ("550 no such box", "", SendOutcome(SendResult.REJECTED, FailureReason.ADDRESS_REFUSED)),
        ("450 greylisted", "", SendOutcome(SendResult.RETRY, FailureReason.BUSY)),
        ("421 too many", "", SendOutcome(SendResult.RETRY, FailureReason.UNAVAILABLE)),
        ("552 5.2.2 over quota", "", SendOutcome(SendResult.REJECTED, FailureReason.MESSAGE_REFUSED)),
        ("550 5.2.2 mailbox full", "", SendOutcome(SendResult.REJECTED, FailureReason.MESSAGE_REFUSED)),
        ("550 5.1.1 no such box", "", SendOutcome(SendResult.REJECTED, FailureReason.ADDRESS_REFUSED)),
        ("", "554 spam", SendOutcome(SendResult.REJECTED, FailureReason.MESSAGE_REFUSED)),
        ("", "452 full", SendOutcome(SendResult.RETRY, FailureReason.BUSY)),
        ("", "421 going down", SendOutcome(SendResult.RETRY, FailureReason.UNAVAILABLE)),
    ],
)
def test_an_smtp_status_5xx_is_permanent_and_4xx_temporary(rcpt: str, data: str, outcome: SendOutcome) -> None:
    with MailServer(rcpt=rcpt, data=data) as server:
        assert sent(server.url) == outcome

    assert server.mails == []


@pytest.mark.parametrize(
    "reply",
    [
        "554 5.7.1 <mia@example.org>: Relay access denied",
        "554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked",
        "550 relaying denied",
        "530 Authentication required",
    ],
)
def test_a_server_that_refuses_our_client_gets_the_mail_later(reply: str) -> None:
    with MailServer(rcpt=reply) as server:
        assert sent(server.url) == SendOutcome(SendResult.RETRY, FailureReason.SENDER_REFUSED)


@pytest.mark.filterwarnings("ignore:Requiring AUTH:UserWarning")
def test_a_server_that_takes_only_known_users_gets_user_and_password() -> None:
    with MailServer(user="inbox", password="p w@:/") as server:
        right = server.url.replace("p w@:/", "p%20w%40%3A%2F")
        assert sent(right).result is SendResult.SENT
        assert sent(right.replace("p%20w", "wrong")) == SendOutcome(SendResult.RETRY, FailureReason.LOGIN_REFUSED)
        assert sent(f"smtp://127.0.0.1:{server.port}") == SendOutcome(SendResult.RETRY, FailureReason.SENDER_REFUSED)


@pytest.mark.filterwarnings("ignore:Requiring AUTH:UserWarning")
def test_starttls_hides_the_mail_and_wants_a_known_certificate(authority: Authority, trust: ssl.SSLContext) -> None:
    with MailServer(starttls=authority.context("127.0.0.1"), user="u", password="p") as server:
        assert sent(server.url, trust=trust).result is SendResult.SENT
        assert sent(server.url) == SendOutcome(SendResult.RETRY, FailureReason.TLS_FAILED)

    assert [taken.over_tls for taken in server.mails] == [True]


def test_tls_from_the_start_wants_a_known_certificate_of_the_name(authority: Authority, trust: ssl.SSLContext) -> None:
    with MailServer(tls=authority.context("127.0.0.1")) as server:
        assert sent(server.url, trust=trust).result is SendResult.SENT
        assert sent(server.url) == SendOutcome(SendResult.RETRY, FailureReason.TLS_FAILED)
    with MailServer(tls=authority.context("mail.example.org")) as server:
        assert sent(server.url, trust=trust) == SendOutcome(SendResult.RETRY, FailureReason.TLS_FAILED)


def test_no_password_is_sent_to_a_server_that_does_not_offer_starttls() -> None:
    with Scripted([*HELLO, "235 in"]) as server:
        outcome = sent(server.url.replace("//", "//user:secret@") + "?starttls=on")

    assert outcome == SendOutcome(SendResult.RETRY, FailureReason.NO_STARTTLS)
    assert not [line for line in server.lines if line.startswith(("AUTH", "MAIL"))]


def test_an_unreachable_mail_server_is_tried_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        url = f"smtp://127.0.0.1:{probe.getsockname()[1]}"

    with Mailer(url) as mailer:
        outcomes = [mailer.send(message(), sender="a@b.example", to="c@d.example") for _ in range(2)]

    assert outcomes == [SendOutcome(SendResult.RETRY, FailureReason.UNREACHABLE)] * 2
    assert sent("smtp://no-such-host.invalid:25?starttls=off") == SendOutcome(
        SendResult.RETRY, FailureReason.UNREACHABLE
    )


@pytest.mark.parametrize(
    ("answers", "trouble"),
    [
        (["421 not now"], FailureReason.UNAVAILABLE),
        (["220 hi", "421 not now", "421 not now"], FailureReason.UNAVAILABLE),
        ([*HELLO, "421 too many mails"], FailureReason.UNAVAILABLE),
        (["554 go away"], FailureReason.BUSY),
        ([""], FailureReason.CONNECTION_LOST),
        (["220 hi", "500 what", "500 what"], FailureReason.BUSY),
        ([*HELLO, ""], FailureReason.CONNECTION_LOST),
        ([*HELLO, "451 later"], FailureReason.BUSY),
        ([*HELLO, "553 not your address"], FailureReason.SENDER_REFUSED),
        ([*HELLO, "250 ok", "250 ok", ""], FailureReason.CONNECTION_LOST),
        ([*HELLO, "250 ok", "250 ok", "354 go on", ""], FailureReason.CONNECTION_LOST),
        (["no number at all", "250 x"], FailureReason.BUSY),
    ],
)
def test_a_server_that_fails_halfway_gets_the_mail_another_time(
    answers: list[str | None], trouble: FailureReason
) -> None:
    with Scripted(answers) as server:
        assert sent(server.url) == SendOutcome(SendResult.RETRY, trouble)


@pytest.mark.parametrize("answers", [[None], [*HELLO, None], [*HELLO, "250 ok", None]])
def test_a_server_that_falls_silent_is_left_in_time(answers: list[str | None]) -> None:
    with Scripted(answers) as server:
        with Mailer(server.url, whole_seconds=0.2) as mailer:
            outcome = mailer.send(message(), sender="inbox@example.org", to="mia@example.org")

        assert outcome == SendOutcome(SendResult.RETRY, FailureReason.CONNECTION_LOST)


@pytest.mark.parametrize("answers", [[None], [*HELLO, None], [*HELLO, "250 ok", None]])
@pytest.mark.parametrize("seconds", [0.0, 0.2])
def test_all_steps_of_a_mail_share_its_remaining_time(answers: list[str | None], seconds: float) -> None:
    with Scripted(answers) as server, Mailer(server.url, total_seconds=seconds) as mailer:
        outcome = mailer.send(message(), sender="inbox@example.org", to="mia@example.org")

    assert outcome == SendOutcome(SendResult.RETRY, FailureReason.CONNECTION_LOST)


def test_an_address_that_the_server_cannot_spell_is_given_up() -> None:
    with MailServer() as server:
        assert sent(server.url, to="müller@example.org") == SendOutcome(SendResult.REJECTED, FailureReason.UNSENDABLE)
    with MailServer(knows_utf8=True) as server:
        assert sent(server.url, to="müller@example.org").result is SendResult.SENT

    assert server.mails[0].to == ["müller@example.org"]


@pytest.mark.parametrize(
    ("url", "port", "is_tls", "starttls"),
    [
        ("smtp://mail.example.org", 587, False, True),
        ("smtp://mail.example.org:25", 25, False, True),
        ("smtp://mail.example.org?starttls=off", 587, False, False),
        ("smtps://mail.example.org", 465, True, False),
        ("smtp://localhost:25", 25, False, False),
        ("smtp://127.0.0.1", 587, False, False),
        ("smtp://[::1]:25?starttls=on", 25, False, True),
    ],
)
def test_mails_leave_the_machine_encrypted_unless_the_operator_says_so(
    url: str, port: int, is_tls: bool, starttls: bool
) -> None:
    server = Server.parse(url)

    assert (server.port, server.is_tls, server.starttls) == (port, is_tls, starttls)


def test_the_password_is_in_no_text_of_the_server(tmp_path: Path) -> None:
    assert "secret" not in repr(Server.parse("smtp://user:secret@mail.example.org"))
