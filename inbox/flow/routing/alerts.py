"""The alerts of incidents in routing: an event fires its alert, a recovery ends it, and people hear of those that joined.

The rules are pure functions of `domain.incidents.alerts`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from typing import NamedTuple

from inbox.domain.events.grouping import alert_key
from inbox.domain.incidents import alerts
from inbox.domain.incidents.alerts import ENDED, Alert, AlertCounts, Ending, Fired
from inbox.domain.incidents.event_transition import OPENED, EventTransition
from inbox.domain.incidents.incident import Actor, Incident, replace_fast
from inbox.domain.incidents.repeats import STILL_REPORTED_AFTER
from inbox.domain.incidents.state_machine import RESOLVED, Act, Reason
from inbox.flow.notices.notice import IncidentNotice
from inbox.flow.routing.evaluate import EvaluatedEvent, Event
from inbox.flow.routing.incident_index import IncidentIndex
from inbox.flow.routing.recorder import IncidentRecorder
from inbox.models.incidents.lock import IncidentRow
from inbox.models.routing.routing_results import DeferredEvent

ACTOR = Actor("system", "", "Inbox")
"""The actor of the timeline entry about joined alerts."""

JOINED_TEXT = "a new alert joins the incident"
KEPT_TEXT = f"the incident has {alerts.MAX_ALERTS:,} alerts: further ones are only counted"
NO_ALERT_TEXT = "the recovery names no alert of the incident that fires: nothing changes"


def fire(
    incident: IncidentRow,
    evaluated: EvaluatedEvent,
    outcome: EventTransition,
    index: IncidentIndex,
    recorder: IncidentRecorder,
    deferred: Iterable[DeferredEvent] = (),
) -> tuple[EventTransition, tuple[str, ...]]:
    """Counts the event on its alert, and the `deferred` ones, which open the incident with it, on theirs.

    Returns the transition with the new counts, and the sentences about the alert.
    """
    assert outcome.incident is not None
    after, text = see(incident, outcome.incident, evaluated, index, recorder, opens=outcome.disposition is OPENED)
    if after is outcome.incident:
        return outcome, text
    severity, quiet = evaluated.decision.rules_result.severity, evaluated.routing.config.policies[None].reoccur_quiet
    for one in deferred:
        if one.alert is not None and one.event_id != evaluated.event.id:
            sent = replace(one.alert, severity=severity or one.alert.severity)
            fired, changed = _count(incident, after, sent, quiet, index, opens=False)
            for alert in changed:
                recorder.update_alert(incident, alert)
            after = replace_fast(after, alerts=fired.counts)
    return outcome._replace(incident=after), text


def recorded_act(act: Act, about_alert: tuple[str, ...]) -> Act:
    """Returns the act that the event's record names, given the sentences about the alert: a new alert is no repeat."""
    return Act.JOIN if act is Act.TRIGGER and JOINED_TEXT in about_alert else act


def see(
    incident: IncidentRow,
    values: Incident,
    evaluated: EvaluatedEvent,
    index: IncidentIndex,
    recorder: IncidentRecorder,
    *,
    opens: bool = False,
) -> tuple[Incident, tuple[str, ...]]:
    """Counts an event, or a repeat that is none, on its alert. Returns the values with the new counts, and sentences."""
    if not opens and names_single(incident, evaluated.event):
        return values, ()
    incident.refresh_single_alert()
    quiet = evaluated.routing.config.policies[None].reoccur_quiet
    fired, changed = _count(incident, values, reported(evaluated), quiet, index, opens=opens)
    for alert in changed:
        recorder.update_alert(incident, alert)
    counts = values.alerts
    if fired.counts == counts:
        return values, ()
    text = (JOINED_TEXT,) if fired.counts.joined > counts.joined else (KEPT_TEXT,) if fired.alert is None else ()
    return replace_fast(values, alerts=fired.counts), text


def _count(
    incident: IncidentRow, values: Incident, sent: Alert, quiet: timedelta, index: IncidentIndex, *, opens: bool
) -> tuple[Fired, list[Alert]]:
    """Counts what an event reports on its alert. Returns the result, and the alerts that must be written."""
    counts, known, changed = values.alerts, incident.alerts.get(sent.key), list[Alert]()
    content = None if known is None else known.content
    fired = alerts.fire(known, counts, sent, opens=opens, quiet=quiet)
    if fired.alert is sent:
        changed += incident.alerts.values() if counts.total == 1 else ()
        incident.alerts[sent.key] = sent
        index.add_key(incident, sent.key)
    if fired.alert is not None and (counts.total > 1 or fired.alert.content != content):
        changed.append(fired.alert)
    return fired, changed


def names_single(incident: IncidentRow, event: Event) -> bool:
    """Returns whether an event that reports a problem names the single alert of the incident, which fires.

    The alert is neither read nor written then, since the values of the incident stand for its own.
    """
    values = incident.state_values
    if values.state is RESOLVED or values.alerts[:2] != (1, 1) or event.is_repeat or event.sent_at is not None:
        return False
    if incident.dedup_key is None and event.dedup_key is None:
        return event.title == incident.title and not incident.title_edited
    return event.dedup_key == incident.dedup_key


def has_just_ended(incident: IncidentRow, evaluated: EvaluatedEvent) -> bool:
    """Returns whether the sender ended the alert of a repeat a moment ago, so that the repeat may be a retry."""
    event = evaluated.event
    known = incident.alerts.get(alert_key(event.dedup_key, event.title))
    return known is not None and known.state is ENDED and event.received_at - known.last_seen_at <= STILL_REPORTED_AFTER


class Ended(NamedTuple):
    """The effect of a recovery on an incident: the counts after it, and whether the incident stays."""

    counts: AlertCounts
    others_fire: bool


def end(
    incident: IncidentRow, evaluated: EvaluatedEvent, recorder: IncidentRecorder, *, counts_event: bool
) -> Ended | None:
    """Ends the alert that the recovery names; None if it names none that fires. Nothing is written then.

    The recovery is counted on the alert if it is counted on the incident, so that both agree.
    """
    incident.refresh_single_alert()
    counts, sent = incident.state_values.alerts, reported(evaluated)
    sent.event_count = sent.event_count if counts_event else 0
    known = incident.alerts.get(sent.key)
    has_key = evaluated.event.dedup_key is not None
    what = alerts.ending(known, counts, has_key=has_key, is_grouped=evaluated.is_grouped)
    if what is Ending.NOTHING:
        return None
    if known is not None:
        known.count(sent, ENDED, counts.round)
        recorder.update_alert(incident, known)
    if what is Ending.ONE:
        counts = counts._replace(firing=counts.firing - 1)
    return Ended(counts, what is Ending.ONE and counts.firing > 0 and not evaluated.resolves_any)


def still_firing(counts: AlertCounts) -> str:
    """Returns the sentence about the alerts that fire after a recovery."""
    return f"{counts.firing:,} of {counts.total:,} alerts of the incident still fire"


def tell_joined(
    incidents: Iterable[IncidentRow], recorder: IncidentRecorder, notices: Iterable[IncidentNotice] = ()
) -> None:
    """Tells people of alerts that joined these incidents, as far as it is due; the timer `incident.joined` does the rest.

    An earlier one of `notices`, which are not sent yet, names them; otherwise they get a notice of their own. A preview
    has no batches: it calls this after the events of a moment, whose notice names them.
    """
    waiting = [one for one in incidents if one.state_values.alerts.joined]
    earlier = {one.incident.id: one for one in notices if one.alerts_people} if waiting else {}
    for incident in waiting:
        values, notice = incident.state_values, earlier.get(incident.id)
        joined = values.alerts.waiting
        is_simulated = notice is None and not recorder.writes_timelines and values.notified_at == recorder.now
        if notice is None and not is_simulated and not recorder.is_joined_due(incident):
            continue
        recorder.add_timeline_entry(incident, "joined", ACTOR, joined.record())
        recorder.update(incident, replace_fast(values, alerts=values.alerts.told(recorder.now)))
        if notice is None and not is_simulated:
            recorder.add_notice(IncidentNotice(incident, Reason.REOCCURRED, joined=joined))
        elif notice is not None:
            notice.joined = joined if notice.joined is None else notice.joined.plus(joined)
            notice.then = replace_fast(notice.then, alerts=values.alerts)


def reported(evaluated: EvaluatedEvent) -> Alert:
    """Returns the alert as the event reports it."""
    event, at = evaluated.event, evaluated.event.received_at
    key, repeats = alert_key(event.dedup_key, event.title), 1 if event.is_repeat else 0
    sent = Alert(key, event.title, evaluated.decision.severity, at, at, 1 - repeats)
    sent.began_at, sent.repeat_count = event.sent_at, repeats
    return sent
