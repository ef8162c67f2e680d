"""Use case: a person opens an incident. Its event comes from a built-in source, so that all rules hold (specification 23.17)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from inbox.database.base import new_id
from inbox.domain.deliveries.pages import has_nobody
from inbox.domain.explaining import page_text
from inbox.domain.incidents.incident import Actor
from inbox.domain.routing.people import PageTarget
from inbox.domain.values.refusals import Conflict, ValidationFailed
from inbox.domain.values.severity import Severity
from inbox.flow.ingest import own_events, test_event
from inbox.flow.oncall.pages import expected_pages
from inbox.flow.people.pages_of_events import PAGE_OF_EVENT, metadata
from inbox.flow.unit_of_work import AfterCommit, work
from inbox.live.feed import Parents
from inbox.models.events.ingest_rows import SourceKeyContext
from inbox.models.incidents import timers
from inbox.models.routing import routing_config
from inbox.models.senders.sources import Source
from inbox.models.workspaces.tables import Workspace
from inbox.runtime.queue import QueueName
from inbox.services.records import reference_checks
from inbox.services.records.resources import Resource

NAME = "By hand"
"""The name of the built-in source. People may rename it."""

TYPE = "by_hand"
"""The type of its events."""

SEVERITIES = (Severity.WARNING, Severity.ERROR, Severity.CRITICAL)
"""The severities that a person may give, because the shipped default route opens incidents for them."""

DISABLED = "The source “{}” is disabled. Enable it first."

SOURCES = Resource(Source, "source")


class Opened(NamedTuple):
    """The event that opens the incident, and its source."""

    event_id: UUID
    source_id: UUID


def check(workspace_id: UUID, people: Sequence[PageTarget]) -> None:
    """Check that the people belong to the workspace. Raises `ValidationFailed`."""
    faults = reference_checks.people(workspace_id, people, "/people")
    if faults:
        raise ValidationFailed(errors=faults)


def create(
    workspace_id: UUID, fields: Mapping[str, Any], people: Sequence[PageTarget], *, by: Actor, now: datetime
) -> Opened:
    """Store the event, and the timer that pages the people once it is routed.

    Raises `ValidationFailed`, `RateLimited`, and `Conflict` if nobody of the people can be paged or the source is disabled.
    """
    check(workspace_id, people)
    severity, distinct = Severity(fields["severity"]), tuple(dict.fromkeys(people))
    pages = expected_pages(workspace_id, distinct, severity, now) if distinct else ()
    if has_nobody(pages):
        raise Conflict(page_text.of_pages([each.record() for each in pages]))
    document = {
        "title": fields["title"],
        "severity": str(severity),
        "type": TYPE,
        "body": fields.get("text") or "",
        "dedupKey": f"by-hand-{new_id(now)}",
        "metadata": metadata(distinct, by),
    }
    with work() as done:
        source = _source(workspace_id, done, now)
        test_event.charge(source.id, workspace_id)
        sender = SourceKeyContext(source.id, source.id, workspace_id, Severity.INFO, ())
        [result] = own_events.store([document], sender, now, done)
        parents = Parents(source_id=source.id)
        done.publish_change("event", result.event_id, workspace_id, op="created", parents=parents)
        if distinct:
            timers.set_timer(PAGE_OF_EVENT, result.event_id, workspace_id, now)
            done.wake(QueueName.TIMERS)
    return Opened(result.event_id, source.id)


def _source(workspace_id: UUID, done: AfterCommit, now: datetime) -> Source:
    """Return the built-in source. The first incident by hand creates it."""
    own = (Source.workspace == workspace_id) & Source.built_in & Source.deleted_at.is_null()
    source: Source | None = Source.get_or_none(own)
    if source is None:
        routing_config.bump_revision(workspace_id)  # locks the workspace, so that another request waits
        source = Source.get_or_none(own)
    if source is None:
        values = {"name": NAME, "built_in": True, "default_severity": str(Severity.ERROR), "created_at": now}
        source = Source.create(id=new_id(now), workspace=Workspace(id=workspace_id), **values)
        SOURCES.note("source.created", source, now)
        SOURCES.publish(done, source, "created")
    if not source.enabled:
        raise Conflict(DISABLED.format(source.name))
    return source
