"""Reads mails to an address of a source: each becomes one event with facts about its sender (specification 19.16)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from inbox.domain.events.fields import TAG_LIMIT, EventWarning, WarningCode
from inbox.domain.senders import recovery
from inbox.domain.senders.mail_header import OUR_HEADER
from inbox.domain.senders.recovery import Reading
from inbox.domain.senders.recovery_presets import MAIL_PRESETS, RecoveryPreset
from inbox.domain.values.redaction import redact
from inbox.domain.values.severity import Severity
from inbox.domain.values.text import one_line
from inbox.intake import state_words
from inbox.intake.base import Event
from inbox.intake.event import bounded, key_of_title
from inbox.intake.mail_message import MailMessage
from inbox.intake.state_words import Stated

LONGEST_FACT = 255
LONGEST_DETAIL = 500
NO_SUBJECT = "Mail without a subject"


@dataclass(frozen=True, slots=True)
class Envelope:
    """Values of the SMTP session. None is verified except `peer`, the address that connected."""

    sender: str
    helo: str
    peer: str
    is_encrypted: bool


def reason_to_drop(mail: MailMessage) -> str:
    """Returns the reason why the mail is no alarm; empty when it is one."""
    if OUR_HEADER.lower() in mail.headers:
        return "The mail was sent by an instance of this service."
    if mail.headers.get("auto-submitted", "").lower().startswith("auto-replied"):
        return "The mail is an automatic reply."
    if mail.headers.get("content-type", "").lower().startswith("multipart/report"):
        return "The mail is a delivery report."
    return ""


@dataclass(frozen=True, slots=True)
class Grouping:
    """Settings of the source for mails: how recoveries are read, and how events are grouped and resolved."""

    pattern: str | None = None
    preset: RecoveryPreset | None = None
    has_group_by: bool = False
    resolves_by_fingerprint: bool = False

    @property
    def is_by_subject(self) -> bool:
        """Returns whether a mail without a key of the pattern is grouped by its subject.

        A recovery without a key names its alarm by type and resource, because its subject differs.
        """
        is_by_resource = self.resolves_by_fingerprint and self.pattern and not recovery.finds_keys(self.pattern)
        return not self.has_group_by and not is_by_resource

    @property
    def reads_presets(self) -> bool:
        """Returns whether patterns of tools are tried. A source with a pattern of its own uses a preset only if it has one."""
        return self.pattern is None or self.preset is not None


def event_of(mail: MailMessage, envelope: Envelope, tag: str, of_source: Grouping) -> Event:
    """Returns the event of a mail. `tag` is the part of the address after `+`."""
    resource = _resource(mail, envelope)
    stated = state_words.read(_title(mail))
    made: Event = {
        "title": stated.title,
        "body": mail.text or None,
        "type": "mail",
        "resource": resource,
        "url": mail.link or None,
        "tags": [tag[:TAG_LIMIT]] if tag else [],
        "metadata": {"mail": _facts(mail, envelope)},
    }
    if mail.message_id:
        made["externalId"] = bounded(mail.message_id)
        # The text is part of the key, because some appliances give all their mails the same Message-ID.
        identity = f"{mail.message_id}\n{mail.subject}\n{mail.text}"
        made["idempotencyKey"] = f"mail:{hashlib.sha256(identity.encode('utf-8', 'replace')).hexdigest()}"
    found = _reading(mail, stated, of_source)
    if found.is_notice:
        made["severity"] = str(Severity.INFO)
    elif found.recovers:
        made["severity"] = str(Severity.SUCCESS)
    place = (resource or "mail:").lower()
    if found.key is not None:
        made["dedupKey"] = bounded(f"{place}:{redact(found.key)}")
    elif of_source.is_by_subject and not found.is_notice:
        made["dedupKey"] = bounded(f"{place}:{key_of_title(stated.title)}")
    return {name: value for name, value in made.items() if value is not None}


def warnings_of(mail: MailMessage, envelope: Envelope) -> list[EventWarning]:
    """Returns warnings about parts that the event lacks, and about parts that may be forged."""
    found = []
    if mail.attachments:
        detail = f"not stored: {', '.join(mail.attachments)}"[:LONGEST_DETAIL]
        found.append(EventWarning(WarningCode.ATTACHMENT_DROPPED, "/body", detail))
    if not mail.is_whole:
        detail = "the parts of the mail could not be told apart: its text is stored as received"
        found.append(EventWarning(WarningCode.MAIL_UNREADABLE, "/body", detail))
    if mail.sender.lower() != envelope.sender.lower():
        detail = "`From` is not the sender of the envelope; both may be forged"
        found.append(EventWarning(WarningCode.SENDER_DIFFERS, "/metadata/mail/from", detail))
    return found


def _reading(mail: MailMessage, stated: Stated, of_source: Grouping) -> Reading:
    """Returns what a mail says about its alarm.

    1. The pattern of the source.
    2. The patterns of its preset, without one those of all tools that mail.
    3. Without a pattern of the source, the words of states in the title, such as `[RESOLVED]`.
    """
    presets = MAIL_PRESETS if of_source.preset is None else (of_source.preset,)
    text = f"{mail.subject}\n{mail.text}"
    found = recovery.read(text, pattern=of_source.pattern, presets=presets if of_source.reads_presets else ())
    has_ended = of_source.pattern is None and stated.has_ended is True
    return found or Reading(recovers=has_ended, key=None)


def _title(mail: MailMessage) -> str:
    lines = (one_line(line) for line in mail.text.splitlines())
    return mail.subject or next(filter(None, lines), NO_SUBJECT)


def _resource(mail: MailMessage, envelope: Envelope) -> str | None:
    domain = one_line((mail.sender or envelope.sender).rpartition("@")[2])
    return f"mail:{domain}" if domain else None


def _facts(mail: MailMessage, envelope: Envelope) -> dict[str, object]:
    facts = {
        "from": mail.sender,
        "envelopeFrom": envelope.sender,
        "helo": envelope.helo,
        "peer": envelope.peer,
        "date": mail.headers.get("date", ""),
    }
    texts = {name: one_line(text)[:LONGEST_FACT] for name, text in facts.items()}
    return {**texts, "encrypted": envelope.is_encrypted, "senderVerified": False}
