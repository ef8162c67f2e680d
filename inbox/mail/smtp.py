"""The SMTP client: one connection to the operator's mail server, with time limits, TLS, and a result for each mail."""

from __future__ import annotations

import math
import re
import smtplib
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from email.message import EmailMessage
from enum import StrEnum
from typing import Self
from urllib.parse import unquote, urlsplit

from inbox.runtime import tls

STEP_SECONDS, WHOLE_SECONDS, CLOSE_INTERVAL_SECONDS = 10.0, 30.0, 0.5
SERVICE_UNAVAILABLE = 421
"""The answer of a server that shuts down or gets too much from one client (RFC 5321, 3.8)."""

NOT_SIGNED_IN, TOO_MUCH_STORED = 530, 552
"""The replies to a client that did not sign in (RFC 4954), and about a mailbox that is full."""

LOOPBACK = ("localhost", "127.0.0.1", "::1")


class SendResult(StrEnum):
    """The result of handing a mail to the server."""

    SENT = "taken"
    """The server accepted the mail and is responsible for it."""

    RETRY = "later"
    """The server did not accept the mail now. A later attempt may succeed."""

    REJECTED = "never"
    """The server refused the mail permanently."""


class FailureReason(StrEnum):
    """The reason for a refused mail. The server's own text is excluded, because it may repeat the address."""

    UNREACHABLE = "unreachable"
    TIMEOUT = "timeout"
    TLS_FAILED = "tls_failed"
    NO_STARTTLS = "no_starttls"
    LOGIN_REFUSED = "login_refused"
    CONNECTION_LOST = "connection_lost"
    SENDER_REFUSED = "sender_refused"
    ADDRESS_REFUSED = "address_refused"
    MESSAGE_REFUSED = "message_refused"
    BUSY = "busy"
    UNAVAILABLE = "unavailable"
    """The server answered 421: it accepts no mail from us at present."""

    UNSENDABLE = "unsendable"


@dataclass(frozen=True, slots=True)
class SendOutcome:
    """The result for a mail, and the reason when it was not accepted."""

    result: SendResult
    failure: FailureReason | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Server:
    """The mail server.

    `is_tls` means TLS from the first byte. `starttls` means that STARTTLS precedes all other commands with data.
    """

    host: str
    port: int
    is_tls: bool
    starttls: bool
    user: str
    password: str

    @classmethod
    def parse(cls, url: str) -> Server:
        """Parse `smtps://` or `smtp://`.

        `smtp://` uses STARTTLS except on this machine; `?starttls=on|off` overrides that.
        """
        parts = urlsplit(url)
        host, is_tls = parts.hostname or "", parts.scheme == "smtps"
        return cls(
            host=host,
            port=parts.port or (465 if is_tls else 587),
            is_tls=is_tls,
            starttls=not is_tls and (parts.query == "starttls=on" or (not parts.query and host not in LOOPBACK)),
            user=unquote(parts.username or ""),
            password=unquote(parts.password or ""),
        )


class _Unusable(Exception):
    """The server responds, but it does not meet the requirements."""

    def __init__(self, trouble: FailureReason) -> None:
        super().__init__(trouble)
        self.failure = trouble


class Mailer:
    """A connection that the first mail opens and the end of the `with` block closes.

    An unreachable server is tried once. Later mails get the same result. The opening, each mail and the end have
    `whole_seconds` each, and all together `total_seconds`.
    """

    def __init__(
        self,
        url: str,
        *,
        trust: ssl.SSLContext | None = None,
        whole_seconds: float = WHOLE_SECONDS,
        total_seconds: float = math.inf,
    ) -> None:
        self._server = Server.parse(url)
        self._trust = trust or tls.trust()
        self._whole_seconds = whole_seconds
        self._until = time.monotonic() + total_seconds
        self._smtp: smtplib.SMTP | None = None
        self._down: SendOutcome | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._smtp is not None:
            with self._deadline(self._smtp), suppress(smtplib.SMTPException, OSError):
                self._smtp.quit()
            self._drop()

    def send(self, message: EmailMessage, *, sender: str, to: str) -> SendOutcome:
        """Send the message to one address.

        Errors of the server or the network are in the outcome and are never raised.
        """
        if self._down is not None:
            return self._down
        if self._smtp is None:
            self._down = self._open()
            if self._down is not None:
                return self._down
        assert self._smtp is not None
        smtp = self._smtp
        try:
            with self._deadline(smtp):
                smtp.send_message(message, from_addr=sender, to_addrs=[to])
        except (smtplib.SMTPException, OSError, ValueError) as fault:
            outcome = _outcome(fault)
            if outcome.failure in _ENDS_CONNECTION or smtp.sock is None:
                self._drop()
            return outcome
        return SendOutcome(SendResult.SENT)

    def _open(self) -> SendOutcome | None:
        server = self._server
        smtp: smtplib.SMTP = (
            smtplib.SMTP_SSL(timeout=STEP_SECONDS, context=self._trust)
            if server.is_tls
            else smtplib.SMTP(timeout=STEP_SECONDS)
        )
        try:
            with self._deadline(smtp):
                self._greet(smtp)
        except (smtplib.SMTPException, OSError, ValueError) as fault:
            smtp.close()
            return SendOutcome(SendResult.RETRY, _opening_trouble(fault))
        except _Unusable as unfit:
            smtp.close()
            return SendOutcome(SendResult.RETRY, unfit.failure)
        self._smtp = smtp
        return None

    def _greet(self, smtp: smtplib.SMTP) -> None:
        server = self._server
        # Only the constructor of smtplib stores the name for the certificate check. This code connects later, so it
        # sets the name. smtplib has no public way.
        smtp._host = server.host  # type: ignore[attr-defined]  # noqa: SLF001
        code, _ = smtp.connect(server.host, server.port)
        if code != 220:
            raise _Unusable(_busy(code))
        smtp.ehlo_or_helo_if_needed()
        if server.starttls:
            if not smtp.has_extn("starttls"):
                raise _Unusable(FailureReason.NO_STARTTLS)
            smtp.starttls(context=self._trust)
            smtp.ehlo()
        if server.user:
            smtp.login(server.user, server.password)

    @contextmanager
    def _deadline(self, smtp: smtplib.SMTP) -> Iterator[None]:
        """Close the connection when the whole takes too long. The timeout of each step does not stop a slow sender."""
        is_over, seconds = threading.Event(), min(self._whole_seconds, self._until - time.monotonic())

        def end() -> None:
            is_over.wait(max(0.0, seconds))
            while not is_over.is_set():  # smtplib has no socket while it connects
                with suppress(OSError, AttributeError):
                    smtp.sock.shutdown(socket.SHUT_RDWR)  # type: ignore[union-attr]
                is_over.wait(CLOSE_INTERVAL_SECONDS)

        threading.Thread(target=end, name="mail-deadline", daemon=True).start()
        try:
            yield
        finally:
            is_over.set()

    def _drop(self) -> None:
        if self._smtp is not None:
            self._smtp.close()
            self._smtp = None


_OF_SENDER = re.compile(rb"^\s*5\.7\.|relay", re.IGNORECASE)
_ENDS_CONNECTION = {FailureReason.CONNECTION_LOST, FailureReason.TIMEOUT}


def _opening_trouble(fault: Exception) -> FailureReason:
    match fault:
        case smtplib.SMTPResponseException() if fault.smtp_code == SERVICE_UNAVAILABLE:
            return FailureReason.UNAVAILABLE
        case smtplib.SMTPServerDisconnected():
            return FailureReason.CONNECTION_LOST
        case smtplib.SMTPHeloError():
            return FailureReason.BUSY
        case smtplib.SMTPAuthenticationError() | smtplib.SMTPNotSupportedError():
            return FailureReason.LOGIN_REFUSED
        case smtplib.SMTPResponseException() | ssl.SSLError():
            return FailureReason.TLS_FAILED
        case smtplib.SMTPException():  # no common authentication method
            return FailureReason.LOGIN_REFUSED
        case TimeoutError():
            return FailureReason.TIMEOUT
        case _:
            return FailureReason.UNREACHABLE


def _outcome(fault: Exception) -> SendOutcome:
    match fault:
        case smtplib.SMTPRecipientsRefused():
            return _of_recipient(*next(iter(fault.recipients.values())))
        case smtplib.SMTPSenderRefused():
            # The cause is the operator's setting, not this mail. The mails must still wait when the operator corrects
            # it.
            return SendOutcome(
                SendResult.RETRY, FailureReason.SENDER_REFUSED if fault.smtp_code >= 500 else _busy(fault.smtp_code)
            )
        case smtplib.SMTPDataError():
            return _by_code(fault.smtp_code, FailureReason.MESSAGE_REFUSED)
        case smtplib.SMTPNotSupportedError() | UnicodeError():
            return SendOutcome(SendResult.REJECTED, FailureReason.UNSENDABLE)
        case TimeoutError():
            return SendOutcome(SendResult.RETRY, FailureReason.TIMEOUT)
        case smtplib.SMTPResponseException():
            return SendOutcome(SendResult.RETRY, _busy(fault.smtp_code))
        case OSError():
            return SendOutcome(SendResult.RETRY, FailureReason.CONNECTION_LOST)
        case _:
            return SendOutcome(SendResult.REJECTED, FailureReason.UNSENDABLE)


def _of_recipient(code: int, text: bytes) -> SendOutcome:
    """Return the outcome of a refused recipient. Many servers refuse there for another reason than the address.

    A client that is blocked or may not send to others is a configuration fault, so the mail waits.
    """
    if code == NOT_SIGNED_IN or (code >= 500 and _OF_SENDER.search(text)):
        return SendOutcome(SendResult.RETRY, FailureReason.SENDER_REFUSED)
    is_full = code == TOO_MUCH_STORED or text.lstrip().startswith(b"5.2.2")
    return _by_code(code, FailureReason.MESSAGE_REFUSED if is_full else FailureReason.ADDRESS_REFUSED)


def _by_code(code: int, trouble: FailureReason) -> SendOutcome:
    """Return the outcome by code: 5xx is permanent, and 4xx (greylisting, a full mailbox) may succeed later."""
    return (
        SendOutcome(SendResult.REJECTED, trouble) if 500 <= code < 600 else SendOutcome(SendResult.RETRY, _busy(code))
    )


def _busy(code: int) -> FailureReason:
    return FailureReason.UNAVAILABLE if code == SERVICE_UNAVAILABLE else FailureReason.BUSY
