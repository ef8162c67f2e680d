"""Webhooks of Alertmanager with the alerts of one group, as they are at that moment."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from flask import Flask

from inbox.flow.routing.route import route
from inbox.models.events.tables import Event
from inbox.models.incidents.tables import Incident
from tests.cast import Cast, present

GROUP = '{}:{alertname="NodeDown"}'
BEGAN = present() - timedelta(minutes=5)


def alert(number: int, *, ended: bool = False, **labels: str) -> dict[str, Any]:
    """The host `web-{number}` is down."""
    name = f"web-{number}"
    shown = {"alertname": "NodeDown", "instance": f"{name}:9100", "cluster": "dc2", "severity": "critical"}
    return {
        "status": "resolved" if ended else "firing",
        "labels": shown | labels,
        "annotations": {"summary": f"{name} is down"},
        "startsAt": BEGAN.isoformat(),
        "endsAt": (present() if ended else datetime.min).isoformat() + ("" if ended else "Z"),
        "fingerprint": f"{number:016x}",
    }


def group(*alerts: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A webhook with these alerts."""
    fires = any(each["status"] == "firing" for each in alerts)
    shown = {"version": "4", "status": "firing" if fires else "resolved", "receiver": "inbox", "groupKey": GROUP}
    return {**shown, "groupLabels": {"alertname": "NodeDown"}, "truncatedAlerts": 0, "alerts": [*alerts], **more}


class Groups:
    """A sender of groups, and what its webhooks become."""

    def __init__(self, app: Flask, cast: Cast, tool: str = "alertmanager") -> None:
        self._client, self._key, self.tool = app.test_client(), cast.key, tool

    def send(self, *alerts: dict[str, Any], at: datetime | None = None, **more: Any) -> list[Event]:
        """Sends a group and routes it. The events in their order."""
        headers = {"Authorization": f"Bearer {self._key}"}
        answer = self._client.post(f"/v1/hooks/{self.tool}", json=group(*alerts, **more), headers=headers)
        assert answer.status_code == 202, answer.get_data(as_text=True)
        route(lambda: at or present())
        return list(Event.select().order_by(Event.id))[-len(alerts) :]


def incidents() -> list[tuple[str, str, int, int]]:
    """State, title, and numbers of alerts that fire and of all, of each incident in the order of its opening."""
    found = Incident.select().order_by(Incident.number)
    return [(each.state, each.title, each.firing_count, each.alert_count) for each in found]
