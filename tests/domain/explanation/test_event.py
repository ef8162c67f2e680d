"""Every outcome of an event has its words, and so has what led to it."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from inbox.domain import explanation
from inbox.domain.moves import Act, Reason
from inbox.domain.occurrence import Disposition

ROUTING: dict[str, Any] = {"by": "default", "trace": ["default route: ERROR opens or updates an incident"]}


@pytest.mark.parametrize("disposition", Disposition)
def test_every_outcome_has_a_sentence(disposition: Disposition) -> None:
    for act, reason in itertools.product((None, *Act), (None, *Reason)):
        assert explanation.of_event(disposition, act, reason).endswith(".")


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        ((Disposition.OPENED, Act.TRIGGER, Reason.OPENED), "It opened the incident."),
        ((Disposition.OPENED, Act.TRIGGER, Reason.REOPENED), "opened the incident again"),
        ((Disposition.OPENED, Act.TRIGGER_SILENCED, Reason.OPENED), "opened the incident under a silence"),
        ((Disposition.OPENED, Act.TRIGGER_SILENCED, Reason.REOPENED), "opened the incident again under a silence"),
        ((Disposition.OPENED, Act.TRIGGER_SNOOZED, None), "a rule puts off"),
        ((Disposition.OPENED, Act.TRIGGER, Reason.FLAPPING), "once too often: it flaps"),
        ((Disposition.RESOLVED, Act.RECOVER, Reason.FLAPPING), "once too often"),
        ((Disposition.UPDATED, Act.TRIGGER_HIGHER, Reason.ESCALATED), "more severe than the incident had been"),
        (
            (Disposition.UPDATED, Act.TRIGGER, Reason.REOCCURRED),
            "quiet for a while: that is told, unless its routing profile still waits",
        ),
        ((Disposition.UPDATED, Act.TRIGGER, None), "It was counted"),
        ((Disposition.UNMATCHED, Act.RECOVER, None), "none was unresolved"),
    ],
)
def test_the_words_say_what_happened_and_whether_it_was_told(
    outcome: tuple[Disposition, Act, Reason | None], words: str
) -> None:
    assert words in explanation.of_event(*outcome)


def test_what_is_not_routed_yet_has_no_reasons() -> None:
    assert explanation.whys(None) == []


def test_the_default_route_is_named() -> None:
    assert explanation.whys(ROUTING) == ["Default route: ERROR opens or updates an incident."]


def test_a_rule_is_named_with_the_clauses_that_held_and_what_they_looked_at() -> None:
    clauses = [
        {"clause": 'resource matches "^host:db"', "matched": True, "value": "host:db-1"},
        {"clause": "metadata.cpu >= 90", "matched": True, "value": 93.5},
        {"clause": "url missing", "matched": True, "value": None},
    ]
    said: dict[str, Any] = {"by": "rule", "trace": ['rule "Databases": it opens or updates an incident']}
    said |= {"rules": [{"ruleId": "rul_x", "name": "Databases", "decided": True, "clauses": clauses}]}

    assert explanation.whys(said) == [
        'Matched rule "Databases": resource matches "^host:db" (it is "host:db-1"), metadata.cpu >= 90 (it is 93.5),'
        + " url missing (there is none).",
        'Rule "Databases": it opens or updates an incident.',
    ]


def test_a_rule_for_every_event_and_one_that_cannot_be_asked_say_so() -> None:
    every: dict[str, Any] = {
        "name": "All",
        "decided": True,
        "clauses": [{"clause": "any event", "matched": True, "value": None}],
    }

    said = explanation.whys(ROUTING | {"rules": [every, {"name": "Old", "fault": "ValueError: no field"}]})

    assert said[:2] == ['Matched rule "All": any event.', 'Rule "Old" could not be asked: ValueError: no field.']


@pytest.mark.parametrize(("by", "whose"), [("profile", "the source's"), ("rule", "the"), ("default", "the")])
def test_the_profile_that_says_who_is_told_is_named(by: str, whose: str) -> None:
    assert explanation.whys(ROUTING | {"by": by}, "On call")[-1] == (
        f'Who is told says {whose} routing profile "On call".'
    )
