"""Watchers: agents on hosts that check in (specification 20)."""

from __future__ import annotations

import peewee
from playhouse.postgres_ext import BinaryJSONField

from inbox.database.base import Table, TimestampField
from inbox.domain.heartbeats import watchers
from inbox.domain.heartbeats.watchers import Check


class Watcher(Table):
    """A watcher with its last report. `watcher_id` is the id in its reports, unique in the workspace.

    `reported_name` is the name in the last report. `name` differs from it when a person named the watcher.
    """

    id = peewee.UUIDField(primary_key=True)
    workspace_id = peewee.UUIDField()
    source_id = peewee.UUIDField()
    monitor_id = peewee.UUIDField(unique=True)
    watcher_id = peewee.TextField()
    name = peewee.TextField()
    reported_name = peewee.TextField()
    hostname = peewee.TextField(default="")
    version = peewee.TextField(default="")
    interval_seconds = peewee.IntegerField()
    labels = BinaryJSONField(default=dict, index=False)
    checks = BinaryJSONField(default=list, index=False)
    last_check_in_at = TimestampField()
    created_at = TimestampField()
    deleted_at = TimestampField(null=True)
    rev = peewee.IntegerField(default=1)

    class Meta:
        table_name = "watchers"

    @property
    def stored_checks(self) -> list[Check]:
        """The checks, for the rules."""
        return [watchers.of_record(record) for record in self.checks]
