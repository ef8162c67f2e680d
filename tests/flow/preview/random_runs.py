"""Random workspaces for tests of previews: rules, profiles, silences, destinations and events, all from one seed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from inbox.database.base import db
from inbox.database.bulk_sql import array_literal, unnest_rows
from inbox.domain.events import grouping
from inbox.domain.values import ids
from inbox.domain.values.severity import Severity
from inbox.models.deliveries.destinations import Destination
from inbox.models.events.queue import shard_of
from inbox.models.routing.profiles import RoutingProfile
from inbox.models.senders.sources import Source
from inbox.models.workspaces.tables import Workspace
from tests.cast import NOW, Cast, make_source, typeid
from tests.flow.routing_fixtures import listen, settle
from tests.flow.rulemaking import ANY, clause, profile, rule, silence

HOSTS = [f"host:db-{n}" for n in range(12)]
TITLES = ["Disk full", "CPU 97% busy", "Backup failed", "Certificate expires in 3 days"]
TAGS = ["prod", "qa", "db", "web"]
QUIET = {
    "enabled": True,
    "timezone": "Europe/Berlin",
    "windows": [{"days": ["sat", "sun"], "start": "20:00", "end": "06:00"}],
}
EVENING = {"timezone": "UTC", "windows": [{"days": ["sat", "sun"], "start": "13:00", "end": "23:30"}]}


def gamble(cast: Cast, dice: random.Random, *, silences: bool = True) -> list[Source]:
    """Settings, destinations, profiles, rules and silences of the workspace; answers its sources."""
    workspace = cast.workspace
    settle(workspace, quietHours=dice.choice([QUIET, {}]), reopenWindowMinutes=dice.choice([0, 10, 60]))
    usual: list[dict[str, Any]] = [
        {}, {}, {"enabled": False}, {"min_severity": "ERROR"}, {"quiet_hours_threshold": None}, {"send_updates": False},
        {"stopped_at": NOW, "stopped_reason": "http_410"},
    ]  # fmt: skip
    places = [listen(workspace, f"Place {n}", routed=n < 2, **dice.choice(usual)) for n in range(5)]
    profiles = [_profile(workspace, places, dice) for _ in range(3)]
    sources = [cast.source, *(make_source(workspace, f"Source {n}")[0] for n in range(3))]
    for source in sources:
        resolve_by, chosen = dice.choice(["dedupKey", "fingerprint"]), dice.choice([None, *profiles])
        values = {"resolve_by": resolve_by, "routing_profile_id": chosen and chosen.id}
        Source.update(**values).where(Source.id == source.id).execute()
    for n in range(dice.randint(2, 12)):
        _rule(workspace, n, sources, places, profiles, dice)
    for _ in range(dice.randint(0, 3) if silences else 0):
        _silence(workspace, dice)
    return sources


def bursts(sources: Sequence[Source], dice: random.Random, count: int, size: int) -> list[datetime]:
    """Accept so many events in bursts, each at one moment and in one order; answers these moments."""
    moments, rows, at = [], [], NOW
    for number in range(count):
        if number % size == 0:
            at += timedelta(minutes=dice.choice([1, 4, 4, 12, 31, 70]), seconds=dice.randint(0, 59))
            moments.append(at)
        rows.append(_event(dice.choice(sources), at, number, dice))
    for first in range(0, count, 5_000):
        _accept(rows[first : first + 5_000])
    return moments


def _event(source: Source, at: datetime, number: int, dice: random.Random) -> dict[str, Any]:
    severity = dice.choice(list(Severity))
    key = dice.choice([None, f"k{dice.randrange(60)}"])
    row: dict[str, Any] = {
        "workspace_id": source.workspace_id,
        "id": ids.uuid7(int(at.timestamp() * 1000), (number << 40).to_bytes(10)),
        "source_id": source.id,
        "received_at": at,
        "occurred_at": at,
        "severity": str(severity),
        "action": "resolve" if key and dice.random() < 0.2 else "trigger",
        "title": dice.choice(TITLES),
        "type": dice.choice([None, "disk.usage", "cpu"]),
        "resource": dice.choice(HOSTS),
        "dedup_key": key,
        "tags": array_literal(dice.sample(TAGS, dice.randint(0, 2))),
        "body": dice.choice([None, "swap is used", "all is well"]),
        "metadata": dice.choice([None, '{"team": "db"}', '{"team": "web", "n": 4}']),
    }
    row["fingerprint"] = grouping.fingerprint(source.id, _Groupable(row))
    group = dice.choice([None, "n1", "n2"]) if severity.rank > 2 or row["action"] == "resolve" else None
    row["group_fingerprint"] = group and grouping.group_fingerprint(source.id, _Groupable(row), (), group)
    return row


class _Groupable:
    def __init__(self, row: dict[str, Any]) -> None:
        self.title, self.type, self.resource, self.dedup_key = (
            row[n] for n in ("title", "type", "resource", "dedup_key")
        )
        self.url = None
        self.metadata = None


def _accept(rows: Sequence[dict[str, Any]]) -> None:
    columns = dict.fromkeys(rows[0], "text") | {"workspace_id": "uuid", "id": "uuid", "source_id": "uuid"}
    columns |= {"received_at": "timestamptz", "occurred_at": "timestamptz", "severity": "severity"}
    cast = {"tags": "::text[]", "metadata": "::jsonb"}
    chosen = ", ".join(f"x.{name}{cast.get(name, '')}" for name in columns)
    source, values = unnest_rows(columns, [tuple(row.values()) for row in rows])
    db.execute_sql(f"INSERT INTO received_events ({', '.join(columns)}) SELECT {chosen} FROM {source}", values)


def queue(events: Sequence[tuple[UUID, UUID, UUID]]) -> None:
    """Let these events (workspace, id, source) wait for routing, in this order."""
    rows = [(shard_of(source_id), workspace_id, id) for workspace_id, id, source_id in events]
    source, values = unnest_rows({"shard": "smallint", "workspace_id": "uuid", "event_id": "uuid"}, rows)
    db.execute_sql(f"INSERT INTO event_queue (shard, workspace_id, event_id) SELECT x.* FROM {source}", values)


def _profile(workspace: Workspace, places: Sequence[Destination], dice: random.Random) -> RoutingProfile:
    steps = [
        {
            "afterMinutes": after,
            "minSeverity": dice.choice([None, "ERROR", "CRITICAL"]),
            "destinationIds": [typeid("dst", place.id) for place in dice.sample(places, 2)],
        }
        for after in sorted(dice.choices([0, 0, 5, 30], k=dice.randint(1, 3)))
    ]
    more = {"delay_seconds": dice.choice([0, 0, 120]), "quiet_hours": dice.choice(["inherit", "ignore"])}
    return profile(workspace, steps=steps, reopen_window_minutes=dice.choice([None, 0, 30]), **more)


def _match(dice: random.Random, depth: int = 0) -> Any:
    if depth < 2 and dice.random() < 0.4:
        parts = [_match(dice, depth + 1) for _ in range(2)]
        return dice.choice([{"all": parts}, {"any": parts}, {"not": parts[0]}])
    return dice.choice([
        clause("severity", "gte", "ERROR"), clause("severity", "eq", "INFO"), clause("tags", "contains", "db"),
        clause("title", "matches", "[0-9]+%"), clause("resource", "in", dice.sample(HOSTS, 4)),
        clause("resource.name", "endsWith", str(dice.randrange(9))), clause("type", "exists", dice.choice([True, False])),
        clause("dedupKey", "startsWith", "k1"), clause("body", "contains", "swap"), clause("metadata.team", "eq", "db"),
        clause("title", "contains", "disk"), clause("source", "eq", "Source 1"),
    ])  # fmt: skip


def _rule(
    workspace: Workspace, n: int, sources: Sequence[Source], places: Sequence[Destination],
    profiles: Sequence[RoutingProfile], dice: random.Random,
) -> None:  # fmt: skip
    disposition = dice.choice(["incident", "incident", "incident", "log", "notify", "drop", None])
    opens = disposition == "incident"
    rule(
        workspace,
        ANY if dice.random() < 0.15 else _match(dice),
        disposition,
        name=f"Rule {n}",
        continue_matching=disposition is None or dice.random() < 0.3,
        open_after=(dice.randint(2, 4), dice.choice([5, 60])) if opens and dice.random() < 0.3 else None,
        source_ids=[dice.choice(sources).id] if dice.random() < 0.2 else [],
        active_during=EVENING if dice.random() < 0.2 else None,
        severity=dice.choice([None, None, Severity.CRITICAL, Severity.WARNING]),
        add_tags=tuple(dice.sample(["late", "db"], dice.randint(0, 1))),
        group_by=dice.choice([(), (), ("resource.kind",), ("type", "title"), ("metadata.team",)]),
        destination_ids=tuple(place.id for place in dice.sample(places, dice.choice([0, 0, 1]))),
        routing_profile_id=dice.choice([None, None, dice.choice(profiles).id]),
        snooze=timedelta(minutes=15) if opens and dice.random() < 0.15 else None,
    )


def _silence(workspace: Workspace, dice: random.Random) -> None:
    since = NOW + timedelta(minutes=dice.randint(0, 600))
    recurrence = {
        "rrule": "FREQ=DAILY;BYHOUR=1,4,9,12,15,20;BYMINUTE=10;BYSECOND=0",
        "timezone": "UTC",
        "durationMinutes": 40,
    }
    silence(
        workspace,
        _match(dice),
        since,
        ends_at=since + timedelta(hours=dice.randint(1, 30)),
        recurrence=dice.choice([None, recurrence]),
    )
