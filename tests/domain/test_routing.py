"""What is made of an event, who hears of it and why: rules, the source's profile, the default route; and what recovers."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest

from inbox.domain import ids
from inbox.domain.routing import Decision, Fate, ResolveBy, Terms, Way, decide, record, targets_of, with_incident
from inbox.domain.rules import Rule, RuleSet, Then, Verdict
from inbox.domain.severity import Severity
from inbox.domain.target import Target

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
HERE = UUID(int=1)
PAGER, CHAT, DESK = (UUID(int=number) for number in (11, 12, 13))
NIGHT, DAY, GONE = (UUID(int=number) for number in (21, 22, 23))
SHIPPED = Terms()


@dataclass(frozen=True)
class Event:
    severity: Severity = Severity.ERROR
    action: str = "trigger"
    dedup_key: str | None = None
    title: str = "Disk full"
    tags: list[str] = field(default_factory=list)
    source_name: str = "Prometheus"


def verdict(*rules: tuple[Then, bool], event: Any = None) -> Verdict:
    """Of rules that match anything, each with whether it lets others go on."""
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


def told(decision: Decision, fate: Fate, event: Any = None) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(record(decision, fate, decision.verdict.record(event)))
    return found


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
    terms = Terms(targets_of({"WARNING": "log", "INFO": "incident"}))

    assert decide(Event(Severity.WARNING), terms).target is Target.LOG
    assert decide(Event(Severity.INFO), terms).target is Target.INCIDENT
    assert decide(Event(Severity.CRITICAL), terms).target is Target.INCIDENT


@pytest.mark.parametrize("disposition", ["notify", "drop", "bogus"])
def test_a_disposition_that_the_default_route_does_not_know_is_refused(disposition: str) -> None:
    with pytest.raises(ValueError, match=disposition):
        targets_of({"ERROR": disposition})


@pytest.mark.parametrize("target", Target)
def test_what_a_rule_says_comes_before_the_default_route(target: Target) -> None:
    decision = decide(Event(Severity.DEBUG), SHIPPED, verdict((Then(target), False)))
    assert (decision.target, decision.by, decision.rule_id) == (target, "rule", UUID(int=101))


def test_rules_that_only_add_leave_the_decision_to_the_default_route_by_the_severity_they_give() -> None:
    decision = decide(Event(Severity.INFO), SHIPPED, verdict((Then(None, Severity.CRITICAL), True)))
    assert (decision.target, decision.by, decision.severity) == (Target.INCIDENT, "default", Severity.CRITICAL)


def test_the_sources_profile_decides_who_with_the_default_routes_dispositions() -> None:
    terms = Terms(profile_id=NIGHT, profile_ids={NIGHT})

    assert decide(Event(), terms).way == Way(NIGHT)
    assert decide(Event(), terms).by == "profile"
    assert decide(Event(Severity.INFO), terms).target is Target.LOG


ADDS = Then(None, destination_ids=(CHAT,))
WAYS = {
    "nothing says anything: whoever the default route names then": ((), Terms(), Way()),
    "the default route's profile, with its destinations": (
        (),
        Terms(default=Way(DAY, (DESK,)), profile_ids={DAY}),
        Way(DAY, (DESK,)),
    ),
    "a profile that is no more counts as none": ((), Terms(profile_id=GONE, default=Way(GONE, (DESK,))), Way()),
    "the deciding rule's destinations are all there are": (
        ((Then(Target.INCIDENT, destination_ids=(PAGER,)), False),),
        Terms(profile_id=NIGHT, default=Way(DAY, (DESK,)), profile_ids={NIGHT, DAY}),
        Way(None, (PAGER,)),
    ),
    "so is the deciding rule's profile": (
        ((Then(Target.INCIDENT, routing_profile_id=DAY), False),),
        Terms(profile_id=NIGHT, profile_ids={NIGHT, DAY}),
        Way(DAY),
    ),
    "a deciding rule that names nobody leaves it to the source's profile": (
        ((Then(Target.INCIDENT), False),),
        Terms(profile_id=NIGHT, profile_ids={NIGHT}),
        Way(NIGHT),
    ),
    "a rule that lets others go on adds to the deciding rule's": (
        ((ADDS, True), (Then(Target.INCIDENT, destination_ids=(PAGER,)), False)),
        Terms(),
        Way(None, (CHAT, PAGER)),
    ),
    "it adds to the source's profile": (
        (((ADDS, True)),),
        Terms(profile_id=NIGHT, profile_ids={NIGHT}),
        Way(NIGHT, (CHAT,)),
    ),
    "it adds to the default route": ((((ADDS, True)),), Terms(default=Way(None, (DESK,))), Way(None, (CHAT, DESK))),
    "a profile that a rule names and that is no more is passed over": (
        ((Then(Target.INCIDENT, routing_profile_id=GONE), False),),
        Terms(profile_id=NIGHT, profile_ids={NIGHT}),
        Way(NIGHT),
    ),
}


@pytest.mark.parametrize(("rules", "terms", "way"), WAYS.values(), ids=list(WAYS))
def test_who_is_told(rules: tuple[tuple[Then, bool], ...], terms: Terms, way: Way) -> None:
    assert decide(Event(), terms, verdict(*rules)).way == way


@pytest.mark.parametrize("severity", list(Severity))
@pytest.mark.parametrize("action", ["trigger", "resolve"])
@pytest.mark.parametrize("target", [None, *Target])
def test_resolve_and_success_recover_by_their_dedup_key_whatever_rules_say(
    severity: Severity, action: str, target: Target | None
) -> None:
    rules = () if target is None else ((Then(target), False),)
    decision = decide(Event(severity, action, "disk"), SHIPPED, verdict(*rules))

    assert decision.recovers == (action == "resolve" or severity is Severity.SUCCESS)
    if decision.recovers:
        assert decision.target is (target or Target.INCIDENT)


def test_a_recovery_without_dedup_key_is_logged() -> None:
    decision = decide(Event(Severity.SUCCESS), SHIPPED)
    assert (decision.target, decision.recovers) == (Target.LOG, False)


def test_a_recovery_without_dedup_key_recovers_where_the_source_resolves_by_fingerprint() -> None:
    decision = decide(Event(Severity.SUCCESS), Terms(resolve_by=ResolveBy.FINGERPRINT))
    assert (decision.target, decision.recovers) == (Target.INCIDENT, True)


@pytest.mark.parametrize("event", [Event(Severity.SUCCESS), Event(Severity.CRITICAL, "resolve")])
def test_a_recovery_never_opens_an_incident_even_when_routed_to_one(event: Event) -> None:
    terms = Terms(targets_of({"SUCCESS": "incident"}))

    assert decide(event, terms).target is Target.LOG
    assert decide(event, SHIPPED, verdict((Then(Target.INCIDENT), False))).target is Target.LOG


def test_what_a_rule_makes_of_the_severity_makes_no_recovery() -> None:
    decision = decide(Event(dedup_key="disk"), SHIPPED, verdict((Then(Target.INCIDENT, Severity.SUCCESS), False)))
    assert not decision.recovers


def test_the_record_says_what_decided_and_what_came_of_it() -> None:
    fate = Fate("opened", UUID(int=5), "trigger", "opened")
    assert told(decide(Event(Severity.ERROR), SHIPPED), fate) == {
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
def test_the_record_names_the_profile_by_which_what_opens_is_told(disposition: str, named: bool) -> None:
    way = replace(decide(Event(Severity.ERROR), SHIPPED), way=Way(UUID(int=7)))

    assert told(way, Fate(disposition)).get("profileId") == (ids.encode("prf", UUID(int=7)) if named else None)


def test_the_record_names_each_rule_that_had_a_say_with_its_clauses() -> None:
    event = Event(Severity.ERROR)
    found = verdict((Then(None, Severity.CRITICAL), True), (Then(Target.DROP), False), event=event)

    written = told(decide(event, SHIPPED, found), Fate("dropped"), event)

    assert (written["by"], written["ruleId"]) == ("rule", ids.encode("rul", UUID(int=102)))
    assert written["trace"] == [
        'rule "Rule 1" matched and continues to the next rule',
        'rule "Rule 1" changed the severity from ERROR to CRITICAL',
        'rule "Rule 2" drops the event',
    ]
    assert [(each["name"], each["decided"]) for each in written["rules"]] == [("Rule 1", False), ("Rule 2", True)]
    assert written["rules"][1]["clauses"] == [{"clause": "any event", "matched": True, "value": None}]
