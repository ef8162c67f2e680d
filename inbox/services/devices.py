"""Paired devices: known by their tokens, which they refresh by themselves, until they are revoked.

Specification 11.10.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import peewee

from inbox import rate_limit
from inbox.domain import device as rules
from inbox.domain import keys
from inbox.domain.device import RefreshTokenUse
from inbox.domain.incident import Actor
from inbox.domain.refusals import NotFound, RateLimited, Unauthenticated, check_rev
from inbox.domain.roles import Role
from inbox.flow.unit_of_work import AfterCommit, work
from inbox.live import feed
from inbox.models.tables import devices as rows
from inbox.models.tables.accounts import User
from inbox.models.tables.devices import Device, DevicePairing, DeviceToken
from inbox.services import audit

SEEN_EVERY = timedelta(minutes=1)
REFRESHES_PER_HOUR = 120
"""Of one device; each leaves a row behind for as long as its re-use is to be seen."""


@dataclass(frozen=True, slots=True)
class PairedDevice:
    """Whom a device acts for, and their role in each workspace that is not deleted."""

    device_id: UUID
    user_id: UUID
    name: str
    email: str
    is_instance_admin: bool
    roles: Mapping[UUID, Role]


@dataclass(frozen=True, slots=True)
class Tokens:
    """A pair of tokens, told once; only their SHA-256 is kept."""

    device_id: UUID
    access_token: str
    access_expires_at: datetime
    refresh_token: str
    refresh_expires_at: datetime


def find(token: str, now: datetime) -> PairedDevice | None:
    """Whose device has this access token; None when it is unknown, replaced, expired, revoked, or its person disabled.

    The time of the last use is written at most once a minute.
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
    """The person's devices that are not revoked."""
    return Device.select().where(Device.user == user_id, Device.revoked_at.is_null())


def own(device_id: UUID, user_id: UUID) -> Device:
    """This person's device; raises `NotFound` for anybody else's, a revoked one, and one that never was."""
    found: Device | None = of_person(user_id).where(Device.id == device_id).first()
    if found is None:
        raise NotFound
    return found


def rename(device: Device, name: str, *, expected_rev: int | None, now: datetime) -> Device:
    """Give it another name. Raises `NotFound` when it was revoked meanwhile, and `RevMismatch`."""
    with work() as done:
        locked = _locked(device.id, expected_rev)
        details = audit.changes({"name": locked.name}, {"name": name})
        locked.name = name
        locked.rev += 1
        locked.save(only=[Device.name, Device.rev])
        audit.record("device.renamed", target=_target(locked), now=now, details=details)
        done.publish_change("device", locked.id, None, rev=locked.rev, only=locked.user_id)
    return locked


def revoke(device: Device, *, expected_rev: int | None, now: datetime) -> None:
    """End the device: its tokens from the next request on, its streams at once. Raises as `rename` does."""
    with work() as done:
        _revoke(_locked(device.id, expected_rev), now, done)


def end_all(user_id: UUID, now: datetime, done: AfterCommit, *, actor: Actor | None = None) -> int:
    """Revoke all devices of a person within the caller's unit of work, with the codes that wait for one; answers how many.

    For a changed or reset password, and an account that is disabled or closed. No code that is being
    claimed at this moment slips through: both hold the person's row. `actor` as in `audit.record`.
    """
    User.select(User.id).where(User.id == user_id).for_update("FOR NO KEY UPDATE").execute()
    DevicePairing.withdraw(DevicePairing.user == user_id)
    ended = list(of_person(user_id).order_by(Device.id).for_update())
    for device in ended:
        _revoke(device, now, done, actor=actor)
    return len(ended)


def issue(device: Device, now: datetime) -> Tokens:
    """The pair of the device's present generation; the caller holds its row, or has just made it."""
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


def refresh(token: str, now: datetime) -> Tokens:
    """The next pair for a refresh token; from now on it is the device's only one.

    A token that was replaced less than a minute ago gets a pair too, which ends the one that was lost; later its use
    revokes the device. Of any number at once each is decided after the other, and the last pair is good. Raises
    `Unauthenticated`, the same for whatever is wrong, and `RateLimited`.
    """
    digest = keys.digest(token)
    device_id = rows.holder_of_refresh_token(digest, now)
    if device_id is None:
        raise Unauthenticated(REFUSED)
    bucket = f"refresh:device:{device_id.hex}"
    wait = rate_limit.take(bucket, REFRESHES_PER_HOUR, REFRESHES_PER_HOUR / 3600, now)
    if wait:
        audit.throttled(bucket, now, about=User.get_or_none(User.id == Device.get_by_id(device_id).user_id))
        raise RateLimited("This device refreshes its tokens too often.", retry_after=wait)
    with work() as done:
        tokens = _rotated(device_id, digest, now, done)
    if tokens is None:  # after the commit, which a refusal within it would undo
        raise Unauthenticated(REFUSED)
    return tokens


REFUSED = "This credential is not valid here."


def _rotated(device_id: UUID, digest: bytes, now: datetime, done: AfterCommit) -> Tokens | None:
    device = rows.locked(device_id)
    shown = DeviceToken.get_or_none(DeviceToken.hash == digest)
    if device is None or shown is None:
        return None
    match rules.classify(shown.rotated_at, now):
        case RefreshTokenUse.REUSED:
            _revoke(device, now, done, actor=audit.SYSTEM, because="refreshTokenReused")
            return None
        case RefreshTokenUse.LOST_ANSWER:
            since = shown.rotated_at  # the minute is that of the first rotation: to ask again does not prolong it
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
    done.publish_change("device", device.id, None, op="deleted", rev=device.rev, only=device.user_id)
    done.after(lambda: feed.close_streams(device_id=device.id))


def _locked(device_id: UUID, expected_rev: int | None) -> Device:
    device = rows.locked(device_id)
    if device is None:
        raise NotFound
    check_rev(device.rev, expected_rev)
    return device


def _target(device: Device) -> audit.Target:
    return audit.target("device", device.id, device.name, user_id=device.user_id)
