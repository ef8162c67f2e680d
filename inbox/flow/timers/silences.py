"""Begins and ends silences: covers or releases incidents in batches.

Specification 8.3.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from inbox.domain.incidents.incident import State
from inbox.domain.routing.active_periods import ActivePeriods
from inbox.domain.routing.silences import CompiledSilence, active_silence
from inbox.flow.routing.incidents import IncidentWriter, write_changes
from inbox.flow.routing.routing_config import RoutingConfig
from inbox.flow.routing.silence_coverage import silence_incident, unsilence_incident
from inbox.flow.timers import batch_size
from inbox.flow.timers.batch_size import MAX_INCIDENTS
from inbox.flow.unit_of_work import AfterCommit
from inbox.models.deliveries import deferred as deferred_deliveries
from inbox.models.events import queue as event_queue
from inbox.models.incidents import batches as incident_batches
from inbox.models.incidents import lock as incident_lock
from inbox.models.incidents import timers
from inbox.models.incidents.tables import Timer
from inbox.models.incidents.timers import Reschedule
from inbox.models.routing import silences
from inbox.models.routing.silences import IN_FLIGHT_GRACE, MatchableIncident, Silence
from inbox.runtime.queue import QueueName

RECHECK, STRAY_CHECK = silences.RECHECK, silences.EXPIRY_CHECK
TRANSITION = "silence.transition"
"""The kind of timer that is due when a silence begins, ends or was changed."""

CHANGED_LATE = "silence.changed_late"
"""The kind of timer that applies a changed match again, to incidents that the old match covered meanwhile."""

BATCH = MAX_INCIDENTS
"""The number of incidents that are checked, and at most changed, in one transaction. With many destinations it is lower."""

COSTLY_CHUNK = 5
"""The number of incidents after which the time of a transaction is checked, if a match may be costly."""

BATCH_SECONDS = 0.5
"""The time after which a transaction checks no further incidents. The next one resumes."""


def apply_transition(timer: Timer, now: datetime, done: AfterCommit) -> Reschedule | None:
    """Covers or releases incidents when a silence begins, ends or was changed, and schedules its next change.

    A concurrent change of the silence sets the timer again.
    """
    silence = _find(timer.subject_id)
    if silence is not None and silence.deleted_at is None:
        done.publish_change("silence", silence.id, silence.workspace_id, rev=silence.rev)
    resume_after = _batch(timer, silence, now, done)
    if resume_after is not None:
        return Reschedule(now, resume_after)
    timers.set_timer(RECHECK, timer.subject_id, timer.workspace_id, now + IN_FLIGHT_GRACE)
    following = None if silence is None else _compiled(silence).active.next_change(now)
    if following is None:
        return None
    done.wake(QueueName.TIMERS, following)
    return Reschedule(following)


def recheck(timer: Timer, now: datetime, done: AfterCommit) -> Reschedule | None:
    """Repeats the check, because an incident whose event was routed during the change is visible only now.

    After an edit, it also releases incidents that the former match covered meanwhile. A late check does nothing when a
    transition is due as well: that one checks all incidents, in its turn among their timers.
    """
    if timers.reload_if_due(TRANSITION, timer.subject_id, now) is not None:
        return None
    resume_after = _batch(timer, _find(timer.subject_id), now, done)
    return None if resume_after is None else Reschedule(now, resume_after)


def release_strays(timer: Timer, now: datetime, done: AfterCommit) -> Reschedule | None:
    """Releases incidents that a worker covered after the silence had ended, without knowing that it had."""
    silence = _find(timer.subject_id)
    if silence is not None and _compiled(silence).active.covers(now):
        return None
    return recheck(timer, now, done)


def _find(silence_id: UUID) -> Silence | None:
    """Returns the silence, even a deleted one, because the timeline entry of a release names it."""
    found: Silence | None = Silence.get_or_none(Silence.id == silence_id)
    return found


def _compiled(silence: Silence) -> CompiledSilence:
    """Compiles the silence. A deleted one is never active."""
    compiled = CompiledSilence.of(silence)
    return compiled if silence.deleted_at is None else compiled._replace(active=ActivePeriods(()))


def _batch(timer: Timer, silence: Silence | None, now: datetime, done: AfterCommit) -> UUID | None:
    """Covers or releases the next incidents as needed; returns the last one, None after the final batch.

    Incidents are matched before any is locked. If the silence began or ended since the last batch, the scan restarts.
    """
    compiled = None if silence is None else _compiled(silence)
    active = compiled if compiled is not None and compiled.active.covers(now) else None
    changed_at = None if compiled is None else compiled.active.next_change(timer.due_at)
    after = None if changed_at is not None and changed_at <= now else timer.resume_after
    config = batch_size.config_of(timer.workspace_id, now)
    batch = batch_size.of_config(config, BATCH)
    incidents = _next(timer, active, after, batch)
    others = _others(timer, config) if any(incidents.values()) else []
    checked = _check(incidents, active, others)
    if checked.released or checked.to_cover:
        changed = [*checked.released, *checked.to_cover]
        _change(timer, changed, checked.released, [*others, *([compiled] if compiled else [])], now, done)
    return None if checked.is_complete and len(incidents) < batch else checked.last


class _Checked(NamedTuple):
    """The incidents to release and to cover, whether all were checked, and the last checked one."""

    released: dict[UUID, MatchableIncident]
    to_cover: list[UUID]
    is_complete: bool
    last: UUID | None


def _check(
    incidents: Mapping[UUID, bool], active: CompiledSilence | None, others: Sequence[CompiledSilence]
) -> _Checked:
    """Matches these incidents in their order, chunk by chunk, until all are checked or the time is over."""
    released, to_cover, count = dict[UUID, MatchableIncident](), list[UUID](), 0
    ordered, until = list(incidents), time.monotonic() + BATCH_SECONDS
    is_costly = any(each.cost is not None for each in (*others, *([active] if active else [])))
    size = COSTLY_CHUNK if is_costly else BATCH
    while count < len(ordered) and (not count or time.monotonic() < until):
        chunk = ordered[count : count + size]
        released |= _to_release([id for id in chunk if incidents[id]], active, others)
        to_cover += _to_cover([id for id in chunk if not incidents[id]], active)
        count += len(chunk)
    return _Checked(released, to_cover, count == len(ordered), ordered[count - 1] if count else None)


def _next(timer: Timer, active: CompiledSilence | None, after: UUID | None, batch: int) -> dict[UUID, bool]:
    """Returns the incidents to check, and whether the silence covers them.

    A covered incident stays covered until the silence changes, even if its later events do not match.
    """
    if active is None:
        return incident_batches.silenced_by(timer.subject_id, after, batch)
    if timer.kind not in (TRANSITION, CHANGED_LATE):
        return incident_batches.unsilenced(timer.workspace_id, active.source_ids, after, batch)
    return incident_batches.affected_by(active.id, timer.workspace_id, active.source_ids, after, batch)


def _others(timer: Timer, config: RoutingConfig) -> list[CompiledSilence]:
    """Returns the other silences of the workspace, as they are compiled for routing. Ended silences are never active."""
    return [silence for silence in config.silences if silence.id != timer.subject_id]


def _to_release(
    covered_ids: Sequence[UUID], active: CompiledSilence | None, others: Iterable[CompiledSilence]
) -> dict[UUID, MatchableIncident]:
    """Returns the covered incidents to release: all while the silence is inactive, else the ones that do not match."""
    candidates = others if active is None else [*others, active]
    found = silences.matchable_incidents(covered_ids, frozenset().union(*(each.needs for each in candidates)))
    return {
        one.incident_id: one
        for one in found
        if active is None or not active.matches_source_and_event(one.views, one.source)
    }


def _to_cover(unsilenced: Sequence[UUID], active: CompiledSilence | None) -> list[UUID]:
    """Returns the incidents that the silence should cover and no silence covers."""
    if active is None:
        return []
    found = silences.matchable_incidents(unsilenced, active.needs)
    return [one.incident_id for one in found if active.matches_source_and_event(one.views, one.source)]


def _change(
    timer: Timer,
    incident_ids: Sequence[UUID],
    released: Mapping[UUID, MatchableIncident],
    compiled_silences: Sequence[CompiledSilence],
    now: datetime,
    done: AfterCommit,
) -> None:
    """Locks incidents in the order of their ids, and changes them. Skips a concurrently changed incident."""
    locked, name = (
        incident_lock.lock_many(timer.workspace_id, incident_ids),
        next((e.name for e in compiled_silences if e.id == timer.subject_id), None),
    )
    others = [each for each in compiled_silences if each.id != timer.subject_id]
    unsent = deferred_deliveries.skipped_under_silence(released)
    writer = IncidentWriter(now, done, event_queue.source_contexts({incident.source_id for incident in locked}))
    for incident in locked:
        latest_event = released.get(incident.id)
        if latest_event is None:
            silence_incident(incident, timer.subject_id, writer, name)
        elif incident.state_values.state is State.SILENCED and incident.state_values.silenced_by == timer.subject_id:
            other = active_silence(others, latest_event.views, latest_event.source, now)
            unsilence_incident(incident, other, writer, name, has_unsent=incident.id in unsent)
    write_changes(writer)
