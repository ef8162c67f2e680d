"""The result of an event, its recipients and its reasons: rules, the source's profile, the default route, recoveries."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest

from inbox.domain.routing import decision as routing
from inbox.domain.routing.decision import (
    NotifyTarget,
    ResolveBy,
    RoutingDecision,
    RoutingDefaults,
    RoutingOutcome,
    record,
    targets_of,
    with_incident,
)
from inbox.domain.routing.rule_action import RuleAction
from inbox.domain.routing.rules import Rule, RuleActions, RuleSet, Verdict
from inbox.domain.values import ids
from inbox.domain.values.severity import Severity

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
HERE = UUID(int=1)
PAGER, CHAT, OPERATOR = (UUID(int=number) for number in (11, 12, 13))
NIGHT, DAY, GONE = (UUID(int=number) for number in (21, 22, 23))
SHIPPED = RoutingDefaults()
NO_RULES = Verdict()


@dataclass(frozen=True)
class Event:
    severity: Severity = Severity.ERROR
    action: str = "trigger"
    dedup_key: str | None = None
    title: str = "Disk full"
    tags: list[str] = field(default_factory=list)
    source_name: str = "Prometheus"


def verdict(*rules: tuple[RuleActions, bool], event: Any = None) -> Verdict:
    """Of rules that match anything, each with whether it continues to the next."""
    rows = [
        SimpleNamespace(
            id=UUID(int=100 + number),
            name=f"Rule {number}",
            source_ids=[],
            match={"all": []},
            active_during=None,
            open_after=None,
            actions=then.record(),
            continue_matching=goes_on,
        )
        for number, (then, goes_on) in enumerate(rules, 1)
    ]
    return RuleSet([Rule.of(row, "UTC") for row in rows]).verdict(event or Event(), HERE, NOW)


def decide(event: Any, defaults: RoutingDefaults, found: Verdict = NO_RULES) -> RoutingDecision:
    return routing.decide(event.severity, event.action, defaults, found, has_dedup_key=bool(event.dedup_key))


def reported(decision: RoutingDecision, final_state: RoutingOutcome, event: Any = None) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(record(decision, final_state, decision.rules_result.record(event)))
    return found


@pytest.mark.parametrize(
    ("severity", "target"),
    [
        (Severity.DEBUG, RuleAction.LOG),
        (Severity.INFO, RuleAction.LOG),
        (Severity.SUCCESS, RuleAction.LOG),
        (Severity.WARNING, RuleAction.INCIDENT),
        (Severity.ERROR, RuleAction.INCIDENT),
        (Severity.CRITICAL, RuleAction.INCIDENT),
    ],
)
def test_the_shipped_route_decides_by_severity(severity: Severity, target: RuleAction) -> None:
    decision = decide(Event(severity), SHIPPED)
    assert (decision.target, decision.by, decision.recovers) == (target, "default", False)


def test_a_workspace_may_route_a_severity_elsewhere() -> None:
    terms = RoutingDefaults(targets_of({"WARNING": "log", "INFO": "incident"}))

    assert decide(Event(Severity.WARNING), terms).target is RuleAction.LOG
    assert decide(Event(Severity.INFO), terms).target is RuleAction.INCIDENT
    assert decide(Event(Severity.CRITICAL), terms).target is RuleAction.INCIDENT


@pytest.mark.parametrize("disposition", ["notify", "drop", "bogus"])
def test_a_disposition_that_the_default_route_does_not_know_is_refused(disposition: str) -> None:
    with pytest.raises(ValueError, match=disposition):
        targets_of({"ERROR": disposition})


@pytest.mark.parametrize("target", RuleAction)
def test_a_rule_takes_precedence_over_the_default_route(target: RuleAction) -> None:
    decision = decide(Event(Severity.DEBUG), SHIPPED, verdict((RuleActions(target), False)))
    assert (decision.target, decision.by, decision.rule_id) == (target, "rule", UUID(int=101))


def test_rules_that_only_add_leave_the_decision_to_the_default_route_by_the_severity_they_give() -> None:
    decision = decide(Event(Severity.INFO), SHIPPED, verdict((RuleActions(None, Severity.CRITICAL), True)))
    assert (decision.target, decision.by, decision.severity) == (RuleAction.INCIDENT, "default", Severity.CRITICAL)


def test_the_sources_profile_decides_who_with_the_default_routes_dispositions() -> None:
    terms = RoutingDefaults(profile_id=NIGHT, profile_ids={NIGHT})

    assert decide(Event(), terms).notify_target == NotifyTarget(NIGHT)
    assert decide(Event(), terms).by == "profile"
    assert decide(Event(Severity.INFO), terms).target is RuleAction.LOG


ADDS = RuleActions(None, destination_ids=(CHAT,))
WAYS = {
    "nothing says anything: whoever the default route names then": ((), RoutingDefaults(), NotifyTarget()),
    "the default route's profile, with its destinations": (
        (),
        RoutingDefaults(default=NotifyTarget(DAY, (OPERATOR,)), profile_ids={DAY}),
        NotifyTarget(DAY, (OPERATOR,)),
    ),
    "a profile that is no more counts as none": (
        (),
        RoutingDefaults(profile_id=GONE, default=NotifyTarget(GONE, (OPERATOR,))),
        NotifyTarget(),
    ),
    "the deciding rule's destinations are all there are": (
        ((RuleActions(RuleAction.INCIDENT, destination_ids=(PAGER,)), False),),
        RoutingDefaults(profile_id=NIGHT, default=NotifyTarget(DAY, (OPERATOR,)), profile_ids={NIGHT, DAY}),
        NotifyTarget(None, (PAGER,)),
    ),
    "so is the deciding rule's profile": (
        ((RuleActions(RuleAction.INCIDENT, routing_profile_id=DAY), False),),
        RoutingDefaults(profile_id=NIGHT, profile_ids={NIGHT, DAY}),
        NotifyTarget(DAY),
    ),
    "a deciding rule that names nobody leaves it to the source's profile": (
        ((RuleActions(RuleAction.INCIDENT), False),),
        RoutingDefaults(profile_id=NIGHT, profile_ids={NIGHT}),
        NotifyTarget(NIGHT),
    ),
    "a rule that lets others go on adds to the deciding rule's": (
        ((ADDS, True), (RuleActions(RuleAction.INCIDENT, destination_ids=(PAGER,)), False)),
        RoutingDefaults(),
        NotifyTarget(None, (CHAT, PAGER)),
    ),
    "it adds to the source's profile": (
        (((ADDS, True)),),
        RoutingDefaults(profile_id=NIGHT, profile_ids={NIGHT}),
        NotifyTarget(NIGHT, (CHAT,)),
    ),
    "it adds to the default route": (
        (((ADDS, True)),),
        RoutingDefaults(default=NotifyTarget(None, (OPERATOR,))),
        NotifyTarget(None, (CHAT, OPERATOR)),
    ),
    "a profile that a rule names and that is no more is passed over": (
        ((RuleActions(RuleAction.INCIDENT, routing_profile_id=GONE), False),),
        RoutingDefaults(profile_id=NIGHT, profile_ids={NIGHT}),
        NotifyTarget(NIGHT),
    ),
}


@pytest.mark.parametrize(("rules", "terms", "way"), WAYS.values(), ids=list(WAYS))
def test_the_recipients_come_from_the_rule_the_profile_or_the_default_route(
    rules: tuple[tuple[RuleActions, bool], ...], terms: RoutingDefaults, way: NotifyTarget
) -> None:
    assert decide(Event(), terms, verdict(*rules)).notify_target == way


@pytest.mark.parametrize("severity", list(Severity))
@pytest.mark.parametrize("action", ["trigger", "resolve"])
@pytest.mark.parametrize("target", [None, *RuleAction])
def test_resolve_and_success_recover_by_dedup_key_under_any_rule(
    severity: Severity, action: str, target: RuleAction | None
) -> None:
    rules = () if target is None else ((RuleActions(target), False),)
    decision = decide(Event(severity, action, "disk"), SHIPPED, verdict(*rules))

    assert decision.recovers == (action == "resolve" or severity is Severity.SUCCESS)
    if decision.recovers:
        assert decision.target is (target or RuleAction.INCIDENT)


def test_a_recovery_without_dedup_key_is_logged() -> None:
    decision = decide(Event(Severity.SUCCESS), SHIPPED)
    assert (decision.target, decision.recovers) == (RuleAction.LOG, False)


def test_a_recovery_without_dedup_key_recovers_where_the_source_resolves_by_fingerprint() -> None:
    decision = decide(Event(Severity.SUCCESS), RoutingDefaults(resolve_by=ResolveBy.FINGERPRINT))
    assert (decision.target, decision.recovers) == (RuleAction.INCIDENT, True)


@pytest.mark.parametrize("event", [Event(Severity.SUCCESS), Event(Severity.CRITICAL, "resolve")])
def test_a_recovery_never_opens_an_incident_even_when_routed_to_one(event: Event) -> None:
    terms = RoutingDefaults(targets_of({"SUCCESS": "incident"}))

    assert decide(event, terms).target is RuleAction.LOG
    assert decide(event, SHIPPED, verdict((RuleActions(RuleAction.INCIDENT), False))).target is RuleAction.LOG


def test_a_severity_set_by_a_rule_does_not_make_a_recovery() -> None:
    decision = decide(
        Event(dedup_key="disk"), SHIPPED, verdict((RuleActions(RuleAction.INCIDENT, Severity.SUCCESS), False))
    )
    assert not decision.recovers


def test_the_routing_record_states_the_deciding_rule_and_the_outcome() -> None:
    final_state = RoutingOutcome("opened", UUID(int=5), "trigger", "opened")
    assert reported(decide(Event(Severity.ERROR), SHIPPED), final_state) == {
        "by": "default",
        "ruleId": None,
        "trace": ["default route: ERROR opens or updates an incident"],
        "disposition": "opened",
        "act": "trigger",
        "reason": "opened",
    }


def test_the_incident_is_added_when_a_record_is_answered() -> None:
    assert with_incident({"by": "rule"}, UUID(int=5)) == {"by": "rule", "incidentId": ids.encode("inc", UUID(int=5))}
    assert with_incident({"by": "rule"}, None) == {"by": "rule", "incidentId": None}
    assert with_incident(None, None) is None


@pytest.mark.parametrize(("disposition", "named"), [("opened", True), ("notified", True), ("updated", False)])
def test_the_routing_record_names_the_profile_of_a_new_incident(disposition: str, named: bool) -> None:
    way = replace(decide(Event(Severity.ERROR), SHIPPED), notify_target=NotifyTarget(UUID(int=7)))

    assert reported(way, RoutingOutcome(disposition)).get("profileId") == (
        ids.encode("prf", UUID(int=7)) if named else None
    )


def test_the_routing_record_names_each_matching_rule_with_its_clauses() -> None:
    event = Event(Severity.ERROR)
    found = verdict((RuleActions(None, Severity.CRITICAL), True), (RuleActions(RuleAction.DROP), False), event=event)

    written = reported(decide(event, SHIPPED, found), RoutingOutcome("dropped"), event)

    assert (written["by"], written["ruleId"]) == ("rule", ids.encode("rul", UUID(int=102)))
    assert written["trace"] == [
        'rule "Rule 1" matched and continues to the next rule',
        'rule "Rule 1" changed the severity from ERROR to CRITICAL',
        'rule "Rule 2" drops the event',
    ]
    assert [(each["name"], each["decided"]) for each in written["rules"]] == [("Rule 1", False), ("Rule 2", True)]
    assert written["rules"][1]["clauses"] == [{"clause": "any event", "matched": True, "value": None}]
