"""What rules, profiles and the default route make of an event, before it meets anything: no incident, no database."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple, Protocol, cast
from uuid import UUID

from inbox.domain import grouping, ids
from inbox.domain.bounded_cache import BoundedCache
from inbox.domain.event_transition import ReopenPolicy
from inbox.domain.ids import Prefix
from inbox.domain.routing import NotifyTarget, RoutingDecision, RoutingDefaults, decide, targets_of
from inbox.domain.rule_action import INCIDENT
from inbox.domain.rules import CachedVerdict, OpenAfter, Verdict
from inbox.domain.severity import Severity
from inbox.domain.subject import Subject
from inbox.flow.rulebook import Rulebook
from inbox.models.events.queue import SourceContext

KEPT = 1_000
"""So many sources of a workspace, and so many decisions of those with the same terms, are kept with a rulebook."""

NAMED = "named"
"""Stands for any dedup key."""

UNHEARD = Verdict()
"""Of events at which no rule looks."""


class Event(Protocol):
    """An event as it is stored."""

    @property
    def id(self) -> UUID: ...
    @property
    def workspace_id(self) -> UUID: ...
    @property
    def source_id(self) -> UUID: ...
    @property
    def received_at(self) -> datetime: ...
    @property
    def severity(self) -> Severity: ...
    @property
    def action(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def type(self) -> str | None: ...
    @property
    def resource(self) -> str | None: ...
    @property
    def dedup_key(self) -> str | None: ...
    @property
    def tags(self) -> list[str]: ...
    @property
    def fingerprint(self) -> str: ...


class _Like(NamedTuple):
    """Events of which one thing is to be made; of a dedup key it counts whether there is one."""

    severity: Severity
    action: str
    dedup_key: str | None


class Bench:
    """How the events of all sources of a workspace are decided that have the same `terms`."""

    def __init__(self, book: Rulebook, resolve_by: str, profile_id: UUID | None) -> None:
        self.terms = RoutingDefaults(
            targets=targets_of(book.route.dispositions),
            resolve_by=resolve_by,
            profile_id=profile_id,
            default=NotifyTarget(book.route.routing_profile_id, book.route.destination_ids),
            profile_ids=book.profiles.keys(),
        )
        self.decisions = BoundedCache(self._decide, KEPT)
        self.policies = BoundedCache(self._policy, KEPT)
        self._book = book

    def _decide(self, alike: tuple[Verdict, Severity, str, bool]) -> RoutingDecision:
        verdict, severity, action, is_named = alike
        return decide(_Like(severity, action, NAMED if is_named else None), self.terms, verdict)

    def _policy(self, profile_id: UUID | None) -> ReopenPolicy:
        settings, profile = self._book.settings, self._book.profiles.get(profile_id) if profile_id else None
        policy = ReopenPolicy.of_minutes(settings.reoccur_quiet_minutes, settings.reopen_window_minutes)
        if profile is not None and profile.reopen_window is not None:
            policy = policy._replace(reopen_window=profile.reopen_window)
        return policy


class Court:
    """By what the events of one source are judged: its workspace's rulebook, and its own terms.

    `looks` says whether anything in the workspace looks at events more closely than the default route, `waits` whether a
    rule holds events back; `policies` are what holds for incidents, by their profile or None.
    """

    def __init__(self, book: Rulebook, origin: SourceContext, bench: Bench) -> None:
        self.book = book
        self.terms = bench.terms
        self.names = ids.encode(Prefix.SOURCE, origin.source_id), origin.source_name
        self.source_id, self.source_name = self.names
        self.looks = bool(book.rules.rules or book.hushes)
        self.waits = any(rule.open_after for rule in book.rules.rules)
        self.policies = bench.policies
        self._decisions = bench.decisions

    @classmethod
    def of(cls, book: Rulebook, origin: SourceContext) -> Court:
        """Of a source in its workspace; of a rulebook and a source that stays as it is always the same."""
        terms = (origin.resolve_by, origin.routing_profile_id)
        asked = (origin.source_id, origin.source_name, *terms)
        court = book.kept.get(asked)
        if court is None:
            if len(book.kept) >= KEPT:
                book.kept.clear()
            bench = book.kept.get(terms) or book.kept.setdefault(terms, Bench(book, *terms))
            court = book.kept[asked] = cls(book, origin, bench)
        return cast(Court, court)

    def decision(self, event: Event, verdict: Verdict) -> RoutingDecision:
        """What is to be made of the event: the same of all that are of one severity, action and verdict."""
        return self._decisions[verdict, event.severity, event.action, bool(event.dedup_key)]


class Case(NamedTuple):
    """An event with what was decided of it, before it meets anything; `fingerprint` is the one it is grouped by."""

    event: Event
    subject: Subject | None
    court: Court
    decision: RoutingDecision
    fingerprint: str
    said: CachedVerdict | None = None

    @property
    def explained(self) -> str:
        """The record of what rules said of it (`Verdict.record`); empty where they said nothing."""
        if self.subject is None:
            return ""
        return (self.said or CachedVerdict(self.decision.rules_result)).record(self.subject)

    @property
    def waits(self) -> OpenAfter | None:
        """What the rule that decided waits for before an incident opens."""
        opens = self.decision.target is INCIDENT and not self.decision.recovers
        return self.decision.rules_result.open_after if opens else None


def hear(event: Event, subject: Subject | None, court: Court, verdict: Verdict | None = None) -> Case:
    """What rules, profile and default route say of the event. `subject` is there where the court `looks`; `rules_result` where
    it is known what the rules say."""
    if subject is None:
        return Case(event, None, court, court.decision(event, UNHEARD), event.fingerprint)
    said = None
    if verdict is None:
        said = court.book.memory.verdict(court.book.rules, subject, event.source_id, event.received_at)
        verdict = said.verdict
    grouped = grouping.regrouped(event.source_id, subject, verdict.group_by) if verdict.group_by else None
    return Case(event, subject, court, court.decision(event, verdict), grouped or event.fingerprint, said)
