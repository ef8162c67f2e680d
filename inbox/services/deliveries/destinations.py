"""Use cases of destinations: create, edit, test, delete (specification 9.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import peewee

from inbox.config import settings
from inbox.database.base import connection_released, new_id
from inbox.destinations import KINDS, PERSONAL_KINDS, WITH_DIGESTS, Config, kind, outbound_policy
from inbox.destinations.base import RenewingKind
from inbox.domain.values.refusals import Conflict, Fault, NotFound, RateLimited, ValidationFailed, check_rev
from inbox.domain.workspaces.audit_actions import AuditAction
from inbox.flow.delivery.changes import publish_changes
from inbox.flow.delivery.resume import release_held, resume
from inbox.flow.delivery.senders import AttemptOutcome, decrypted_config
from inbox.flow.delivery.test_send import send_test
from inbox.flow.timers import recheck, reschedule
from inbox.flow.unit_of_work import AfterCommit, work
from inbox.limits import rates
from inbox.models.deliveries import contacts, messages
from inbox.models.deliveries import deferred as deferred_deliveries
from inbox.models.deliveries import results as delivery_results
from inbox.models.deliveries.destination_state import DestinationState
from inbox.models.deliveries.destinations import Destination, start_again
from inbox.models.routing import routing_config
from inbox.runtime import sealing
from inbox.runtime.queue import QueueName
from inbox.services.deliveries import destination_texts
from inbox.services.oncall import schedules
from inbox.services.records import audit, record_limits
from inbox.services.routing import references

MAX_DESTINATIONS = 500
"""The destinations of a workspace. A notice goes to each at most once, so this bounds the deliveries of a notice."""

TOO_MANY = "A workspace has at most {} destinations. Delete one that is not used."

TRIES = 3
RECORDED = (
    *("name", "kind", "config", "enabled", "send_updates", "send_notes", "min_severity", "quiet_hours_threshold"),
    *("digest", "template", "include_details", "for_contact_methods", "stopped_at", "stopped_reason", "created_at"),
)
"""The columns of a deleted destination that the audit log keeps, without secrets."""


def existing(workspace_ids: Sequence[UUID]) -> peewee.ModelSelect:
    """Select the destinations of these workspaces that are not deleted. Phones belong to their devices and are not in it."""
    own = Destination.workspace.in_(list(workspace_ids)) & Destination.deleted_at.is_null()
    return Destination.select().where(own, Destination.device_id.is_null(), Destination.owner_id.is_null())


def deleted(workspace_ids: Sequence[UUID]) -> peewee.ModelSelect:
    """Select the deleted destinations of these workspaces that the purge has not removed."""
    own = Destination.workspace.in_(list(workspace_ids)) & Destination.deleted_at.is_null(False)
    return Destination.select().where(own, Destination.device_id.is_null(), Destination.owner_id.is_null())


def find(destination_id: UUID) -> Destination | None:
    """Return the destination, or None when it is unknown or deleted."""
    found: Destination | None = Destination.get_or_none(
        Destination.id == destination_id,
        Destination.deleted_at.is_null(),
        Destination.device_id.is_null(),
        Destination.owner_id.is_null(),
    )
    return found


def find_any(destination_id: UUID) -> Destination | None:
    """Return the destination, deleted or not."""
    found: Destination | None = Destination.get_or_none(
        Destination.id == destination_id, Destination.device_id.is_null(), Destination.owner_id.is_null()
    )
    return found


def create(workspace_id: UUID, fields: Mapping[str, Any], *, now: datetime) -> Destination:
    """Create a destination. Raises `ValidationFailed` with pointers for an unknown kind and for invalid settings.

    Raises `Conflict` beyond `MAX_DESTINATIONS`.
    """
    config = checked_config(fields["kind"], fields["config"])
    check_choices(fields["kind"], fields)
    made = new_id(now)
    with work() as done:
        record_limits.lock_workspace(workspace_id)
        record_limits.check_room(existing([workspace_id]), MAX_DESTINATIONS, TOO_MANY)
        values = {**fields, **_row(config, made, workspace_id), "id": made, "created_at": now}
        destination: Destination = Destination.create(workspace=workspace_id, **values)
        _note("destination.created", destination, now, {"kind": destination.kind})
        done.publish_change("destination", made, workspace_id, op="created", rev=1)
    return Destination.get_by_id(made)  # with the database's defaults


def checked_config(of_kind: str, config: Mapping[str, Any], stored: DestinationState | None = None) -> Config:
    """Validate settings for storage. For a `stored` destination, absent settings stay unchanged.

    Raises `ValidationFailed` with pointers.
    """
    chosen = kind(of_kind, is_new=stored is None)
    stored_config = None if stored is None else decrypted_config(stored)
    with connection_released():
        return chosen.validate(config, outbound_policy.client().vet, stored_config)


def check_choices(of_kind: str, fields: Mapping[str, Any]) -> None:
    """Raise `ValidationFailed` for digests, templates and contact methods that the kind does not have, or that cannot be used."""
    _check_digest(of_kind, fields)
    if fields.get("for_contact_methods") and of_kind in KINDS and of_kind not in PERSONAL_KINDS:
        label = KINDS[of_kind].description.label
        raise ValidationFailed(errors=[Fault("/forContactMethods", f"{label} does not reach single people")])
    destination_texts.check_template(of_kind, fields)


def _check_digest(of_kind: str, fields: Mapping[str, Any]) -> None:
    """Raise `ValidationFailed` for digests of a kind that has none."""
    if fields.get("digest") is not None and of_kind in KINDS and of_kind not in WITH_DIGESTS:
        label = KINDS[of_kind].description.label
        raise ValidationFailed(errors=[Fault("/digest", f"{label} has no digests: it gets every notice at once")])


def vetted_of(destination: Destination, config: Mapping[str, Any]) -> Config:
    """Validate settings for a destination in its present state."""
    return checked_config(destination.kind, config, delivery_results.read(destination.id))


def edit(
    destination: Destination, fields: Mapping[str, Any], *, expected_rev: int | None, now: datetime
) -> Destination:
    """Change the given fields. Any edit resumes a stopped destination. Results for earlier settings are ignored.

    If the edit disables the destination, waiting deliveries are skipped. Raises `RevMismatch`, `NotFound`, and
    `ValidationFailed`.
    """
    check_choices(destination.kind, fields)
    for _ in range(TRIES):
        stored = delivery_results.read(destination.id)
        config = _edited_config(stored, fields["config"], now) if "config" in fields else None
        with work() as done:
            addressee = _locked(destination.id, expected_rev)
            if addressee.generation == stored.generation or config is None:
                return _write(addressee, fields, config, done, now)
    raise Conflict("Another request is changing the destination. Try again.")


def remove(destination: Destination, *, expected_rev: int | None, now: datetime) -> None:
    """Delete the destination. Waiting deliveries are skipped, and no new ones are created. Open calls finish.

    Raises `RevMismatch`, `NotFound`, and `Conflict` when a step of a routing profile has no other destination.
    """
    with work() as done:
        routing_config.bump_revision(destination.workspace_id)
        addressee = _locked(destination.id, expected_rev)
        references.detach_destination(addressee.id, addressee.workspace_id, done, now)
        schedules.detach_destination(addressee.id, addressee.workspace_id, done, now)
        before = Destination.get_by_id(destination.id)
        _note("destination.deleted", before, now, audit.removed(audit.columns(before, *RECORDED)))
        Destination.update(deleted_at=now, rev=Destination.rev + 1, generation=Destination.generation + 1).where(
            Destination.id == destination.id
        ).execute()
        publish_changes(done, delivery_results.skip([addressee.id], "deleted", now=now, due_only=False))
        recheck.schedule_with_recheck(reschedule.KINDS, addressee.workspace_id, addressee.workspace_id, now, done)
        done.publish_change("destination", addressee.id, addressee.workspace_id, op="deleted", rev=addressee.rev + 1)


def restore(destination: Destination, *, now: datetime) -> Destination:
    """Restore a deleted destination with its secrets. It is not stopped, and no route, rule or profile names it.

    Raises `Conflict` when it is not deleted, and beyond `MAX_DESTINATIONS`.
    """
    with work() as done:
        routing_config.bump_revision(destination.workspace_id)
        record_limits.check_room(existing([destination.workspace_id]), MAX_DESTINATIONS, TOO_MANY)
        addressee = delivery_results.lock([destination.id]).get(destination.id)
        if addressee is None:
            raise NotFound
        if not addressee.deleted:
            raise Conflict("It is not deleted.")
        start_again(addressee.id, deleted_at=None)
        restored: Destination = Destination.get_by_id(addressee.id)
        _note("destination.restored", restored, now, {"kind": restored.kind})
        done.publish_change("destination", restored.id, restored.workspace_id, op="created", rev=restored.rev)
    return restored


def test(destination: Destination, *, clock: Callable[[], datetime] | None = None) -> AttemptOutcome:
    """Send a test and wait for the response. Raises `RateLimited`, and `NotFound` when it was deleted meanwhile.

    The audit entry is written first, because the effect of the call cannot be undone.
    """
    ask = clock or _now
    a_minute = settings.current().test_sends_per_minute
    wait = rates.take(f"test:{destination.id}", a_minute, a_minute / 60, ask())
    if wait:
        raise RateLimited("Too many tests of this destination.", retry_after=wait)
    with work():
        _note("destination.tested", destination, ask())
    return send_test(destination.id, ask)


def _now() -> datetime:
    return datetime.now(UTC)


def _edited_config(stored: DestinationState, config: Mapping[str, Any], now: datetime) -> Config:
    found, of_kind = checked_config(stored.kind, config, stored), KINDS[stored.kind]
    return of_kind.renewed(found, decrypted_config(stored), now) if isinstance(of_kind, RenewingKind) else found


def _row(config: Config, destination_id: UUID, workspace_id: UUID) -> dict[str, Any]:
    place = sealing.associated_data("destinations", destination_id, workspace_id, "sealed")
    return {"config": dict(config.public), "sealed": sealing.current().seal(config.to_seal(), place)}


def _locked(destination_id: UUID, expected_rev: int | None) -> DestinationState:
    addressee = delivery_results.lock([destination_id]).get(destination_id)
    if addressee is None or addressee.deleted:
        raise NotFound
    check_rev(addressee.rev, expected_rev)
    return addressee


def _write(
    addressee: DestinationState, fields: Mapping[str, Any], config: Config | None, done: AfterCommit, now: datetime
) -> Destination:
    changes = {name: value for name, value in fields.items() if name != "config"}
    before: Destination = Destination.get_by_id(addressee.id)
    _note("destination.changed", before, now, audit.changes(before.__data__, fields, hidden=["config"]))
    if config is not None:
        changes |= {**_row(config, addressee.id, addressee.workspace_id), "next_call_at": None}
        messages.forget(addressee.id)
    start_again(addressee.id, **changes)
    for contact_id in contacts.of_provider(addressee.id):  # an edit may have mended what stopped them
        contact = delivery_results.lock([contact_id])[contact_id]
        if contact.stopped_at is not None:
            resume(contact, done, now=now)
    destination: Destination = Destination.get_by_id(addressee.id)
    if not destination.enabled:
        publish_changes(done, delivery_results.skip([addressee.id], "disabled", now=now, due_only=False))
    elif addressee.stopped_at is not None:
        publish_changes(done, release_held(addressee.id, addressee.kind, done, now=now))
    if deferred_deliveries.mark_due([addressee.id]):
        done.wake(QueueName.DELIVERY)
    if "digest" in fields:  # a notice that is created meanwhile may still follow the former setting
        kinds = (deferred_deliveries.RECHECK, deferred_deliveries.SECOND_RECHECK)
        recheck.schedule_with_recheck(kinds, addressee.workspace_id, addressee.workspace_id, now, done)
    done.publish_change("destination", addressee.id, addressee.workspace_id, rev=destination.rev)
    return destination


def _note(
    action: AuditAction, destination: Destination, now: datetime, details: Mapping[str, Any] | None = None
) -> None:
    """Record the act. The entry excludes the configuration (addresses, secrets) and states only that it changed."""
    about = audit.target("destination", destination.id, destination.name)
    audit.record(action, target=about, now=now, workspace_id=destination.workspace_id, details=details)
