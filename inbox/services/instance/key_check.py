"""Checks that the configured keys open the sealed values of the database.

One known value is sealed in the database and resealed together with all others.
"""

from __future__ import annotations

from datetime import datetime

from inbox.database.base import db
from inbox.models.deliveries.push_keys import PushKey
from inbox.models.instance import sealed
from inbox.models.instance.sealed import KeyCheck
from inbox.runtime import sealing

KNOWN_VALUE = b"Incident Inbox"
LOCK = 0x5EA1
"""The advisory lock for writing the value. Of several starting processes, one writes it."""


class KeyMismatch(Exception):
    """The database was sealed with other keys than `INBOX_SECRET_KEYS`."""


def check(now: datetime) -> None:
    """Raise `KeyMismatch` when the keys do not open the known value. The first start seals it."""
    with db.atomic():
        db.execute_sql("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
        stored = KeyCheck.get_or_none()
        if stored is None:
            _write(now)
        elif not _opens(bytes(stored.sealed)):
            raise KeyMismatch


def renew(now: datetime) -> bool:
    """Bind the present keys to this database, whatever was sealed before. Return False when they are bound already.

    The key pair of push is forgotten with the old keys: phones subscribe again for a new one.
    """
    try:
        check(now)
    except KeyMismatch:
        with db.atomic():
            db.execute_sql("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
            KeyCheck.delete().execute()
            PushKey.delete().execute()
            _write(now)
        return True
    return False


def _opens(value: bytes) -> bool:
    try:
        return sealing.current().open(value, _associated_data()) == KNOWN_VALUE
    except sealing.CannotUnseal:
        return False


def _write(now: datetime) -> None:
    KeyCheck.create(
        id=sealed.KEY_CHECK_ID, sealed=sealing.current().seal(KNOWN_VALUE, _associated_data()), created_at=now
    )


def _associated_data() -> bytes:
    return sealing.associated_data("key_checks", sealed.KEY_CHECK_ID, sealed.KEY_CHECK_ID, "sealed")
