"""Both courses of stored events, by the rules as they stand and as they would be, played side by side (decision 8)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from inbox.flow.hearing import Court
from inbox.flow.preview.course import Course, subject_of
from inbox.flow.preview.question import Question, books_of, ears_of
from inbox.flow.preview.summary import Summary
from inbox.models import past, routing
from inbox.models.past import Past


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
