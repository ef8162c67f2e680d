"""The next digests with notices of an incident, if nothing happens before (specification 7.7, 9.16)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from uuid import UUID

from inbox.destinations import WITH_EDITS
from inbox.domain.deliveries.digests import Outcome
from inbox.domain.explaining.forecast import Upcoming, UpcomingKind
from inbox.domain.incidents.state_machine import State
from inbox.flow.notices.digests import outcomes_of
from inbox.flow.notices.quiet_hours import deferred_until
from inbox.flow.timers.incident_schedule import Plans
from inbox.models.deliveries import gathering
from inbox.models.deliveries import recipients as notice_recipients
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.gathering import GatheringDelivery
from inbox.models.deliveries.recipients import Recipient
from inbox.models.incidents.tables import Incident
from inbox.models.routing import routing_config


def of_incident(incident: Incident, silence: Sequence[Upcoming], now: datetime) -> list[Upcoming]:
    """Return the digests with the destinations that are notified with each. `silence` is the end of the incident's silence.

    A digest that falls into quiet hours is sent at their end.
    """
    waiting = gathering.of_incident(incident.id)
    recipients = notice_recipients.recipients({one.destination_id for one, _ in waiting})
    kinds, plans = _kinds(recipients), Plans.at(routing_config.revisions([incident.workspace_id]), now)
    names_by_time: dict[datetime, list[str]] = {}
    for destination_id, found in groupby(waiting, lambda line: line[0].destination_id):
        recipient, own = recipients.get(destination_id), list(found)
        if recipient is None or not recipient.enabled:
            continue
        group, at = [one for one, _ in own], max(now, min(due_at for _, due_at in own))
        at = _after_quiet_hours(group[0], recipient, plans, at)
        outcomes = outcomes_of(group, _state(incident, silence, at), keeps_messages=kinds[destination_id] in WITH_EDITS)
        if any(isinstance(each, Outcome) for each in outcomes.values()):
            names_by_time.setdefault(at, []).append(recipient.name)
    return [Upcoming(UpcomingKind.DIGEST, at, sorted(names)) for at, names in names_by_time.items()]


def _kinds(recipients: dict[UUID, Recipient]) -> dict[UUID, str]:
    rows = Destination.select(Destination.id, Destination.kind).where(Destination.id.in_(list(recipients)))
    return {row.id: row.kind for row in rows}


def _after_quiet_hours(one: GatheringDelivery, recipient: Recipient, plans: Plans, at: datetime) -> datetime:
    """Return the time of the digest: the end of the quiet hours that hold it at `at`, else `at`."""
    plans.now = at
    return deferred_until(one, recipient, plans) or at


def _state(incident: Incident, silence: Sequence[Upcoming], at: datetime) -> State:
    """Return the state of the incident at this time, if only its silence ends before."""
    state = State(incident.state)
    if state is State.SILENCED and silence and silence[0].at <= at:
        return State(incident.state_before_silence or State.OPEN)
    return state
