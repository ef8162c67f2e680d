"""Previews of silences: the unresolved incidents that a match covers, and the events of the last days that it would have."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from inbox.domain.routing import matchers
from inbox.domain.routing.silences import CompiledSilence
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.values.refusals import ValidationFailed, collect_faults
from inbox.flow.routing.evaluate import subject_of
from inbox.models.events import preview_events
from inbox.models.events import queue as event_queue
from inbox.models.events.preview_events import Period
from inbox.models.routing import silences
from inbox.runtime import work_budget
from inbox.services.records import reference_checks
from inbox.services.routing.rules import read_match

MAX_PREVIEWED = 20_000
"""The maximum number of unresolved incidents that a preview checks, the latest first, and of events."""

PREVIEW_SECONDS = 2.0
"""The time limit of a preview. A person waits for it. It also ends with the budget of the request."""

MAX_SHOWN = 50
LOOK_BACK = timedelta(days=7)
"""The time whose events are counted."""


@dataclass(frozen=True, slots=True)
class Preview:
    """The incidents that a silence would cover now, and the events that it would have covered in the last days.

    Each number is complete, or a lower bound. `incident_ids` has the first ones.
    """

    count: int
    incident_ids: list[UUID]
    complete: bool
    events: int
    events_complete: bool


def preview(workspace_id: UUID, fields: Mapping[str, Any], *, now: datetime) -> Preview:
    """Find the unsilenced, unresolved incidents that this silence would cover. Raises `ValidationFailed`."""
    source_ids = fields.get("source_ids", ())
    faults = reference_checks.sources(workspace_id, source_ids, "/sourceIds")
    with collect_faults(faults):
        tree = read_match(fields)
    if faults:
        raise ValidationFailed(errors=faults)
    tried_one, until = CompiledSilence.of_match(tree, source_ids), time.monotonic() + PREVIEW_SECONDS
    candidate_ids = silences.unsilenced(workspace_id, source_ids, MAX_PREVIEWED + 1)
    found, tried = set(), 0
    for one in silences.matchable_incidents(candidate_ids[:MAX_PREVIEWED], matchers.needs(tree)):
        if _is_over(until):
            break
        tried += 1
        if tried_one.matches_source_and_event(one.views, one.source):
            found.add(one.incident_id)
    first = [incident_id for incident_id in candidate_ids if incident_id in found][:MAX_SHOWN]
    period = Period(workspace_id, now - LOOK_BACK, now, tuple(source_ids))
    return Preview(len(found), first, tried == len(candidate_ids), *_events(period, tried_one, until))


def _events(period: Period, silence: CompiledSilence, until: float) -> tuple[int, bool]:
    """Count the events of the period that the silence matches, and return whether all were checked."""
    found, tried, sources = 0, 0, dict[UUID, _Source]()
    for page in preview_events.pages(period, silence.needs):
        sources |= _sources({event.source_id for event in page} - sources.keys())
        for event in page:
            if tried >= MAX_PREVIEWED or _is_over(until):
                return found, False
            tried += 1
            subject = subject_of(event, sources[event.source_id])
            found += silence.matches_source_and_event((subject,), event.source_id)
    return found, True


@dataclass
class _Source:
    source_id: str
    source_name: str


def _sources(source_ids: Collection[UUID]) -> dict[UUID, _Source]:
    found = event_queue.source_contexts(list(source_ids)) if source_ids else {}
    return {id: _Source(ids.encode(Prefix.SOURCE, id), each.source_name) for id, each in found.items()}


def _is_over(until: float) -> bool:
    return time.monotonic() > until or not work_budget.has_left()
