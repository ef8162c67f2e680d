"""The pages of an incident for display: who was paged, how, and when each person answered (specification 23.13)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from inbox.domain.deliveries.pages import BY_HAND
from inbox.domain.explaining import page_text
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.models.deliveries import pages
from inbox.models.deliveries.pages import PageRow
from inbox.models.incidents import read as incident_read
from inbox.models.incidents.tables import TimelineEntry
from inbox.models.records import names


def reported(incident_id: UUID, rows: Sequence[PageRow]) -> list[dict[str, Any]]:
    """Return these pages of the incident with names, contacts, and the first answer of each person."""
    people, schedules = names.of_users(each.user_id for each in rows), names.of_schedules(_schedule_ids(rows))
    contacts = pages.contacts(rows)
    answers = incident_read.answers(incident_id, [ids.encode(Prefix.USER, id) for id in people])
    return [
        {
            **{name: getattr(row, name) for name in ("id", "notice_id", "cause")},
            **{name: None if row.step == BY_HAND else getattr(row, name) for name in ("step", "round")},
            "at": row.created_at,
            "user": _named(row.user_id, people),
            "schedule": _named(row.schedule_id, schedules),
            "contacts": [contacts[key] for id in row.destination_ids if (key := (row.notice_id, id)) in contacts],
            "answer": _answer(row, answers),
            "text": page_text.of_pages([{"name": _name(row, people, schedules), "cause": row.cause}]),
        }
        for row in rows
    ]


def _schedule_ids(rows: Sequence[PageRow]) -> list[UUID | None]:
    return [each.schedule_id for each in rows]


def _named(id: UUID | None, by_id: dict[UUID, str]) -> dict[str, Any] | None:
    return None if id is None else {"id": id, "name": by_id.get(id)}


def _name(row: PageRow, people: dict[UUID, str], schedules: dict[UUID, str]) -> str:
    id, by_id = (row.schedule_id, schedules) if row.user_id is None else (row.user_id, people)
    return by_id.get(id, "") if id is not None else ""


def _answer(row: PageRow, answers: Sequence[TimelineEntry]) -> TimelineEntry | None:
    """Return the first act of the paged person since the page."""
    if row.user_id is None or row.cause is not None:
        return None
    actor_id = ids.encode(Prefix.USER, row.user_id)
    return next((each for each in answers if each.actor["id"] == actor_id and each.at >= row.created_at), None)
