"""The SMTP listener of a process: it accepts connections until it is asked to stop (specification 19.16)."""

from __future__ import annotations

import asyncio
import logging
import signal
import ssl

import structlog

from inbox.config.settings import Settings
from inbox.mail_in.hooks import Hooks
from inbox.mail_in.session import Connections, MailSession

log = structlog.get_logger(__name__)

IDENT = "Incident Inbox"
STOP_SECONDS = 10.0


class NotListening(Exception):
    """The listener cannot start. The text gives the reason."""


def tls_context(settings: Settings) -> ssl.SSLContext | None:
    """Return the TLS context for STARTTLS; None without a certificate. Raises `NotListening`."""
    if not settings.mail_in_certificate:
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(settings.mail_in_certificate, settings.mail_in_certificate_key)
    except (OSError, ValueError) as fault:
        raise NotListening(
            f"INBOX_MAIL_IN_CERTIFICATE or INBOX_MAIL_IN_CERTIFICATE_KEY cannot be used: {fault}"
        ) from None
    return context


async def listen(settings: Settings, hooks: Hooks) -> asyncio.Server:
    """Listen on the port of the settings. Raises `NotListening`."""
    # The library logs commands, which contain addresses.
    logging.getLogger("mail.log").disabled = True
    loop = asyncio.get_running_loop()
    connections, context = Connections(settings.mail_in_connections), tls_context(settings)

    def session() -> MailSession:
        return MailSession(
            hooks,
            connections,
            most_bytes=settings.mail_in_bytes,
            hostname=settings.mail_in_domain,
            ident=IDENT,
            tls_context=context,
            loop=loop,
        )

    try:
        return await loop.create_server(session, settings.mail_in_host, settings.mail_in_port)
    except OSError as fault:
        place = f"{settings.mail_in_host}:{settings.mail_in_port}"
        raise NotListening(f"INBOX_MAIL_IN_HOST and INBOX_MAIL_IN_PORT: {place}: {fault.strerror or fault}") from None


async def serve(settings: Settings) -> None:
    """Accept mails until SIGTERM or SIGINT.

    1. Listen.
    2. Wait for a signal.
    3. Close the listener, and wait for the mails that are being stored.

    Raises `NotListening`.
    """
    hooks, stopping = Hooks(), asyncio.Event()
    server = await listen(settings, hooks)
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopping.set)
    log.info("mail-in started", port=settings.mail_in_port, tls=bool(settings.mail_in_certificate))
    await stopping.wait()
    server.close()
    await hooks.finish(STOP_SECONDS)
    log.info("mail-in stopped")
