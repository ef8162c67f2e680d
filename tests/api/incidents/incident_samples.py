"""Good requests for the operations on incidents."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from inbox.database.base import new_id
from inbox.domain.values import ids
from inbox.models.incidents.tables import Incident
from inbox.models.incidents.undo_tokens import UndoTokenRow
from tests.api.sample import Sample
from tests.api.stage import Stage
from tests.cast import present
from tests.flow.routing_fixtures import route_to


def _stands(state: str) -> Callable[[Stage], object]:
    more = {
        "acknowledged": {"acknowledged_at": present()},
        "snoozed": {"snoozed_until": present() + timedelta(hours=1)},
        "resolved": {"resolved_at": present(), "resolved_by": {"type": "user"}},
    }[state]
    return lambda stage: Incident.update(state=state, **more).where(Incident.id == stage.incident.id).execute()


def _untold(stage: Stage) -> None:
    """The incident is acknowledged, and a destination has come to its route that was not told of it."""
    _stands("acknowledged")(stage)
    route_to(stage.workspace, [stage.destination_id])


def _opened(stage: Stage) -> dict[str, str]:
    """An incident that the person opens."""
    workspace = ids.encode("wsp", stage.workspace.id)
    return {"workspaceId": workspace, "title": "Checkout is slow", "severity": "ERROR", "text": "Customers call."}


def _undone(stage: Stage) -> str:
    """An act of the person on the incident, which can be undone."""
    undo_id = new_id()
    UndoTokenRow.create(
        id=undo_id, incident_id=stage.incident.id, user_id=stage.person.id, act="tag",
        changed={"tags": [[], []]}, expires_at=present() + timedelta(seconds=10),
    )  # fmt: skip
    return ids.encode("und", undo_id)


INCIDENTS: dict[str, Sample] = {
    "incidents.acknowledge": Sample({"note": "On it."}),
    "incidents.bulk": Sample(lambda stage: {"ids": [ids.encode("inc", stage.incident.id)], "action": "acknowledge"}),
    "incidents.edit": Sample({"title": "Renamed"}),
    "incidents.note": Sample({"text": "Looked at it."}),
    "incidents.notify": Sample(before=_untold),
    "incidents.create": Sample(_opened),
    "incidents.page": Sample(
        lambda stage: {"people": [{"userId": ids.encode("usr", stage.person.id)}], "note": "Help."}
    ),
    "incidents.escalate": Sample({"note": "It gets worse."}),
    "incidents.take": Sample({"note": "Mine."}),
    "incidents.resolve": Sample({"note": "Fixed."}),
    "incidents.reopen": Sample(before=_stands("resolved")),
    "incidents.snooze": Sample(lambda stage: {"until": (present() + timedelta(hours=1)).isoformat()}),
    "incidents.unacknowledge": Sample(before=_stands("acknowledged")),
    "incidents.undo": Sample(lambda stage: {"undoId": _undone(stage)}),
    "incidents.unsnooze": Sample(before=_stands("snoozed")),
}
