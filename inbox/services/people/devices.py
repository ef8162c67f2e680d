"""Paired devices: they authenticate by tokens, which they refresh, until they are revoked (specification 11.10)."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import peewee

from inbox.domain.incidents.incident import Actor
from inbox.domain.people import device as rules
from inbox.domain.people.device import RefreshTokenUse
from inbox.domain.senders import keys
from inbox.domain.values.refusals import NotFound, RateLimited, Unauthenticated, check_rev
from inbox.domain.workspaces.roles import Role
from inbox.flow.unit_of_work import AfterCommit, work
from inbox.limits import rates
from inbox.live import feed
from inbox.models.people import devices as rows
from inbox.models.people.accounts import User
from inbox.models.people.devices import Device, DevicePairing, DeviceToken
from inbox.services.people import push_destinations
from inbox.services.records import audit

SEEN_EVERY = timedelta(minutes=1)
REFRESHES_PER_HOUR = 120
"""The limit of one device. Each refresh stores a row for as long as a reuse of its token is detectable."""


@dataclass(frozen=True, slots=True)
class PairedDevice:
    """The person of a device, and their role in each workspace that is not deleted."""

    device_id: UUID
    user_id: UUID
    name: str
    email: str
    is_instance_admin: bool
    roles: Mapping[UUID, Role]


@dataclass(frozen=True, slots=True)
class Tokens:
    """A pair of tokens, returned once. Only their SHA-256 is stored."""

    device_id: UUID
    access_token: str
    access_expires_at: datetime
    refresh_token: str
    refresh_expires_at: datetime


def find(token: str, now: datetime) -> PairedDevice | None:
    """Return the device of this access token.

    None when the token is unknown, replaced, expired or revoked, or the person is disabled. The time of the last use is
    written at most once a minute.
    """
    found = rows.by_access_token(keys.digest(token), now)
    if not found:
        return None
    first = found[0]
    if first["last_seen_at"] is None or first["last_seen_at"] <= now - SEEN_EVERY:
        Device.update(last_seen_at=now).where(Device.id == first["id"]).execute()
    return PairedDevice(
        device_id=first["id"],
        user_id=first["user_id"],
        name=first["name"],
        email=first["email"],
        is_instance_admin=first["is_instance_admin"],
        roles={row["workspace_id"]: Role(row["role"]) for row in found if row["workspace_id"] is not None},
    )


def of_person(user_id: UUID) -> peewee.ModelSelect[Device]:
    """Select the person's devices that are not revoked."""
    return Device.select().where(Device.user == user_id, Device.revoked_at.is_null())


def own(device_id: UUID, user_id: UUID) -> Device:
    """Return this person's device. Raises `NotFound` for an unknown or revoked device, and for another person's."""
    found: Device | None = of_person(user_id).where(Device.id == device_id).first()
    if found is None:
        raise NotFound
    return found


def rename(device: Device, name: str, *, expected_rev: int | None, now: datetime) -> Device:
    """Rename the device. Raises `NotFound` when it was revoked meanwhile, and `RevMismatch`."""
    with work() as done:
        locked = _locked(device.id, expected_rev)
        details = audit.changes({"name": locked.name}, {"name": name})
        locked.name = name
        locked.rev += 1
        locked.save(only=[Device.name, Device.rev])
        push_destinations.rename(locked)
        audit.record("device.renamed", target=_target(locked), now=now, details=details)
        done.publish_change("device", locked.id, None, rev=locked.rev, only=locked.user_id)
    return locked


def revoke(device: Device, *, expected_rev: int | None, now: datetime) -> None:
    """Revoke the device: its tokens from the next request on, its streams at once. Raises as `rename` does."""
    with work() as done:
        _revoke(_locked(device.id, expected_rev), now, done)


def end_all(user_id: UUID, now: datetime, done: AfterCommit, *, actor: Actor | None = None) -> int:
    """Revoke all devices and pending pairing codes of a person in the caller's unit of work.

    Return the number of devices.

    Used for a changed or reset password, and for an account that is disabled or closed. No concurrent claim of a code
    is missed, because both lock the person's row. `actor` is as in `audit.record`.
    """
    User.select(User.id).where(User.id == user_id).for_update("FOR NO KEY UPDATE").execute()
    DevicePairing.withdraw(DevicePairing.user == user_id)
    ended = list(of_person(user_id).order_by(Device.id).for_update())
    for device in ended:
        _revoke(device, now, done, actor=actor)
    return len(ended)


def issue(device: Device, now: datetime) -> Tokens:
    """Issue the token pair of the device's present generation. The caller has locked or just created its row."""
    tokens = Tokens(
        device_id=device.id,
        access_token=secrets.token_urlsafe(32),
        access_expires_at=now + rules.ACCESS,
        refresh_token=secrets.token_urlsafe(32),
        refresh_expires_at=now + rules.REFRESH,
    )
    issued = {"device": device.id, "generation": device.generation, "created_at": now}
    DeviceToken.insert_many(
        [
            {**issued, "hash": keys.digest(tokens.access_token), "kind": "access", "expires_at": now + rules.ACCESS},
            {**issued, "hash": keys.digest(tokens.refresh_token), "kind": "refresh", "expires_at": now + rules.REFRESH},
        ]
    ).execute()
    return tokens


def hand_off(device: Device, now: datetime) -> tuple[str, datetime]:
    """Issue the token by which the installed app takes over this device, with its expiry. It works once."""
    token, expires_at = secrets.token_urlsafe(32), now + rules.HAND_OFF
    DeviceToken.create(
        hash=keys.digest(token),
        device=device.id,
        kind="hand_off",
        generation=device.generation,
        created_at=now,
        expires_at=expires_at,
    )
    return token, expires_at


def take_over(token: str, now: datetime) -> Tokens:
    """Exchange a hand-off token for the first pair of its device. Raises `Unauthenticated`, the same for any fault."""
    with work():
        device_id = DeviceToken.take_hand_off(keys.digest(token), now)
        device = rows.lock(device_id) if device_id is not None else None
        if device is None:
            raise Unauthenticated(REFUSED)
        return issue(device, now)


def refresh(token: str, now: datetime) -> Tokens:
    """Exchange a refresh token for the next pair, which replaces the earlier pair.

    A token that was replaced less than a minute ago also gets a pair, which ends the lost one. Later use of a replaced
    token revokes the device. Concurrent calls are processed one after the other, and the last pair is valid. Raises
    `Unauthenticated`, the same for any fault, and `RateLimited`.
    """
    digest = keys.digest(token)
    device_id = rows.holder_of_refresh_token(digest, now)
    if device_id is None:
        raise Unauthenticated(REFUSED)
    bucket = f"refresh:device:{device_id.hex}"
    wait = rates.take(bucket, REFRESHES_PER_HOUR, REFRESHES_PER_HOUR / 3600, now)
    if wait:
        audit.throttled(bucket, now, about=User.get_or_none(User.id == Device.get_by_id(device_id).user_id))
        raise RateLimited("This device refreshes its tokens too often.", retry_after=wait)
    with work() as done:
        tokens = _rotated(device_id, digest, now, done)
    if tokens is None:  # after the commit, because an exception within it would roll it back
        raise Unauthenticated(REFUSED)
    return tokens


REFUSED = "This credential is not valid here."


def _rotated(device_id: UUID, digest: bytes, now: datetime, done: AfterCommit) -> Tokens | None:
    device = rows.lock(device_id)
    shown = DeviceToken.get_or_none(DeviceToken.hash == digest)
    if device is None or shown is None:
        return None
    match rules.classify(shown.rotated_at, now):
        case RefreshTokenUse.REUSED:
            _revoke(device, now, done, actor=audit.SYSTEM, because="refreshTokenReused")
            return None
        case RefreshTokenUse.LOST_RESPONSE:
            since = shown.rotated_at  # the minute starts at the first rotation: a repeated request does not extend it
        case RefreshTokenUse.NEWEST:
            since = now
    DeviceToken.replace_pair(device, since)
    device.generation += 1
    device.save(only=[Device.generation])
    return issue(device, now)


def _revoke(device: Device, now: datetime, done: AfterCommit, *, actor: Actor | None = None, because: str = "") -> None:
    device.revoked_at = now
    device.rev += 1
    device.save(only=[Device.revoked_at, Device.rev])
    record = audit.columns(device, "name", "platform", "created_at", "last_seen_at")
    details = {**audit.removed(record), **({"because": because} if because else {})}
    audit.record("device.revoked", target=_target(device), now=now, actor=actor, details=details)
    push_destinations.remove(push_destinations.of_device(device.id), now, done)
    done.publish_change("device", device.id, None, op="deleted", rev=device.rev, only=device.user_id)
    done.after(lambda: feed.close_streams(device_id=device.id))


def _locked(device_id: UUID, expected_rev: int | None) -> Device:
    device = rows.lock(device_id)
    if device is None:
        raise NotFound
    check_rev(device.rev, expected_rev)
    return device


def _target(device: Device) -> audit.Target:
    return audit.target("device", device.id, device.name, user_id=device.user_id)
