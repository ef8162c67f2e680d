"""A silence takes an incident, or lets it go: its state, its timeline and what is told of it (specification 3.6)."""

from __future__ import annotations

from uuid import UUID

from inbox.domain import ids
from inbox.domain.ids import Prefix
from inbox.domain.incident import Act, Actor, Incident, State, Transitioned, apply_act, replace_fast
from inbox.domain.silences import CompiledSilence, active_silence
from inbox.flow.book import Book
from inbox.flow.ledger import Ledger
from inbox.models.incidents.lock import IncidentRow
from inbox.models.tables import silences

UNNAMED = "Silence"
"""What one is called of which no more is known."""


def hush(incident: IncidentRow, silence_id: UUID, book: Book, name: str | None = None) -> None:
    """The silence takes an incident; `name` is what it is called where that is written down."""
    moved = apply_act(incident.state_values, Act.SILENCE_BEGINS, book.now, silence=silence_id)
    if isinstance(moved, Transitioned):
        enter("silenced", incident, moved.incident, actor(silence_id, name), book)
        book.moved(incident, moved.incident)


def release(incident: IncidentRow, other: CompiledSilence | None, book: Book, name: str | None = None) -> None:
    """What another silence covers goes over to that one; all else is as it was before. `name` is what the first is called."""
    silence_id = incident.state_values.silenced_by
    assert silence_id is not None
    if other is not None:
        after = replace_fast(incident.state_values, silenced_by=other.id)
        enter("silenced", incident, after, actor(other.id, other.name), book)
        book.moved(incident, after)
        return
    moved = apply_act(incident.state_values, Act.SILENCE_ENDS, book.now)
    if isinstance(moved, Transitioned):
        by = actor(silence_id, name)
        enter("silence_ended", incident, moved.incident, by, book)
        book.moved(incident, moved.incident)
        if moved.reason is not None:
            book.tell_of(incident, moved.reason, by=by)


def covered(incident: IncidentRow, after: Incident, ledger: Ledger) -> Incident:
    """The values `after` which a person leaves a stored incident, under the first silence that takes it so, if any."""
    if after.state in (State.RESOLVED, State.SILENCED):
        return after
    hushes = [each for each in ledger.plans.book(incident.workspace_id).hushes if each.active.covers(ledger.now)]
    if not hushes:
        return after
    [seen] = silences.latest_events([incident.id], frozenset().union(*(each.needs for each in hushes)))
    views = seen.renamed(incident, after.severity).views
    found = active_silence(hushes, views, incident.source_id, ledger.now)
    moved = None if found is None else apply_act(after, Act.SILENCE_BEGINS, ledger.now, silence=found.id)
    if found is None or not isinstance(moved, Transitioned):
        return after
    ledger.enter(incident, "silenced", actor(found.id, found.name), {"from": after.state, "to": moved.incident.state})
    return moved.incident


def enter(kind: str, incident: IncidentRow, after: Incident, by: Actor, book: Book) -> None:
    """The timeline says by which silence the incident goes from one state to another."""
    book.enter(incident, kind, by, {"from": incident.state_values.state, "to": after.state})


def actor(silence_id: UUID, name: str | None) -> Actor:
    """A silence, as timelines and notices name who did something."""
    return Actor("silence", ids.encode(Prefix.SILENCE, silence_id), name or UNNAMED)
