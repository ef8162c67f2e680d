"""Acts of people in the tool that sends, such as an acknowledgement in Zabbix: they stand on the incident of their alert.

Specification 19.8.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from inbox.domain.incidents.incident import Act, ActArguments, Actor, ActorType, Transitioned, apply_act
from inbox.domain.values.redaction import cut, redact
from inbox.flow.people import incidents
from inbox.flow.people.incidents import ActRequest
from inbox.flow.unit_of_work import AfterCommit, retry_on_conflict, work
from inbox.models.incidents import lock as incident_lock
from inbox.models.incidents.lock import IncidentRow
from inbox.models.senders.sources import Source

MOST = 20
"""The most acts of a request that stand on incidents."""

LONGEST = 2_000
ACTS: Mapping[str, Act] = {"acknowledge": Act.ACKNOWLEDGE, "unacknowledge": Act.UNACKNOWLEDGE}
"""The acts that change the state of an incident, if the source allows it. All others are notes."""

NOTE = "note"
"""A note in the words of the event."""

ENDED = "ended"
"""Says why the alert ends. Its entry causes no notice, because the end itself does."""


class SentAct(NamedTuple):
    """The act that an event reports. `key` names the alert, `by` the person, and `text` is the note."""

    event_id: str
    kind: str
    key: str
    by: str
    text: str


def apply(source_id: UUID, sent: Sequence[SentAct], now: datetime) -> None:
    """Writes the acts on the unresolved incidents of their alerts. Without such an incident, the event alone tells."""

    def once() -> None:
        with work() as done:
            write(Source.get_by_id(source_id), sent, now, done)

    retry_on_conflict(once)


def write(source: Source, sent: Sequence[SentAct], now: datetime, done: AfterCommit) -> None:
    """Does the same as `apply`, in the caller's transaction."""
    for each in sent[:MOST]:
        for incident in incident_lock.lock_for_events((), [(source.id, each.key)]):
            _write(incident, each, source, now, done)


def _write(incident: IncidentRow, sent: SentAct, source: Source, now: datetime, done: AfterCommit) -> None:
    name = f"{cut(redact(sent.by), 100)} in {source.name}" if sent.by else source.name
    actor = Actor(ActorType.EVENT, sent.event_id, name)
    text = cut(redact(sent.text), LONGEST)
    if sent.kind == ENDED:
        incidents.note(incident.id, text, now, done, by=actor, is_quiet=True)
        return
    act = ACTS.get(sent.kind) if source.allow_sender_acknowledge else None
    if act is not None and not _is_possible(incident, act, now, actor):
        act = None
    if act is None:
        incidents.note(incident.id, text, now, done, by=actor)
    else:
        incidents.act(incident.id, ActRequest(act, actor, note=text), now, done)


def _is_possible(incident: IncidentRow, act: Act, now: datetime, by: Actor) -> bool:
    return isinstance(apply_act(incident.state_values, act, now, ActArguments(by=by)), Transitioned)
