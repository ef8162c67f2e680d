"""Mail servers on loopback: one that stores each mail, and one with scripted answers."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from types import TracebackType
from typing import Any, Self, cast

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, Envelope, LoginPassword, Session

from inbox.config import settings as in_force
from inbox.config.settings import Settings
from tests.runner.ports import free_port


@dataclass
class Taken:
    """A mail as the server has it."""

    sender: str
    to: list[str]
    message: EmailMessage
    over_tls: bool

    @property
    def text(self) -> str:
        """Its plain text."""
        return str(self.message.get_body(("plain",)).get_content())  # type: ignore[union-attr]

    @property
    def html(self) -> str:
        """Its HTML."""
        return str(self.message.get_body(("html",)).get_content())  # type: ignore[union-attr]


@dataclass
class MailServer:
    """A real SMTP server. `rcpt` and `data` may hold an answer to give instead of taking, and `rcpt_of` one for
    an address; all can change meanwhile.

    While it `keeps_silent`, it takes mails and does not say so.
    """

    rcpt: str = ""
    rcpt_of: dict[str, str] = field(default_factory=dict)
    data: str = ""
    user: str = ""
    password: str = ""
    tls: Any = None
    starttls: Any = None
    knows_utf8: bool = False
    keeps_silent: bool = False
    mails: list[Taken] = field(default_factory=list)
    connections: int = 0

    def __enter__(self) -> Self:
        options: dict[str, Any] = {"hostname": "127.0.0.1", "port": free_port(), "auth_require_tls": False}
        options["enable_SMTPUTF8"] = self.knows_utf8
        options["ready_timeout"] = 60
        if self.user:
            options |= {"authenticator": self._admit, "auth_required": True}
        if self.starttls:
            options |= {"tls_context": self.starttls, "require_starttls": True}
        if self.tls:
            options["ssl_context"] = self.tls
        self._controller = Controller(self, **options)
        self._controller.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._controller.stop()

    @property
    def port(self) -> int:
        """Where it listens on 127.0.0.1."""
        return int(self._controller.port)

    @property
    def url(self) -> str:
        """As the setting has it."""
        login = f"{self.user}:{self.password}@" if self.user else ""
        query = "?starttls=on" if self.starttls else ""
        return f"{'smtps' if self.tls else 'smtp'}://{login}127.0.0.1:{self.port}{query}"

    async def handle_EHLO(
        self, server: Any, session: Session, envelope: Envelope, name: str, responses: list[str]
    ) -> list[str]:
        self.connections += 1
        session.host_name = name
        return responses

    async def handle_RCPT(
        self, server: Any, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if answer := self.rcpt_of.get(address, self.rcpt):
            return answer
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Session, envelope: Envelope) -> str:
        if self.data:
            return self.data
        message = cast(EmailMessage, message_from_bytes(cast(bytes, envelope.content), policy=default))
        self.mails.append(Taken(envelope.mail_from or "", envelope.rcpt_tos, message, session.ssl is not None))
        while self.keeps_silent:
            await asyncio.sleep(0.01)
        return "250 taken"

    def _admit(self, server: Any, session: Session, envelope: Envelope, mechanism: str, login: Any) -> AuthResult:
        required = LoginPassword(self.user.encode(), self.password.encode())
        return AuthResult(success=login == required, handled=False)


@dataclass
class Scripted:
    """A server that answers each line with the next of `answers`; an empty one closes, `None` says nothing more."""

    answers: list[str | None]
    lines: list[str] = field(default_factory=list)

    def __enter__(self) -> Self:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"smtp://127.0.0.1:{self._listener.getsockname()[1]}"
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(2)

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            connection, _ = self._listener.accept()
            with connection, connection.makefile("rb") as stream:
                for answer in self.answers:
                    if answer is None:
                        self._closing.wait(10)
                        return
                    if not answer:
                        return
                    connection.sendall(answer.encode() + b"\r\n")
                    self.lines.append(stream.readline().decode().strip())


@contextlib.contextmanager
def mail_server_in_force(settings: Settings) -> Iterator[MailServer]:
    """A mail server to which the settings of the process lead meanwhile."""
    with MailServer() as server:
        in_force.use(replace(settings, smtp_url=server.url, mail_from="Inbox <inbox@example.org>"))
        yield server
    in_force.use(settings)
