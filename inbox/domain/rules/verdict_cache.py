"""The cache of verdicts. Most events have the same matched values as an earlier one and are evaluated once.

Specification 6.2.
"""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from inbox.domain.matchers import Subject
from inbox.domain.rules.ruleset import RuleSet
from inbox.domain.rules.verdict import Verdict

MAX_ENTRIES = 20_000
"""The limit of cached verdicts, of about a kilobyte each. A full cache is cleared."""


class CachedVerdict:
    """The verdict for events with one cache key, and its record, written at the first request."""

    __slots__ = ("_record", "verdict")

    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict
        self._record: str | None = None

    def record(self, subject: Subject) -> str:
        """The text of `Verdict.record` for one of these events. It is the same for all of them."""
        if self._record is None:
            self._record = self.verdict.record(subject)
        return self._record


class VerdictCache:
    """A cache that rule sets and threads can share. At worst, two threads evaluate the same event values."""

    def __init__(self, most: int = MAX_ENTRIES) -> None:
        self._most = most
        self._known: dict[tuple[RuleSet, int, str, bytes], CachedVerdict] = {}

    def verdict(self, rules: RuleSet, subject: Subject, source_id: UUID, at: datetime) -> CachedVerdict:
        """The verdict of these rules for an event received at `at`."""
        key = (rules, rules.awake(at), subject.source_id, rules.cache_key(subject))
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= self._most:
                self._known.clear()
            known = self._known[key] = CachedVerdict(rules.verdict(subject, source_id, at))
        return known
