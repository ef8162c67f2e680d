"""A preview asks the rules once about events that look the same to them, and again where any field they look at differs."""

from __future__ import annotations

from inbox.domain.preview.memory import Remembering
from inbox.domain.rules import RuleSet, Then
from inbox.domain.target import Target
from tests.domain.test_rules import HERE, SATURDAY, Event, clause, rule


def test_a_key_in_quotes_is_looked_at_like_any_other() -> None:
    rules = RuleSet([rule(1, clause('metadata."k8s.io/team"', "eq", "db"), Then(Target.DROP))])
    remembering = Remembering(rules, RuleSet([]))
    events = [Event(metadata={"k8s.io/team": team}) for team in ("db", "web", "db")]

    said = [remembering.verdicts(event, HERE, SATURDAY) for event in events]

    assert [(before.target, after.target) for before, after in said] == [
        (Target.DROP, None),
        (None, None),
        (Target.DROP, None),
    ]
    assert said[2] is said[0]
