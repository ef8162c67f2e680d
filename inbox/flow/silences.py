"""Silences begin and end: what they take is hushed, what they let go is heard, some incidents at a time (decision 10)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from uuid import UUID

from inbox.domain import ids
from inbox.domain.ids import Prefix
from inbox.domain.incident import Act, Actor, Incident, Moved, State, changed, step
from inbox.domain.silences import Hush, Span, silencer
from inbox.flow.judge import Book
from inbox.flow.ledger import Ledger
from inbox.flow.work import Done
from inbox.models import routing, silences, standing, timers, unresolved
from inbox.models.incidents import Timer
from inbox.models.silences import SETTLED, Newest, Silence
from inbox.models.standing import Standing
from inbox.models.timers import Again
from inbox.queue import Bell

LOOK, HIT = silences.LOOK, silences.HIT
TURN = "silence.turn"
"""The kind of timer that is due when a silence begins, ends or was changed."""

BATCH = 500
"""How many incidents are looked at, and moved at most, in one transaction."""

UNNAMED = "Silence"
"""What one is called of which no more is known."""

_NO_NAMES: Mapping[UUID, str] = MappingProxyType({})


def turn(timer: Timer, now: datetime, done: Done) -> Again | None:
    """A silence begins, ends or was changed: move what it takes or lets go, and wait for the next time.

    Whoever changes the silence meanwhile sets the timer anew.
    """
    silence = _find(timer.subject_id)
    if silence is not None and silence.deleted_at is None:
        done.changed("silence", silence.id, silence.workspace_id, rev=silence.rev)
    walked_to = _stretch(timer, silence, now, done)
    if walked_to is not None:
        return Again(now, walked_to)
    timers.set_timer(LOOK, timer.subject_id, timer.workspace_id, now + SETTLED)
    following = None if silence is None else _hush(silence).span.next_change(now)
    if following is None:
        return None
    done.ring(Bell.TIMERS, following)
    return Again(following)


def look(timer: Timer, now: datetime, done: Done) -> Again | None:
    """Look once more: an incident whose event was being routed while the silence turned is found now."""
    walked_to = _stretch(timer, _find(timer.subject_id), now, done)
    return None if walked_to is None else Again(now, walked_to)


def strays(timer: Timer, now: datetime, done: Done) -> Again | None:
    """It was not met for a while: if it is over, what was taken for it by who did not know that yet is let go."""
    silence = _find(timer.subject_id)
    if silence is not None and _hush(silence).span.covers(now):
        return None
    return look(timer, now, done)


def _find(silence_id: UUID) -> Silence | None:
    """Also one that is deleted: what it lets go says who did."""
    found: Silence | None = Silence.get_or_none(Silence.id == silence_id)
    return found


def _hush(silence: Silence) -> Hush:
    """One that is deleted never holds."""
    hush = Hush.of(silence)
    return hush if silence.deleted_at is None else hush._replace(span=Span(()))


def _stretch(timer: Timer, silence: Silence | None, now: datetime, done: Done) -> UUID | None:
    """Move those of the next `BATCH` incidents that are not where they belong; up to which, None when these were the last.

    They are matched before any is locked. Where the silence began or ended since the last stretch all begins anew.
    """
    known = None if silence is None else _hush(silence)
    holding = known if known is not None and known.span.covers(now) else None
    turned_at = None if known is None else known.span.next_change(timer.due_at)
    after = None if turned_at is not None and turned_at <= now else timer.walked_to
    found = _next(timer, holding, after)
    covered = [id for id, is_covered in found.items() if is_covered]
    others = _others(timer, now) if covered else []
    let_go = _let_go(covered, holding, others)
    taken = _taken([id for id, is_covered in found.items() if not is_covered], holding)
    if let_go or taken:
        _move(timer, [*let_go, *taken], let_go, [*others, *([known] if known else [])], now, done)
    return next(reversed(found)) if len(found) == BATCH else None


def _next(timer: Timer, holding: Hush | None, after: UUID | None) -> dict[UUID, bool]:
    """What is to be looked at, and whether it is covered. What it took it keeps until it turns, whatever comes later."""
    if holding is None:
        return unresolved.covered(timer.subject_id, after, BATCH)
    if timer.kind != TURN:
        return unresolved.audible(timer.workspace_id, holding.source_ids, after, BATCH)
    return unresolved.in_reach(holding.id, timer.workspace_id, holding.source_ids, after, BATCH)


def _others(timer: Timer, now: datetime) -> list[Hush]:
    return [Hush.of(row) for row in silences.unexpired(timer.workspace_id, now) if row.id != timer.subject_id]


def _let_go(covered: Sequence[UUID], holding: Hush | None, others: Iterable[Hush]) -> dict[UUID, Newest]:
    """What it covers and should not: all of it while it does not hold, else what it matches no more."""
    asked = others if holding is None else [*others, holding]
    newest = silences.newest(covered, frozenset().union(*(each.needs for each in asked)))
    return {one.incident_id: one for one in newest if holding is None or not holding.takes(one, one.source)}


def _taken(audible: Sequence[UUID], holding: Hush | None) -> list[UUID]:
    """What it should cover and nothing does."""
    if holding is None:
        return []
    return [one.incident_id for one in silences.newest(audible, holding.needs) if holding.matches(one)]


def _move(
    timer: Timer,
    incident_ids: Sequence[UUID],
    let_go: Mapping[UUID, Newest],
    known: Sequence[Hush],
    now: datetime,
    done: Done,
) -> None:
    """Under their locks, which are taken in the order of ids; who moved meanwhile is left alone."""
    locked, names = standing.lock_all(incident_ids), {each.id: each.name for each in known}
    others = [each for each in known if each.id != timer.subject_id]
    ledger = Ledger(now, done, routing.origins({incident.source_id for incident in locked}))
    for incident in locked:
        subject = let_go.get(incident.id)
        if subject is None:
            hush(incident, timer.subject_id, ledger, names)
        elif incident.now.state is State.SILENCED and incident.now.silenced_by == timer.subject_id:
            release(incident, silencer(others, subject, subject.source, now), ledger, names)
    ledger.write()


def hush(incident: Standing, silence_id: UUID, ledger: Book, names: Mapping[UUID, str] = _NO_NAMES) -> None:
    """The silence takes an incident; `names` is what silences are called where it is written down."""
    moved = step(incident.now, Act.SILENCE_BEGINS, ledger.now, silence=silence_id)
    if isinstance(moved, Moved):
        _enter("silenced", incident, moved.incident, _actor(silence_id, names), ledger)


def release(incident: Standing, other: UUID | None, ledger: Book, names: Mapping[UUID, str] = _NO_NAMES) -> None:
    """What another silence covers goes over to that one; all else is as it was before. `names` as of `hush`."""
    silence_id = incident.now.silenced_by
    assert silence_id is not None
    if other is not None:
        _enter("silenced", incident, changed(incident.now, silenced_by=other), _actor(other, names), ledger)
        return
    moved = step(incident.now, Act.SILENCE_ENDS, ledger.now)
    if isinstance(moved, Moved):
        by = _actor(silence_id, names)
        _enter("silence_ended", incident, moved.incident, by, ledger)
        if moved.reason is not None:
            ledger.tell_of(incident, moved.reason, by=by)


def _actor(silence_id: UUID, names: Mapping[UUID, str]) -> Actor:
    return Actor("silence", ids.encode(Prefix.SILENCE, silence_id), names.get(silence_id) or UNNAMED)


def _enter(kind: str, incident: Standing, after: Incident, by: Actor, ledger: Book) -> None:
    ledger.enter(incident, kind, by, {"from": incident.now.state, "to": after.state})
    ledger.moved(incident, after)
