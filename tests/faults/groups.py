"""Senders of groups: several alerts in an incident, reported again while they last, and what must be left of them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import count
from typing import Any

from tests.faults.service_processes import RunningService, Senders

GROUPING = {"name": "Groups", "matchText": 'type startsWith "Group"', "then": {"groupBy": ["type"]}, "continue": True}
"""The rule that makes an incident of each group."""

NODES = 4


class GroupSenders(Senders):
    """Each group fires node by node, some nodes twice and one of them again after its end. It ends node by node."""

    def events(self, number: int) -> Iterator[dict[str, Any]]:
        for place in count():
            group = f"Group {number} {place % self.incidents}"
            alarms = [_report(group, node) for node in range(NODES)]
            yield from alarms
            yield alarms[1]
            yield _report(group, 0, action="resolve")
            yield from alarms[2:]
            yield _report(group, 0)
            yield from (_report(group, node, action="resolve") for node in range(NODES))


def _report(group: str, node: int, **more: Any) -> dict[str, Any]:
    about = {"title": f"Node {node} is down", "type": group, "severity": "ERROR", "dedupKey": f"{group}/{node}"}
    return {**about, "occurredAt": datetime.now(UTC).isoformat(), **more}


def check_alerts(running_service: RunningService) -> None:
    """The alerts of each incident add up; it lasts as long as one of them fires."""
    of_incident = "FROM incidents i LEFT JOIN alerts a ON a.incident_id = i.id"
    fires = "count(a.id) FILTER (WHERE a.state = 'firing' AND a.round = i.alert_round)"
    opener = (
        "(SELECT t.actor->>'type' FROM timeline t WHERE t.incident_id = i.id AND t.kind IN ('opened', 'reopened')"
        " ORDER BY t.id DESC LIMIT 1)"
    )
    wrong = {
        "an event is not counted on one alert": "i.alert_count > 1 AND i.event_count <> sum(a.event_count)",
        "alerts are not counted": "i.alert_count <> count(a.id)",
        "firing alerts are not counted": f"i.firing_count <> {fires}",
        "it ended while an alert fires": f"i.state = 'resolved' AND i.resolved_by->>'type' = 'event' AND {fires} > 0",
        "it stays without an alert": f"i.state <> 'resolved' AND {fires} = 0 AND {opener} = 'event'",
    }
    for what, condition in wrong.items():
        found = running_service.ask(f"SELECT i.id, i.state {of_incident} GROUP BY i.id HAVING {condition}")
        assert found == [], f"{what}: {len(found)}, as {found[:3]}"


def check_repeats(running_service: RunningService, before: int, groups: GroupSenders) -> None:
    """Where nobody acts, each answered repeat is counted, and none that was not sent. `before` were counted before."""
    alarms = running_service.ask(
        "SELECT count(*) FROM events WHERE external_id = ANY(%s) AND action = 'trigger'", list(groups.accepted)
    )[0][0]
    counted = repeats(running_service) - before
    assert groups.repeats <= counted <= groups.attempts - alarms, (groups.repeats, counted, groups.attempts, alarms)


def repeats(running_service: RunningService) -> int:
    """How many repeats all alerts count."""
    return int(running_service.ask("SELECT coalesce(sum(repeat_count), 0) FROM alerts")[0][0])
