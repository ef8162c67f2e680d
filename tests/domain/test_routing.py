"""The default route and what counts as a recovery."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from inbox.domain.routing import DefaultRoute, ResolveBy, decide
from inbox.domain.severity import Severity
from inbox.domain.target import Target


@dataclass(frozen=True)
class Event:
    severity: Severity = Severity.ERROR
    action: str = "trigger"
    dedup_key: str | None = None


SHIPPED = DefaultRoute()


@pytest.mark.parametrize(
    ("severity", "target"),
    [
        (Severity.DEBUG, Target.LOG),
        (Severity.INFO, Target.LOG),
        (Severity.SUCCESS, Target.LOG),
        (Severity.WARNING, Target.INCIDENT),
        (Severity.ERROR, Target.INCIDENT),
        (Severity.CRITICAL, Target.INCIDENT),
    ],
)
def test_the_shipped_route_makes_incidents_of_what_is_bad(severity: Severity, target: Target) -> None:
    decision = decide(Event(severity), SHIPPED)
    assert (decision.target, decision.by, decision.recovers) == (target, "default", False)


def test_a_workspace_may_route_a_severity_elsewhere() -> None:
    route = DefaultRoute.of({"WARNING": "log", "INFO": "incident"})

    assert decide(Event(Severity.WARNING), route).target is Target.LOG
    assert decide(Event(Severity.INFO), route).target is Target.INCIDENT
    assert decide(Event(Severity.CRITICAL), route).target is Target.INCIDENT


@pytest.mark.parametrize("severity", list(Severity))
@pytest.mark.parametrize("action", ["trigger", "resolve"])
def test_resolve_and_success_recover_by_their_dedup_key(severity: Severity, action: str) -> None:
    decision = decide(Event(severity, action, "disk"), SHIPPED)

    assert decision.recovers == (action == "resolve" or severity is Severity.SUCCESS)
    if decision.recovers:
        assert decision.target is Target.INCIDENT


def test_a_recovery_without_dedup_key_is_logged() -> None:
    decision = decide(Event(Severity.SUCCESS), SHIPPED)
    assert (decision.target, decision.recovers) == (Target.LOG, False)


def test_a_recovery_without_dedup_key_recovers_where_the_source_resolves_by_fingerprint() -> None:
    decision = decide(Event(Severity.SUCCESS), SHIPPED, ResolveBy.FINGERPRINT)
    assert (decision.target, decision.recovers) == (Target.INCIDENT, True)


def test_success_never_opens_an_incident_even_when_routed_to_one() -> None:
    route = DefaultRoute.of({"SUCCESS": "incident"})
    assert decide(Event(Severity.SUCCESS), route).target is Target.LOG


def test_an_unknown_disposition_is_refused() -> None:
    with pytest.raises(ValueError, match="notify"):
        DefaultRoute.of({"ERROR": "notify"})


def test_the_record_says_what_decided_and_what_came_of_it() -> None:
    record = decide(Event(Severity.ERROR), SHIPPED).record(
        incident_id="inc_1", act="trigger", reason="opened", outcome="opened"
    )
    assert record == {
        "by": "default",
        "ruleId": None,
        "trace": ["default route: ERROR opens or updates an incident"],
        "disposition": "opened",
        "incidentId": "inc_1",
        "act": "trigger",
        "reason": "opened",
    }
