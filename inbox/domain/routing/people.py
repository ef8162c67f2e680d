"""People whom a step of a profile pages: a person, or whoever is on call by a schedule (specification 23.12)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple
from uuid import UUID

from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix

MAX_PEOPLE = 20
"""The maximum number of entries in `people` of a step."""


class PageTarget(NamedTuple):
    """One entry of `people`: a schedule or a person."""

    schedule_id: UUID | None = None
    user_id: UUID | None = None

    def record(self) -> dict[str, str]:
        """Returns the stored form, as the API has it."""
        if self.schedule_id is not None:
            return {"scheduleId": ids.encode(Prefix.SCHEDULE, self.schedule_id)}
        return {"userId": ids.encode(Prefix.USER, self.user_id)} if self.user_id is not None else {}


def targets_of(stored: Iterable[Mapping[str, str]]) -> tuple[PageTarget, ...]:
    """Returns the stored entries, without those that this version cannot read."""
    found = (
        PageTarget(
            ids.decode(Prefix.SCHEDULE, each.get("scheduleId", "")), ids.decode(Prefix.USER, each.get("userId", ""))
        )
        for each in stored
    )
    return tuple(each for each in found if each != PageTarget())
