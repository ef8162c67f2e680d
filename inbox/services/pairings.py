"""Pairing: a signed-in person shows a code, and the device that sends it acts for them from then on.

Specification 11.10.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from inbox import rate_limit, settings
from inbox.domain import pairing as rules
from inbox.domain.networks import network
from inbox.domain.refusals import NotFound, PairingInvalid, RateLimited
from inbox.flow.unit_of_work import work
from inbox.models.sql.base import new_id
from inbox.models.tables.accounts import User
from inbox.models.tables.devices import Device, DevicePairing
from inbox.services import audit, devices
from inbox.services.devices import Tokens

HOUR = 3600


class Status(StrEnum):
    """Where a pairing stands; a code that died of wrong tries counts as expired."""

    PENDING = "pending"
    CLAIMED = "claimed"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class Claim:
    """What a device is told that was paired."""

    user: User
    tokens: Tokens


def start(user_id: UUID, session_id: UUID, now: datetime) -> tuple[DevicePairing, str]:
    """A new code for this session, told once; the one that it showed before is void.

    The pairing's id becomes the device's.
    """
    code = rules.code(secrets.token_bytes(rules.RANDOM_BYTES))
    letters = rules.read(code) or ""
    with work():
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
    """The pairing that this session began; raises `NotFound` for anybody else's."""
    mine = (DevicePairing.id == pairing_id) & (DevicePairing.session == session_id)
    found: DevicePairing | None = DevicePairing.get_or_none(mine)
    if found is None:
        raise NotFound
    return found


def status(pairing: DevicePairing, now: datetime) -> Status:
    """Where it stands now."""
    if pairing.claimed_at is not None:
        return Status.CLAIMED
    waits = pairing.expires_at > now and pairing.wrong_tries < rules.WRONG_TRIES
    return Status.PENDING if waits else Status.EXPIRED


def claim(code: str, name: str, now: datetime, *, address: str, platform: str = "") -> Claim:
    """Pair the device that sends this code; of several at once one gets it.

    Raises `PairingInvalid`, the same for whatever is wrong with the code, and before any look at it `RateLimited`.
    """
    _throttled(address, now)
    letters = rules.read(code)
    claimed = _claimed(letters, name, platform, now) if letters is not None else None
    if claimed is None:  # after the commit, which keeps the count of wrong tries
        owner = DevicePairing.owner_of("" if letters is None else rules.selector(letters))
        with audit.refusals(owner, now, by="pairing"):
            raise PairingInvalid
    return claimed


def _claimed(letters: str, name: str, platform: str, now: datetime) -> Claim | None:
    with work() as done:
        waiting = DevicePairing.waiting(rules.selector(letters), _digest(letters), now)
        if waiting is None:
            DevicePairing.count_wrong_attempt(rules.selector(letters), now)
            return None
        # The person first, as everywhere: who changes their password at this moment ends this device too, or its code.
        user = User.select().where(User.id == waiting.user_id).for_update("FOR SHARE").get()
        if not DevicePairing.claim(waiting.id, now):
            return None
        device = Device.create(id=waiting.id, user=user, name=name, platform=platform, created_at=now, last_seen_at=now)
        DevicePairing.update(device=device).where(DevicePairing.id == waiting.id).execute()
        about, details = audit.target("device", device.id, device.name, user_id=user.id), {"platform": platform}
        audit.record("device.paired", target=about, now=now, actor=audit.person(user), details=details)
        done.publish_change("device", device.id, None, op="created", rev=device.rev, only=user.id)
        return Claim(user, devices.issue(device, now))


def _throttled(address: str, now: datetime) -> None:
    """Counted in the database, so that a flushed Redis gives nobody more tries."""
    chosen = settings.current()
    buckets = {
        f"pairing:address:{network(address)}": chosen.pairing_attempts_per_address,
        "pairing:everywhere:": chosen.pairing_attempts,
    }
    for bucket, an_hour in buckets.items():
        wait = rate_limit.take(bucket, an_hour, an_hour / HOUR, now)
        if wait:
            audit.throttled(bucket, now, about=None)
            raise RateLimited("Too many attempts to pair a device.", retry_after=wait)


def _digest(letters: str) -> bytes:
    """What is stored of a code. Its 40 bits could be searched in a plain hash, so it is keyed."""
    return hmac.new(settings.current().signing_key.encode(), b"pairing:" + letters.encode(), hashlib.sha256).digest()
