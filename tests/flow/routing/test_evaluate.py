"""The cached values of a routing configuration equal those of a new computation; without a database."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from inbox.domain.routing.decision import RoutingDecision, RoutingDefaults, decide
from inbox.domain.routing.rule_action import RuleAction
from inbox.domain.routing.rules import Rule, RuleActions, RuleSet, Verdict
from inbox.domain.values.severity import Severity
from inbox.flow.routing.routing_config import RoutingConfig, SourceRouting, compiled
from inbox.models.events.queue import SourceContext
from inbox.models.workspaces.tables import Workspace
from tests.cast import NOW
from tests.domain.routing.matchers.matching import Seen

SOURCE, PROFILE = UUID(int=1), UUID(int=2)
ORIGIN = SourceContext(SOURCE, "Prometheus", "dedupKey", None, UUID(int=3), "Here", "here", {}, {}, False, 1)


def config() -> RoutingConfig:
    here: Any = SimpleNamespace(id=UUID(int=3), timezone="UTC", settings={}, default_route={})
    return compiled(cast(Workspace, here), 1, [], [], [])


def verdicts() -> list[Verdict]:
    rows = [
        SimpleNamespace(
            id=UUID(int=number), name=str(number), source_ids=[], match={"field": "title", "op": "eq", "value": str(number)},
            active_during=None, open_after=None, actions=then.record(), continue_matching=then.disposition is None,
        )
        for number, then in enumerate([RuleActions(None, Severity.CRITICAL), RuleActions(RuleAction.DROP), RuleActions(RuleAction.INCIDENT)])
    ]  # fmt: skip
    rules = RuleSet([Rule.of(row, "UTC") for row in rows])
    return [rules.verdict(Seen(title=title), SOURCE, NOW) for title in "012x"]


STATED = verdicts()
EVENTS = st.tuples(
    st.sampled_from(list(Severity)), st.sampled_from(["trigger", "resolve"]), st.booleans(), st.sampled_from(STATED)
)


def decision(
    source: SourceRouting, severity: Severity = Severity.ERROR, verdict: Verdict = STATED[0]
) -> RoutingDecision:
    return source.config.decide(*source.terms, verdict, severity, "trigger", False)


@given(st.lists(EVENTS, max_size=20), st.sampled_from(["dedupKey", "fingerprint"]))
def test_a_cached_decision_equals_a_new_decision(
    events: list[tuple[Severity, str, bool, Verdict]], resolve_by: str
) -> None:
    source = config().source(replace(ORIGIN, resolve_by=resolve_by))

    for severity, action, has_key, verdict in events:
        expected = decide(severity, action, RoutingDefaults(resolve_by=resolve_by), verdict, has_dedup_key=has_key)
        assert repr(source.config.decide(*source.terms, verdict, severity, action, has_key)) == repr(expected)


def test_a_source_that_stays_as_it_is_has_one_routing_in_a_configuration() -> None:
    here = config()

    first, repeated = here.source(ORIGIN), here.source(replace(ORIGIN, workspace_slug="there"))

    assert repeated is first
    assert config().source(ORIGIN) is not first


def test_a_source_that_changes_gets_a_new_routing_in_place_of_the_old_one() -> None:
    here, changes = (
        config(),
        ({"source_name": "Grafana"}, {"resolve_by": "fingerprint"}, {"routing_profile_id": PROFILE}),
    )

    for changed in changes:
        before = here.source(ORIGIN)
        after = here.source(replace(ORIGIN, **cast(Any, changed)))
        assert after is not before
        assert after.source_name == changed.get("source_name", "Prometheus")
    assert list(here.sources) == [SOURCE]


def test_a_configuration_made_of_another_keeps_nothing_of_it() -> None:
    here = config()
    here.source(ORIGIN)

    assert replace(here, destination_ids=frozenset()).sources == {}


def test_sources_with_the_same_terms_share_their_decisions() -> None:
    here = config()
    origins = [ORIGIN, replace(ORIGIN, source_id=PROFILE), replace(ORIGIN, resolve_by="fingerprint")]

    one, alike, other = (decision(here.source(origin)) for origin in origins)

    assert one is alike
    assert one is not other
