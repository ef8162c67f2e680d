"""Paired devices: how they are paired, and the tokens by which they are known (specification 11.10)."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

import peewee

from inbox.domain.pairing import WRONG_TRIES
from inbox.models.sql.base import Table, TimestampField
from inbox.models.tables.accounts import Session, User
from inbox.models.tables.workspaces import Member, Workspace


class Device(Table):
    """A phone that acts as its person. `generation` counts its pairs of tokens; only the newest pair is good."""

    id = peewee.UUIDField(primary_key=True)
    user = peewee.ForeignKeyField(User, backref="devices", on_delete="CASCADE")
    user_id: UUID
    name = peewee.TextField()
    platform = peewee.TextField(default="")
    generation = peewee.IntegerField(default=1)
    created_at = TimestampField()
    last_seen_at = TimestampField(null=True)
    revoked_at = TimestampField(null=True)
    rev = peewee.IntegerField(default=1)

    class Meta:
        table_name = "devices"


class DeviceToken(Table):
    """The SHA-256 of an access or refresh token. Rotated refresh tokens stay, so that their re-use is seen.

    `rotated_at` is the rotation that made a newer one; of a pair whose answer was lost it is that of the pair before.
    """

    hash = peewee.BlobField(primary_key=True)
    device = peewee.ForeignKeyField(Device, backref="tokens", on_delete="CASCADE")
    device_id: UUID
    kind = peewee.TextField()
    generation = peewee.IntegerField()
    created_at = TimestampField()
    expires_at = TimestampField()
    rotated_at = TimestampField(null=True)

    class Meta:
        table_name = "device_tokens"

    @classmethod
    def replace_pair(cls, device: Device, since: datetime) -> None:
        """End the newest pair: its refresh token counts as rotated `since` then, access tokens are forgotten."""
        newest = (cls.device == device.id) & (cls.generation == device.generation) & (cls.kind == "refresh")
        cls.update(rotated_at=since).where(newest).execute()
        cls.delete().where(cls.device == device.id, cls.kind == "access").execute()


class DevicePairing(Table):
    """A code that waits for a device. `selector` is its first half, by which wrong tries are counted; the whole is hashed."""

    id = peewee.UUIDField(primary_key=True)
    user = peewee.ForeignKeyField(User, on_delete="CASCADE")
    user_id: UUID
    session = peewee.ForeignKeyField(Session, on_delete="CASCADE")
    session_id: UUID
    selector = peewee.TextField()
    code_hash = peewee.BlobField()
    wrong_tries = peewee.SmallIntegerField(default=0)
    created_at = TimestampField()
    expires_at = TimestampField()
    claimed_at = TimestampField(null=True)
    device = peewee.ForeignKeyField(Device, null=True, on_delete="SET NULL")
    device_id: UUID | None

    class Meta:
        table_name = "device_pairings"

    @classmethod
    def waiting(cls, selector: str, code_hash: bytes, now: datetime) -> DevicePairing | None:
        """The pairing that waits for this code; None when it ended, or its session, or its person may not enter."""
        active = Session.revoked_at.is_null() & User.disabled_at.is_null() & User.deleted_at.is_null()
        found: DevicePairing | None = (
            cls.select()
            .join(Session)
            .switch(cls)
            .join(User, on=(User.id == cls.user))
            .where(cls._waits(now), cls.selector == selector, cls.code_hash == code_hash, active)
            .first()
        )
        return found

    @classmethod
    def claim(cls, pairing_id: UUID, now: datetime) -> bool:
        """Claim it; of any number at once one does."""
        return bool(cls.update(claimed_at=now).where(cls.id == pairing_id, cls._waits(now)).execute())

    @classmethod
    def count_wrong_attempt(cls, selector: str, now: datetime) -> None:
        """A code of this first half was tried that is none."""
        cls.update(wrong_tries=cls.wrong_tries + 1).where(cls.selector == selector, cls._waits(now)).execute()

    @classmethod
    def owner_of(cls, selector: str) -> User | None:
        """The person who was last shown a code of this first half, while it is kept."""
        latest = cls.select(cls.user).where(cls.selector == selector).order_by(cls.id.desc()).limit(1)
        found: User | None = User.get_or_none(User.id.in_(latest))
        return found

    @classmethod
    def _waits(cls, now: datetime) -> Any:
        return cls.claimed_at.is_null() & (cls.expires_at > now) & (cls.wrong_tries < WRONG_TRIES)

    @classmethod
    def withdraw(cls, which: Any) -> None:
        """End the codes among `which` that still wait, also for who looked at the clock before this and waits for us."""
        cls.update(wrong_tries=WRONG_TRIES).where(which, cls.claimed_at.is_null()).execute()


def locked(device_id: UUID) -> Device | None:
    """The device, held until the transaction ends; None when it is revoked, or its person may not enter."""
    active = User.disabled_at.is_null() & User.deleted_at.is_null()
    found: Device | None = (
        Device.select()
        .join(User)
        .where(Device.id == device_id, Device.revoked_at.is_null(), active)
        .for_update("FOR UPDATE", of=Device)
        .first()
    )
    return found


def holder_of_refresh_token(digest: bytes, now: datetime) -> UUID | None:
    """Whose refresh token this is or was; None when it is unknown or expired."""
    known = (DeviceToken.hash == digest) & (DeviceToken.kind == "refresh") & (DeviceToken.expires_at > now)
    return DeviceToken.select(DeviceToken.device).where(known).scalar()


def by_access_token(digest: bytes, now: datetime) -> list[dict[str, Any]]:
    """The device of a good access token and its person, one row for each of their workspaces or one without."""
    workspaces = (Workspace.id == Member.workspace) & Workspace.deleted_at.is_null()
    good = (DeviceToken.kind == "access") & (DeviceToken.expires_at > now) & Device.revoked_at.is_null()
    found: Any = (
        DeviceToken.select(
            Device.id,
            Device.last_seen_at,
            User.id.alias("user_id"),
            User.name,
            User.email,
            User.is_instance_admin,
            Workspace.id.alias("workspace_id"),
            Member.role,
        )
        .join(Device, on=(Device.id == DeviceToken.device) & (Device.generation == DeviceToken.generation))
        .join(User, on=(User.id == Device.user))
        .join(Member, peewee.JOIN.LEFT_OUTER, on=(Member.user == User.id))
        .join(Workspace, peewee.JOIN.LEFT_OUTER, on=workspaces)
        .where(DeviceToken.hash == digest, good, User.disabled_at.is_null(), User.deleted_at.is_null())
        .dicts()
    )
    return list(found)
