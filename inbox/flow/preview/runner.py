"""The run of a preview: it reads stored events and processes them by the rules before and after.

Specification 6.9.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from inbox.domain.routing.preview.verdict_cache import CachedRuleSets
from inbox.flow.preview.comparison import Comparison, SourceState
from inbox.flow.preview.configs import configs_of, recipients_of
from inbox.flow.preview.request import Question
from inbox.flow.preview.rule_report import record, tried_of
from inbox.flow.preview.summary import Summary
from inbox.flow.routing.evaluate import subject_of
from inbox.models.events import preview_events
from inbox.models.events import queue as event_queue
from inbox.models.events.preview_events import StoredEvent

SLICE_SECONDS = 0.03
"""The time after which a run yields, so that its caller can do other work."""


class PreviewRun:
    """One run over the events of a period. It starts without open incidents, and no person acts (decision 0029)."""

    def __init__(self, question: Question) -> None:
        self._period = question.period
        before, after = configs_of(question)
        self._needs = before.needs | after.needs
        self._tried = tried_of(question, before.rules, after.rules)
        self._rules = CachedRuleSets(before.rules, after.rules, self._tried)
        recipients = recipients_of(self._period.workspace_id)
        self._comparison = Comparison.of(self._rules, before, after, recipients, self._period)
        self._names: dict[str, str] = {}
        self._summary = Summary(after.rules.rules, question.tried)

    def pages(self) -> Iterator[int]:
        """Runs the preview. Yields the number of processed events after each page, and every `SLICE_SECONDS` within it.

        No transaction is open between pages.

        1. Process the events page by page.
        2. Run the remaining timers up to the end of the period.
        3. Count the cached results.
        """
        processed, pages = 0, preview_events.pages(self._period, self._needs)
        while True:
            with _uncollected():
                page = next(pages, [])
            if not page:
                break
            page.reverse()
            while page:
                with _uncollected():
                    processed += self._run(page)
                    if not page:
                        self._comparison.drop_finished()
                yield processed
        for _ in self._comparison.run_until(self._period.until):
            yield processed
        self._rules.flush()

    @property
    def fingerprints(self) -> int:
        """The number of fingerprints with incidents. It bounds the memory."""
        return self._comparison.fingerprints

    def result(self) -> dict[str, Any]:
        """Returns the result in the format of the API. It is complete when `pages` is exhausted."""
        summary = self._summary.record(self._names, *self._comparison.totals())
        return {**summary, "ruleReports": [record(each) for each in self._tried]}

    def _run(self, reversed_page: list[StoredEvent]) -> int:
        """Processes the next events of a page for a slice of time, and returns their number.

        They are removed from the page at once, to free their memory.
        """
        played, comparison, count = 0, self._comparison, self._summary.count
        sources, process, until = comparison.sources, comparison.process, time.monotonic() + SLICE_SECONDS
        while reversed_page:
            event = reversed_page.pop()
            source = sources.get(event.source_id.int) or self._add_source(event.source_id)
            subject = subject_of(event, source.routing)
            count(event, subject, *process(event, subject, source))
            played += 1
            if time.monotonic() > until:
                break
        return played

    def _add_source(self, source_id: UUID) -> SourceState:
        [origin] = event_queue.source_contexts([source_id]).values()
        source = self._comparison.add_source(origin)
        self._names[source.routing.source_id] = origin.source_name
        return source


@contextmanager
def _uncollected() -> Iterator[None]:
    """Disables cyclic garbage collection. Simulations create no cycles, and each collection would scan all objects."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
