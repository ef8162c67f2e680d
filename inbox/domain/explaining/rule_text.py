"""A sentence for a rule: the events to which it applies, and its actions (specification 6.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID

from inbox.domain.explaining import formatting
from inbox.domain.routing.matchers.tokens import ANY_EVENT
from inbox.domain.routing.people import PageTarget
from inbox.domain.routing.rule_action import RuleAction
from inbox.domain.routing.rules import OpenAfter, RuleActions
from inbox.domain.values import number_text

DELETED = "a deleted one"

_DISPOSITIONS: Mapping[RuleAction, str] = {
    RuleAction.INCIDENT: "open an incident",
    RuleAction.LOG: "log the event only",
    RuleAction.NOTIFY: "send a notice without an incident",
    RuleAction.DROP: "drop the event",
}


@dataclass(frozen=True, slots=True)
class RuleParts:
    """The parts of a rule that its sentence names. `match_text` is the match on one line."""

    match_text: str
    actions: RuleActions
    source_ids: Sequence[UUID] = ()
    open_after: OpenAfter | None = None
    at_set_times: bool = False
    continues: bool = False
    enabled: bool = True


@dataclass(frozen=True, slots=True)
class RuleNames:
    """The names of the records that rules refer to."""

    sources: Mapping[UUID, str] = field(default_factory=dict)
    destinations: Mapping[UUID, str] = field(default_factory=dict)
    profiles: Mapping[UUID, str] = field(default_factory=dict)
    schedules: Mapping[UUID, str] = field(default_factory=dict)
    people: Mapping[UUID, str] = field(default_factory=dict)


def of_rule(rule: RuleParts, names: RuleNames) -> str:
    """Returns the rule as a sentence: `When severity >= ERROR: open an incident and notify Pager.`"""
    text = f"{_condition(rule, names)}: {_effects(rule.actions, names)}."
    if rule.continues:
        text += " Later rules apply too."
    return text if rule.enabled else f"{text} The rule is disabled."


def of_target(target: PageTarget, schedules: Mapping[UUID, str], people: Mapping[UUID, str]) -> str:
    """Returns whom a step or a rule pages: the name of a person, or `on call by Backend`."""
    if target.schedule_id is not None:
        return f"on call by {schedules.get(target.schedule_id, DELETED)}"
    return people.get(target.user_id, DELETED) if target.user_id is not None else DELETED


def of_costly(events: int) -> str:
    """Returns the warning about a rule or silence that cost too much for these events of the last 24 hours."""
    number = "one event" if events == 1 else f"{events:,} events"
    return (
        f"Left out for {number} of the last 24 hours, because it costs too much."
        " Compare fewer values with body, tags and metadata, or use simpler patterns."
    )


def _condition(rule: RuleParts, names: RuleNames) -> str:
    parts = ["Every event" if rule.match_text == ANY_EVENT else f"When {rule.match_text}"]
    if rule.source_ids:
        parts.append(f"from {formatting.names([names.sources.get(each, DELETED) for each in rule.source_ids])}")
    if rule.open_after is not None:
        after = rule.open_after
        within = number_text.duration_text(after.within)
        parts.append(f"from the {number_text.ordinal(after.count)} one within {within} on")
    if rule.at_set_times:
        parts.append("at set times")
    return ", ".join(parts)


def _effects(actions: RuleActions, names: RuleNames) -> str:
    found = [_DISPOSITIONS[actions.disposition]] if actions.disposition is not None else []
    if actions.severity is not None:
        found.append(f"set the severity {actions.severity}")
    if actions.add_tags:
        found.append(f"add the {'tag' if len(actions.add_tags) == 1 else 'tags'} {formatting.names(actions.add_tags)}")
    if actions.group_by:
        found.append(f"group by {formatting.names(actions.group_by)}")
    if actions.snooze is not None:
        found.append(f"snooze it for {number_text.duration_text(_whole_minutes(actions.snooze))}")
    if actions.runbook_url is not None:
        found.append("link its runbook")
    found += _recipients(actions, names)
    return formatting.series(found) if found else "change nothing"


def _recipients(actions: RuleActions, names: RuleNames) -> list[str]:
    found = []
    if actions.destination_ids:
        notified = [names.destinations.get(each, DELETED) for each in actions.destination_ids]
        found.append(f"notify {formatting.names(notified)}")
    if actions.people:
        paged = [
            f"{'whoever is ' if each.schedule_id else ''}{of_target(each, names.schedules, names.people)}"
            for each in actions.people
        ]
        found.append(f"page {formatting.names(paged)}")
    if actions.routing_profile_id is not None:
        found.append(f"use the profile {names.profiles.get(actions.routing_profile_id, DELETED)}")
    return found


def _whole_minutes(of: timedelta) -> timedelta:
    return timedelta(minutes=of // timedelta(minutes=1))
