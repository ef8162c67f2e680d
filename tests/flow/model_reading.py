"""What the service made of a workspace, read from its tables in the words of the model, and compared with it."""

from __future__ import annotations

from collections import Counter
from typing import Any
from uuid import UUID

import orjson

from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery, Notice
from inbox.models.incidents.alerts import IncidentAlert, present
from inbox.models.incidents.tables import Incident, TimelineEntry
from inbox.models.workspaces.tables import Workspace
from tests.flow.model import Model
from tests.flow.model_compared import RANKS, _expected, _standing, at, seconds
from tests.flow.routing_fixtures import decisions

# The columns that are compared. Peewee would write the names of all columns into each statement.
INCIDENT = (
    *(Incident.id, Incident.state, Incident.state_before_silence, Incident.silenced_by, Incident.flapping),
    *(Incident.severity, Incident.event_count, Incident.reopen_count, Incident.snoozed_until),
    *(Incident.firing_count, Incident.alert_count, Incident.alert_round, Incident.resolved_by, Incident.last_seen_at),
    *(Incident.last_severity, Incident.title, Incident.title_edited),
)
NOTICE = (Notice.incident_id, Notice.seq, Notice.reason, Notice.decisions, Notice.body)
DELIVERY = (
    *(Delivery.incident_id, Delivery.destination_id, Delivery.seq, Delivery.reason, Delivery.status, Delivery.cause),
    Delivery.due_at,
)
OPENINGS = ("opened", "reopened")
LINES = ("late", "still_reported", "alert_ended", "joined")
"""The entries of a timeline that speak of alerts."""


class Reading:
    """The side of a twin that only reads."""

    now: int
    workspace: Workspace
    model: Model
    model_recipients: dict[str, Destination]

    def check(self) -> None:
        """Both stand alike and have said the same. No incident outlives its alerts, and none ends before them."""
        real, required = self.real(), [_expected(case) for case in self.model.cases]
        assert len(real) == len(required), (real, required)
        for place, (one, other) in enumerate(zip(real, required, strict=True)):
            for what in other:
                reported = (
                    f"{what} of incident {place} at {at(self.now):%H:%M:%S}: is {one[what]}, should be {other[what]}"
                )
                assert one[what] == other[what], reported
            assert not one["ended early"], f"incident {place} ended although {one['ended early']} fire"
            assert not one["stays"], f"incident {place} is {one['state']} although none of its alerts fires"

    def figures(self) -> Counter[str]:
        """How much of what is about alerts happened in this workspace."""
        found = Counter[str]()
        for one in self.real():
            found["incidents"] += 1
            found["incidents with several alerts"] += len(one["alerts"]) > 1
            found["alerts"] += len(one["alerts"])
            found["repeats"] += sum(alert[2] for alert in one["alerts"].values())
            found.update(f"lines {kind}" for kind in one["lines"])
            found["notices"] += len(one["notices"])
            found["notices that paged nobody"] += sum("Backend" in stated for _, stated, _ in one["notices"])
            found["escalated notices to phones"] += sum(
                reason == "escalated" and not stated.keys().isdisjoint(("Ana", "Ben"))
                for reason, stated, _ in one["notices"]
            )
            found["notices of joined alerts"] += sum(joined > 0 for _, _, joined in one["notices"])
        return found

    def real(self) -> list[dict[str, Any]]:
        """The incidents of the service, in the words of the model."""
        incidents = {incident.id: incident for incident in self.incidents()}
        found = {id: _standing(incident) for id, incident in incidents.items()}
        # Notices about shifts have no incident.
        own_one = (Notice.workspace_id == self.workspace.id) & Notice.incident_id.is_null(False)
        for notice in Notice.select(*NOTICE).where(own_one).order_by(Notice.seq):
            stated = {name: cause.split(":")[0] for name, cause in decisions(notice).items()}
            joined = orjson.loads(notice.body)["data"].get("joined", {"count": 0})["count"]
            found[notice.incident_id]["notices"].append((notice.reason, stated, joined))
            found[notice.incident_id]["numbers"].append(notice.seq)
        self._add_alerts(found, incidents)
        names = {model_recipient.id: name for name, model_recipient in self.model_recipients.items()}
        own_one = (Delivery.workspace_id == self.workspace.id) & Delivery.incident_id.is_null(False)
        for one in Delivery.select(*DELIVERY).where(own_one).order_by(Delivery.seq):
            until = seconds(one.due_at) if one.cause == "quiet_hours" else None
            line = found[one.incident_id]["sent"].setdefault(names[one.destination_id], [])
            line.append((one.seq, one.reason, one.status, one.cause, until))
        return list(found.values())

    def _add_alerts(self, found: dict[UUID, dict[str, Any]], incidents: dict[UUID, Incident]) -> None:
        opened_by = dict[UUID, str]()
        told = (TimelineEntry.incident_id.in_(list(found))) & (TimelineEntry.kind.in_((*OPENINGS, *LINES)))
        for line in TimelineEntry.select().where(told).order_by(TimelineEntry.id):
            if line.kind in OPENINGS:
                opened_by[line.incident_id] = line.actor["type"]
            else:
                found[line.incident_id]["lines"].append(line.kind)
        for one in IncidentAlert.select().where(IncidentAlert.workspace_id == self.workspace.id):
            incident, standing = incidents[one.incident_id], found[one.incident_id]
            is_stored_firing = one.state == "firing" and one.round == incident.alert_round
            fires = present(one, incident).state == "firing"
            seen, began = seconds(one.last_seen_at), seconds(one.began_at)
            standing["alerts"][one.key] = (fires, one.event_count, one.repeat_count, RANKS[one.severity], seen, began)
            by_event = incident.state == "resolved" and incident.resolved_by["type"] == "event"
            if by_event and is_stored_firing:
                standing["ended early"] += [] if self.model.terms.any_end else [one.key]
        for id, incident in incidents.items():
            fires = any(alert[0] for alert in found[id]["alerts"].values())
            found[id]["stays"] = incident.state != "resolved" and not fires and opened_by[id] == "event"

    def incidents(self) -> list[Incident]:
        """Returns the incidents of the workspace, the oldest first."""
        own_one = Incident.workspace_id == self.workspace.id
        return list(Incident.select(*INCIDENT).where(own_one).order_by(Incident.number))
