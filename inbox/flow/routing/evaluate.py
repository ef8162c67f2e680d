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
from inbox.flow.routing.routing_config import RoutingConfig
from inbox.models.events.queue import SourceContext

CACHED = 1_000
"""So many sources of a workspace, and so many decisions of those with the same terms, are kept with a rulebook."""

NAMED = "named"
"""Stands for any dedup key."""

NO_RULES = Verdict()
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


class _CacheKey(NamedTuple):
    """Events of which one thing is to be made; of a dedup key it counts whether there is one."""

    severity: Severity
    action: str
    dedup_key: str | None


class DecisionCache:
    """How the events of all sources of a workspace are decided that have the same `terms`."""

    def __init__(self, config: RoutingConfig, resolve_by: str, profile_id: UUID | None) -> None:
        self.terms = RoutingDefaults(
            targets=targets_of(config.route.dispositions),
            resolve_by=resolve_by,
            profile_id=profile_id,
            default=NotifyTarget(config.route.routing_profile_id, config.route.destination_ids),
            profile_ids=config.profiles.keys(),
        )
        self.decisions = BoundedCache(self._decide, CACHED)
        self.policies = BoundedCache(self._policy, CACHED)
        self._config = config

    def _decide(self, key: tuple[Verdict, Severity, str, bool]) -> RoutingDecision:
        result, severity, action, is_named = key
        return decide(_CacheKey(severity, action, NAMED if is_named else None), self.terms, result)

    def _policy(self, profile_id: UUID | None) -> ReopenPolicy:
        settings, profile = self._config.settings, self._config.profiles.get(profile_id) if profile_id else None
        policy = ReopenPolicy.of_minutes(settings.reoccur_quiet_minutes, settings.reopen_window_minutes)
        if profile is not None and profile.reopen_window is not None:
            policy = policy._replace(reopen_window=profile.reopen_window)
        return policy


class SourceRouting:
    """By what the events of one source are judged: its workspace's rulebook, and its own terms.

    `has_matchers` says whether anything in the workspace looks at events more closely than the default route, `waits` whether a
    rule holds events back; `policies` are what holds for incidents, by their profile or None.
    """

    def __init__(self, config: RoutingConfig, origin: SourceContext, decisions: DecisionCache) -> None:
        self.config = config
        self.terms = decisions.terms
        self.names = ids.encode(Prefix.SOURCE, origin.source_id), origin.source_name
        self.source_id, self.source_name = self.names
        self.has_matchers = bool(config.rules.rules or config.silences)
        self.waits = any(rule.open_after for rule in config.rules.rules)
        self.policies = decisions.policies
        self._decisions = decisions.decisions

    @classmethod
    def of(cls, config: RoutingConfig, origin: SourceContext) -> SourceRouting:
        """Of a source in its workspace; of a rulebook and a source that stays as it is always the same."""
        terms = (origin.resolve_by, origin.routing_profile_id)
        cached = (origin.source_id, origin.source_name, *terms)
        routing = config.cached.get(cached)
        if routing is None:
            if len(config.cached) >= CACHED:
                config.cached.clear()
            decisions = config.cached.get(terms) or config.cached.setdefault(terms, DecisionCache(config, *terms))
            routing = config.cached[cached] = cls(config, origin, decisions)
        return cast(SourceRouting, routing)

    def decision(self, event: Event, result: Verdict) -> RoutingDecision:
        """What is to be made of the event: the same of all that are of one severity, action and verdict."""
        return self._decisions[result, event.severity, event.action, bool(event.dedup_key)]


class EvaluatedEvent(NamedTuple):
    """An event with what was decided of it, before it meets anything; `fingerprint` is the one it is grouped by."""

    event: Event
    subject: Subject | None
    routing: SourceRouting
    decision: RoutingDecision
    fingerprint: str
    cached_verdict: CachedVerdict | None = None

    @property
    def explained(self) -> str:
        """The record of what rules said of it (`Verdict.record`); empty where they said nothing."""
        if self.subject is None:
            return ""
        return (self.cached_verdict or CachedVerdict(self.decision.rules_result)).record(self.subject)

    @property
    def waits(self) -> OpenAfter | None:
        """What the rule that decided waits for before an incident opens."""
        opens = self.decision.target is INCIDENT and not self.decision.recovers
        return self.decision.rules_result.open_after if opens else None


def evaluate(
    event: Event, subject: Subject | None, routing: SourceRouting, result: Verdict | None = None
) -> EvaluatedEvent:
    """What rules, profile and default route say of the event. `subject` is there where the court `has_matchers`; `rules_result` where
    it is known what the rules say."""
    if subject is None:
        return EvaluatedEvent(event, None, routing, routing.decision(event, NO_RULES), event.fingerprint)
    cached_verdict = None
    if result is None:
        cached_verdict = routing.config.verdicts.verdict(
            routing.config.rules, subject, event.source_id, event.received_at
        )
        result = cached_verdict.verdict
    grouped = grouping.regrouped(event.source_id, subject, result.group_by) if result.group_by else None
    return EvaluatedEvent(
        event, subject, routing, routing.decision(event, result), grouped or event.fingerprint, cached_verdict
    )
