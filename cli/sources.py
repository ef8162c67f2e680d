"""`bin/inbox source`: sources and their keys."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from cli.command import Failed, add_json_option, command, group, show
from inbox.config import settings
from inbox.domain.values import ids
from inbox.models.senders.sources import Source, SourceKey
from inbox.models.workspaces.tables import Workspace
from inbox.runtime.distribution import typed
from inbox.services.senders import keys, sources


def add_to(commands: Any) -> None:
    """Adds `source create|list|rotate-key|revoke-key`."""
    under = group(commands, "source", "sources and their keys")
    made = command(under, "create", create, "Create a source and its first key, which is printed once.")
    made.add_argument("name")
    made.add_argument("--workspace", help="slug or id of the workspace; needed when there is more than one")
    add_json_option(made)
    made = command(under, "list", list_sources, "List sources and their keys.")
    made.add_argument("--workspace", help="slug or id of one workspace")
    add_json_option(made)
    made = command(under, "rotate-key", rotate_key, "Create a new key; the old one works for 24 more hours.")
    made.add_argument("key", help="id of the key, key_…")
    add_json_option(made)
    made = command(under, "revoke-key", revoke_key, "Revoke a key immediately.")
    made.add_argument("key", help="id of the key, key_…")


def create(options: argparse.Namespace) -> None:
    """Creates a source and its first key."""
    now = datetime.now(UTC)
    workspace = workspace_named(options.workspace)
    source = sources.create(workspace.id, {"name": options.name.strip()[:100]}, now=now)
    key, secret = keys.create(source, "Key", by=None, now=now)
    _print_made(source, key, secret, as_json=options.json)


def list_sources(options: argparse.Namespace) -> None:
    """Prints sources and their keys."""
    found = SourceKey.select(SourceKey, Source, Workspace).join(Source).join(Workspace)
    found = found.where(Source.deleted_at.is_null(), Workspace.deleted_at.is_null())
    if options.workspace:
        found = found.where(Workspace.id == workspace_named(options.workspace).id)
    rows = [
        {
            "workspace": key.source.workspace.slug,
            "source": key.source.name,
            "sourceId": ids.encode("src", key.source_id),
            "enabled": key.source.enabled,
            "keyId": ids.encode("key", key.id),
            "hint": key.hint,
            "state": "revoked" if key.revoked_at else "ending" if key.grace_ends_at else "good",
        }
        for key in found.order_by(Workspace.slug, Source.name, SourceKey.created_at)
    ]
    show(rows, as_json=options.json, nothing=f"No source has a key yet. {typed('source create')} creates both.")


def rotate_key(options: argparse.Namespace) -> None:
    """Replaces a key by a new one."""
    old = _key(options.key)
    key, secret = keys.rotate(old, by=None, now=datetime.now(UTC))
    _print_made(old.source, key, secret, as_json=options.json)


def revoke_key(options: argparse.Namespace) -> None:
    """Revokes a key immediately."""
    keys.revoke(_key(options.key), now=datetime.now(UTC))
    print(f"{options.key} is revoked")


def workspace_named(named: str | None) -> Workspace:
    """Returns the workspace with this slug or id; without one, the only workspace. Raises `Failed`."""
    found = Workspace.select().where(Workspace.deleted_at.is_null())
    if named is not None:
        workspace_id = ids.decode("wsp", named)
        found = found.where(Workspace.id == workspace_id if workspace_id is not None else Workspace.slug == named)
    several = list(found.order_by(Workspace.slug).limit(2))
    if not several:
        raise Failed(f"There is no workspace {named}." if named else "There is no workspace.")
    if len(several) > 1:
        raise Failed("There is more than one workspace: name one with --workspace.")
    chosen: Workspace = several[0]
    return chosen


def _key(text: str) -> SourceKey:
    key_id: UUID | None = ids.decode("key", text)
    found = None
    if key_id is not None:
        found = SourceKey.select().join(Source).where(SourceKey.id == key_id, Source.deleted_at.is_null()).first()
    if found is None:
        raise Failed(f"There is no key {text}.")
    key: SourceKey = found
    return key


def _print_made(source: Source, key: SourceKey, secret: str, *, as_json: bool) -> None:
    row = {"sourceId": ids.encode("src", source.id), "keyId": ids.encode("key", key.id), "key": secret}
    show([row], as_json=as_json)
    if not as_json:
        print(
            "\nThe key is shown only once: store it now. Send an event with it:\n\n"
            f"curl {settings.current().base_url}/v1/events -H 'Authorization: Bearer {secret}' \\\n"
            """    -d '{"title": "Backup of db-1 failed", "severity": "ERROR", "dedupKey": "backup:db-1"}'"""
        )
