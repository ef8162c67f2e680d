"""The versions of rules and routing profiles (specification 6.11)."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

import peewee
from playhouse.postgres_ext import BinaryJSONField

from inbox.database.base import Table, TimestampField

MAX_VERSIONS = 50
"""The maximum number of versions of a record. The oldest ones are removed."""


class ConfigurationVersion(Table):
    """The fields of a record at one revision, as its columns have them, and the person who saved it."""

    record_id = peewee.UUIDField()
    rev = peewee.IntegerField()
    workspace_id = peewee.UUIDField()
    at = TimestampField()
    actor = BinaryJSONField(index=False)
    fields = BinaryJSONField(index=False)

    class Meta:
        table_name = "configuration_versions"
        primary_key = peewee.CompositeKey("record_id", "rev")


def add(
    record_id: UUID, rev: int, workspace_id: UUID, fields: dict[str, Any], actor: dict[str, Any], at: datetime
) -> None:
    """Adds a version, and removes the versions beyond `MAX_VERSIONS`. The caller has locked the record."""
    own = ConfigurationVersion.record_id == record_id
    ConfigurationVersion.insert(
        record_id=record_id, rev=rev, workspace_id=workspace_id, at=at, actor=actor, fields=fields
    ).execute()
    ConfigurationVersion.delete().where(own, ConfigurationVersion.rev <= rev - MAX_VERSIONS).execute()


def of_record(record_id: UUID) -> list[ConfigurationVersion]:
    """Returns the versions of a record, the newest first."""
    own = ConfigurationVersion.select().where(ConfigurationVersion.record_id == record_id)
    return list(own.order_by(ConfigurationVersion.rev.desc()))


def find(record_id: UUID, rev: int) -> ConfigurationVersion | None:
    """Returns one version of a record, or None."""
    found: ConfigurationVersion | None = ConfigurationVersion.get_or_none(record_id=record_id, rev=rev)
    return found
