"""Whom the coming steps of an incident would page, and whom the past ones paged (specification 23.13)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from inbox.domain.routing.profiles import Step
from inbox.domain.values.severity import Severity
from inbox.flow.oncall.pages import expected_pages
from inbox.models.deliveries import pages as stored_pages
from inbox.models.records import names


def of_steps(workspace_id: UUID, steps: Iterable[Step], severity: str, at: datetime) -> list[str]:
    """Return the names of the people whom these steps would page at this time."""
    level = Severity(severity)
    targets = [target for step in steps if step.accepts(level) for target in step.people]
    if not targets:
        return []
    return [page.name for page in expected_pages(workspace_id, targets, level, at) if page.cause is None]


def paged(incident_id: UUID, opened_at: datetime) -> list[str]:
    """Return the names of the people who were paged since the incident opened."""
    found = stored_pages.stored([incident_id])
    people = [
        page.user_id
        for key, pages in found.items()
        if key.opened_at == opened_at
        for page in pages
        if page.cause is None
    ]
    by_id = names.of_users(people)
    return [by_id[id] for id in dict.fromkeys(people) if id in by_id]
