"""Use cases of silences: preview, create, edit, extend, end, delete (specification 8.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from inbox.database.base import new_id
from inbox.domain.routing import matchers
from inbox.domain.routing import silences as rules
from inbox.domain.routing.active_periods import ActivePeriods, SilenceState
from inbox.domain.values import ids, times
from inbox.domain.values.ids import Prefix
from inbox.domain.values.refusals import Conflict, Fault, ValidationFailed, collect_faults
from inbox.domain.workspaces.audit_actions import AuditAction
from inbox.flow.routing.routing_config import SILENCE_GRACE
from inbox.flow.timers.silences import CHANGED_LATE, TRANSITION
from inbox.flow.unit_of_work import AfterCommit, work
from inbox.models.incidents import timers
from inbox.models.routing import routing_config, silences
from inbox.models.routing.silences import IN_FLIGHT_GRACE, Silence
from inbox.runtime import work_budget
from inbox.runtime.queue import QueueName
from inbox.services.records import audit, match_costs, reference_checks
from inbox.services.records.record_limits import check_room
from inbox.services.records.resources import Resource
from inbox.services.routing.rules import read_match

MAX_SILENCES = 500
"""The maximum number of silences of a workspace that have not ended."""

MAX_ENDED = 1_000
"""The maximum number of silences of a workspace that ended within `SILENCE_GRACE`. Routing loads them, too."""

TOO_MANY_ENDED = "A workspace has at most {} silences that ended within 24 hours. Delete some that ended."

MAX_SHOWN = 50
SHOWN_AHEAD = timedelta(days=7)
"""The time for which a silence shows its periods."""
OVER = "The silence has ended. Create a new one."

SILENCES = Resource(Silence, "silence", title=lambda silence: str(silence.comment[:100]))
existing, find = SILENCES.existing, SILENCES.find
deleted, find_any = SILENCES.deleted, SILENCES.find_any


def in_state(workspace_ids: Sequence[UUID], state: str, now: datetime, *, deleted: bool = False) -> Any:
    """Build the condition that a silence of these workspaces is `pending`, `active` or `expired`."""
    rows = silences.recurring(workspace_ids, now, deleted=deleted)
    recurring = [
        row.id
        for row in work_budget.spending(rows, "Name one workspace, or list silences of all states.")
        if ActivePeriods.of_stored(row).state(now) == state
    ]
    within = (Silence.starts_at <= now) & (Silence.ends_at > now)
    plain = {
        SilenceState.PENDING: Silence.starts_at > now,
        SilenceState.ACTIVE: within & Silence.recurrence.is_null(),
        SilenceState.EXPIRED: Silence.ends_at <= now,
    }
    return plain[SilenceState(state)] | Silence.id.in_(recurring)


def state_of(silence: Silence, now: datetime) -> SilenceState:
    """Return the present state."""
    return active_periods(silence).state(now)


def active_periods(silence: Silence) -> ActivePeriods:
    """Return the periods in which the silence is active."""
    return ActivePeriods.of_stored(silence)


def create(workspace_id: UUID, fields: Mapping[str, Any], *, by: UUID | None, now: datetime) -> Silence:
    """Create a silence, which starts now by default. `by` is None when no person creates it.

    Raises `ValidationFailed`, and `Conflict` beyond `MAX_SILENCES` or `MAX_ENDED`.
    """
    with work() as done:
        routing_config.bump_revision(workspace_id)
        _check_maximum(workspace_id, now)
        silence = build(workspace_id, fields, by=by, now=now)
        silence.save(force_insert=True)
        SILENCES.note("silence.created", silence, now, audit_view(silence))
        _apply_transition_now(silence, done, now, op="created")
    return silence


def edit(silence: Silence, fields: Mapping[str, Any], *, expected_rev: int | None, now: datetime) -> Silence:
    """Change the given fields. Incidents that no longer match are released, and newly matching ones are silenced.

    Raises `RevMismatch`, `NotFound`, `ValidationFailed`, and `Conflict` when the silence has ended.
    """
    with work() as done:
        silence = _locked(silence, expected_rev)
        if state_of(silence, now) is SilenceState.EXPIRED:
            raise Conflict(OVER)
        before = audit_view(silence)
        _fill(silence, fields, now)
        _changed("silence.changed", silence, before, done, now)
        timers.set_timer(CHANGED_LATE, silence.id, silence.workspace_id, now + IN_FLIGHT_GRACE)
    return silence


def extend(silence: Silence, ends_at: datetime, *, expected_rev: int | None, now: datetime) -> Silence:
    """Extend the silence.

    Raises as `edit`, and `ValidationFailed` for an end that is not later than the present one.
    """
    with work() as done:
        silence = _locked(silence, expected_rev)
        if state_of(silence, now) is SilenceState.EXPIRED:
            raise Conflict(OVER)
        if ends_at <= silence.ends_at:
            raise ValidationFailed(errors=[Fault("/endsAt", "Must be later than its current end.")])
        before = audit_view(silence)
        _fill(silence, {"ends_at": ends_at}, now)
        _changed("silence.extended", silence, before, done, now)
    return silence


def end(silence: Silence, *, expected_rev: int | None, now: datetime) -> Silence:
    """End the silence now. An ended one stays unchanged, and a pending one never starts. Raises as `edit`."""
    with work() as done:
        silence = _locked(silence, expected_rev)
        if state_of(silence, now) is not SilenceState.EXPIRED:
            before = audit_view(silence)
            silence.starts_at, silence.ends_at = min(silence.starts_at, now), now
            _changed("silence.ended", silence, before, done, now)
    return silence


def remove(silence: Silence, *, expected_rev: int | None, now: datetime) -> None:
    """Delete the silence and release its incidents. Raises `RevMismatch` and `NotFound`."""
    with work() as done:
        silence = _locked(silence, expected_rev)
        SILENCES.save(silence, deleted_at=now)
        SILENCES.note("silence.deleted", silence, now, audit.removed(audit_view(silence)))
        _apply_transition_now(silence, done, now, op="deleted")


def restore(silence: Silence, *, now: datetime) -> Silence:
    """Restore a deleted silence with its times. If it is active now, it covers matching incidents again.

    Raises `Conflict` when it is not deleted or beyond `MAX_SILENCES` or `MAX_ENDED`, and `ValidationFailed` when all silences
    cost too much.
    """
    with work() as done:
        routing_config.bump_revision(silence.workspace_id)
        silence = SILENCES.lock_deleted(silence)
        if silence.ends_at > now:
            _check_maximum(silence.workspace_id, now)
            if faults := _unaffordable(silence, now):
                raise ValidationFailed(errors=faults)
        else:
            _check_ended(silence.workspace_id, now)
        SILENCES.save(silence, deleted_at=None)
        SILENCES.note("silence.restored", silence, now, audit_view(silence))
        _apply_transition_now(silence, done, now, op="created")
    return silence


def audit_view(silence: Silence) -> dict[str, Any]:
    """Return the silence as the audit log shows it: with the field names of the API, the match as text."""
    return {
        "match": matchers.to_text(silence.match),
        "sourceIds": [ids.encode(Prefix.SOURCE, each) for each in silence.source_ids],
        "startsAt": times.rfc3339(silence.starts_at),
        "endsAt": times.rfc3339(silence.ends_at),
        "recurrence": silence.recurrence,
        "comment": silence.comment,
    }


def build(workspace_id: UUID, fields: Mapping[str, Any], *, by: UUID | None, now: datetime) -> Silence:
    """Build an unsaved silence, which starts now by default. Raises `ValidationFailed`."""
    silence = Silence(id=new_id(now), workspace_id=workspace_id, starts_at=now, created_by=by, created_at=now)
    _fill(silence, fields, now)
    return silence


def check_edit(silence: Silence, fields: Mapping[str, Any], now: datetime) -> None:
    """Check that an edit with these fields leaves the silence valid. Saves nothing. Raises `ValidationFailed`."""
    _fill(silence, fields, now)


def check(workspace_id: UUID, fields: Mapping[str, Any], now: datetime) -> None:
    """Check that sources belong to the workspace, and that the end is valid. Raises `ValidationFailed`."""
    faults = reference_checks.sources(workspace_id, fields.get("source_ids", ()), "/sourceIds")
    if "ends_at" in fields:
        faults += rules.end_faults(fields["ends_at"], now)
    if faults:
        raise ValidationFailed(errors=faults)


def _fill(silence: Silence, fields: Mapping[str, Any], now: datetime) -> None:
    """Set the given fields, if the resulting silence is valid."""
    for name in ("source_ids", "starts_at", "ends_at", "recurrence", "comment"):
        if name in fields:
            setattr(silence, name, fields[name])
    faults = reference_checks.sources(silence.workspace_id, fields.get("source_ids", ()), "/sourceIds")
    faults += rules.check(silence.starts_at, silence.ends_at, silence.recurrence, now)
    if silence.match is None or "match" in fields or "match_text" in fields:
        with collect_faults(faults):
            silence.match = read_match(fields)
            faults += _unaffordable(silence, now)
    if faults:
        raise ValidationFailed(errors=faults)


def _check_maximum(workspace_id: UUID, now: datetime) -> None:
    if existing([workspace_id]).where(Silence.ends_at > now).count() >= MAX_SILENCES:
        raise Conflict(f"A workspace has at most {MAX_SILENCES} silences that have not ended.")
    _check_ended(workspace_id, now)


def _check_ended(workspace_id: UUID, now: datetime) -> None:
    ended = existing([workspace_id]).where(Silence.ends_at <= now, Silence.ends_at > now - SILENCE_GRACE)
    check_room(ended, MAX_ENDED, TOO_MANY_ENDED)


def _unaffordable(silence: Silence, now: datetime) -> list[Fault]:
    """Limit the total cost of all silences, as of rules (`services.routing.rules`), because each opening evaluates all.

    Routing keeps silences for some time after their end.
    """
    others = existing([silence.workspace_id]).where(Silence.id != silence.id, Silence.ends_at > now - SILENCE_GRACE)
    unexpired, ended = others.where(Silence.ends_at > now), others.where(Silence.ends_at <= now)
    fault = match_costs.fault(silence.match, unexpired, "silences", ended=ended)
    return [Fault("/match", fault)] if fault else []


def _locked(silence: Silence, expected_rev: int | None) -> Silence:
    """Lock the silence. The workspace is locked first, as everywhere."""
    routing_config.bump_revision(silence.workspace_id)
    return SILENCES.lock(silence, expected_rev)


def _changed(
    action: AuditAction, silence: Silence, before: Mapping[str, Any], done: AfterCommit, now: datetime
) -> None:
    SILENCES.save(silence)
    SILENCES.note(action, silence, now, audit.changes(before, audit_view(silence)))
    _apply_transition_now(silence, done, now)


def _apply_transition_now(silence: Silence, done: AfterCommit, now: datetime, op: str = "changed") -> None:
    """Let a worker update the affected incidents now, because they may be many."""
    timers.set_timer(TRANSITION, silence.id, silence.workspace_id, now)
    done.wake(QueueName.TIMERS)
    SILENCES.publish(done, silence, op)
