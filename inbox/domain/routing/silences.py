"""Silences: their checks, and the silence that matches an event or incident (specification 8.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple, Protocol
from uuid import UUID

from inbox.domain.events.subject import Named, Subject
from inbox.domain.routing import matchers
from inbox.domain.routing.active_periods import ActivePeriods, SilenceState, StoredTimes
from inbox.domain.routing.matchers import evaluation_cost
from inbox.domain.routing.matchers.evaluation_cost import EvaluationCost, left_out
from inbox.domain.values.recurrence import BadRule
from inbox.domain.values.redaction import redact
from inbox.domain.values.refusals import Fault
from inbox.domain.values.severity import Severity

MAX_DURATION = timedelta(days=366)
"""The maximum time until a silence ends, and from its first start to its end."""

MAX_OCCURRENCE_MINUTES = 31 * 24 * 60
"""The maximum duration of one occurrence, in minutes."""

MAX_NAME_LENGTH = 100
"""The number of characters of its comment that name a silence."""


_CHEAP_SHARE = 2_000
"""The work of a silence is not counted if this many of its kind are within the budget. A workspace may have 500."""


class StoredSilence(StoredTimes, Protocol):
    """A silence as its table stores it; JSON is in the shape of the API."""

    id: UUID
    match: Any
    source_ids: Iterable[UUID]
    comment: str


class CompiledSilence(NamedTuple):
    """A silence compiled for routing. An empty `source_ids` means all sources.

    `error` is the reason why it cannot match. `needs` are the fields that must be loaded (`matchers.needs`). `name` is
    the beginning of its comment, redacted.
    """

    id: UUID
    active: ActivePeriods
    source_ids: frozenset[UUID]
    matches: Callable[[Subject], bool]
    error: str | None = None
    needs: frozenset[str] = frozenset()
    name: str = ""
    cost: EvaluationCost | None = None
    """The bound of the work for a view. None if it is small for every event."""

    @classmethod
    def of(cls, row: StoredSilence) -> CompiledSilence:
        """Compiles a stored silence. An invalid one gets an `error`, so that routing continues without it."""
        try:
            periods = ActivePeriods.of(row.starts_at, row.ends_at, row.recurrence)
            matches, needs = matchers.compile_match(row.match), matchers.needs(row.match)
        except (ValueError, LookupError, TypeError) as fault:
            return cls(row.id, ActivePeriods(()), frozenset(), lambda _: False, str(fault))
        cost = EvaluationCost.of_match(row.match)
        return cls(
            row.id,
            periods,
            frozenset(row.source_ids),
            matches,
            needs=needs,
            name=redact(row.comment)[:MAX_NAME_LENGTH],
            cost=cost if cost.most > evaluation_cost.EVENT_BUDGET // _CHEAP_SHARE else None,
        )

    @classmethod
    def of_match(cls, tree: Any, source_ids: Iterable[UUID]) -> CompiledSilence:
        """Creates a silence from a checked tree; it is not stored and never active."""
        matches, needs = matchers.compile_match(tree), matchers.needs(tree)
        periods, sources = ActivePeriods(()), frozenset(source_ids)
        return cls(UUID(int=0), periods, sources, matches, needs=needs, cost=EvaluationCost.of_match(tree))

    def units(self, subjects: Iterable[Subject]) -> int:
        """Returns the bound of the work to match these views; 0 if it is small for every event."""
        return 0 if self.cost is None else sum(map(self.cost.of, subjects))

    def is_too_costly(self, subjects: Sequence[Subject]) -> bool:
        """Returns whether the silence alone costs too much for this incident or event (decision 0010)."""
        return self.units(subjects) > evaluation_cost.EVENT_BUDGET

    def matches_source_and_event(self, subjects: Sequence[Subject], source_id: UUID) -> bool:
        """Returns whether the silence matches an incident by its `views`, or an event, at any time.

        Too costly ones never match.

        All uses of silences share this rule: their start and end, previews, events, and edits by people.
        """
        if self.source_ids and source_id not in self.source_ids:
            return False
        return not self.is_too_costly(subjects) and any(map(self.matches, subjects))


class NamedIncident(Named, Protocol):
    """The fields by which an incident is named."""

    @property
    def tags(self) -> Sequence[str]: ...


def views(incident: NamedIncident, severity: Severity, event: Subject, title: str | None = None) -> tuple[Subject, ...]:
    """Returns the subjects that silences match for an incident of this severity: its newest event, and the incident itself.

    The incident's tags count in addition to the event's. `event.severity` is the severity after the rules. For fields
    that an incident does not have (body, metadata) both views have the event's value. Otherwise `metadata.env !=
    "prod"` would match every incident. `title` is given when the event changes the title of the incident.
    """
    newest = event._replace(tags=tuple(dict.fromkeys((*incident.tags, *event.tags))))
    own = event._replace(
        severity=severity,
        title=incident.title if title is None else title,
        type=incident.type,
        resource=incident.resource,
        dedup_key=incident.dedup_key,
        tags=tuple(incident.tags),
    )
    return (newest,) if own[:_NAMED] == newest[:_NAMED] else (newest, own)


_NAMED = Subject._fields.index("source_id")


class Coverage(NamedTuple):
    """The silence that covers an event or incident, if any, and the silences that cost too much to try.

    Silences that are left out cover nothing, so that nobody misses a notice (decision 0010).
    """

    silence: CompiledSilence | None = None
    left_out: tuple[CompiledSilence, ...] = ()


def coverage(
    silences: Iterable[CompiledSilence],
    subjects: Sequence[Subject],
    source_id: UUID,
    at: datetime,
) -> Coverage:
    """Returns the first of these silences that is active at `at` and matches one of the views.

    If all active silences together would cost too much for these views, the costliest ones are left out.
    """
    active = [
        each for each in silences if each.active.covers(at) and (not each.source_ids or source_id in each.source_ids)
    ]
    costs = {place: each.units(subjects) for place, each in enumerate(active) if each.cost is not None}
    skipped = left_out(costs, evaluation_cost.EVENT_BUDGET) if costs else ()
    found = next(
        (each for place, each in enumerate(active) if place not in skipped and any(map(each.matches, subjects))),
        None,
    )
    return Coverage(found, tuple(active[place] for place in skipped))


def active_silence(
    silences: Iterable[CompiledSilence], subjects: Sequence[Subject], source_id: UUID, at: datetime
) -> CompiledSilence | None:
    """Returns only the silence of `coverage`; None when there is none."""
    return coverage(silences, subjects, source_id, at).silence


def check(starts_at: datetime, ends_at: datetime, recurrence: Mapping[str, Any] | None, now: datetime) -> list[Fault]:
    """Returns the faults in the times of a silence that is created or changed at `now`."""
    if ends_at <= starts_at:
        return [Fault("/endsAt", "Must be later than startsAt.")]
    if end_faults(ends_at, now):
        return end_faults(ends_at, now)
    if ends_at - starts_at > MAX_DURATION:
        return [Fault("/startsAt", f"Must be at most {MAX_DURATION.days} days before endsAt.")]
    try:
        periods = ActivePeriods.of(starts_at, ends_at, recurrence)
    except BadRule as fault:
        return [Fault("/recurrence/rrule", str(fault))]
    if periods.state(now) is SilenceState.EXPIRED:
        return [Fault("/recurrence/rrule", "Never happens between now and the end.")]
    return []


def end_faults(ends_at: datetime, now: datetime) -> list[Fault]:
    """Returns the faults of an end, independent of the start."""
    if ends_at <= now:
        return [Fault("/endsAt", "Must be in the future.")]
    if ends_at > now + MAX_DURATION:
        return [Fault("/endsAt", f"Must be at most {MAX_DURATION.days} days ahead.")]
    return []
