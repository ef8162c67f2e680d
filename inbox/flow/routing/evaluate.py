"""Evaluates rules, profile and default route for an event, without incidents and without the database."""

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
"""The maximum number of cached sources, and of cached decisions per terms, of one routing configuration."""

NAMED = "named"
"""Stands for any dedup key."""

NO_RULES = Verdict()
"""The verdict for events in a workspace without rules or silences."""


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
    """The values that a decision depends on; `dedup_key` only shows whether there is one."""

    severity: Severity
    action: str
    dedup_key: str | None


class DecisionCache:
    """The cached decisions for all sources of a workspace with the same `terms`."""

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
    """The routing configuration and the terms of one source.

    `has_matchers` says whether the workspace has rules or silences. `waits` says whether a rule waits for more events.
    `policies` are the reopen policies by profile or None.
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
        """For a source; the same object as long as the configuration and the source are unchanged."""
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
        """The decision about the event. Events with the same severity, action and verdict share one object."""
        return self._decisions[result, event.severity, event.action, bool(event.dedup_key)]


class EvaluatedEvent(NamedTuple):
    """An event with its decision, before it is applied. `fingerprint` is the one it is grouped by."""

    event: Event
    subject: Subject | None
    routing: SourceRouting
    decision: RoutingDecision
    fingerprint: str
    cached_verdict: CachedVerdict | None = None

    @property
    def explained(self) -> str:
        """The record of the rules' results (`Verdict.record`); empty without a result."""
        if self.subject is None:
            return ""
        return (self.cached_verdict or CachedVerdict(self.decision.rules_result)).record(self.subject)

    @property
    def waits(self) -> OpenAfter | None:
        """The threshold of the deciding rule before an incident opens."""
        opens = self.decision.target is INCIDENT and not self.decision.recovers
        return self.decision.rules_result.open_after if opens else None


def evaluate(
    event: Event, subject: Subject | None, routing: SourceRouting, result: Verdict | None = None
) -> EvaluatedEvent:
    """Evaluate rules, profile and default route for the event.

    `subject` is given where the source `has_matchers`; `result` where the result of the rules is already computed.
    """
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
