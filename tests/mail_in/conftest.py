"""The mail receiver on a loopback port, in a thread of the test process."""

from __future__ import annotations

import asyncio
import smtplib
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest

from inbox.config import settings as in_force
from inbox.config.settings import Settings
from inbox.mail_in.hooks import Hooks
from inbox.mail_in.listener import listen
from tests.api.conftest import in_settings, lines
from tests.cast import Cast, make_key
from tests.runner.ports import free_port

__all__ = ["in_settings", "lines"]

DOMAIN = "inbox.example.org"
MAIL = "From: NAS <nas@example.org>\r\nSubject: Volume full\r\nMessage-ID: <1@nas>\r\n\r\n/data has 3 % left.\r\n"
SECONDS = 60


@dataclass(frozen=True)
class MailIn:
    """A receiver that listens."""

    port: int
    address: str

    def client(self) -> smtplib.SMTP:
        """A connection that has said hello."""
        client = smtplib.SMTP("127.0.0.1", self.port, local_hostname="nas.local", timeout=SECONDS)
        client.ehlo()
        return client

    def send(
        self, text: str | bytes = MAIL, *, to: str | list[str] = "", sender: str = "nas@example.org"
    ) -> tuple[int, str]:
        """The reply to a mail: the refusal of its last recipient, or what follows the text."""
        with self.client() as client:
            code, reply = client.mail(sender)
            for recipient in [to or self.address] if isinstance(to, str) else to:
                code, reply = client.rcpt(recipient)
            if code == 250:
                code, reply = client.data(text)
            return code, reply.decode()


@contextmanager
def listening(chosen: Settings) -> Iterator[None]:
    """A receiver with these settings until the end of the block."""
    loop, hooks = asyncio.new_event_loop(), Hooks()
    server = loop.run_until_complete(listen(chosen, hooks))
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        yield
    finally:

        async def end() -> None:
            server.close()
            await hooks.finish(SECONDS)
            others = asyncio.all_tasks() - {asyncio.current_task()}
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)

        asyncio.run_coroutine_threadsafe(end(), loop).result(SECONDS)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(SECONDS)
        loop.close()


@pytest.fixture
def receive(cast: Cast, settings: Settings) -> Iterator[Callable[..., MailIn]]:
    """`receive(mail_in_bytes=2048)` starts a receiver with these settings; it ends with the test."""
    with ExitStack() as open_receivers:

        def start(**changes: Any) -> MailIn:
            changes = {"mail_in_port": free_port(), "mail_in_domain": DOMAIN, **changes}
            chosen = replace(settings, **changes)
            in_force.use(chosen)
            open_receivers.enter_context(listening(chosen))
            return MailIn(chosen.mail_in_port, f"{make_key(cast.source, kind='mail_address')}@{DOMAIN}")

        yield start
    in_force.use(settings)


@pytest.fixture
def mail_in(receive: Callable[..., MailIn]) -> MailIn:
    """A receiver as it is without further settings, and an address of the source of the cast."""
    return receive()
