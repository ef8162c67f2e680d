"""Paired devices: their pairings, and the tokens that authenticate them (specification 11.10)."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

import peewee

from inbox.database.base import Table, TimestampField
from inbox.domain.people.pairing import MAX_WRONG_ATTEMPTS
from inbox.models.people.accounts import Session, User
from inbox.models.people.members import Member
from inbox.models.workspaces.tables import Workspace


class Device(Table):
    """A phone that acts for its person. `generation` counts its token pairs; only the newest pair is valid."""

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
    """The SHA-256 of an access, refresh or hand-off token. Rotated refresh tokens are kept, so that their reuse is detected.

    `rotated_at` is the time of the rotation that created a newer token. For a pair whose response was lost, it is the
    time when the previous pair was rotated.
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
    def take_hand_off(cls, digest: bytes, now: datetime) -> UUID | None:
        """Deletes this hand-off token and returns its device. Only one of several concurrent calls gets it."""
        valid_token = (cls.hash == digest) & (cls.kind == "hand_off") & (cls.expires_at > now)
        taken = list(cls.delete().where(valid_token).returning(cls.device).execute())
        return taken[0].device_id if taken else None

    @classmethod
    def replace_pair(cls, device: Device, since: datetime) -> None:
        """Ends the newest pair: its refresh token counts as rotated at `since`, access tokens are deleted."""
        newest = (cls.device == device.id) & (cls.generation == device.generation) & (cls.kind == "refresh")
        cls.update(rotated_at=since).where(newest).execute()
        cls.delete().where(cls.device == device.id, cls.kind == "access").execute()


class DevicePairing(Table):
    """A code that waits for a device. Wrong attempts are counted by `selector`, its first half; the whole code is hashed."""

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
    def find_pending(cls, selector: str, code_hash: bytes, now: datetime) -> DevicePairing | None:
        """Returns the pairing that waits for this code; None if it or its session ended, or its account is inactive."""
        active = Session.revoked_at.is_null() & User.disabled_at.is_null() & User.deleted_at.is_null()
        found: DevicePairing | None = (
            cls.select()
            .join(Session)
            .switch(cls)
            .join(User, on=(User.id == cls.user))
            .where(cls._is_pending(now), cls.selector == selector, cls.code_hash == code_hash, active)
            .first()
        )
        return found

    @classmethod
    def claim(cls, pairing_id: UUID, now: datetime) -> bool:
        """Claims the pairing. Only one of several concurrent claims succeeds."""
        return bool(cls.update(claimed_at=now).where(cls.id == pairing_id, cls._is_pending(now)).execute())

    @classmethod
    def count_wrong_attempt(cls, selector: str, now: datetime) -> None:
        """Counts an attempt with a wrong code that has this first half."""
        cls.update(wrong_tries=cls.wrong_tries + 1).where(cls.selector == selector, cls._is_pending(now)).execute()

    @classmethod
    def owner_of(cls, selector: str) -> User | None:
        """Returns the person of the latest pairing with this first half, while it is stored."""
        latest = cls.select(cls.user).where(cls.selector == selector).order_by(cls.id.desc()).limit(1)
        found: User | None = User.get_or_none(User.id.in_(latest))
        return found

    @classmethod
    def _is_pending(cls, now: datetime) -> Any:
        return cls.claimed_at.is_null() & (cls.expires_at > now) & (cls.wrong_tries < MAX_WRONG_ATTEMPTS)

    @classmethod
    def withdraw(cls, which: Any) -> None:
        """Ends the unclaimed codes among `which`.

        A concurrent claim with an earlier `now`, which waits for the row, fails too.
        """
        cls.update(wrong_tries=MAX_WRONG_ATTEMPTS).where(which, cls.claimed_at.is_null()).execute()


def lock(device_id: UUID) -> Device | None:
    """Returns the device, locked until the transaction ends; None if it is revoked, or its person's account is inactive."""
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
    """Returns the device of a current or former refresh token; None when the token is unknown or expired."""
    token_condition = (DeviceToken.hash == digest) & (DeviceToken.kind == "refresh") & (DeviceToken.expires_at > now)
    return DeviceToken.select(DeviceToken.device).where(token_condition).scalar()


def by_access_token(digest: bytes, now: datetime) -> list[dict[str, Any]]:
    """Returns the device of a valid access token and its person.

    There is one row for each of their workspaces, or one without a workspace.
    """
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
