"""Answers the SMTP session: whether a recipient is known, and the reply to a mail (specification 19.16)."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import peewee
import psycopg2
import structlog
from aiosmtpd.smtp import SMTP, Envelope, Session
from playhouse.pool import MaxConnectionsExceeded

from inbox.domain.values.text import one_line
from inbox.intake import mail
from inbox.mail_in import addresses, delivery
from inbox.mail_in.session import takes_credentials
from inbox.runtime import metrics, outages

log = structlog.get_logger(__name__)

T = TypeVar("T")

MOST_RECIPIENTS = 10
MOST_REFUSED = 10
"""The most refused recipients of one session. The next one ends the session."""

THREADS = 8

ACCEPTED = "250 2.1.5 OK"
UNKNOWN = "550 5.1.1 No such address"
NO_RELAY = "550 5.7.1 This server takes mail for its own addresses only"
TOO_MANY = f"452 4.5.3 At most {MOST_RECIPIENTS} recipients; send the mail again for the others"
TRY_LATER = "451 4.3.0 Try again later"
GUESSING = "421 4.7.0 Too many unknown recipients"


class Hooks:
    """The hooks of `aiosmtpd`. The database is asked in threads, so that the sessions do not wait for each other."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="mail-in")
        self._deliveries: set[asyncio.Future[str]] = set()

    async def handle_EHLO(
        self, server: SMTP, session: Session, envelope: Envelope, hostname: str, responses: list[str]
    ) -> list[str]:
        """Offer AUTH only where a sender may sign in."""
        session.host_name = hostname
        offers_auth = takes_credentials(session)
        return [line for line in responses if offers_auth or not line[4:].startswith("AUTH")]

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        """Accept a recipient that is a live address of a source."""
        if len(envelope.rcpt_tos) >= MOST_RECIPIENTS:
            return self._refused("too_many", TOO_MANY)
        if not addresses.is_ours(address):
            return self._unknown(server, session, "other_domain", NO_RELAY)
        parsed = addresses.parse(address)
        if parsed is None:
            return self._unknown(server, session, "unknown", UNKNOWN)
        try:
            source = await asyncio.get_running_loop().run_in_executor(self._threads, addresses.source_of, parsed)
        except (peewee.PeeweeException, psycopg2.Error, MaxConnectionsExceeded) as fault:
            outages.postgres.record_failure(fault)
            return self._refused("unavailable", TRY_LATER)
        outages.postgres.record_success()
        if source is None:
            return self._unknown(server, session, "unknown", UNKNOWN)
        envelope.rcpt_tos.append(address)
        return ACCEPTED

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        """Reply after the events are committed."""
        recipients = list(dict.fromkeys(filter(None, map(addresses.parse, envelope.rcpt_tos))))
        content = envelope.content if isinstance(envelope.content, bytes) else b""
        facts = mail.Envelope(
            sender=_null_or(envelope.mail_from or ""),
            helo=one_line(session.host_name or ""),
            peer=str((session.peer or ("",))[0]),
            is_encrypted=session.ssl is not None,
        )
        loop = asyncio.get_running_loop()
        running = loop.run_in_executor(self._threads, delivery.deliver, content, facts, recipients)
        self._deliveries.add(running)
        running.add_done_callback(self._deliveries.discard)
        # The commit continues when the sender leaves. Its repeat is then a duplicate.
        return await asyncio.shield(running)

    async def handle_exception(self, error: Exception) -> str:
        """Reply so that the sender repeats. The library would send the text of the error."""
        log.error("smtp session failed", exc_info=error)
        return TRY_LATER

    async def finish(self, seconds: float) -> None:
        """Wait for the mails that are being stored."""
        if self._deliveries:
            await asyncio.wait(self._deliveries, timeout=seconds)
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _refused(self, reason: str, reply: str) -> str:
        metrics.MAIL_RECIPIENTS_REFUSED.labels(reason).inc()
        return reply

    def _unknown(self, server: SMTP, session: Session, reason: str, reply: str) -> str:
        """Refuse a recipient for good. A sender that guesses addresses is disconnected."""
        refused = getattr(session, "refused_recipients", 0) + 1
        session.refused_recipients = refused  # type: ignore[attr-defined]
        if refused > MOST_REFUSED:
            asyncio.get_running_loop().call_soon(_close, server)
            return self._refused(reason, GUESSING)
        return self._refused(reason, reply)


def _close(server: SMTP) -> None:
    if server.transport is not None:
        server.transport.close()


def _null_or(sender: str) -> str:
    """Return the sender of the envelope; empty for `<>`, which reports have."""
    return "" if sender == "<>" else one_line(sender)
