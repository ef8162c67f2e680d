"""Workspaces and their incident counters."""

from __future__ import annotations

import peewee
from playhouse.postgres_ext import BinaryJSONField

from inbox.database.base import Table, TimestampField


class Workspace(Table):
    """A tenant. `settings` and `default_route` hold only differences from the defaults (specification 12.1).

    `config_rev` counts changes of rules, profiles, silences and settings that affect routing. `rule_order_rev` counts
    changes of the rules' order, and `default_route_rev` counts changes of the default route. `wall_hash` is the SHA-256
    of the token that shows the wall display without a session.
    """

    id = peewee.UUIDField(primary_key=True)
    name = peewee.TextField()
    slug = peewee.TextField(unique=True)
    timezone = peewee.TextField(default="UTC")
    settings = BinaryJSONField(default=dict, index=False)
    default_route = BinaryJSONField(default=dict, index=False)
    created_at = TimestampField()
    deleted_at = TimestampField(null=True)
    rev = peewee.IntegerField(default=1)
    config_rev = peewee.BigIntegerField(default=1)
    rule_order_rev = peewee.IntegerField(default=1)
    default_route_rev = peewee.IntegerField(default=1)
    wall_hash = peewee.BlobField(null=True)
    wall_created_at = TimestampField(null=True)

    class Meta:
        table_name = "workspaces"


class WorkspaceCounter(Table):
    """The last incident number of a workspace. It is a separate table, so that numbering locks nothing else."""

    workspace = peewee.ForeignKeyField(Workspace, primary_key=True, on_delete="CASCADE")
    incidents = peewee.BigIntegerField(default=0)

    class Meta:
        table_name = "incident_counters"
