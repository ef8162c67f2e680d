"""What is to be made of an event, who is to hear of it, and why: rules, the source's profile, the default route.

Specification 6.1.
"""

from __future__ import annotations

import json
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from json.encoder import encode_basestring as quoted
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol
from uuid import UUID

from inbox.domain import former_words, ids
from inbox.domain.explanation import formatting
from inbox.domain.ids import Prefix
from inbox.domain.rule_action import DEFAULT_ROUTE_ACTIONS, RuleAction
from inbox.domain.rules import Rule, Verdict
from inbox.domain.severity import Severity


class ResolveBy(StrEnum):
    """By what a recovery of a source finds its incident (specification 6.8)."""

    DEDUP_KEY = "dedupKey"
    """By its `dedupKey`; without one it is logged (specification 6.8)."""

    FINGERPRINT = "fingerprint"
    """By its fingerprint, so that a recovery without `dedupKey` closes what the same resource or title opened."""


class RoutableEvent(Protocol):
    """What routing asks of an event."""

    @property
    def severity(self) -> Severity: ...

    @property
    def action(self) -> str: ...

    @property
    def dedup_key(self) -> str | None: ...


SHIPPED: Mapping[Severity, RuleAction] = MappingProxyType(
    {
        Severity.DEBUG: RuleAction.LOG,
        Severity.INFO: RuleAction.LOG,
        Severity.SUCCESS: RuleAction.LOG,
        Severity.WARNING: RuleAction.INCIDENT,
        Severity.ERROR: RuleAction.INCIDENT,
        Severity.CRITICAL: RuleAction.INCIDENT,
    }
)
"""The dispositions of the default route as shipped (specification 4.2)."""


class NotifyTarget(NamedTuple):
    """Who is told of what an event opens. Neither profile nor destinations: whoever the default route names then."""

    profile_id: UUID | None = None
    destination_ids: tuple[UUID, ...] = ()


NO_TARGET = NotifyTarget()


def targets_of(dispositions: Mapping[str, str]) -> Mapping[Severity, RuleAction]:
    """From a default route's `dispositions`, of which those not named are as shipped. It knows incident and log."""
    chosen = {Severity(severity): RuleAction(target) for severity, target in dispositions.items()}
    for target in set(chosen.values()).difference(DEFAULT_ROUTE_ACTIONS):
        raise ValueError(f"the default route knows no {target}")
    return MappingProxyType({**SHIPPED, **chosen})


@dataclass(frozen=True, slots=True)
class RoutingDefaults:
    """By what the events of a source are decided where no rule does.

    `profile_id` is the source's routing profile, `default` the default route's way, `profile_ids` are those that exist.
    """

    targets: Mapping[Severity, RuleAction] = field(default_factory=lambda: SHIPPED)
    resolve_by: str = ResolveBy.DEDUP_KEY
    profile_id: UUID | None = None
    default: NotifyTarget = NO_TARGET
    profile_ids: Container[UUID] = ()


@dataclass(frozen=True, slots=True)
class RoutingDecision:
    """What is to be made of an event. `by` is `rule profile default`; `sentences` say what led to it.

    `severity` is what a rule makes of the event's. A recovery (`recovers`) first closes what it names; `target` is for
    one that finds nothing to close.
    """

    target: RuleAction
    by: str
    recovers: bool
    severity: Severity
    notify_target: NotifyTarget
    rules_result: Verdict
    sentences: tuple[str, ...]
    opening: str
    """How the record of the event begins."""

    @property
    def rule_id(self) -> UUID | None:
        """The rule that decided, if one did."""
        return None if self.rules_result.rule is None else self.rules_result.rule.id


_NOTHING = Verdict()


def decide(event: RoutableEvent, defaults: RoutingDefaults, rules_result: Verdict = _NOTHING) -> RoutingDecision:
    """What the rules say, else the source's profile or the default route with the default route's dispositions."""
    severity = rules_result.severity or event.severity
    by = "rule" if rules_result.target else "profile" if defaults.profile_id in defaults.profile_ids else "default"
    recovery = recovery_of(event)
    recovers = recovery is not None and bool(event.dedup_key or defaults.resolve_by == ResolveBy.FINGERPRINT)
    target = rules_result.target or (RuleAction.INCIDENT if recovers else defaults.targets[severity])
    if recovery is not None and not recovers and target is RuleAction.INCIDENT:
        target = RuleAction.LOG
    sentences = (
        _why(event, rules_result, severity, target) if recovery is None else _why_recovered(event, recovery, recovers)
    )
    notify, opening = notify_target(rules_result, defaults), _opening(by, rules_result.rule, sentences)
    return RoutingDecision(target, by, recovers, severity, notify, rules_result, sentences, opening)


def notify_target(rules_result: Verdict, defaults: RoutingDefaults) -> NotifyTarget:
    """Who is told: whom the deciding rule names, else the source's profile, else the default route.

    A rule that lets others go on only adds destinations to whoever is told without it; a profile of it counts.
    """
    added = rules_result.destination_ids
    own = rules_result.rule is not None and bool(rules_result.rule.then.destination_ids)
    chosen = _known(rules_result.routing_profile_id, defaults)
    if own or chosen:
        return NotifyTarget(chosen, added)
    profile = _known(defaults.profile_id, defaults)
    if profile:
        return NotifyTarget(profile, added)
    profile = _known(defaults.default.profile_id, defaults)
    if profile or added:
        return NotifyTarget(profile, tuple(dict.fromkeys((*added, *defaults.default.destination_ids))))
    return NO_TARGET


def _known(profile_id: UUID | None, defaults: RoutingDefaults) -> UUID | None:
    return profile_id if profile_id in defaults.profile_ids else None


def recovery_of(event: RoutableEvent) -> str | None:
    """What makes the event a recovery, in words; `None` when it is none (specification 6.8)."""
    if event.action == "resolve":
        return "recovery: action is resolve"
    if event.severity is Severity.SUCCESS:
        return "recovery: severity is SUCCESS"
    return None


def _why_recovered(event: RoutableEvent, recovery: str, recovers: bool) -> tuple[str, ...]:
    if not recovers:
        return (recovery, "the recovery has no dedupKey, so it names no incident")
    named = (
        "the recovery names its incident by dedupKey"
        if event.dedup_key
        else "the source resolves incidents by fingerprint"
    )
    return (recovery, named)


def _why(event: RoutableEvent, rules_result: Verdict, severity: Severity, target: RuleAction) -> tuple[str, ...]:
    if not rules_result.matched:
        return (_DEFAULT_TEXT[severity, target],)
    sentences = [
        f'rule "{rule.name}" matched and continues to the next rule'
        for rule in rules_result.matched
        if rule is not rules_result.rule
    ]
    if severity is not event.severity:
        sentences.append(f'rule "{_raiser(rules_result)}" changed the severity from {event.severity} to {severity}')
    sentences.append(
        _DEFAULT_TEXT[severity, target] if rules_result.rule is None else _of_rule(rules_result.rule, target)
    )
    return tuple(sentences)


def _raiser(verdict: Verdict) -> str:
    """The name of the rule that had the last word on the severity."""
    return next((rule.name for rule in reversed(verdict.matched) if rule.then.severity), "")


def _of_rule(rule: Rule, target: RuleAction) -> str:
    waits = rule.open_after
    if waits is None:
        return f'rule "{rule.name}" {_ACTION_TEXT[target]}'
    nth, within = formatting.ordinal(waits.count), formatting.length(waits.within)
    return f'rule "{rule.name}" opens an incident at the {nth} event within {within}, or updates an open one'


_ACTION_TEXT: Mapping[RuleAction, str] = {
    RuleAction.INCIDENT: "opens or updates an incident",
    RuleAction.LOG: "logs the event only",
    RuleAction.NOTIFY: "sends the event as information only, no incident",
    RuleAction.DROP: "drops the event",
}

_BY_DEFAULT: Mapping[RuleAction, str] = {
    RuleAction.INCIDENT: "opens or updates an incident",
    RuleAction.LOG: "is logged only",
}

_DEFAULT_TEXT = {
    (severity, target): f"default route: {severity} {_BY_DEFAULT[target]}"
    for severity in Severity
    for target in DEFAULT_ROUTE_ACTIONS
}


class RoutingOutcome(NamedTuple):
    """What came of an event: its disposition, the incident it was counted to, the act, what was said of that."""

    disposition: str
    incident_id: UUID | None = None
    act: str | None = None
    reason: str | None = None
    sentences: tuple[str, ...] = ()


_BY_WAY = frozenset({"opened", "notified"})


def record(decision: RoutingDecision, outcome: RoutingOutcome, rules: str = "") -> str:
    """The event's `routing` as JSON text: the decision, and what came of it, but for the incident (`with_incident`).

    Specification 4.10.

    `profileId` is the profile by which what opens, or is only told, is told. Where rules had a say `rules` tells of each
    which clauses held (`Verdict.record`).
    """
    profile_id = decision.notify_target.profile_id
    words = "".join([f",{quoted(word)}" for word in outcome.sentences])
    said = f"{decision.opening}{words}],{_came(outcome.disposition, outcome.act, outcome.reason)}"
    if profile_id is not None and outcome.disposition in _BY_WAY:
        said += f',"profileId":"{ids.recurring(Prefix.PROFILE, profile_id)}"'
    if rules:
        said += f',"rules":{rules}'
    return said + "}"


def with_incident(record: Mapping[str, Any] | None, incident_id: UUID | None) -> dict[str, Any] | None:
    """The record with the incident that the event was counted to, as it is answered; None while there is none."""
    if record is None:
        return None
    return {
        **former_words.routing(record),
        "incidentId": None if incident_id is None else ids.encode(Prefix.INCIDENT, incident_id),
    }


@lru_cache(maxsize=512)
def _came(disposition: str, act: str | None, reason: str | None) -> str:
    return json.dumps({"disposition": disposition, "act": act, "reason": reason})[1:-1]


def _opening(by: str, rule: Rule | None, sentences: Sequence[str]) -> str:
    """How the record begins, up to where more words may follow."""
    rule_id = None if rule is None else ids.encode(Prefix.RULE, rule.id)
    return json.dumps({"by": by, "ruleId": rule_id, "trace": sentences}, ensure_ascii=False)[:-2]
