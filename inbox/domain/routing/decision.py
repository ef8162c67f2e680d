"""Routing of an event: its disposition, recipients and reasons, from rules, the source's profile and the default route.

Specification 6.1.
"""

from __future__ import annotations

import json
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from json.encoder import encode_basestring as quoted
from types import MappingProxyType
from typing import Any, NamedTuple
from uuid import UUID

from inbox.domain.routing.people import PageTarget
from inbox.domain.routing.rule_action import DEFAULT_ROUTE_ACTIONS, RuleAction
from inbox.domain.routing.rules import Rule, Verdict
from inbox.domain.values import ids, number_text
from inbox.domain.values.ids import Prefix
from inbox.domain.values.severity import Severity


class ResolveBy(StrEnum):
    """The value by which a recovery of a source finds its incident (specification 6.8)."""

    DEDUP_KEY = "dedupKey"
    """The `dedupKey`. A recovery without one is logged (specification 6.8)."""

    FINGERPRINT = "fingerprint"
    """The fingerprint. A recovery without `dedupKey` closes the incident of the same resource or title."""


SHIPPED_DISPOSITIONS: Mapping[Severity, RuleAction] = MappingProxyType(
    {
        Severity.DEBUG: RuleAction.LOG,
        Severity.INFO: RuleAction.LOG,
        Severity.SUCCESS: RuleAction.LOG,
        Severity.WARNING: RuleAction.INCIDENT,
        Severity.ERROR: RuleAction.INCIDENT,
        Severity.CRITICAL: RuleAction.INCIDENT,
    }
)
"""The shipped dispositions of the default route (specification 4.2)."""


MAX_NAMED_RULES = 20
"""The number of rules without a decision that the reasons of an event name."""


class NotifyTarget(NamedTuple):
    """The recipients for an incident that an event opens. Without profile, destinations and people, the default
    route's recipients apply.
    """

    profile_id: UUID | None = None
    destination_ids: tuple[UUID, ...] = ()
    people: tuple[PageTarget, ...] = ()


NO_TARGET = NotifyTarget()


def targets_of(dispositions: Mapping[str, str]) -> Mapping[Severity, RuleAction]:
    """Returns the actions of a default route's `dispositions`; missing severities have the shipped ones.

    Only incident and log are valid.
    """
    chosen = {Severity(severity): RuleAction(target) for severity, target in dispositions.items()}
    for target in set(chosen.values()).difference(DEFAULT_ROUTE_ACTIONS):
        raise ValueError(f"the default route knows no {target}")
    return MappingProxyType({**SHIPPED_DISPOSITIONS, **chosen})


@dataclass(frozen=True, slots=True)
class RoutingDefaults:
    """The values that route events of a source when no rule decides.

    `profile_id` is the source's routing profile, `default` the recipients of the default route. `profile_ids` are the
    existing profiles.
    """

    targets: Mapping[Severity, RuleAction] = field(default_factory=lambda: SHIPPED_DISPOSITIONS)
    resolve_by: str = ResolveBy.DEDUP_KEY
    profile_id: UUID | None = None
    default: NotifyTarget = NO_TARGET
    profile_ids: Container[UUID] = ()


@dataclass(frozen=True, slots=True, eq=False)
class RoutingDecision:
    """The decision for an event. Equal events of a configuration share one object. `by` is `rule`, `profile` or
    `default`; `sentences` are the reasons.

    `severity` is the severity after the rules. A recovery (`recovers`) first closes its incident. `target` applies to a
    recovery without an incident to close.
    """

    target: RuleAction
    by: str
    recovers: bool
    severity: Severity
    notify_target: NotifyTarget
    rules_result: Verdict
    sentences: tuple[str, ...]
    opening: str
    """The beginning of the event's routing record."""

    @property
    def rule_id(self) -> UUID | None:
        """The rule that decided, if any."""
        return None if self.rules_result.rule is None else self.rules_result.rule.id


_NOTHING = Verdict()


def decide(
    severity: Severity,
    action: str,
    defaults: RoutingDefaults,
    rules_result: Verdict = _NOTHING,
    *,
    has_dedup_key: bool = False,
) -> RoutingDecision:
    """Returns the decision of the rules, else of the source's profile or default route with the default dispositions.

    `severity` and `action` are the event's.
    """
    sent, severity = severity, rules_result.severity or severity
    by = "rule" if rules_result.target else "profile" if defaults.profile_id in defaults.profile_ids else "default"
    recovery = recovery_of(sent, action)
    recovers = recovery is not None and (has_dedup_key or defaults.resolve_by == ResolveBy.FINGERPRINT)
    target = rules_result.target or (RuleAction.INCIDENT if recovers else defaults.targets[severity])
    if recovery is not None and not recovers and target is RuleAction.INCIDENT:
        target = RuleAction.LOG
    sentences = (
        _reasons(sent, rules_result, severity, target)
        if recovery is None
        else _recovery_reasons(recovery, recovers=recovers, has_dedup_key=has_dedup_key)
    )
    notify, opening = notify_target(rules_result, defaults), _opening(by, rules_result.rule, sentences)
    return RoutingDecision(target, by, recovers, severity, notify, rules_result, sentences, opening)


def notify_target(rules_result: Verdict, defaults: RoutingDefaults) -> NotifyTarget:
    """Returns the recipients from the deciding rule, else the source's profile, else the default route.

    A rule that continues to the next rule only adds destinations and people to the other recipients. Its profile counts.
    """
    added, paged = rules_result.destination_ids, rules_result.people
    chosen = _existing_profile(rules_result.routing_profile_id, defaults)
    if chosen or _names_recipients(rules_result.rule):
        return NotifyTarget(chosen, added, paged)
    profile = _existing_profile(defaults.profile_id, defaults)
    if profile:
        return NotifyTarget(profile, added, paged)
    profile = _existing_profile(defaults.default.profile_id, defaults)
    if profile or added or paged:
        default = defaults.default
        destination_ids = tuple(dict.fromkeys((*added, *default.destination_ids)))
        return NotifyTarget(profile, destination_ids, tuple(dict.fromkeys((*paged, *default.people))))
    return NO_TARGET


def _names_recipients(rule: Rule | None) -> bool:
    return rule is not None and bool(rule.actions.destination_ids or rule.actions.people)


def _existing_profile(profile_id: UUID | None, defaults: RoutingDefaults) -> UUID | None:
    return profile_id if profile_id in defaults.profile_ids else None


def recovery_of(severity: Severity, action: str) -> str | None:
    """Returns the sentence that explains why the event is a recovery; `None` when it is none (specification 6.8)."""
    if action == "resolve":
        return "recovery: action is resolve"
    if severity is Severity.SUCCESS:
        return "recovery: severity is SUCCESS"
    return None


def _recovery_reasons(recovery: str, *, recovers: bool, has_dedup_key: bool) -> tuple[str, ...]:
    if not recovers:
        return (recovery, "the recovery has no dedupKey, so it names no incident")
    reason = (
        "the recovery names its incident by dedupKey"
        if has_dedup_key
        else "the source resolves incidents by fingerprint"
    )
    return (recovery, reason)


def _reasons(sent: Severity, rules_result: Verdict, severity: Severity, target: RuleAction) -> tuple[str, ...]:
    if not rules_result.matched:
        return (_DEFAULT_TEXT[severity, target],)
    continued = [rule for rule in rules_result.matched if rule is not rules_result.rule]
    sentences = [f'rule "{rule.name}" matched and continues to the next rule' for rule in continued[:MAX_NAMED_RULES]]
    if len(continued) > MAX_NAMED_RULES:
        sentences.append(f"{len(continued) - MAX_NAMED_RULES} more rules matched and continue to the next rule")
    if severity is not sent:
        sentences.append(f'rule "{_severity_rule(rules_result)}" changed the severity from {sent} to {severity}')
    sentences.append(
        _DEFAULT_TEXT[severity, target] if rules_result.rule is None else _of_rule(rules_result.rule, target)
    )
    return tuple(sentences)


def _severity_rule(verdict: Verdict) -> str:
    """Returns the name of the last rule that changed the severity."""
    return next((rule.name for rule in reversed(verdict.matched) if rule.actions.severity), "")


def _of_rule(rule: Rule, target: RuleAction) -> str:
    open_after = rule.open_after
    if open_after is None:
        return f'rule "{rule.name}" {_ACTION_TEXT[target]}'
    nth, within = number_text.ordinal(open_after.count), number_text.duration_text(open_after.within)
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
    """The outcome for an event: its disposition, incident, act, reason and sentences."""

    disposition: str
    incident_id: UUID | None = None
    act: str | None = None
    reason: str | None = None
    sentences: tuple[str, ...] = ()


_NOTIFYING = frozenset({"opened", "notified"})


def record(decision: RoutingDecision, outcome: RoutingOutcome, rules: str = "") -> str:
    """Returns the event's `routing` as JSON text: the decision and the outcome, without the incident (`with_incident`).

    Specification 4.10. `profileId` is the profile of the notices, for dispositions with notices. When rules were
    evaluated, `rules` records for each rule which clauses matched (`Verdict.record`).
    """
    profile_id = decision.notify_target.profile_id
    words = "".join([f",{quoted(word)}" for word in outcome.sentences])
    text = (
        f'{decision.opening}{words}],"disposition":"{outcome.disposition}",'
        f'"act":{_code(outcome.act)},"reason":{_code(outcome.reason)}'
    )
    if profile_id is not None and outcome.disposition in _NOTIFYING:
        text += f',"profileId":"{ids.encode(Prefix.PROFILE, profile_id)}"'
    if rules:
        text += f',"rules":{rules}'
    return text + "}"


def _code(word: str | None) -> str:
    """Returns a word of a closed list, or null, as JSON."""
    return "null" if word is None else f'"{word}"'


def with_incident(record: Mapping[str, Any] | None, incident_id: UUID | None) -> dict[str, Any] | None:
    """Returns the record with the event's incident, as the API returns it; None without a record."""
    if record is None:
        return None
    return {
        **record,
        "incidentId": None if incident_id is None else ids.encode(Prefix.INCIDENT, incident_id),
    }


def _opening(by: str, rule: Rule | None, sentences: Sequence[str]) -> str:
    """Returns the beginning of the record, up to the place where more sentences may follow."""
    rule_id = None if rule is None else ids.encode(Prefix.RULE, rule.id)
    return json.dumps({"by": by, "ruleId": rule_id, "trace": sentences}, ensure_ascii=False)[:-2]
