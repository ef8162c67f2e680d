"""Creates the monitor of a slug at its first ping, if the ping requests it (specification 18.11)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from inbox.domain.incidents.incident import Actor
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.values.refusals import Conflict, Unauthenticated
from inbox.flow.unit_of_work import work
from inbox.models.heartbeats import slugs
from inbox.models.heartbeats.slugs import SlugAddress
from inbox.models.routing import routing_config
from inbox.services.heartbeats import monitors
from inbox.services.records import audit

MOST_OF_SOURCE = 100
"""The most monitors of a source that pings create. People may create more."""

DAILY = {"kind": "simple", "periodSeconds": 86_400}
GRACE_SECONDS = 3_600


def create(address: SlugAddress, now: datetime) -> bool:
    """Create the monitor, with its slug as its name. Return False when the source has one with this slug.

    Raises `Unauthenticated` for an unknown key, and `Conflict` for a disabled source and beyond `MOST_OF_SOURCE`.
    """
    source = slugs.source_of(address.key_digest)
    if source is None:
        raise Unauthenticated
    if not source.enabled:
        raise Conflict("The source is disabled. A ping creates no monitor of it.")
    with monitors.refusing_used_slugs(), work() as done:
        # Of several first pings at once, one creates the monitor, and the others wait and find it.
        routing_config.bump_revision(source.workspace_id)
        used = slugs.of_source(source.source_id)
        if address.slug in used:
            return False
        if len(used) >= MOST_OF_SOURCE:
            raise Conflict(f"Pings create no more monitors: the source has {MOST_OF_SOURCE}.")
        fields: dict[str, Any] = {"source_id": source.source_id, "name": address.slug, "slug": address.slug}
        fields |= {"schedule": DAILY, "grace_seconds": GRACE_SECONDS}
        monitor = monitors.insert(source.workspace_id, fields, now, done).monitor
        audit.record(
            "monitor.created",
            target=audit.target("monitor", monitor.id, monitor.name),
            now=now,
            workspace_id=source.workspace_id,
            actor=Actor("source", ids.encode(Prefix.SOURCE, source.source_id), source.name),
            details=monitors.audit_view(monitor),
        )
    return True
