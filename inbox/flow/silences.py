"""Silences begin and end: what they take is hushed, what they let go is heard, some incidents at a time.

Specification 8.3.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from inbox.domain.incident import State
from inbox.domain.silences import ActivePeriods, CompiledSilence, active_silence
from inbox.flow.coverage import hush, release
from inbox.flow.ledger import Ledger
from inbox.flow.work import Done
from inbox.models import timers
from inbox.models.events import queue as event_queue
from inbox.models.incidents import batches as incident_batches
from inbox.models.incidents import lock as incident_lock
from inbox.models.tables import silences
from inbox.models.tables.incidents import Timer
from inbox.models.tables.silences import IN_FLIGHT_GRACE, LatestEvent, Silence
from inbox.models.timers import Reschedule
from inbox.queue import Bell

LOOK, HIT = silences.RECHECK, silences.STRAY_CHECK
TURN = "silence.transition"
"""The kind of timer that is due when a silence begins, ends or was changed."""

BATCH = 500
"""How many incidents are looked at, and moved at most, in one transaction."""


def turn(timer: Timer, now: datetime, done: Done) -> Reschedule | None:
    """A silence begins, ends or was changed: move what it takes or lets go, and wait for the next time.

    Whoever changes the silence meanwhile sets the timer anew.
    """
    silence = _find(timer.subject_id)
    if silence is not None and silence.deleted_at is None:
        done.changed("silence", silence.id, silence.workspace_id, rev=silence.rev)
    walked_to = _stretch(timer, silence, now, done)
    if walked_to is not None:
        return Reschedule(now, walked_to)
    timers.set_timer(LOOK, timer.subject_id, timer.workspace_id, now + IN_FLIGHT_GRACE)
    following = None if silence is None else _hush(silence).active.next_change(now)
    if following is None:
        return None
    done.ring(Bell.TIMERS, following)
    return Reschedule(following)


def look(timer: Timer, now: datetime, done: Done) -> Reschedule | None:
    """Look once more: an incident whose event was being routed while the silence turned is found now."""
    walked_to = _stretch(timer, _find(timer.subject_id), now, done)
    return None if walked_to is None else Reschedule(now, walked_to)


def strays(timer: Timer, now: datetime, done: Done) -> Reschedule | None:
    """It was not met for a while: if it is over, what was taken for it by who did not know that yet is let go."""
    silence = _find(timer.subject_id)
    if silence is not None and _hush(silence).active.covers(now):
        return None
    return look(timer, now, done)


def _find(silence_id: UUID) -> Silence | None:
    """Also one that is deleted: what it lets go says who did."""
    found: Silence | None = Silence.get_or_none(Silence.id == silence_id)
    return found


def _hush(silence: Silence) -> CompiledSilence:
    """One that is deleted never holds."""
    hush = CompiledSilence.of(silence)
    return hush if silence.deleted_at is None else hush._replace(active=ActivePeriods(()))


def _stretch(timer: Timer, silence: Silence | None, now: datetime, done: Done) -> UUID | None:
    """Move those of the next `BATCH` incidents that are not where they belong; up to which, None when these were the last.

    They are matched before any is locked. Where the silence began or ended since the last stretch all begins anew.
    """
    known = None if silence is None else _hush(silence)
    holding = known if known is not None and known.active.covers(now) else None
    turned_at = None if known is None else known.active.next_change(timer.due_at)
    after = None if turned_at is not None and turned_at <= now else timer.resume_after
    found = _next(timer, holding, after)
    covered = [id for id, is_covered in found.items() if is_covered]
    others = _others(timer, now) if covered else []
    let_go = _let_go(covered, holding, others)
    taken = _taken([id for id, is_covered in found.items() if not is_covered], holding)
    if let_go or taken:
        _move(timer, [*let_go, *taken], let_go, [*others, *([known] if known else [])], now, done)
    return next(reversed(found)) if len(found) == BATCH else None


def _next(timer: Timer, holding: CompiledSilence | None, after: UUID | None) -> dict[UUID, bool]:
    """What is to be looked at, and whether it is covered. What it took it keeps until it turns, whatever comes later."""
    if holding is None:
        return incident_batches.silenced_by(timer.subject_id, after, BATCH)
    if timer.kind != TURN:
        return incident_batches.unsilenced(timer.workspace_id, holding.source_ids, after, BATCH)
    return incident_batches.affected_by(holding.id, timer.workspace_id, holding.source_ids, after, BATCH)


def _others(timer: Timer, now: datetime) -> list[CompiledSilence]:
    return [
        CompiledSilence.of(row) for row in silences.unexpired(timer.workspace_id, now) if row.id != timer.subject_id
    ]


def _let_go(
    covered: Sequence[UUID], holding: CompiledSilence | None, others: Iterable[CompiledSilence]
) -> dict[UUID, LatestEvent]:
    """What it covers and should not: all of it while it does not hold, else what it matches no more."""
    asked = others if holding is None else [*others, holding]
    found = silences.latest_events(covered, frozenset().union(*(each.needs for each in asked)))
    return {
        one.incident_id: one
        for one in found
        if holding is None or not holding.matches_source_and_event(one.views, one.source)
    }


def _taken(audible: Sequence[UUID], holding: CompiledSilence | None) -> list[UUID]:
    """What it should cover and nothing does."""
    if holding is None:
        return []
    found = silences.latest_events(audible, holding.needs)
    return [one.incident_id for one in found if holding.matches_source_and_event(one.views, one.source)]


def _move(
    timer: Timer,
    incident_ids: Sequence[UUID],
    let_go: Mapping[UUID, LatestEvent],
    known: Sequence[CompiledSilence],
    now: datetime,
    done: Done,
) -> None:
    """Under their locks, which are taken in the order of ids; who moved meanwhile is left alone."""
    locked, name = (
        incident_lock.lock_many(incident_ids),
        next((e.name for e in known if e.id == timer.subject_id), None),
    )
    others = [each for each in known if each.id != timer.subject_id]
    ledger = Ledger(now, done, event_queue.source_contexts({incident.source_id for incident in locked}))
    for incident in locked:
        seen = let_go.get(incident.id)
        if seen is None:
            hush(incident, timer.subject_id, ledger, name)
        elif incident.state_values.state is State.SILENCED and incident.state_values.silenced_by == timer.subject_id:
            release(incident, active_silence(others, seen.views, seen.source, now), ledger, name)
    ledger.write()
