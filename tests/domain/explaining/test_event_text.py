"""Texts for every outcome of an event and for every cause."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from inbox.domain import explaining
from inbox.domain.explaining.event_text import clauses
from inbox.domain.incidents.event_transition import Disposition
from inbox.domain.incidents.state_machine import Act, Reason

ROUTING: dict[str, Any] = {"by": "default", "trace": ["default route: ERROR opens or updates an incident"]}


@pytest.mark.parametrize("disposition", Disposition)
def test_every_outcome_has_a_sentence(disposition: Disposition) -> None:
    for act, reason in itertools.product((None, *Act), (None, *Reason)):
        assert explaining.of_event(disposition, act, reason).endswith(".")


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        ((Disposition.OPENED, Act.TRIGGER, Reason.OPENED), "Event opened the incident."),
        (
            (Disposition.OPENED, Act.TRIGGER, Reason.REOPENED),
            "Event reopened the incident within the reopen window.",
        ),
        (
            (Disposition.OPENED, Act.TRIGGER_SILENCED, Reason.OPENED),
            "Event opened the incident under a silence: no notification.",
        ),
        (
            (Disposition.OPENED, Act.TRIGGER_SILENCED, Reason.REOPENED),
            "Event reopened the incident under a silence: no notification.",
        ),
        ((Disposition.OPENED, Act.TRIGGER_SNOOZED, None), "a rule snoozed it"),
        (
            (Disposition.OPENED, Act.TRIGGER, Reason.FLAPPING),
            "Flapping: 5 changes in 30 minutes, or 6 in 3 hours. Open/resolve notifications pause until it is stable for",
        ),
        ((Disposition.RESOLVED, Act.RECOVER, Reason.FLAPPING), "Flapping: 5 changes in 30 minutes, or 6 in 3 hours."),
        ((Disposition.UPDATED, Act.TRIGGER_HIGHER, Reason.ESCALATED), "Event raised the severity of the incident."),
        (
            (Disposition.UPDATED, Act.TRIGGER, Reason.REOCCURRED),
            "Repeat after a quiet period. Notification: sent, unless the routing profile still waits or the incident flaps.",
        ),
        (
            (Disposition.UPDATED, Act.TRIGGER, None),
            "Repeat, counted. No notification: only open incidents notify of repeats.",
        ),
        ((Disposition.UNMATCHED, Act.RECOVER, None), "Recovery without an alert that fires: nothing to resolve."),
        (
            (Disposition.UPDATED, Act.JOIN, None),
            "Event added an alert to the incident. Notification: sent soon for all",
        ),
        (
            (Disposition.UPDATED, Act.JOIN, Reason.REOCCURRED),
            "Event added an alert to the incident. Notification: sent",
        ),
        (
            (Disposition.UPDATED, Act.ALERT_ENDS, None),
            "Recovery ended an alert. The incident stays, because others still",
        ),
    ],
)
def test_the_text_of_an_event_states_its_result_and_its_notification(
    outcome: tuple[Disposition, Act, Reason | None], words: str
) -> None:
    assert words in explaining.of_event(*outcome)


def test_an_unrouted_event_has_no_reasons() -> None:
    assert explaining.reasons(None) == []


def test_the_default_route_is_named() -> None:
    assert explaining.reasons(ROUTING) == ["Default route: ERROR opens or updates an incident."]


def test_a_rule_is_named_with_its_matching_clauses_and_their_values() -> None:
    clauses = [
        {"clause": 'resource matches "^host:db"', "matched": True, "value": "host:db-1"},
        {"clause": "metadata.cpu >= 90", "matched": True, "value": 93.5},
        {"clause": "url missing", "matched": True, "value": None},
    ]
    stated: dict[str, Any] = {"by": "rule", "trace": ['rule "Databases": it opens or updates an incident']}
    stated |= {"rules": [{"ruleId": "rul_x", "name": "Databases", "decided": True, "clauses": clauses}]}

    assert explaining.reasons(stated) == [
        'Matched rule "Databases": resource matches "^host:db" (value: "host:db-1"), metadata.cpu >= 90 (value: 93.5),'
        + " url missing (no value).",
        'Rule "Databases": it opens or updates an incident.',
    ]


def test_the_reasons_name_a_rule_for_every_event_and_a_rule_that_failed() -> None:
    every: dict[str, Any] = {
        "name": "All",
        "decided": True,
        "clauses": [{"clause": "any event", "matched": True, "value": None}],
    }

    stated = explaining.reasons(ROUTING | {"rules": [every, {"name": "Old", "error": "ValueError: no field"}]})

    assert stated[:2] == ['Matched rule "All": any event.', 'Rule "Old" could not be evaluated: ValueError: no field.']


@pytest.mark.parametrize("by", ["profile", "rule", "default"])
def test_the_profile_that_says_who_is_notified_is_named(by: str) -> None:
    assert explaining.reasons(ROUTING | {"by": by}, "On call")[-1] == 'Notified by routing profile "On call".'


def test_a_repeat_says_after_how_long_without_one_repeats_notify() -> None:
    repeat = (Disposition.UPDATED, Act.TRIGGER, None)

    assert explaining.of_event(*repeat, 15) == (
        "Repeat, counted. No notification: only repeats of open incidents notify, after 15 minutes without one."
    )
    assert "after a minute without one" in explaining.of_event(*repeat, 1)


@pytest.mark.parametrize(
    ("clause", "matched", "words"),
    [
        ('tags = "x"', False, 'tags ["prod"] do not include "x"'),
        ('not tags = "x"', True, 'tags ["prod"] do not include "x"'),
        ('tags != "x"', True, 'tags ["prod"] do not include "x"'),
        ('tags = "prod"', True, 'tags ["prod"] include "prod"'),
        ('not tags = "prod"', False, 'tags ["prod"] include "prod"'),
        ('tags startsWith "x"', False, 'tags startsWith "x" (value: "[\\"prod\\"]")'),
    ],
)
def test_the_text_of_a_tag_clause_says_whether_the_tags_include_it(clause: str, matched: bool, words: str) -> None:
    assert list(clauses([{"clause": clause, "matched": matched, "value": '["prod"]'}])) == [words]
