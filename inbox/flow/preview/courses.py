"""Both courses of the same events: one for as long as all is the same in both, two for what parts (decision 0023)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from operator import attrgetter
from uuid import UUID

from inbox.domain.preview.verdict_cache import CachedRuleSets
from inbox.domain.rule_action import INCIDENT
from inbox.domain.subject import Subject
from inbox.flow.hearing import Case, Court, Event, hear
from inbox.flow.preview.course import Come, Course
from inbox.flow.preview.tally import Totals
from inbox.flow.rulebook import Rulebook
from inbox.models.deliveries.recipients import Recipient
from inbox.models.events.preview_events import Period
from inbox.models.events.queue import SourceContext
from inbox.models.incidents.lock import IncidentRow

FINGERPRINT, NAME = "fingerprint", "dedupKey"

Mark = tuple[str, str]
"""By what an event finds what it meets: `FINGERPRINT` or `NAME`, and the fingerprint or the dedup key, of its source."""


@dataclass(frozen=True, slots=True)
class Seat:
    """A source: how its events are heard, and what of it the courses do not share any more."""

    court: Court
    fingerprints: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)

    def shares(self, case: Case) -> bool:
        """Whether the courses share all that the event may meet."""
        event, parted = case.event, self.fingerprints
        is_parted = case.fingerprint in parted or event.fingerprint in parted or event.dedup_key in self.names
        return not is_parted or not _meets(case)

    def parts(self, case: Case) -> bool:
        """Whether they share none of it."""
        event, parted = case.event, self.fingerprints
        is_named = event.dedup_key is None or event.dedup_key in self.names
        return (is_named and case.fingerprint in parted and event.fingerprint in parted) or not _meets(case)

    def part(self, mark: Mark) -> bool:
        """The courses do not share this any more; whether they did."""
        kind, text = mark
        parted = self.names if kind == NAME else self.fingerprints
        is_new = text not in parted
        parted.add(text)
        return is_new


class Courses:
    """What comes of events by the one set of rules and by the other.

    Of what rules say the same, and what stands the same in both courses, all is played once, `together`. Where they say
    something else, everything that the event can meet goes over into both courses that are `apart`, and stays there.
    Incidents of different fingerprints and dedup keys have nothing to do with each other, so nobody can tell the
    difference from two courses that are apart from the beginning.
    """

    def __init__(self, rules: CachedRuleSets, together: Course, before: Course, after: Course) -> None:
        self._rules = rules
        self._together, self._before, self._after = together, before, after
        waiting = (rule.id for each in (before, after) for rule in each.book.rules.rules if rule.open_after)
        self._waiting = tuple(dict.fromkeys(waiting))
        self.seats: dict[int, Seat] = {}

    @classmethod
    def of(
        cls, rules: CachedRuleSets, before: Rulebook, after: Rulebook, ears: Mapping[UUID, Recipient], period: Period
    ) -> Courses:
        """By these books, which differ in their rules alone; these `rules`."""
        courses = [Course(period.workspace_id, book, ears, period.since) for book in (before, before, after)]
        return cls(rules, *courses)

    def know(self, origin: SourceContext) -> Seat:
        """Events of this source may come."""
        seat = self.seats[origin.source_id.int] = Seat(Court.of(self._together.book, origin))
        return seat

    def meet(self, event: Event, subject: Subject, seat: Seat) -> tuple[Come, Come]:
        """The next event, of this source: what comes of it before and after, which is one where it is the same."""
        said, instead = self._rules.verdicts(event, subject)
        before = after = hear(event, subject, seat.court, said)
        if said is not instead:
            after = hear(event, subject, seat.court, instead)
        elif seat.shares(before):
            come = self._together.meet(before)
            return come, come
        if not (seat.parts(before) and seat.parts(after)):
            self._part(seat, event, (*_marks(before), *_marks(after)))
        return self._before.meet(before), self._after.meet(after)

    def pass_to(self, moment: datetime) -> Iterator[None]:
        """Time goes by, and all that is due rings; pauses now and then."""
        for course in (self._together, self._before, self._after):
            yield from course.pass_to(moment)

    def let_go(self) -> None:
        """Incidents that no event meets any more ring for the last time; call it now and then."""
        for course in (self._together, self._before, self._after):
            course.let_go()

    def totals(self) -> tuple[Totals, Totals]:
        """What came of it all, before and after."""
        shared = self._together.tally.totals
        return shared + self._before.tally.totals, shared + self._after.tally.totals

    @property
    def fingerprints(self) -> int:
        """Of how many there are incidents by now, in the course that has more: that much is in memory."""
        apart = max(course.world.fingerprints for course in (self._before, self._after))
        return self._together.world.fingerprints + apart

    def _part(self, seat: Seat, event: Event, marks: Iterable[Mark]) -> None:
        """What these marks find goes over as it stands at this event, with all that hangs together with it."""
        for course in (self._together, self._before, self._after):
            course.arrive(event.received_at)
        left = [mark for mark in marks if seat.part(mark)]
        world, found = self._together.world, dict[UUID, IncidentRow]()
        while left:
            kind, text = left.pop()
            met: Sequence[IncidentRow | None]
            if kind == NAME:
                met = world.named(event.source_id, text)
            else:
                met = [world.newest(event.source_id, text)]
                for course in (self._before, self._after):
                    course.world.take_over_waits(self._waiting, text, world)
            for incident in filter(None, met):
                found[incident.id] = incident
                left += [mark for mark in _marks_of(incident) if seat.part(mark)]
        for incident in sorted(found.values(), key=attrgetter("id")):
            for course in (self._before, self._after):
                course.take_over(incident, self._together)
            self._together.forget(incident)


def _meets(case: Case) -> bool:
    """Whether the event is to open an incident or to end one: it meets none else."""
    decision = case.decision
    return decision.recovers or decision.target is INCIDENT


def _marks(case: Case) -> tuple[Mark, ...]:
    """All that the event may meet."""
    if not _meets(case):
        return ()
    event = case.event
    marks: tuple[Mark, ...] = ((FINGERPRINT, case.fingerprint), (FINGERPRINT, event.fingerprint))
    return marks if event.dedup_key is None else (*marks, (NAME, event.dedup_key))


def _marks_of(incident: IncidentRow) -> tuple[Mark, ...]:
    """By which events find it."""
    own = (FINGERPRINT, incident.fingerprint)
    return (own,) if incident.dedup_key is None else (own, (NAME, incident.dedup_key))
