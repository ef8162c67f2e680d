"""Lookup of enumeration members in a table, by member and by text."""

from __future__ import annotations

from inbox.domain.incidents.event_transition import Disposition
from inbox.domain.incidents.state_machine import Act, Reason, State
from inbox.domain.routing.rule_action import RuleAction
from inbox.domain.values.severity import Severity


def test_a_word_is_found_by_its_text() -> None:
    for words in (Severity, State, Act, Reason, RuleAction, Disposition):
        table = {word: word.name for word in words}
        assert [table.get(str(word.value)) for word in words] == [word.name for word in words]
