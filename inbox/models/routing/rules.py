"""Routing rules, counts of matches and of too costly evaluations, and events held back by `openAfter`.

Specification 6.2, decision 0010.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

import peewee
from playhouse.postgres_ext import ArrayField, BinaryJSONField

from inbox.database.base import Table, TimestampField, db
from inbox.database.bulk_sql import array_literal

COUNTED_PERIOD = timedelta(hours=24)
"""The period of the displayed counts."""


class Rule(Table):
    """A rule: `match`, `active_during`, `open_after` and `actions` (the API's `then`) as JSON in the shape of the API.

    Positions are 1, 2, 3 and so on among the rules of a workspace that are not deleted. Rules are evaluated in this
    order. `continue_matching` is the API's `continue`.
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
    actions = BinaryJSONField(index=False)
    continue_matching = peewee.BooleanField(default=False)
    created_at = TimestampField()
    deleted_at = TimestampField(null=True)
    rev = peewee.IntegerField(default=1)

    class Meta:
        table_name = "rules"


class RuleMatch(Table):
    """The number of events of a partition that matched a rule within an hour."""

    workspace_id = peewee.UUIDField()
    rule_id = peewee.UUIDField()
    hour = TimestampField()
    partition = peewee.SmallIntegerField(default=0)
    events = peewee.BigIntegerField()
    last_at = TimestampField()

    class Meta:
        table_name = "rule_matches"
        primary_key = peewee.CompositeKey("rule_id", "hour", "partition")


class CostlyMatch(Table):
    """The number of events of a partition within an hour for which a rule or silence was left out."""

    workspace_id = peewee.UUIDField()
    match_id = peewee.UUIDField()
    hour = TimestampField()
    partition = peewee.SmallIntegerField()
    events = peewee.BigIntegerField()
    last_at = TimestampField()

    class Meta:
        table_name = "costly_matches"
        primary_key = peewee.CompositeKey("match_id", "hour", "partition")


class OpenAfterCounter(Table):
    """The events of one fingerprint that a rule with `openAfter` holds back: their times of receipt and ids."""

    workspace_id = peewee.UUIDField()
    rule_id = peewee.UUIDField()
    fingerprint = peewee.TextField()
    seen_at = ArrayField(TimestampField, index=False)
    event_ids = ArrayField(peewee.UUIDField, default=list, index=False)
    last_at = TimestampField()

    class Meta:
        table_name = "open_after_counters"
        primary_key = peewee.CompositeKey("rule_id", "fingerprint")


def set_positions(rule_ids: Sequence[UUID]) -> list[UUID]:
    """Gives these rules the positions 1, 2, 3 and so on; returns the rules that moved."""
    rows = db.execute_sql(
        "UPDATE rules r SET position = x.position FROM unnest(%s::uuid[]) WITH ORDINALITY AS x (id, position)"
        " WHERE r.id = x.id AND r.position <> x.position RETURNING r.id",
        (list(rule_ids),),
    ).fetchall()
    return [row[0] for row in rows]


class MatchStats(NamedTuple):
    """The number of events that a rule matched in the last 24 hours, to the hour, and the last match."""

    last_24h: int
    last_at: datetime | None


def match_stats(rule_ids: Sequence[UUID], now: datetime) -> dict[UUID, MatchStats]:
    """Returns the match statistics of each of these rules, read in one statement."""
    rows = db.execute_sql(
        """
        SELECT x.id,
               (SELECT coalesce(sum(m.events), 0) FROM rule_matches m WHERE m.rule_id = x.id AND m.hour > %s),
               (SELECT max(m.last_at) FROM rule_matches m WHERE m.rule_id = x.id AND m.hour =
                   (SELECT max(l.hour) FROM rule_matches l WHERE l.rule_id = x.id))
          FROM unnest(%s::uuid[]) AS x (id)
        """,
        (now - COUNTED_PERIOD, list(rule_ids)),
    ).fetchall()
    return {row[0]: MatchStats(int(row[1]), row[2]) for row in rows}


class CostlyStats(NamedTuple):
    """Events for which a rule or silence was left out in the last 24 hours: their number and last time."""

    last_24h: int = 0
    last_at: datetime | None = None


def costly_stats(match_ids: Sequence[UUID], now: datetime) -> dict[UUID, CostlyStats]:
    """Returns the statistics of each of these rules or silences that was left out lately."""
    rows = db.execute_sql(
        "SELECT match_id, sum(events), max(last_at) FROM costly_matches WHERE match_id = ANY(%s::uuid[]) AND hour > %s"
        " GROUP BY match_id",
        (array_literal(match_ids, unquoted=True), now - COUNTED_PERIOD),
    ).fetchall()
    return {id: CostlyStats(int(events), last_at) for id, events, last_at in rows}
