"""Records of statistics: rows of the queries become buckets, durations and rankings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from inbox.domain.deliveries.delivery import Status
from inbox.domain.incidents.incident import OF_PEOPLE, ActorType
from inbox.domain.values import ids
from inbox.domain.values.severity import Severity
from inbox.models.incidents.tables import Incident
from inbox.models.insight.statistics import incidents
from inbox.models.insight.statistics.scope import Scope
from inbox.models.records import names

Rows = Sequence[Mapping[str, Any]]

STATUSES = ("sent", "failed", "held", "skipped", "expired", "gathered", "pending")
"""The counts of deliveries. `pending` ones are due, being sent or retried."""


def time_of(id: UUID | None) -> datetime | None:
    """Return the time at which an id was made."""
    return None if id is None else datetime.fromtimestamp((id.int >> 80) / 1000, UTC)


def buckets(
    begins: Sequence[datetime], found: Mapping[str, Rows], events: Iterable[tuple[int, int]], sent: Rows, notices: Rows
) -> list[dict[str, Any]]:
    """Return one record for each bucket, also for buckets without incidents, events and deliveries."""
    made: list[dict[str, Any]] = [
        {
            "start": start,
            "incidents": 0,
            "by_severity": {str(severity): 0 for severity in reversed(Severity)},
            "events": 0,
            "notices": {},
            "deliveries": dict.fromkeys(STATUSES, 0),
            "time_to_acknowledge": _duration(0, None, None),
            "time_to_resolve": _duration(0, None, None),
        }
        for start in begins
    ]
    for row in found["counts"]:
        made[row["bucket"] - 1]["incidents"] += row["n"]
        made[row["bucket"] - 1]["by_severity"][row["severity"]] = row["n"]
    for number, received in events:
        made[number - 1]["events"] = received
    for row in sent:
        made[row["bucket"] - 1]["deliveries"][_count_of(row["status"])] += row["n"]
    for row in notices:
        made[row["bucket"] - 1]["notices"][row["reason"]] = row["n"]
    for row in found["durations"]:
        if row["bucket"] is not None:
            made[row["bucket"] - 1] |= _durations(row)
    return made


def total_durations(rows: Rows) -> dict[str, Any]:
    """Return the durations of all incidents of the period."""
    whole = [row for row in rows if row["bucket"] is None]
    return _durations(whole[0])


def noisiest_sources(rows: Rows) -> list[dict[str, Any]]:
    """Return the sources with the most events, with their names."""
    name_of = names.of_sources(UUID(row["source_id"]) for row in rows)
    found = [{**row, "source_id": UUID(row["source_id"])} for row in rows]
    return [{**row, "name": name_of[row["source_id"]]} for row in found if row["source_id"] in name_of]


def rankings(scope: Scope, found: Mapping[str, Rows]) -> dict[str, list[dict[str, Any]]]:
    """Return the rankings of fingerprints and of incidents, with titles."""
    rows = [*found["longest"], *found["reopened"]]
    chosen = Incident.select().where(Incident.id.in_([row["id"] for row in rows])) if rows else ()
    record_of = {str(each.id): each for each in chosen}
    return {
        "noisiest_fingerprints": _fingerprints(scope, found["fingerprints"]),
        "top_flapping": _fingerprints(scope, found["flapping"]),
        "longest_open": [_incident(record_of[row["id"]], row) for row in found["longest"] if row["id"] in record_of],
        "most_reopened": [_incident(record_of[row["id"]], row) for row in found["reopened"] if row["id"] in record_of],
    }


def resolved_by(resolvers: Rows, people: Rows) -> dict[str, Any]:
    """Count the incidents resolved by people, by recovery events, and by the service itself. Return the people, too."""
    counted: Counter[str] = Counter()
    for row in resolvers:
        counted[_resolver(row["type"])] += row["n"]
    id_of = {row["id"]: ids.decode("usr", row["id"]) for row in people}
    name_of = names.of_users(id_of.values())
    found = [(id_of[row["id"]], row["n"]) for row in people]
    return {
        **{name: counted[name] for name in ("person", "recovery", "automatic")},
        "people": [
            {"user_id": user, "name": name_of.get(user), "incidents": n} for user, n in found if user is not None
        ],
    }


def destinations(rows: Rows) -> list[dict[str, Any]]:
    """Return the deliveries of each destination by status, most deliveries first."""
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        empty = {"destination_id": UUID(row["destination_id"]), "name": row["name"], **dict.fromkeys(STATUSES, 0)}
        found.setdefault(row["destination_id"], {**empty, "notices": 0})
        found[row["destination_id"]][_count_of(row["status"])] += row["n"]
        found[row["destination_id"]]["notices"] += row["n"]
    return sorted(found.values(), key=lambda each: (-each["notices"], each["name"], each["destination_id"]))


def _count_of(status: str) -> str:
    return "pending" if status in (Status.SENDING, Status.RETRYING) else status


def _resolver(actor_type: str | None) -> str:
    if actor_type in OF_PEOPLE:
        return "person"
    return "recovery" if actor_type in (ActorType.EVENT, ActorType.MONITOR) else "automatic"


def _fingerprints(scope: Scope, rows: Rows) -> list[dict[str, Any]]:
    newest = incidents.newest_of(scope, [(row["source_id"], row["fingerprint"]) for row in rows])
    return [
        {**row, "source_id": UUID(row["source_id"]), "incident_id": id, "title": title}
        for row, (id, title) in zip(rows, newest, strict=True)
    ]


def _incident(incident: Incident, figures: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **figures,
        "incident_id": incident.id,
        "number": incident.number,
        "title": incident.title,
        "source_id": incident.source_id,
        "fingerprint": incident.fingerprint,
        "state": incident.state,
        "severity": incident.severity,
        "opened_at": incident.opened_at,
        "resolved_at": incident.resolved_at,
    }


def _durations(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "time_to_acknowledge": _duration(row["na"], row["ma"], row["pa"]),
        "time_to_resolve": _duration(row["nr"], row["mr"], row["pr"]),
    }


def _duration(n: int, mean: float | None, percentiles: Sequence[float] | None) -> dict[str, Any]:
    median, p90 = percentiles or (None, None)
    return {"n": n, "mean_seconds": mean, "median_seconds": median, "p90_seconds": p90}
