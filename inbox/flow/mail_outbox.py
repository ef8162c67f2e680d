"""The mail outbox. A mail is written in the transaction of its act, and sent at least once.

1. The worker claims a mail (commit).
2. It sends the mail.
3. It records the result (commit).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from uuid import UUID

import structlog

from inbox.config import settings
from inbox.database.base import new_id
from inbox.flow.unit_of_work import AfterCommit, work
from inbox.mail import templates
from inbox.mail.message import InvalidAddress, SenderIdentity, build_message
from inbox.mail.smtp import Mailer, SendResult
from inbox.mail.templates import MailTemplate
from inbox.models.deliveries import mail_outbox as outbox
from inbox.models.deliveries.mail_outbox import ClaimedMail, Mail
from inbox.runtime import metrics, queue, sealing, tls
from inbox.runtime.queue import QueueName

log = structlog.get_logger(__name__)

RUN_SECONDS = 60.0
"""The time for which one job claims mails; then another job continues."""

LEASE = timedelta(minutes=3)
"""Longer than any mail can take (`mail.smtp`: twice 30 seconds, and a slow look-up of the server's name)."""

PAUSES = tuple(timedelta(seconds=seconds) for seconds in (30, 60, 120, 300, 600, 1800, 3600, 7200))
"""The pauses between attempts; the last one repeats."""

RETRY_FOR = timedelta(hours=24)

NO_RECIPIENT = "nobody"
"""The failure of a mail that was never meant to be sent."""


def enqueue(done: AfterCommit, mail: MailTemplate, address: str | None, now: datetime) -> None:
    """Writes a mail in the caller's unit of work; does nothing without a mail server.

    Without an address it does the same work but sends no mail. The answer and its timing then do not reveal whether an
    account exists.
    """
    if not settings.current().can_send_mail:
        return
    mail_id = new_id(now)
    sealed = sealing.current().seal(templates.to_bytes(mail), _associated_data(mail_id))
    is_current = address is not None
    Mail.create(
        id=mail_id,
        address=address or "",
        template=mail.template,
        sealed=sealed if is_current else None,
        created_at=now,
        due_at=now if is_current else None,
        failed_at=None if is_current else now,
        failure=None if is_current else NO_RECIPIENT,
    )
    done.wake(QueueName.MAIL)


def send_due(clock: Callable[[], datetime], *, run_seconds: float = RUN_SECONDS) -> int:
    """Sends the due mails in sequence over one connection; returns the number that the server accepted.

    If a worker dies between the server's answer and the commit, the mail is sent twice with the same Message-ID.
    """
    chosen = settings.current()
    if not chosen.can_send_mail:
        return 0
    sender = SenderIdentity(chosen.name, chosen.base_url, chosen.mail_from)
    ends_at = time.monotonic() + run_seconds
    sent = 0
    with Mailer(chosen.smtp_url, trust=tls.trust(chosen.ca_file)) as mailer:
        while (mail := _claim(clock())) is not None:
            sent += _send_and_record(mail, mailer, sender, clock)
            if time.monotonic() > ends_at:
                queue.job_queues().wake(QueueName.MAIL)
                break
    return sent


def next_attempt_at(created_at: datetime, attempts: int, now: datetime) -> datetime | None:
    """Returns the time of the next attempt; None when the mail fails for good. The last attempt is 24 hours after the act."""
    last = created_at + RETRY_FOR
    return None if now >= last else min(now + PAUSES[min(attempts, len(PAUSES)) - 1], last)


def _claim(now: datetime) -> ClaimedMail | None:
    with work():
        mail = outbox.claim(now=now, lease_until=now + LEASE, room=1)
    return mail[0] if mail else None


def _send_and_record(mail: ClaimedMail, mailer: Mailer, sender: SenderIdentity, clock: Callable[[], datetime]) -> bool:
    result, failure = _send(mail, mailer, sender)
    now = clock()
    retry_at = next_attempt_at(mail.created_at, mail.attempts, now) if result is SendResult.RETRY else None
    with work() as done:
        if result is SendResult.SENT:
            is_current_claim = outbox.sent(mail, now)
        elif retry_at is not None:
            is_current_claim = outbox.retry(mail, failure, retry_at)
            done.wake(QueueName.MAIL, retry_at)
        else:
            is_current_claim = outbox.fail(mail, failure, now)
    outcome = "sent" if result is SendResult.SENT else "retrying" if retry_at is not None else "failed"
    metrics.MAIL_ATTEMPTS.labels(outcome if is_current_claim else "stale").inc()
    log.log(
        20 if result is SendResult.SENT else 30,
        "mail",
        mail=str(mail.id),
        template=mail.template,
        fate=str(result),
        trouble=failure,
        attempt=mail.attempts,
        fenced=not is_current_claim,
    )
    return result is SendResult.SENT


def _send(mail: ClaimedMail, mailer: Mailer, sender: SenderIdentity) -> tuple[SendResult, str]:
    try:
        values = sealing.current().open(mail.sealed or b"", _associated_data(mail.id))
        content = templates.from_bytes(mail.template, values)
        message = build_message(content, sender, to=mail.address, mail_id=mail.id, at=mail.created_at)
    except (sealing.CannotUnseal, templates.UnknownTemplate):
        return SendResult.RETRY, "unreadable"  # the key, or the version with this template, may return
    except InvalidAddress:
        return SendResult.REJECTED, "address_refused"
    outcome = mailer.send(message, sender=sender.sender_address, to=mail.address)
    return outcome.result, str(outcome.failure or "")


def _associated_data(mail_id: UUID) -> bytes:
    return sealing.associated_data("mail_outbox", mail_id, mail_id, "sealed")
