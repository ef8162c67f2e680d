"""The explanations of a workspace are compared with what happened in it, and its forecasts with what happens next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import Any
from uuid import UUID

import orjson

from inbox.domain.explaining import alert_text
from inbox.domain.explaining.forecast import UpcomingKind
from inbox.models.deliveries.tables import Delivery, Notice
from inbox.models.events.tables import Event
from inbox.models.incidents.tables import Incident
from inbox.services.explaining.explanations import explained
from inbox.services.explaining.forecasts import forecast
from tests.flow.model_compared import at, seconds
from tests.flow.model_runner import Twin
from tests.flow.routing_fixtures import decisions

NOT_EXPECTED = frozenset({UpcomingKind.FALLBACK})
"""It depends on receivers, which answer nobody here."""

QUIET_TEXTS = ("No notification", "no notification")


def contradictions(twin: Twin) -> tuple[Counter[str], list[str]]:
    """Returns how much was explained, and what contradicts the tables."""
    found, wrong = Counter[str](), list[str]()
    names = {recipient.id: name for name, recipient in twin.model_recipients.items()}
    for incident in twin.incidents():
        notices = {one.id: one for one in Notice.select().where(Notice.incident_id == incident.id)}
        events = {one.id: one for one in Event.select().where(Event.incident_id == incident.id)}
        deliveries = {
            (one.notice_id, one.destination_id): one.status
            for one in Delivery.select().where(Delivery.incident_id == incident.id)
        }
        told = {one.event_id for one in notices.values() if _is_of_event(one) and "notify" in decisions(one).values()}
        for entry in explained(twin.workspace.id, [*notices, *events]):
            if entry["kind"] == "notice":
                found["explained decisions"] += len(entry["decisions"])
                wrong += _of_notice(notices[entry["notice_id"]], entry, names, deliveries, on_call=twin.phones.keys())
            else:
                found["explained events"] += 1
                wrong += _of_event(events[entry["event_id"]], entry, told)
    return found, wrong


def _is_of_event(notice: Notice) -> bool:
    """Whether the event caused it when it arrived. What a later repeat of it causes names the repeat as its actor."""
    return "actor" not in orjson.loads(notice.body)["data"]


def _of_notice(
    notice: Notice,
    entry: Mapping[str, Any],
    names: Mapping[UUID, str],
    deliveries: Mapping[tuple[UUID, UUID], str],
    *,
    on_call: Collection[str],
) -> list[str]:
    """Every destination has its decision once, with the state of its delivery; the text names the alerts that joined.

    Phones of people `on_call` have one where the notice has, and so has the schedule without anybody.
    """
    stated, ids = decisions(notice), {name: id for id, name in names.items()}
    given = {one["name"]: (one["decision"], one["status"]) for one in entry["decisions"]}
    expected = {name for name in names.values() if name not in on_call} | stated.keys()
    wrong = (
        [] if len(entry["decisions"]) == len(given) and given.keys() == expected else [f"destinations {sorted(given)}"]
    )
    for name, (decision, status) in given.items():
        if name in stated and decision != stated[name]:
            wrong.append(f"{name} is {decision}, stored {stated[name]}")
        if name not in stated and decision not in ("not_routed", "not_addressed"):
            wrong.append(f"{name} is {decision}, nothing stored")
        if status != (deliveries.get((notice.id, ids[name])) if name in ids else None):
            wrong.append(f"the delivery to {name} is {status}")
    joined = orjson.loads(notice.body)["data"].get("joined")
    if joined and alert_text.of_joined(**joined) not in entry["text"]:
        wrong.append(f"{joined} joined")
    return [f"{notice.reason}: {one}: {entry['text']}" for one in wrong]


def _of_event(event: Event, entry: Mapping[str, Any], told: set[UUID]) -> list[str]:
    """No event is called a repeat, a recovery or silent that is none."""
    text, wrong = entry["text"], list[str]()
    recovers = event.action == "resolve"
    if any(quiet in text for quiet in QUIET_TEXTS) and event.id in told:
        wrong.append("it caused a notification")
    if recovers != (text.startswith("Recovery") or "resolved" in text) and not text.startswith("Flapping"):
        wrong.append("recovery" if recovers else "no recovery")
    joins = any("joins the incident" in reason for reason in entry["reasons"])
    if joins and text.startswith("Repeat"):
        wrong.append("it joins")
    return [f"{event.dedup_key}: {one}: {text} {entry['reasons']}" for one in wrong]


def foretold(twin: Twin, figures: Counter[str]) -> list[str]:
    """Waits until the first moment that a forecast of an incident names; returns what did not come true."""
    ahead = {one.id: _first(one, twin.now) for one in twin.incidents()}
    moments = [moment for moment, _ in ahead.values() if moment is not None]
    if not moments or min(moments) <= twin.now or _is_disturbed(twin, min(moments)):
        return []
    first, before = min(moments), _states(twin)
    twin.wait(first - 1 - twin.now)
    wrong = [
        f"{one}: {before[one]} → {now} before {at(first)}" for one, now in _states(twin).items() if now != before[one]
    ]
    twin.wait(1)
    after = _states(twin)
    for id, (moment, entries) in ahead.items():
        if moment != first or len(entries) != 1:
            continue
        figures["forecasts"] += 1
        if not _came(entries[0], before[id], after[id]):
            wrong.append(f"{entries[0]} did not happen: {before[id]} → {after[id]}")
    return wrong


def _first(incident: Incident, now: int) -> tuple[int | None, list[Mapping[str, Any]]]:
    found = forecast(Incident.get_by_id(incident.id), at(now))["upcoming"]
    upcoming = [(seconds(one["at"]), one) for one in found if one["kind"] not in NOT_EXPECTED]
    first = min((moment for moment, _ in upcoming if moment is not None), default=None)
    return first, [one for moment, one in upcoming if moment == first]


def _is_disturbed(twin: Twin, until: int) -> bool:
    """Whether a silence begins or ends meanwhile, or looks at its incidents again."""
    turns = [moment for one in twin.model.model_silences for moment in (one.turn, one.look) if moment is not None]
    return any(moment <= until for moment in turns)


State = tuple[str, bool, int, str | None]


def _states(twin: Twin) -> dict[UUID, State]:
    """The state of each incident, whether it flaps, how many notices reached somebody, and the newest one's reason."""
    found = dict[UUID, State]()
    for incident in twin.incidents():
        notices = [
            one
            for one in Notice.select().where(Notice.incident_id == incident.id).order_by(Notice.seq)
            if {"notify", "quiet_hours", "stopped"} & set(decisions(one).values())
        ]
        found[incident.id] = (incident.state, incident.flapping, len(notices), notices[-1].reason if notices else None)
    return found


_CAME: Mapping[str, Callable[[State, State], bool]] = {
    UpcomingKind.STEP: lambda before, after: after[2] > before[2] and after[3] == "escalated",
    UpcomingKind.RENOTIFY: lambda before, after: after[2] > before[2] and after[3] == "renotify",
    UpcomingKind.ACK_TIMEOUT: lambda before, after: after[0] == "open",
    UpcomingKind.AUTO_RESOLVE: lambda before, after: after[0] == "resolved",
    UpcomingKind.FLAPPING_ENDS: lambda before, after: not after[1],
    UpcomingKind.JOINED: lambda before, after: after[2] > before[2] and after[3] == "reoccurred",
    UpcomingKind.SNOOZE_ENDS: lambda before, after: after[0] == "open",
}


def _came(entry: Mapping[str, Any], before: State, after: State) -> bool:
    came = _CAME.get(entry["kind"])
    return came is None or came(before, after)
