"""The audit log, which only grows, and the last export of each workspace (specification 12.7)."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

import peewee
from playhouse.postgres_ext import BinaryJSONField

from inbox.database.base import Table, TimestampField, db
from inbox.models.workspaces.tables import Workspace


class AuditEntry(Table):
    """An audit entry: actor, action and target. The database rejects changes; only the purge removes old entries.

    An entry has no foreign keys, because it outlives the objects that it describes. `workspace_id` is None for entries
    without a workspace. `user_id` is then the account that the entry concerns, if any.
    """

    id = peewee.UUIDField(primary_key=True)
    at = TimestampField()
    workspace_id = peewee.UUIDField(null=True)
    user_id = peewee.UUIDField(null=True)
    actor = BinaryJSONField(index=False)
    action = peewee.TextField()
    target = BinaryJSONField(index=False)
    ip = peewee.TextField(default="")
    request_id = peewee.TextField(default="")
    details = BinaryJSONField(default=dict, index=False)

    class Meta:
        table_name = "audit_log"


class ExportRun(Table):
    """The last export of a workspace. Another export within a minute is refused (specification 12.6)."""

    workspace = peewee.ForeignKeyField(Workspace, primary_key=True, on_delete="CASCADE")
    workspace_id: UUID
    user_id = peewee.UUIDField()
    started_at = TimestampField()
    finished_at = TimestampField(null=True)

    class Meta:
        table_name = "export_runs"

    @classmethod
    def start(cls, workspace_id: UUID, user_id: UUID, now: datetime, not_since: datetime) -> bool:
        """Starts an export unless one started after `not_since`.

        Only one of several concurrent calls, in all processes, succeeds.
        """
        return bool(
            db.execute_sql(
                "INSERT INTO export_runs (workspace_id, user_id, started_at) VALUES (%s, %s, %s)"
                " ON CONFLICT (workspace_id) DO UPDATE SET user_id = EXCLUDED.user_id,"
                " started_at = EXCLUDED.started_at, finished_at = NULL WHERE export_runs.started_at <= %s",
                (workspace_id, user_id, now, not_since),
            ).rowcount
        )
