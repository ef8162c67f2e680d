"""Routing rules, how often each matched, and what each still waits for (decision 8)."""

from __future__ import annotations

import peewee
from playhouse.postgres_ext import ArrayField, BinaryJSONField

from inbox.models.base import MomentField, Table


class Rule(Table):
    """A rule: `match`, `active_during`, `open_after` and `outcome` (the API's `then`) as JSON, ids in it plain UUIDs.

    The lower the position, the earlier it is asked. `goes_on` is the API's `continue`.
    """

    id = peewee.UUIDField(primary_key=True)
    workspace_id = peewee.UUIDField()
    name = peewee.TextField()
    enabled = peewee.BooleanField(default=True)
    position = peewee.IntegerField()
    source_ids = ArrayField(peewee.UUIDField, default=list, index=False)
    match = BinaryJSONField(index=False)
    active_during = BinaryJSONField(null=True, index=False)
    open_after = BinaryJSONField(null=True, index=False)
    outcome = BinaryJSONField(index=False)
    goes_on = peewee.BooleanField(default=False)
    created_at = MomentField()
    deleted_at = MomentField(null=True)
    rev = peewee.IntegerField(default=1)

    class Meta:
        table_name = "rules"


class RuleMatch(Table):
    """How many events matched a rule within an hour."""

    workspace_id = peewee.UUIDField()
    rule_id = peewee.UUIDField()
    hour = MomentField()
    events = peewee.BigIntegerField()
    last_at = MomentField()

    class Meta:
        table_name = "rule_matches"
        primary_key = peewee.CompositeKey("rule_id", "hour")


class RuleWait(Table):
    """When the events came that a rule with `openAfter` held back, of one fingerprint."""

    workspace_id = peewee.UUIDField()
    rule_id = peewee.UUIDField()
    fingerprint = peewee.TextField()
    seen_at = ArrayField(MomentField, index=False)
    last_at = MomentField()

    class Meta:
        table_name = "rule_waits"
        primary_key = peewee.CompositeKey("rule_id", "fingerprint")
