"""Source keys: shown once, stored as a hash, rotated with a day of grace, revoked at once (specification 5.2)."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import peewee

from inbox.database.base import new_id
from inbox.domain.deliveries import signing
from inbox.domain.senders import keys
from inbox.domain.senders.keys import SenderKeyKind
from inbox.domain.values import ids
from inbox.domain.values.refusals import Conflict
from inbox.domain.workspaces.audit_actions import AuditAction
from inbox.flow.unit_of_work import work
from inbox.models.people.accounts import User
from inbox.models.senders.sources import Source, SourceKey
from inbox.services.records import audit
from inbox.services.records.record_limits import check_room
from inbox.services.senders import signing_secrets
from inbox.services.senders.signing_secrets import SecretDraft

GRACE = timedelta(hours=24)
HASH_BYTES = 32
MAX_KEYS = 100
"""The source keys, alias tokens and ping keys of a source."""


def of_source(source: Source) -> peewee.ModelSelect[SourceKey]:
    """Select all keys of a source, including ended ones."""
    return SourceKey.select().where(SourceKey.source == source)


def of_workspaces(workspace_ids: list[UUID]) -> peewee.ModelSelect[SourceKey]:
    """Select the keys of all sources that are not deleted, for the API-keys screen."""
    return (
        SourceKey.select(SourceKey, Source)
        .join(Source)
        .where(SourceKey.workspace_id.in_(workspace_ids), Source.deleted_at.is_null())
    )


def find(source: Source, key_id: UUID) -> SourceKey | None:
    """Return the key, if it belongs to this source."""
    found: SourceKey | None = SourceKey.get_or_none(SourceKey.id == key_id, SourceKey.source == source)
    return found


def create(
    source: Source, name: str, *, by: UUID | None, now: datetime, kind: SenderKeyKind = SenderKeyKind.SOURCE_KEY
) -> tuple[SourceKey, str]:
    """Create a source key or an alias token, whose secret is returned once. `by` is None when no person creates it.

    Raises `Conflict` beyond `MAX_KEYS`.
    """
    with work() as done:
        _check_room(source)
        made = _mint(source, name, kind, by=by, now=now)
        _note("key.created", made[0], now, source)
        done.publish_change("source", source.id, source.workspace_id, rev=source.rev)
    return made


def create_signing_secret(
    source: Source, name: str, draft: SecretDraft, *, by: UUID | None, now: datetime
) -> tuple[SourceKey, str]:
    """Create a signing secret, which is returned once. Raises `Conflict` when the source has too many for the tool."""
    with work() as done:
        _lock(source)
        signing_secrets.refuse_more(source.id, draft.tool)
        made = _store_secret(source, name, draft, by=by, now=now)
        _note("key.created", made[0], now, source)
        done.publish_change("source", source.id, source.workspace_id, rev=source.rev)
    return made


def take_over(source: Source, name: str, token: str, *, by: UUID | None, now: datetime) -> SourceKey:
    """Store the alias token of another server for this source, as a hash.

    A deleted source of the workspace loses it. Raises `Conflict` when another source of this instance has it, and beyond
    `MAX_KEYS`.
    """
    with work():
        _check_room(source)
        former: SourceKey | None = SourceKey.get_or_none(SourceKey.hash == keys.digest(token))
        if former is not None:
            _release(former, source, now)
        columns = {"id": new_id(now), "kind": str(SenderKeyKind.ALIAS_TOKEN), "name": name, "created_at": now}
        key = _stored(source, by, {**columns, "hash": keys.digest(token), "hint": keys.hint(token)})
        _note("key.created", key, now, source)
    return key


def rotate(key: SourceKey, *, by: UUID | None, now: datetime) -> tuple[SourceKey, str]:
    """Create a new key at once. The old key works for 24 more hours.

    Raises `Conflict` for a rotated or revoked key and beyond the maximum of the source. It also does for a signing
    secret that the tool makes.
    """
    if key.tool is not None:
        signing_secrets.refuse_rotation(key.tool)
    with work() as done:
        source: Source = key.source
        if key.tool is not None:
            _lock(source)
            signing_secrets.refuse_more(source.id, key.tool)
        rotated = (
            SourceKey.update(grace_ends_at=now + GRACE)
            .where(SourceKey.id == key.id, SourceKey.revoked_at.is_null(), SourceKey.grace_ends_at.is_null())
            .execute()
        )
        if not rotated:
            raise Conflict("The key was already rotated or revoked. Rotate its replacement.")
        if key.tool is None:
            made = _mint(source, key.name, SenderKeyKind(key.kind), by=by, now=now)
        else:
            made = _store_secret(source, key.name, SecretDraft(key.tool), by=by, now=now)
        _note("key.rotated", key, now, source, replacedBy=ids.encode("key", made[0].id))
        done.publish_change("source", source.id, source.workspace_id, rev=source.rev)
    return made


def revoke(key: SourceKey, *, now: datetime) -> None:
    """Revoke a key, in every process from the next request on, and delete its sealed secret.

    A second call changes nothing.
    """
    with work() as done:
        ended = {"revoked_at": now, "sealed": None}
        if SourceKey.update(**ended).where(SourceKey.id == key.id, SourceKey.revoked_at.is_null()).execute():
            record = audit.removed(audit.columns(key, "name", "hint", "created_at", "last_used_at", "grace_ends_at"))
            _note("key.revoked", key, now, key.source, **record)
        done.publish_change("source", key.source_id, key.workspace_id)


def _release(former: SourceKey, source: Source, now: datetime) -> None:
    """Revoke the key of a deleted source, and free its hash for the new one.

    Otherwise a restored source would share the token with it.
    """
    if former.source.deleted_at is None or former.workspace_id != source.workspace_id:
        raise Conflict("A token of the other server is in use on this instance.")
    if former.revoked_at is None:
        _note("key.revoked", former, now, former.source)
        former.revoked_at = now
    former.hash = secrets.token_bytes(HASH_BYTES)
    former.save(only=(SourceKey.hash, SourceKey.revoked_at))


def _check_room(source: Source) -> None:
    """Raise `Conflict` when the source has `MAX_KEYS` keys. Rotated keys and signing secrets are not counted."""
    _lock(source)
    working = (SourceKey.source == source) & SourceKey.revoked_at.is_null() & SourceKey.grace_ends_at.is_null()
    own_keys = SourceKey.select().where(working, SourceKey.kind != str(SenderKeyKind.SIGNING_SECRET))
    check_room(own_keys, MAX_KEYS, "A source has at most {} keys. Revoke one that is not used.")


def _lock(source: Source) -> None:
    """Lock the source until the transaction ends, so that its keys are counted one after the other."""
    Source.select(Source.id).where(Source.id == source.id).for_update().execute()


def _note(action: AuditAction, key: SourceKey, now: datetime, source: Source, **more: Any) -> None:
    about = audit.target("key", key.id, key.name)
    details = {"hint": key.hint, "source": source.name, "sourceId": ids.encode("src", source.id), **more}
    audit.record(action, target=about, now=now, workspace_id=key.workspace_id, details=details)


def _mint(source: Source, name: str, kind: SenderKeyKind, *, by: UUID | None, now: datetime) -> tuple[SourceKey, str]:
    secret = keys.mint(kind.form, secrets.token_bytes(keys.ENTROPY_BYTES))
    columns = {"id": new_id(now), "kind": str(kind), "name": name, "created_at": now}
    return _stored(source, by, {**columns, "hash": keys.digest(secret), "hint": keys.hint(secret)}), secret


def _store_secret(
    source: Source, name: str, draft: SecretDraft, *, by: UUID | None, now: datetime
) -> tuple[SourceKey, str]:
    key_id, secret = new_id(now), draft.secret
    columns = {
        "id": key_id,
        "kind": str(SenderKeyKind.SIGNING_SECRET),
        "tool": draft.tool,
        "name": name,
        "created_at": now,
        "sealed": signing_secrets.sealed(secret, key_id, source.workspace_id),
        "hash": secrets.token_bytes(HASH_BYTES),
        "hint": signing.hint(secret).removeprefix("…"),
    }
    return _stored(source, by, columns), secret


def _stored(source: Source, by: UUID | None, columns: dict[str, Any]) -> SourceKey:
    creator = User(id=by) if by is not None else None
    key: SourceKey = SourceKey.create(source=source, workspace_id=source.workspace_id, created_by=creator, **columns)
    return key
