"""The pages of notices: the people of their steps, resolved with the first notice of each step (specification 23.13)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from inbox.domain.deliveries.notices import Cause
from inbox.domain.deliveries.pages import Page, StepKey, has_nobody
from inbox.domain.routing.profiles import Step
from inbox.flow.notices.notice import IncidentNotice, candidate_steps, withheld_cause
from inbox.flow.oncall.pages import PageResolver
from inbox.flow.timers.incident_schedule import Plans
from inbox.models.deliveries import pages as stored_pages
from inbox.models.deliveries.recipients import Recipient


@dataclass(slots=True)
class NoticePages:
    """The pages of some notices by their steps. `fresh` steps were resolved now, and wait for being stored.

    `waiting` has the destinations of each incident that wait for notification rules of an earlier notice.
    """

    by_step: dict[StepKey, tuple[Page, ...]] = field(default_factory=dict)
    fresh: set[StepKey] = field(default_factory=set)
    waiting: Mapping[UUID, frozenset[UUID]] = field(default_factory=dict)

    @classmethod
    def of(cls, pending: Sequence[IncidentNotice], plans: Plans) -> NoticePages:
        """Loads the pages of steps that were due before, and resolves the people of all others at the time of `plans`."""
        needing = [one for one in pending if any(paged_steps(one))]
        if not needing:
            return cls()
        known_ids = sorted({one.incident.id for one in needing if not one.incident.is_new})
        found = cls(stored_pages.stored(known_ids), waiting=_grouped(stored_pages.waiting(known_ids)))
        for workspace_id in sorted({one.workspace_id for one in needing}):
            found._resolve(workspace_id, [one for one in needing if one.workspace_id == workspace_id], plans.now)
        return found

    def _resolve(self, workspace_id: UUID, needing: Iterable[IncidentNotice], now: datetime) -> None:
        missing = [(one, step) for one in needing for step in paged_steps(one) if key_of(one, step) not in self.by_step]
        if not missing:
            return
        resolver = PageResolver(workspace_id, {target for _, step in missing for target in step.people}, now)
        for one, step in missing:
            key = key_of(one, step)
            if key not in self.by_step:
                self.by_step[key] = resolver.pages(step.people, one.then.severity)
                self.fresh.add(key)

    def of_notice(self, one: IncidentNotice) -> tuple[Page, ...]:
        """Returns the pages of all steps that the notice goes to."""
        if not self.by_step:
            return ()
        return tuple(page for step in paged_steps(one) for page in self.by_step.get(key_of(one, step), ()))

    def waiting_of(self, one: IncidentNotice) -> frozenset[UUID]:
        """Returns the destinations that get an earlier notice of the incident later, and not this one as well."""
        return self.waiting.get(one.incident.id, frozenset())

    def take_fresh(self, one: IncidentNotice) -> list[tuple[StepKey, Page]]:
        """Returns the pages that were resolved for this notice. A later notice of the same step gets none."""
        keys = [key for step in paged_steps(one) if (key := key_of(one, step)) in self.fresh]
        self.fresh -= set(keys)
        return [(key, page) for key in keys for page in self.by_step[key]]

    @property
    def destination_ids(self) -> set[UUID]:
        """The destinations of all pages."""
        return {id for pages in self.by_step.values() for page in pages for id in page.destination_ids}


NO_PAGES = NoticePages()
"""The pages of notices whose steps name no people."""


def paged_steps(one: IncidentNotice) -> Iterator[Step]:
    """Yields the steps with people whom the notice alerts. Updates follow the deliveries of earlier notices."""
    if one.fallback is not None or one.traits.is_update(one.reason) or not one.may_page:
        return
    if withheld_cause(one) is None:
        yield from (step for step in candidate_steps(one) if step.people and step.accepts(one.then.severity))


def key_of(one: IncidentNotice, step: Step) -> StepKey:
    """Returns the key of a step since the last opening of the incident."""
    return StepKey(one.incident.id, one.then.opened_at, step.number, step.round)


def reaches_nobody(one: IncidentNotice, keys: Collection[StepKey]) -> bool:
    """Returns whether these steps of a notice, with its `pages`, page nobody and notify none of their destinations now."""
    if not has_nobody(one.pages):
        return False
    own = {id for step in paged_steps(one) if key_of(one, step) in keys for id in step.destination_ids}
    return not any(each.cause == Cause.NOTIFY and each.recipient.id in own for each in one.recipients)


def as_paged(recipient: Recipient) -> Recipient:
    """Returns a contact of a paged person. Its minimum severity and quiet hours do not apply to pages."""
    return replace(recipient, is_phone=False, min_severity=None, quiet_hours_threshold=None, own_quiet=None)


def _grouped(pairs: Iterable[tuple[UUID, UUID]]) -> dict[UUID, frozenset[UUID]]:
    found: dict[UUID, set[UUID]] = {}
    for incident_id, destination_id in pairs:
        found.setdefault(incident_id, set()).add(destination_id)
    return {id: frozenset(each) for id, each in found.items()}
