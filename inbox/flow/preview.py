"""What rules would have made of stored events: the same rules, judged by the same code, with no side effect (decision 8)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from inbox.domain.preview_memory import Remembering
from inbox.flow.hearing import Court, Subject
from inbox.flow.preview_course import Course
from inbox.flow.preview_summary import Summary
from inbox.flow.rulebook import Rulebook, compiled
from inbox.models import past, routing, rulebooks, telling
from inbox.models.destinations import Destination
from inbox.models.past import Past, Period
from inbox.models.rules import Rule
from inbox.models.telling import Ear


@dataclass(frozen=True, slots=True)
class Question:
    """Which events, by which rules (the enabled ones in their order) as they stand and as they would be.

    `tried` is the one rule about which it is asked, if it is one.
    """

    period: Period
    before: Sequence[Rule]
    after: Sequence[Rule]
    tried: UUID | None = None


class Preview:
    """Both courses of the same events, read once. It starts with nothing open, and nobody reacts (decision 30)."""

    def __init__(self, question: Question, *, clocks: bool = True) -> None:
        period = question.period
        self._period = period
        books = books_of(question)
        self._needs = frozenset().union(*(book.needs for book in books))
        ears = ears_of(period.workspace_id)
        self._before, self._after = (
            Course(period.workspace_id, book, ears, period.since, clocks=clocks) for book in books
        )
        self._courts: dict[UUID, Court] = {}
        self._summary = Summary(self._before.tally, self._after.tally, question.tried)

    def pages(self) -> Iterator[int]:
        """Play it; after each page answers how many events are behind it. Holds no transaction in between."""
        dealt = 0
        for page in past.pages(self._period, self._needs):
            self._know({event.source_id for event in page})
            for event in page:
                self._play(event)
            dealt += len(page)
            yield dealt
        for course in (self._before, self._after):
            course.pass_to(self._period.until)

    @property
    def fingerprints(self) -> int:
        """Of how many there are incidents by now, in the course that has more: that much is in memory."""
        return max(course.world.fingerprints for course in (self._before, self._after))

    def result(self) -> dict[str, Any]:
        """What came of it, in the shape of the API; once `pages` is through."""
        return self._summary.record({id: court.source_name for id, court in self._courts.items()})

    def _play(self, event: Past) -> None:
        subject = subject_of(event, self._courts[event.source_id])
        self._summary.count(event, subject, self._before.meet(event, subject), self._after.meet(event, subject))

    def _know(self, source_ids: set[UUID]) -> None:
        unknown = source_ids - self._courts.keys()
        for origin in routing.origins(unknown).values() if unknown else ():
            self._before.know(origin)
            self._courts[origin.source_id] = self._after.know(origin)


def books_of(question: Question) -> tuple[Rulebook, Rulebook]:
    """The workspace's rulebook with the one set of rules and with the other; silences as they stand, over ones too."""
    id = question.period.workspace_id
    workspace, profiles = rulebooks.workspaces([id])[id], rulebooks.profiles([id])[id]
    silences = rulebooks.silences([id], question.period.since)[id]
    there = rulebooks.destination_ids([id])[id]
    books = [compiled(workspace, 0, rows, profiles, silences) for rows in (question.before, question.after)]
    before, after = (replace(book, rules=Remembering(book.rules.rules), destination_ids=there) for book in books)
    return before, after


def ears_of(workspace_id: UUID) -> dict[UUID, Ear]:
    """All destinations of a workspace."""
    own = (Destination.workspace_id == workspace_id) & Destination.deleted_at.is_null()
    return telling.ears([row.id for row in Destination.select(Destination.id).where(own)])


def subject_of(event: Past, court: Court) -> Subject:
    """The event as rules see it."""
    return Subject(
        event.severity,
        event.action,
        event.title,
        event.type,
        event.resource,
        event.dedup_key,
        event.tags,
        court.source_id,
        court.source_name,
        *event.details,
    )
