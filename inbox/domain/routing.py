"""Where an event is routed, and why: today the default route; rules and profiles come before it (decision 8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Protocol

from inbox.domain.severity import Severity
from inbox.domain.target import STANDING, Target


class ResolveBy(StrEnum):
    """By what a recovery of a source finds its incident (decision 5)."""

    DEDUP_KEY = "dedupKey"
    """By its `dedupKey`; without one it is logged (spec 1.4)."""

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
"""The dispositions of the default route as shipped (spec 2.2)."""


@dataclass(frozen=True, slots=True)
class DefaultRoute:
    """What happens to an event that nothing else decides; `targets` differ from `SHIPPED` where a workspace says so."""

    targets: Mapping[Severity, Target] = field(default_factory=lambda: SHIPPED)

    @classmethod
    def of(cls, dispositions: Mapping[str, str]) -> DefaultRoute:
        """From a workspace's `dispositions`, of which those not named are as shipped."""
        chosen = {Severity(severity): Target(target) for severity, target in dispositions.items()}
        for target in set(chosen.values()).difference(STANDING):
            raise ValueError(f"the default route knows no {target}")
        return cls(MappingProxyType({**SHIPPED, **chosen}))


@dataclass(frozen=True, slots=True)
class Decision:
    """What is to be made of an event. `by` is `rule profile default`; `trace` says in words what led to it."""

    target: Target
    by: str
    recovers: bool
    trace: tuple[str, ...]

    def record(self, *, incident_id: str | None, act: str | None, reason: str | None, outcome: str) -> dict[str, Any]:
        """The event's `routing` as JSON (decision 8): the decision and what came of it. `outcome` is the disposition."""
        return {
            "by": self.by,
            "ruleId": None,
            "trace": list(self.trace),
            "disposition": outcome,
            "incidentId": incident_id,
            "act": act,
            "reason": reason,
        }


def decide(event: Routable, route: DefaultRoute, resolve_by: str = ResolveBy.DEDUP_KEY) -> Decision:
    """The default route's decision. A recovery that can find an incident is routed to it, whatever its severity."""
    severity = event.severity
    recovery = recovery_of(event)
    if recovery is None:
        target = route.targets[severity]
        return Decision(target, "default", False, (_SPOKEN[severity, target],))
    if event.dedup_key:
        return Decision(Target.INCIDENT, "default", True, (recovery, "it names its incident by dedupKey"))
    if resolve_by == ResolveBy.FINGERPRINT:
        return Decision(Target.INCIDENT, "default", True, (recovery, "the source resolves by fingerprint"))
    return Decision(Target.LOG, "default", False, (recovery, "without a dedupKey it names no incident"))


def recovery_of(event: Routable) -> str | None:
    """What makes the event a recovery, in words; `None` when it is none (spec 1.4, spec 2.2)."""
    if event.action == "resolve":
        return "recovery: action is resolve"
    if event.severity is Severity.SUCCESS:
        return "recovery: severity is SUCCESS"
    return None


_SPOKEN = {
    (severity, target): f"default route: {severity} "
    + ("opens or updates an incident" if target is Target.INCIDENT else "is logged only")
    for severity in Severity
    for target in STANDING
}
