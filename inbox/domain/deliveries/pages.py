"""Pages: a step pages a person, or says why it paged nobody (specification 23.13)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix

NOTIFICATION_RULE = "notification_rule"
"""The cause of a delivery that waits for its notification rule. It is `pending` and due at the time of the rule."""

ACKNOWLEDGED = "acknowledged"
"""The cause of a delivery that its notification rule did not send, because somebody acted before."""


BY_HAND = -1
"""The number of the step of a page that a person asked for."""

MAX_ROUND = 32_767
"""The highest stored round. The round of a page by hand is the number of its notice."""


class Page(NamedTuple):
    """A person whom a step paged by these destinations, or `cause`: why nobody was.

    `due_at` has the time of each destination whose notification rule waits. `name` is that of the person, or of the
    schedule without anybody.
    """

    schedule_id: UUID | None
    user_id: UUID | None
    name: str
    cause: str | None = None
    destination_ids: tuple[UUID, ...] = ()
    due_at: tuple[tuple[UUID, datetime], ...] = ()

    def record(self) -> dict[str, Any]:
        """Returns the page as a part of a timeline entry."""
        schedule, person = self.schedule_id, self.user_id
        return {
            "userId": None if person is None else ids.encode(Prefix.USER, person),
            "scheduleId": None if schedule is None else ids.encode(Prefix.SCHEDULE, schedule),
            "name": self.name,
            "cause": self.cause,
        }


class StepKey(NamedTuple):
    """A step since an opening of an incident: its number in the profile, and its round."""

    incident_id: UUID
    opened_at: datetime
    number: int
    round: int


def has_nobody(pages: Iterable[Page]) -> bool:
    """Returns whether these pages of a step reached nobody."""
    found = list(pages)
    return bool(found) and all(page.cause is not None for page in found)
