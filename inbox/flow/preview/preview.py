"""Both courses of stored events, by the rules as they stand and as they would be, played side by side.

Specification 6.9.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from inbox.domain.preview.verdict_cache import CachedRuleSets
from inbox.flow.preview.books import books_of, ears_of
from inbox.flow.preview.course import subject_of
from inbox.flow.preview.courses import Courses, Seat
from inbox.flow.preview.question import Question
from inbox.flow.preview.summary import Summary
from inbox.flow.preview.tried import record, tried_of
from inbox.models.events import preview_events
from inbox.models.events import queue as event_queue
from inbox.models.events.preview_events import StoredEvent


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without the search for cycles: what is played makes none, and it would go through all that is kept again and again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class Preview:
    """Both courses of the same events, read once. It starts with nothing open, and nobody reacts (decision 0023)."""

    def __init__(self, question: Question) -> None:
        self._period = question.period
        before, after = books_of(question)
        self._needs = before.needs | after.needs
        self._tried = tried_of(question, before.rules, after.rules)
        self._rules = CachedRuleSets(before.rules, after.rules, self._tried)
        ears = ears_of(self._period.workspace_id)
        self._courses = Courses.of(self._rules, before, after, ears, self._period)
        self._names: dict[str, str] = {}
        self._summary = Summary(after.rules.rules, question.tried)

    def pages(self) -> Iterator[int]:
        """Play it; after each page answers how many events are behind it. Holds no transaction in between."""
        dealt, pages = 0, preview_events.pages(self._period, self._needs)
        while True:
            with _uncollected():
                played = self._play(next(pages, []))
            if not played:
                break
            dealt += played
            yield dealt
        for _ in self._courses.pass_to(self._period.until):
            yield dealt
        self._rules.flush()

    @property
    def fingerprints(self) -> int:
        """Of how many there are incidents by now: that much is in memory."""
        return self._courses.fingerprints

    def result(self) -> dict[str, Any]:
        """What came of it, in the shape of the API; once `pages` is through."""
        told = self._summary.record(self._names, *self._courses.totals())
        return {**told, "ruleReports": [record(each) for each in self._tried]}

    def _play(self, page: list[StoredEvent]) -> int:
        """The next events; answers how many they are. Read but once, they make room at once."""
        played, courses, count = len(page), self._courses, self._summary.count
        seats, meet = courses.seats, courses.meet
        for event in page:
            seat = seats.get(event.source_id.int) or self._know(event.source_id)
            subject = subject_of(event, seat.court)
            count(event, subject, *meet(event, subject, seat))
        courses.let_go()
        page.clear()
        return played

    def _know(self, source_id: UUID) -> Seat:
        [origin] = event_queue.source_contexts([source_id]).values()
        seat = self._courses.know(origin)
        self._names[seat.court.source_id] = origin.source_name
        return seat
