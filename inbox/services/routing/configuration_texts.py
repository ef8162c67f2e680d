"""Sentences for rules, routing profiles and silences, with the names of the records that they refer to."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from inbox.domain.explaining import profile_text, recurrence_text, rule_text
from inbox.domain.explaining.rule_text import RuleNames, RuleParts
from inbox.domain.routing.profiles import profile_of
from inbox.domain.routing.rules import OpenAfter, RuleActions
from inbox.domain.values.wallclock import zone_of
from inbox.models.records import names
from inbox.models.routing.profiles import RoutingProfile
from inbox.models.routing.rules import Rule
from inbox.models.routing.silences import Silence
from inbox.models.workspaces.tables import Workspace

MAX_MATCH_TEXT = 1_000
"""The maximum number of characters of the match in the sentence of a rule."""


def of_each_rule(rows: Sequence[Rule]) -> list[str]:
    """Return a sentence for each of these rules, whose `match_text` is set."""
    parts = [_parts(row) for row in rows]
    record_names = RuleNames(
        names.of_sources(id for each in parts for id in each.source_ids),
        names.of_destinations(id for each in parts for id in each.actions.destination_ids),
        names.of_profiles(each.actions.routing_profile_id for each in parts),
        names.of_schedules(target.schedule_id for each in parts for target in each.actions.people),
        names.of_users(target.user_id for each in parts for target in each.actions.people),
    )
    return [rule_text.of_rule(each, record_names) for each in parts]


def of_each_profile(rows: Sequence[RoutingProfile]) -> list[str]:
    """Return a text for each of these routing profiles."""
    profiles = [profile_of(row) for row in rows]
    steps = [step for each in profiles for step in each.steps]
    destinations = names.of_destinations(
        [
            *(id for step in steps for id in step.destination_ids),
            *(each.fallback_destination_id for each in profiles),
        ]
    )
    people = [each for step in steps for each in step.people]
    schedules = names.of_schedules(each.schedule_id for each in people)
    users = names.of_users(each.user_id for each in people)
    return [profile_text.of_profile(each, destinations, schedules, users) for each in profiles]


def of_silences(rows: Sequence[Silence], now: datetime) -> dict[UUID, str]:
    """Return the times of each of these silences, in the time zone of the workspace or of the recurrence."""
    workspaces = Workspace.select(Workspace.id, Workspace.timezone).where(
        Workspace.id.in_({row.workspace_id for row in rows})
    )
    zones = {row.id: zone_of(row.timezone) for row in (workspaces if rows else ())}
    return {
        row.id: recurrence_text.of_times(row.starts_at, row.ends_at, row.recurrence, zones[row.workspace_id], now)
        for row in rows
    }


def _parts(row: Rule) -> RuleParts:
    return RuleParts(
        match_text=_shortened(row.match_text),
        actions=RuleActions.of(row.actions),
        source_ids=row.source_ids,
        open_after=OpenAfter.of(row.open_after) if row.open_after else None,
        at_set_times=row.active_during is not None,
        continues=row.continue_matching,
        enabled=row.enabled,
    )


def _shortened(match_text: str) -> str:
    return match_text if len(match_text) <= MAX_MATCH_TEXT else f"{match_text[:MAX_MATCH_TEXT]}…"
