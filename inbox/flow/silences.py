"""Silences begin and end: what they take is hushed, what they let go is heard, some incidents at a time (decision 10)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice
from uuid import UUID

from inbox.domain import ids
from inbox.domain.ids import Prefix
from inbox.domain.incident import Act, Actor, Incident, Moved, State, step
from inbox.domain.silences import Hush, silencer
from inbox.flow.judge import Book
from inbox.flow.ledger import Ledger
from inbox.flow.work import Done
from inbox.models import routing, silences, standing, timers
from inbox.models.incidents import Timer
from inbox.models.silences import SETTLED, Newest, Silence
from inbox.models.standing import Standing
from inbox.queue import Bell

LOOK = silences.LOOK
TURN = "silence.turn"
"""The kind of timer that is due when a silence begins, ends or was changed."""

BATCH = 500
"""How many incidents are moved in one transaction."""

_EVERYTHING = frozenset({"body", "metadata"})
_AN_INSTANT = timedelta(microseconds=1)


def turn(silence_id: UUID, now: datetime, done: Done) -> None:
    """A silence begins, ends or was changed: move what it takes or lets go, and wait for the next time.

    Where more is left than is moved at once the timer stays due. Whoever changes the silence meanwhile sets it anew.
    """
    timer = timers.still_due(TURN, silence_id, now)
    if timer is None:
        return
    silence = _find(silence_id)
    if silence is not None:
        done.changed("silence", silence_id, silence.workspace_id, rev=silence.rev)
    if _adjust(timer, silence, now, done):
        return
    timers.set_timer(LOOK, silence_id, timer.workspace_id, now + SETTLED)
    following = None if silence is None else Hush.of(silence).span.next_change(now)
    if following is not None:
        timers.postpone(timer, following)
        done.ring(Bell.TIMERS, following)


def look(silence_id: UUID, now: datetime, done: Done) -> None:
    """Look once more: an incident whose event was being routed while the silence turned is found now."""
    timer = timers.still_due(LOOK, silence_id, now)
    if timer is not None:
        _adjust(timer, _find(silence_id), now, done)


def _find(silence_id: UUID) -> Silence | None:
    found: Silence | None = Silence.get_or_none(Silence.id == silence_id, Silence.deleted_at.is_null())
    return found


def _adjust(timer: Timer, silence: Silence | None, now: datetime, done: Done) -> bool:
    """Move up to `BATCH` incidents to where they belong; True when more are left, for which the timer stays due."""
    known = None if silence is None else Hush.of(silence)
    holding = known if known is not None and known.span.covers(now) else None
    let_go = {one.incident_id: one for one in islice(_let_go(timer, holding), BATCH + 1)}
    taken = [] if holding is None else list(islice(_taken(timer.workspace_id, holding), BATCH + 1 - len(let_go)))
    chosen = [*let_go, *(one.incident_id for one in taken)]
    _move(timer, chosen[:BATCH], let_go, now, done)
    if len(chosen) > BATCH:
        timers.postpone(timer, timer.due_at - _AN_INSTANT)
    return len(chosen) > BATCH


def _let_go(timer: Timer, holding: Hush | None) -> Iterator[Newest]:
    """What it covers and should not: all of it while it does not hold, and what it matches no more when it turns.

    What it took when it opened it keeps, whatever comes later, until then.
    """
    if holding is not None and timer.kind == LOOK:
        return
    for one in silences.newest(silences.covered(timer.subject_id), _EVERYTHING):
        if holding is None or not holding.takes(one, one.source):
            yield one


def _taken(workspace_id: UUID, holding: Hush) -> Iterator[Newest]:
    """What it should cover and nothing does."""
    audible = silences.audible(workspace_id, holding.source_ids)
    return (one for one in silences.newest(audible, _EVERYTHING) if holding.matches(one))


def _move(timer: Timer, incident_ids: Sequence[UUID], let_go: Mapping[UUID, Newest], now: datetime, done: Done) -> None:
    """Under their locks, which are taken in the order of ids; who moved meanwhile is left alone."""
    locked = standing.lock_all(incident_ids)
    ledger = Ledger(now, done, routing.origins({incident.source_id for incident in locked}))
    known = silences.unexpired(timer.workspace_id, now) if let_go else []
    others = [Hush.of(row) for row in known if row.id != timer.subject_id]
    for incident in locked:
        subject = let_go.get(incident.id)
        if subject is None:
            hush(incident, timer.subject_id, ledger)
        elif incident.now.state is State.SILENCED and incident.now.silenced_by == timer.subject_id:
            release(incident, silencer(others, subject, subject.source, now), ledger)
    ledger.write()


def hush(incident: Standing, silence_id: UUID, ledger: Book) -> None:
    """The silence takes an incident."""
    moved = step(incident.now, Act.SILENCE_BEGINS, ledger.now, silence=silence_id)
    if isinstance(moved, Moved):
        _enter("silenced", incident, moved.incident, silence_id, ledger)


def release(incident: Standing, other: UUID | None, ledger: Book) -> None:
    """What another silence covers goes over to that one; all else is as it was before."""
    silence_id = incident.now.silenced_by
    assert silence_id is not None
    if other is not None:
        _enter("silenced", incident, replace(incident.now, silenced_by=other), other, ledger)
        return
    moved = step(incident.now, Act.SILENCE_ENDS, ledger.now)
    if isinstance(moved, Moved):
        by = _enter("silence_ended", incident, moved.incident, silence_id, ledger)
        if moved.reason is not None:
            ledger.tell_of(incident, moved.reason, by=by)


def _enter(kind: str, incident: Standing, after: Incident, silence_id: UUID, ledger: Book) -> Actor:
    by = Actor("silence", ids.encode(Prefix.SILENCE, silence_id))
    ledger.enter(incident, kind, by, {"from": incident.now.state, "to": after.state})
    ledger.moved(incident, after)
    return by
