"""What rules said of events that looked the same to them: most events repeat, and are asked about once.

Specification 6.2.
"""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from inbox.domain.matchers import Subject
from inbox.domain.rules.ruleset import RuleSet
from inbox.domain.rules.verdict import Verdict

MAX_ENTRIES = 20_000
"""Answers that are remembered, of about a kilobyte each; then it begins anew."""


class CachedVerdict:
    """What rules say of events that look the same to them, and the record of it, written at the first."""

    __slots__ = ("_record", "verdict")

    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict
        self._record: str | None = None

    def record(self, subject: Subject) -> str:
        """As `Verdict.record`, of one of these events; of each of them it is the same."""
        if self._record is None:
            self._record = self.verdict.record(subject)
        return self._record


class VerdictCache:
    """May be shared by many rule sets, and by threads: at worst two of them ask the same."""

    def __init__(self, most: int = MAX_ENTRIES) -> None:
        self._most = most
        self._known: dict[tuple[RuleSet, int, str, bytes], CachedVerdict] = {}

    def verdict(self, rules: RuleSet, subject: Subject, source_id: UUID, at: datetime) -> CachedVerdict:
        """What these rules say of an event received `at` this time."""
        key = (rules, rules.awake(at), subject.source_id, rules.cache_key(subject))
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= self._most:
                self._known.clear()
            known = self._known[key] = CachedVerdict(rules.verdict(subject, source_id, at))
        return known
