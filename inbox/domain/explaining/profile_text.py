"""A text for a routing profile: the recipients, the delays, and the repeats (specification 6.7)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from types import MappingProxyType
from uuid import UUID

from inbox.domain.explaining import formatting
from inbox.domain.explaining.rule_text import DELETED, of_target
from inbox.domain.routing.profiles import Profile, Step
from inbox.domain.values import number_text

NO_NAMES: Mapping[UUID, str] = MappingProxyType({})


def of_profile(
    profile: Profile,
    destinations: Mapping[UUID, str],
    schedules: Mapping[UUID, str] = NO_NAMES,
    people: Mapping[UUID, str] = NO_NAMES,
) -> str:
    """Returns the profile as sentences: `At once: Pager. After 10 minutes, from ERROR on: Chat. The steps run again
    twice.`
    """
    sentences = [_step(step, destinations, schedules, people) for step in profile.steps]
    if profile.repeat:
        times = {1: "once", 2: "twice"}.get(profile.repeat, f"{profile.repeat} times")
        sentences.append(f"The steps run again {times}.")
    if profile.delay:
        wait = number_text.duration_text(profile.delay)
        sentences.append(f"An incident that ends within {wait} sends nothing.")
    if profile.ack_timeout:
        sentences.append(f"An acknowledgement expires after {number_text.duration_text(profile.ack_timeout)}.")
    if profile.auto_resolve:
        sentences.append(f"After {number_text.duration_text(profile.auto_resolve)} without an event it is resolved.")
    if not profile.obeys_quiet_hours:
        sentences.append("Quiet hours do not apply.")
    if profile.fallback_destination_id is not None:
        sentences.append(f"Fallback: {destinations.get(profile.fallback_destination_id, DELETED)}.")
    return " ".join(sentences)


def _step(
    step: Step, destinations: Mapping[UUID, str], schedules: Mapping[UUID, str], people: Mapping[UUID, str]
) -> str:
    when = "At once" if step.after == timedelta(0) else f"After {number_text.duration_text(step.after)}"
    if step.min_severity is not None:
        when += f", from {step.min_severity} on"
    named = [destinations.get(each, DELETED) for each in step.destination_ids]
    return f"{when}: {formatting.names([*(of_target(each, schedules, people) for each in step.people), *named])}."
