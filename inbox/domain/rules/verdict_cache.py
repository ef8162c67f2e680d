"""The cache of verdicts. Many events have the same matched values as an earlier one and are evaluated once.

Specification 6.2.
"""

from __future__ import annotations

from datetime import datetime
from sys import getsizeof
from threading import Lock
from uuid import UUID

from cachetools import FIFOCache

from inbox.domain.matchers import MatchSubject
from inbox.domain.matchers.value_index import RuleBits
from inbox.domain.rules.ruleset import RuleSet
from inbox.domain.rules.verdict import Verdict

MAX_BYTES = 32 * 1024 * 1024
"""The limit of bytes of cached records. Most records have about a kilobyte."""

ENTRY_BYTES = 600
"""The bytes of an entry besides its record."""

PERIOD = 2_048
"""The number of events of a source after which its repeats are compared with `MIN_REPEATS`."""

MIN_REPEATS = PERIOD // 4
"""With fewer repeats in a period, look-ups cost more time than they save."""

PAUSE = 16_384
"""The number of events that are evaluated without the cache before a new period begins."""


class RepeatCounter:
    """Counts the repeats of a source, and says whether the cache is used for the next event.

    1. The cache is used for `PERIOD` events.
    2. If at least `MIN_REPEATS` of them were found, the next period begins. Otherwise a pause comes first.
    """

    __slots__ = ("_is_used", "_remaining", "repeats")

    def __init__(self) -> None:
        self._is_used, self._remaining, self.repeats = True, PERIOD, 0

    def uses_cache(self) -> bool:
        """Whether the cache is used for this event. The caller asks once for each event."""
        if not self._remaining:
            self._is_used = not self._is_used or self.repeats >= MIN_REPEATS
            self._remaining, self.repeats = PERIOD if self._is_used else PAUSE, 0
        self._remaining -= 1
        return self._is_used


class VerdictCache:
    """A cache that rule sets and threads can share. At worst, two threads evaluate the same event values.

    The oldest entries leave first. An order of use would cost more at each look-up than it saves.
    """

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._lock = Lock()
        self._entries: FIFOCache[tuple[RuleSet, RuleBits, str, bytes], tuple[Verdict, str]] = FIFOCache(
            max_bytes, getsizeof=_bytes
        )

    def verdict(
        self, rules: RuleSet, subject: MatchSubject, source_id: UUID, at: datetime, repeats: RepeatCounter
    ) -> tuple[Verdict, str]:
        """The verdict of these rules for an event received at `at`, and its record (`Verdict.record`).

        `repeats` belongs to the event's source and to the rules.
        """
        if not repeats.uses_cache():
            verdict = rules.verdict(subject, source_id, at)
            return verdict, verdict.record(subject)
        key = (rules, rules.active(at), subject.source_id, rules.cache_key(subject))
        try:
            cached_verdict = self._entries[key]
        except KeyError:
            verdict = rules.verdict(subject, source_id, at)
            cached_verdict = verdict, verdict.record(subject)
            with self._lock:
                self._entries[key] = cached_verdict
        else:
            repeats.repeats += 1
        return cached_verdict


def _bytes(cached: tuple[Verdict, str]) -> int:
    return ENTRY_BYTES + getsizeof(cached[1])
