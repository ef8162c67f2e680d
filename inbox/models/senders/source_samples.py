"""The last payload of a source that was refused or read only in part (specification 19.14)."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import peewee
from playhouse.postgres_ext import BinaryJSONField

from inbox.database.base import Table, TimestampField
from inbox.models.senders.sources import Source

RETENTION = timedelta(hours=24)
"""The time for which a sample is shown. Then the purge removes it."""


class SourceSample(Table):
    """A payload without secrets, and the problem that it caused."""

    source = peewee.ForeignKeyField(Source, primary_key=True, on_delete="CASCADE")
    source_id: UUID
    tool = peewee.TextField()
    received_at = TimestampField()
    headers = BinaryJSONField(index=False)
    body = peewee.TextField()
    truncated = peewee.BooleanField()
    detail = peewee.TextField()
    faults = BinaryJSONField(index=False)

    class Meta:
        table_name = "source_samples"
