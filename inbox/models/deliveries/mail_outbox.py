"""The outbox of mails (specification 13.5): a row is inserted with the act that causes it; `flow.mail_outbox` sends it.

`due_at` of an unfinished mail is the time of its next processing. The mail is then sent or retried. After the end of
its lease, another worker claims it from a failed worker. `due_at` and `sealed` are null once the mail is sent or
finally failed.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import peewee

from inbox.database.base import Table, TimestampField, db


class Mail(Table):
    """A mail to one address. Its template values may contain a link's token: sealed for (`mails`, id, id, `sealed`)."""

    id = peewee.UUIDField(primary_key=True)
    address = peewee.TextField()
    template = peewee.TextField()
    sealed = peewee.BlobField(null=True)
    created_at = TimestampField()
    due_at = TimestampField(null=True)
    attempts = peewee.IntegerField(default=0)
    failure = peewee.TextField(null=True)
    sent_at = TimestampField(null=True)
    failed_at = TimestampField(null=True)

    class Meta:
        table_name = "mail_outbox"

    @classmethod
    def any_due(cls, now: datetime) -> bool:
        """Returns whether a mail is due."""
        return bool(cls.select(cls.id).where(cls.due_at <= now).limit(1).exists())


@dataclass(frozen=True, slots=True)
class ClaimedMail:
    """A mail that only this worker may send until its lease ends; `attempts` is its fence."""

    id: UUID
    address: str
    template: str
    sealed: bytes | None
    created_at: datetime
    attempts: int


def claim(*, now: datetime, lease_until: datetime, room: int) -> list[ClaimedMail]:
    """Claims up to `room` due mails, the longest due first; the caller commits before it sends."""
    rows = db.execute_sql(
        """
        WITH picked AS (
            SELECT id FROM mail_outbox WHERE due_at <= %s ORDER BY due_at, id LIMIT %s FOR UPDATE SKIP LOCKED
        )
        UPDATE mail_outbox m SET attempts = m.attempts + 1, due_at = %s FROM picked WHERE m.id = picked.id
        RETURNING m.id, m.address, m.template, m.sealed, m.created_at, m.attempts
        """,
        (now, room, lease_until),
    ).fetchall()
    return sorted((ClaimedMail(*row) for row in rows), key=lambda mail: mail.id)


def sent(mail: ClaimedMail, now: datetime) -> bool:
    """Marks the mail as accepted by the mail server, and deletes its template values.

    Returns False when another worker claimed it.
    """
    return _finish(mail, sent_at=now, due_at=None, sealed=None, failure=None)


def retry(mail: ClaimedMail, trouble: str, due_at: datetime) -> bool:
    """Schedules another attempt at `due_at`. Returns False when another worker claimed the mail."""
    return _finish(mail, due_at=due_at, failure=trouble)


def fail(mail: ClaimedMail, trouble: str, now: datetime) -> bool:
    """Marks the mail as finally failed, and deletes its template values. Returns False when another worker claimed it."""
    return _finish(mail, failed_at=now, due_at=None, sealed=None, failure=trouble)


def _finish(mail: ClaimedMail, **columns: object) -> bool:
    is_claimed = (Mail.id == mail.id) & (Mail.attempts == mail.attempts) & Mail.due_at.is_null(False)
    return bool(Mail.update(**columns).where(is_claimed).execute())
