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
from inbox.domain.explanation import spoken
from inbox.domain.ids import Prefix
from inbox.domain.rules import Rule, Verdict
from inbox.domain.severity import Severity
from inbox.domain.target import STANDING, Target


class ResolveBy(StrEnum):
    """By what a recovery of a source finds its incident (specification 6.8)."""

    DEDUP_KEY = "dedupKey"
    """By its `dedupKey`; without one it is logged (specification 6.8)."""

    FINGERPRINT = "fingerprint"
    """By its fingerprint, so that a recovery without `dedupKey` closes what the same resource or title opened."""


class Routable(Protocol):
    """What routing asks of an event."""

    @property
    def severity(self) -> Severity: ...

    @property
    def action(self) -> str: ...

    @property
    def dedup_key(self) -> str | None: ...


SHIPPED: Mapping[Severity, Target] = MappingProxyType(
    {
        Severity.DEBUG: Target.LOG,
        Severity.INFO: Target.LOG,
        Severity.SUCCESS: Target.LOG,
        Severity.WARNING: Target.INCIDENT,
        Severity.ERROR: Target.INCIDENT,
        Severity.CRITICAL: Target.INCIDENT,
    }
)
"""The dispositions of the default route as shipped (specification 4.2)."""


class Way(NamedTuple):
    """Who is told of what an event opens. Neither profile nor destinations: whoever the default route names then."""

    profile_id: UUID | None = None
    destination_ids: tuple[UUID, ...] = ()


NOBODY_NAMED = Way()


def targets_of(dispositions: Mapping[str, str]) -> Mapping[Severity, Target]:
    """From a default route's `dispositions`, of which those not named are as shipped. It knows incident and log."""
    chosen = {Severity(severity): Target(target) for severity, target in dispositions.items()}
    for target in set(chosen.values()).difference(STANDING):
        raise ValueError(f"the default route knows no {target}")
    return MappingProxyType({**SHIPPED, **chosen})


@dataclass(frozen=True, slots=True)
class Terms:
    """By what the events of a source are decided where no rule does.

    `profile_id` is the source's routing profile, `default` the default route's way, `profile_ids` are those that exist.
    """

    targets: Mapping[Severity, Target] = field(default_factory=lambda: SHIPPED)
    resolve_by: str = ResolveBy.DEDUP_KEY
    profile_id: UUID | None = None
    default: Way = NOBODY_NAMED
    profile_ids: Container[UUID] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """What is to be made of an event. `by` is `rule profile default`; `words` say what led to it.

    `severity` is what a rule makes of the event's. A recovery (`recovers`) first closes what it names; `target` is for
    one that finds nothing to close.
    """

    target: Target
    by: str
    recovers: bool
    severity: Severity
    way: Way
    verdict: Verdict
    words: tuple[str, ...]
    opening: str
    """How the record of the event begins."""

    @property
    def rule_id(self) -> UUID | None:
        """The rule that decided, if one did."""
        return None if self.verdict.rule is None else self.verdict.rule.id


_NOTHING = Verdict()


def decide(event: Routable, terms: Terms, verdict: Verdict = _NOTHING) -> Decision:
    """What the rules say, else the source's profile or the default route with the default route's dispositions."""
    severity = verdict.severity or event.severity
    by = "rule" if verdict.target else "profile" if terms.profile_id in terms.profile_ids else "default"
    recovery = recovery_of(event)
    recovers = recovery is not None and bool(event.dedup_key or terms.resolve_by == ResolveBy.FINGERPRINT)
    target = verdict.target or (Target.INCIDENT if recovers else terms.targets[severity])
    if recovery is not None and not recovers and target is Target.INCIDENT:
        target = Target.LOG
    words = _why(event, verdict, severity, target) if recovery is None else _why_recovered(event, recovery, recovers)
    way, opening = way_of(verdict, terms), _opening(by, verdict.rule, words)
    return Decision(target, by, recovers, severity, way, verdict, words, opening)


def way_of(verdict: Verdict, terms: Terms) -> Way:
    """Who is told: whom the deciding rule names, else the source's profile, else the default route.

    A rule that lets others go on only adds destinations to whoever is told without it; a profile of it counts.
    """
    added = verdict.destination_ids
    own = verdict.rule is not None and bool(verdict.rule.then.destination_ids)
    chosen = _known(verdict.routing_profile_id, terms)
    if own or chosen:
        return Way(chosen, added)
    profile = _known(terms.profile_id, terms)
    if profile:
        return Way(profile, added)
    profile = _known(terms.default.profile_id, terms)
    if profile or added:
        return Way(profile, tuple(dict.fromkeys((*added, *terms.default.destination_ids))))
    return NOBODY_NAMED


def _known(profile_id: UUID | None, terms: Terms) -> UUID | None:
    return profile_id if profile_id in terms.profile_ids else None


def recovery_of(event: Routable) -> str | None:
    """What makes the event a recovery, in words; `None` when it is none (specification 6.8)."""
    if event.action == "resolve":
        return "recovery: action is resolve"
    if event.severity is Severity.SUCCESS:
        return "recovery: severity is SUCCESS"
    return None


def _why_recovered(event: Routable, recovery: str, recovers: bool) -> tuple[str, ...]:
    if not recovers:
        return (recovery, "the recovery has no dedupKey, so it names no incident")
    named = (
        "the recovery names its incident by dedupKey"
        if event.dedup_key
        else "the source resolves incidents by fingerprint"
    )
    return (recovery, named)


def _why(event: Routable, verdict: Verdict, severity: Severity, target: Target) -> tuple[str, ...]:
    if not verdict.matched:
        return (_STANDING[severity, target],)
    words = [
        f'rule "{rule.name}" matched and continues to the next rule'
        for rule in verdict.matched
        if rule is not verdict.rule
    ]
    if severity is not event.severity:
        words.append(f'rule "{_raiser(verdict)}" changed the severity from {event.severity} to {severity}')
    words.append(_STANDING[severity, target] if verdict.rule is None else _of_rule(verdict.rule, target))
    return tuple(words)


def _raiser(verdict: Verdict) -> str:
    """The name of the rule that had the last word on the severity."""
    return next((rule.name for rule in reversed(verdict.matched) if rule.then.severity), "")


def _of_rule(rule: Rule, target: Target) -> str:
    waits = rule.open_after
    if waits is None:
        return f'rule "{rule.name}" {_SPOKEN[target]}'
    nth, within = spoken.ordinal(waits.count), spoken.length(waits.within)
    return f'rule "{rule.name}" opens an incident at the {nth} event within {within}, or updates an open one'


_SPOKEN: Mapping[Target, str] = {
    Target.INCIDENT: "opens or updates an incident",
    Target.LOG: "logs the event only",
    Target.NOTIFY: "sends the event as information only, no incident",
    Target.DROP: "drops the event",
}

_BY_DEFAULT: Mapping[Target, str] = {
    Target.INCIDENT: "opens or updates an incident",
    Target.LOG: "is logged only",
}

_STANDING = {
    (severity, target): f"default route: {severity} {_BY_DEFAULT[target]}"
    for severity in Severity
    for target in STANDING
}


class Fate(NamedTuple):
    """What came of an event: its disposition, the incident it was counted to, the act, what was said of that."""

    disposition: str
    incident_id: UUID | None = None
    act: str | None = None
    reason: str | None = None
    words: tuple[str, ...] = ()


_BY_WAY = frozenset({"opened", "notified"})


def record(decision: Decision, fate: Fate, rules: str = "") -> str:
    """The event's `routing` as JSON text: the decision, and what came of it, but for the incident (`with_incident`).

    Specification 4.10.

    `profileId` is the profile by which what opens, or is only told, is told. Where rules had a say `rules` tells of each
    which clauses held (`Verdict.record`).
    """
    profile_id = decision.way.profile_id
    words = "".join([f",{quoted(word)}" for word in fate.words])
    said = f"{decision.opening}{words}],{_came(fate.disposition, fate.act, fate.reason)}"
    if profile_id is not None and fate.disposition in _BY_WAY:
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


def _opening(by: str, rule: Rule | None, words: Sequence[str]) -> str:
    """How the record begins, up to where more words may follow."""
    rule_id = None if rule is None else ids.encode(Prefix.RULE, rule.id)
    return json.dumps({"by": by, "ruleId": rule_id, "trace": words}, ensure_ascii=False)[:-2]
