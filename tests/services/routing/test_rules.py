"""Rule drafts: validated like saved rules, and never stored."""

from __future__ import annotations

from typing import Any

import pytest

from inbox.domain.routing.rule_action import RuleAction
from inbox.domain.routing.rules import Rule as Compiled
from inbox.domain.values.refusals import ValidationFailed
from inbox.models.routing.rules import Rule
from inbox.services.routing import rules
from tests.cast import NOW, Cast

FIELDS: dict[str, Any] = {"name": "All", "match_text": "any event", "then": {"disposition": RuleAction.LOG}}


def test_a_draft_rule_is_evaluated_without_being_stored(cast: Cast) -> None:
    drafted = rules.build(cast.workspace.id, FIELDS, now=NOW)

    rule = Compiled.of(drafted, "UTC")

    assert (rule.error, rule.name, rule.match, rule.actions.disposition) == (None, "All", {"all": []}, RuleAction.LOG)
    assert Rule.select().count() == 0


def test_faults_of_a_draft_rule_point_into_the_body(cast: Cast) -> None:
    wrong = {**FIELDS, "then": {}, "source_ids": [cast.foreign_source.id]}

    with pytest.raises(ValidationFailed) as refused:
        rules.build(cast.workspace.id, wrong, now=NOW, at="/rules/3")

    assert [fault.pointer for fault in refused.value.errors] == ["/rules/3/then/disposition", "/rules/3/sourceIds/0"]
