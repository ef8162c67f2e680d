"""Turns a received mail into an event of each source it was sent to (specification 19.16)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from enum import StrEnum

import orjson
import peewee
import psycopg2
import structlog
from playhouse.pool import MaxConnectionsExceeded

from inbox.database.base import db
from inbox.domain.routing.decision import ResolveBy
from inbox.domain.senders.recovery_presets import RecoveryPreset
from inbox.domain.values.refusals import IdempotencyInProgress, IdempotencyMismatch, RateLimited, Refusal, Unavailable
from inbox.flow.ingest.group_commit import count_events, groups
from inbox.flow.ingest.request import Accepted, IngestRequest
from inbox.intake import mail, mail_message
from inbox.intake.mail import Envelope, Grouping
from inbox.intake.mail_message import MailMessage
from inbox.mail_in import addresses
from inbox.mail_in.addresses import MailAddress
from inbox.models.events.sender_sources import SenderSource
from inbox.runtime import metrics, outages
from inbox.services.senders import source_samples
from inbox.services.senders.source_samples import Received

log = structlog.get_logger(__name__)

MOST_HOPS = 25
TOOL = "mail"


class Outcome(StrEnum):
    """The result of a mail. The value is the label of the metric."""

    ACCEPTED = "accepted"
    """An event was committed."""

    DUPLICATE = "duplicate"
    """The same mail was accepted before."""

    DROPPED = "dropped"
    """An automatic reply or a report: accepted and kept as a sample, but no event."""

    UNKNOWN = "unknown"
    """The address ended since the recipient was accepted."""

    REFUSED = "refused"
    """A loop, or an event that ingest refuses."""

    DEFERRED = "deferred"
    """A temporary failure: the sender repeats the mail."""


REPLIES = {
    Outcome.ACCEPTED: "250 2.0.0 The event is stored",
    Outcome.DUPLICATE: "250 2.0.0 The event was stored before",
    Outcome.DROPPED: "250 2.0.0 An automatic reply gives no event",
    Outcome.UNKNOWN: "550 5.1.1 No such address",
    Outcome.REFUSED: "554 5.6.0 The mail cannot be stored",
    Outcome.DEFERRED: "451 4.3.0 Try again later",
}
LOOP = "554 5.4.6 The mail came by too many hops"
_STORED = (Outcome.ACCEPTED, Outcome.DUPLICATE, Outcome.DROPPED)
_PASSING = (RateLimited, Unavailable, IdempotencyInProgress)


def deliver(content: bytes, envelope: Envelope, recipients: Sequence[MailAddress]) -> str:
    """Store the mail for each recipient, and return the reply to the sender.

    The reply is 451 when one of the events could not be stored now. The repeat of the mail is a duplicate for the others.
    """
    message = mail_message.read(content)
    if message.received > MOST_HOPS:
        return _replied([Outcome.REFUSED], envelope, len(content), LOOP)
    outcomes = [_delivered(message, envelope, recipient) for recipient in recipients]
    return _replied(outcomes, envelope, len(content))


def _replied(outcomes: Sequence[Outcome], envelope: Envelope, size: int, reply: str = "") -> str:
    for outcome in outcomes:
        metrics.MAILS_RECEIVED.labels(str(outcome)).inc()
    log.info("mail", outcomes=[str(outcome) for outcome in outcomes], peer=envelope.peer, size=size)
    if Outcome.DEFERRED in outcomes:
        return REPLIES[Outcome.DEFERRED]
    stored = [outcome for outcome in outcomes if outcome in _STORED]
    return reply or REPLIES[(stored or list(outcomes))[0]]


def _delivered(message: MailMessage, envelope: Envelope, recipient: MailAddress) -> Outcome:
    try:
        source = addresses.source_of(recipient)
        return Outcome.UNKNOWN if source is None else _stored(message, envelope, recipient, source)
    except (peewee.PeeweeException, psycopg2.Error, MaxConnectionsExceeded) as fault:
        if not outages.is_postgres_unavailable(fault):
            raise
        outages.postgres.record_failure(fault)
        return Outcome.DEFERRED


def _stored(message: MailMessage, envelope: Envelope, recipient: MailAddress, source: SenderSource) -> Outcome:
    if reason := mail.reason_to_drop(message):
        _keep_sample(source, message, f"{reason} It gave no event.")
        return Outcome.DROPPED
    event = mail.event_of(message, envelope, recipient.tag, _grouping(source))
    request = IngestRequest(
        key_digest=source.hash_hex,
        body=orjson.dumps(event),
        idempotency_key=None,
        received_at=datetime.now(UTC),
        client=(envelope.peer, f"SMTP {envelope.helo}"),
        warnings=[mail.warnings_of(message, envelope)],
    )
    try:
        accepted = groups().submit(request)
    except _PASSING:
        return Outcome.DEFERRED
    except IdempotencyMismatch:
        # The key has the text of the mail, so only the envelope differs: another server of the sender repeats it.
        return Outcome.DUPLICATE
    except Refusal as refused:
        return _refused(source, message, refused)
    return _counted(accepted)


def _grouping(source: SenderSource) -> Grouping:
    preset = None if source.recovery_preset is None else RecoveryPreset(source.recovery_preset)
    by_fingerprint = source.resolve_by == ResolveBy.FINGERPRINT
    return Grouping(source.recovery_pattern, preset, source.has_group_by, by_fingerprint)


def _refused(source: SenderSource, message: MailMessage, refused: Refusal) -> Outcome:
    if refused.code == "unauthenticated":
        return Outcome.UNKNOWN
    log.error("a mail made an event that was refused", code=refused.code, source=str(source.source_id))
    _keep_sample(source, message, f"The mail cannot be stored: {refused.detail}")
    return Outcome.REFUSED


def _counted(accepted: Accepted) -> Outcome:
    count_events(accepted)
    return Outcome.ACCEPTED if accepted.accepted else Outcome.DUPLICATE


def _keep_sample(source: SenderSource, message: MailMessage, detail: str) -> None:
    """Keep the mail as the last sample of the source, so that an administrator sees mails that gave no event."""
    text = f"Subject: {message.subject}\nFrom: {message.sender}\n\n{message.text}"
    received = Received(TOOL, {}, text.encode("utf-8", "replace"), None, datetime.now(UTC))
    with db.connection_context():
        source_samples.record(source.source_id, received, detail, [])
