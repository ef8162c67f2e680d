"""Pairing: a signed-in person shows a code, and the device that sends it then acts for them.

Specification 11.10.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NoReturn
from uuid import UUID

from inbox.config import settings
from inbox.database.base import new_id
from inbox.domain.people import pairing as rules
from inbox.domain.values.networks import network
from inbox.domain.values.refusals import NotFound, PairingInvalid, RateLimited
from inbox.flow.unit_of_work import work
from inbox.limits import rates
from inbox.models.people.accounts import User
from inbox.models.people.devices import Device, DevicePairing
from inbox.services.people import devices
from inbox.services.people.devices import Tokens
from inbox.services.records import audit
from inbox.services.records.record_limits import check_room, lock_person

HOUR = 3600
MAX_DEVICES = 50
"""The paired devices of a person."""


class Status(StrEnum):
    """The status of a pairing. A code with too many wrong attempts counts as expired."""

    PENDING = "pending"
    CLAIMED = "claimed"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class Claim:
    """The result of a claim: tokens for the device, or a hand-off token for the app to install."""

    user: User
    device_id: UUID
    tokens: Tokens | None = None
    hand_off: tuple[str, datetime] | None = None


def start(user_id: UUID, session_id: UUID, now: datetime) -> tuple[DevicePairing, str]:
    """Create a code for this session and return it once. The session's earlier code becomes invalid.

    The pairing's id becomes the device's id. Raises `Conflict` beyond `MAX_DEVICES`.
    """
    code = rules.code(secrets.token_bytes(rules.RANDOM_BYTES))
    letters = rules.parse(code) or ""
    with work():
        _check_room(user_id)
        DevicePairing.withdraw(DevicePairing.session == session_id)
        pairing: DevicePairing = DevicePairing.create(
            id=new_id(now),
            user=user_id,
            session=session_id,
            selector=rules.selector(letters),
            code_hash=_digest(letters),
            created_at=now,
            expires_at=now + rules.LIFETIME,
        )
    return pairing, code


def of_session(pairing_id: UUID, session_id: UUID) -> DevicePairing:
    """Return the pairing that this session started. Raises `NotFound` for any other."""
    own_pairing = (DevicePairing.id == pairing_id) & (DevicePairing.session == session_id)
    found: DevicePairing | None = DevicePairing.get_or_none(own_pairing)
    if found is None:
        raise NotFound
    return found


def status(pairing: DevicePairing, now: datetime) -> Status:
    """Return the present status."""
    if pairing.claimed_at is not None:
        return Status.CLAIMED
    waits = pairing.expires_at > now and pairing.wrong_tries < rules.MAX_WRONG_ATTEMPTS
    return Status.PENDING if waits else Status.EXPIRED


def preview(code: str, now: datetime, *, address: str) -> tuple[User, datetime]:
    """Return whose account the code pairs with, and when the code expires. Counts as an attempt to claim it.

    Raises as `claim` does.
    """
    _throttled(address, now)
    letters = rules.parse(code)
    waiting = _waiting(letters, now) if letters is not None else None
    if waiting is None:
        _refuse(letters, now)
    return waiting.user, waiting.expires_at


def claim(code: str, name: str, now: datetime, *, address: str, platform: str = "", hand_off: bool = False) -> Claim:
    """Pair the device that sends this code. Of concurrent claims, one succeeds.

    With `hand_off` the tokens wait for the installed app, which has other storage than the browser that pairs.

    Raises `RateLimited` before the code is read, and `PairingInvalid`, the same for any fault of the code. Raises `Conflict`
    beyond `MAX_DEVICES`: several sessions may have a code.
    """
    _throttled(address, now)
    letters = rules.parse(code)
    claimed = _claimed(letters, _Named(name, platform, hand_off), now) if letters is not None else None
    if claimed is None:  # after the commit, which keeps the count of wrong attempts
        _refuse(letters, now)
    return claimed


def _refuse(letters: str | None, now: datetime) -> NoReturn:
    owner = DevicePairing.owner_of("" if letters is None else rules.selector(letters))
    with audit.refusals(owner, now, by="pairing"):
        raise PairingInvalid
    raise AssertionError("unreachable")


def _waiting(letters: str, now: datetime) -> DevicePairing | None:
    """Return the pairing that waits for these letters. Otherwise count the attempt."""
    waiting = DevicePairing.find_pending(rules.selector(letters), _digest(letters), now)
    if waiting is None:
        DevicePairing.count_wrong_attempt(rules.selector(letters), now)
    return waiting


@dataclass(frozen=True, slots=True)
class _Named:
    name: str
    platform: str
    hand_off: bool


def _claimed(letters: str, named: _Named, now: datetime) -> Claim | None:
    with work() as done:
        waiting = _waiting(letters, now)
        if waiting is None:
            return None
        # Lock the person first, as everywhere: a concurrent password change then also ends this device, or its code.
        user = User.select().where(User.id == waiting.user_id).for_update("FOR SHARE").get()
        if not DevicePairing.claim(waiting.id, now):
            return None
        _check_room(user.id)
        device = Device.create(
            id=waiting.id,
            user=user,
            name=named.name,
            platform=named.platform,
            created_at=now,
            last_seen_at=None if named.hand_off else now,
        )
        DevicePairing.update(device=device).where(DevicePairing.id == waiting.id).execute()
        about, details = audit.target("device", device.id, device.name, user_id=user.id), {"platform": named.platform}
        audit.record("device.paired", target=about, now=now, actor=audit.person(user), details=details)
        done.publish_change("device", device.id, None, op="created", rev=device.rev, only=user.id)
        if named.hand_off:
            return Claim(user, device.id, hand_off=devices.hand_off(device, now))
        return Claim(user, device.id, tokens=devices.issue(device, now))


def _check_room(user_id: UUID) -> None:
    lock_person(user_id)
    paired = Device.select().where(Device.user == user_id, Device.revoked_at.is_null())
    check_room(paired, MAX_DEVICES, "A person has at most {} devices. Unpair one that you do not use.")


def _throttled(address: str, now: datetime) -> None:
    """Count attempts in the database, so that a flushed Redis does not reset them."""
    chosen = settings.current()
    buckets = {
        f"pairing:address:{network(address)}": chosen.pairing_attempts_per_address,
        "pairing:everywhere:": chosen.pairing_attempts,
    }
    for bucket, an_hour in buckets.items():
        wait = rates.take(bucket, an_hour, an_hour / HOUR, now)
        if wait:
            audit.throttled(bucket, now, about=None)
            raise RateLimited("Too many attempts to pair a device.", retry_after=wait)


def _digest(letters: str) -> bytes:
    """Compute the stored digest of a code. It is keyed, because 40 bits of a plain hash could be searched."""
    return hmac.new(settings.current().signing_key.encode(), b"pairing:" + letters.encode(), hashlib.sha256).digest()
