"""Use cases of push: the key of the instance, and the subscription of a device (specification 9.13)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from inbox.config import settings
from inbox.database.base import new_id
from inbox.destinations import PHONE, Config
from inbox.destinations.web_push import push_encryption
from inbox.destinations.web_push.push_encryption import BadSubscription
from inbox.domain.deliveries import push as rules
from inbox.domain.deliveries.push import EndpointRefused, PhoneAlerts, PhoneChoice
from inbox.domain.values.refusals import Conflict, Fault, NotFound, RateLimited, ValidationFailed
from inbox.flow.delivery.changes import publish_changes
from inbox.flow.delivery.resume import release_held, resume
from inbox.flow.delivery.senders import AttemptOutcome
from inbox.flow.delivery.test_send import send_test
from inbox.flow.unit_of_work import AfterCommit, work
from inbox.limits import rates
from inbox.models.deliveries import results as delivery_results
from inbox.models.deliveries.destinations import Destination, start_again
from inbox.models.deliveries.push_keys import PUSH_KEY_ID, PushKey
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.models.people import devices as device_rows
from inbox.models.people.devices import Device
from inbox.models.routing import routing_config
from inbox.runtime import sealing
from inbox.services.people import push_destinations
from inbox.services.records import audit
from inbox.services.records.record_limits import check_room, lock_workspace

MAX_PHONES = 10
"""The most devices of one person that are notified."""

MAX_PHONES_OF_WORKSPACE = 1_000
"""The most devices that are notified of the incidents of one workspace."""


@dataclass(frozen=True, slots=True)
class PushSubscription:
    """The subscription of a device, and its workspaces with what it gets of each."""

    endpoint: str
    p256dh: str
    auth: str
    hide_content: bool
    workspaces: Mapping[UUID, PhoneChoice]


def public_key(now: datetime) -> str:
    """Return the public key that browsers subscribe for. The first call creates the key pair."""
    return _key(now).public_key


def _key(now: datetime) -> PushKey:
    found: PushKey | None = PushKey.get_or_none(PushKey.id == PUSH_KEY_ID)
    if found is None:
        private, public = push_encryption.new_key()
        place = sealing.associated_data("push_keys", PUSH_KEY_ID, PUSH_KEY_ID, "sealed")
        row = {"sealed": sealing.current().seal(private.encode(), place), "created_at": now}
        PushKey.insert(id=PUSH_KEY_ID, public_key=public, **row).on_conflict_ignore().execute()
        found = PushKey.get_by_id(PUSH_KEY_ID)  # of two concurrent first calls, one created the key
    return found


def subscribe(device: Device, requested: PushSubscription, now: datetime) -> None:
    """Store the subscription of the device in place of its earlier one. Raises `ValidationFailed` and `Conflict`.

    A lost subscription works again, and deliveries that were held for it are sent.
    """
    _check(requested)
    key = _key(now)
    place = sealing.associated_data("push_keys", PUSH_KEY_ID, PUSH_KEY_ID, "sealed")
    private_key = sealing.current().open(key.sealed, place).decode()
    secrets = {
        "endpoint": requested.endpoint,
        "p256dh": requested.p256dh,
        "auth": requested.auth,
        "privateKey": private_key,
    }
    config = Config({"hideContent": requested.hide_content}, secrets)
    with work() as done:
        for workspace_id in sorted(requested.workspaces):
            lock_workspace(workspace_id)
        locked = _locked(device)
        existing = {each.workspace_id: each for each in push_destinations.of_device(device.id)}
        before = _choices(existing.values())
        unwanted = [each.id for each in existing.values() if each.workspace_id not in requested.workspaces]
        push_destinations.remove(Destination.select().where(Destination.id.in_(unwanted)), now, done)
        for workspace_id, choice in sorted(requested.workspaces.items()):
            _write(locked, _Subscription(workspace_id, existing.get(workspace_id), choice), config, now, done)
        after = _choices(push_destinations.of_device(device.id))
        if before != after:
            _note(locked, now, audit.changes(before, after))
        done.publish_change("device", device.id, None, rev=locked.rev, only=locked.user_id)


def unsubscribe(device: Device, now: datetime) -> None:
    """Delete the subscription of the device. A device without one stays unchanged."""
    with work() as done:
        locked = _locked(device)
        removed = push_destinations.remove(push_destinations.of_device(device.id), now, done)
        if removed:
            _note(locked, now, audit.changes(_choices(removed), _choices([])))
            done.publish_change("device", device.id, None, rev=locked.rev, only=locked.user_id)


def test(device: Device, clock: Callable[[], datetime] | None = None) -> AttemptOutcome:
    """Send a test to the device, once. Raises `Conflict` without a subscription, and `RateLimited`."""
    ask = clock or _now
    a_minute = settings.current().test_sends_per_minute
    wait = rates.take(f"test:device:{device.id}", a_minute, a_minute / 60, ask())
    if wait:
        raise RateLimited("Too many tests of this device.", retry_after=wait)
    first = (
        push_destinations.of_device(device.id).where(Destination.sealed.is_null(False)).order_by(Destination.id).first()
    )
    if first is None:
        raise Conflict("This device has no push subscription. Turn notifications on in its app.")
    outcome = send_test(first.id, ask)
    if outcome.receipt.is_accepted:
        _resume(device, ask())
    return outcome


def _resume(device: Device, now: datetime) -> None:
    """Resume the stopped destinations of the device, because their shared subscription works."""
    with work() as done:
        found = push_destinations.of_device(device.id).where(Destination.sealed.is_null(False))
        for destination in delivery_results.lock([each.id for each in found]).values():
            if destination.stopped_reason is not None and not destination.deleted:
                resume(destination, done, now=now)
                done.publish_change("destination", destination.id, destination.workspace_id, rev=destination.rev)


def _now() -> datetime:
    return datetime.now(UTC)


def _check(requested: PushSubscription) -> None:
    faults = []
    try:
        rules.endpoint(requested.endpoint, settings.current().push_hosts)
    except EndpointRefused as refused:
        faults.append(Fault("/endpoint", str(refused)))
    checks: Sequence[tuple[str, Callable[[str], object], str]] = (
        ("p256dh", push_encryption.public_key, requested.p256dh),
        ("auth", push_encryption.auth_secret, requested.auth),
    )
    for name, check, value in checks:
        try:
            check(value)
        except BadSubscription as bad:
            faults.append(Fault(f"/keys/{name}", str(bad)))
    if faults:
        raise ValidationFailed(errors=faults)


def _locked(device: Device) -> Device:
    """Lock and return the device, within the limit of its person's phones. Raises `NotFound` and `Conflict`."""
    locked = device_rows.lock(device.id)
    if locked is None:
        raise NotFound
    others = Device.select(Device.id).where(Device.user == device.user_id, Device.id != device.id)
    subscribed = Destination.select(Destination.device_id).where(
        Destination.device_id.in_(others), Destination.deleted_at.is_null()
    )
    if subscribed.distinct().count() >= MAX_PHONES:
        raise Conflict(f"At most {MAX_PHONES} of your devices receive notifications. Unpair one that you do not use.")
    return locked


@dataclass(frozen=True, slots=True)
class _Subscription:
    """The notices of one workspace for a device, and its destination if there is one."""

    workspace_id: UUID
    existing: Destination | None
    choice: PhoneChoice

    @property
    def alerts(self) -> PhoneAlerts:
        """The wanted alerts, else those of before. A new phone gets all, or only those of shifts where a schedule exists."""
        if self.choice.alerts is not None:
            return self.choice.alerts
        if self.existing is not None:
            return PhoneAlerts(self.existing.alerts)
        own = (OnCallSchedule.workspace_id == self.workspace_id) & OnCallSchedule.deleted_at.is_null()
        return PhoneAlerts.ON_CALL if OnCallSchedule.select().where(own).exists() else PhoneAlerts.ALL


def _write(device: Device, subscription: _Subscription, config: Config, now: datetime, done: AfterCommit) -> None:
    made = subscription.existing.id if subscription.existing is not None else new_id(now)
    place = sealing.associated_data("destinations", made, subscription.workspace_id, "sealed")
    values: dict[str, Any] = {
        "name": device.name,
        "config": dict(config.public),
        "sealed": sealing.current().seal(config.to_seal(), place),
        "min_severity": subscription.choice.min_severity,
        "alerts": str(subscription.alerts),
    }
    if subscription.existing is None:
        of_workspace = (Destination.workspace == subscription.workspace_id) & Destination.deleted_at.is_null()
        phones = Destination.select().where(of_workspace, Destination.device_id.is_null(False))
        routing_config.bump_revision(subscription.workspace_id)
        check_room(phones, MAX_PHONES_OF_WORKSPACE, "A workspace notifies at most {} phones.")
        Destination.create(
            id=made,
            workspace=subscription.workspace_id,
            kind=PHONE,
            device_id=device.id,
            send_notes=False,
            created_at=now,
            **values,
        )
        return
    [addressee] = delivery_results.lock([made]).values()
    start_again(made, **values, next_call_at=None)
    if addressee.stopped_at is not None:
        publish_changes(done, release_held(made, PHONE, done, now=now))


def _choices(found: Any) -> dict[str, Any]:
    """Return the record for the audit log: the workspaces with what it gets of each, and whether content is hidden."""
    rows = list(found)
    return {
        "workspaces": {
            str(each.workspace_id): {"minSeverity": each.min_severity, "alerts": each.alerts} for each in rows
        },
        "hideContent": any(each.config.get("hideContent") for each in rows),
    }


def _note(device: Device, now: datetime, details: Mapping[str, Any]) -> None:
    about = audit.target("device", device.id, device.name, user_id=device.user_id)
    audit.record("device.push_changed", target=about, now=now, details=details)
