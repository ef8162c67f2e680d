"""Alerts of a group of nodes, and reads of what became of them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from inbox.domain.incidents.incident import Act, Actor
from inbox.flow.people import incidents as people
from inbox.flow.people.incidents import ActRequest
from inbox.flow.routing.route import route
from inbox.flow.timers.run import run_due
from inbox.flow.unit_of_work import work
from inbox.models.events.tables import Event
from inbox.models.incidents.alerts import IncidentAlert, present
from inbox.models.incidents.tables import Incident
from inbox.models.senders.sources import Source
from tests.cast import NOW
from tests.flow.routing_fixtures import accept, bodies, incident, routed

SECOND = timedelta(seconds=1)
MIA = Actor("user", "usr_mia", "Mia")


def node(source: Source, name: str, at: Any = NOW, **fields: Any) -> Event:
    return routed(source, at, key=name, title=f"Node {name} is down", type="NodeDown", **fields)


def together(source: Source, *names: str, at: Any = NOW, **fields: Any) -> Incident:
    events = [accept(source, at, key=name, title=f"Node {name} is down", type="NodeDown", **fields) for name in names]
    route(lambda: at)
    return incident(events[0])


def ends(source: Source, name: str, at: Any, **fields: Any) -> Event:
    return node(source, name, at, action="resolve", severity="SUCCESS", **fields)


def states(of: Incident) -> dict[str, str]:
    found = IncidentAlert.select().where(IncidentAlert.incident_id == of.id).order_by(IncidentAlert.id)
    now = Incident.get_by_id(of.id)
    return {each.key: present(each, now).state for each in found}


def numbers(of: Incident) -> tuple[str, int, int]:
    present = Incident.get_by_id(of.id)
    return present.state, present.firing_count, present.alert_count


def act(of: Incident, what: Act, at: Any = NOW, **more: Any) -> None:
    with work() as done:
        people.act(of.id, ActRequest(what, MIA, **more), at, done)


def run_timers(at: Any) -> None:
    run_due(lambda: at)


def joined(of: Incident) -> list[Any]:
    return [body["data"].get("joined") for body in bodies(of.id) if body["data"]["reason"] == "reoccurred"]
