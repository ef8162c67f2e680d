"""Both courses of the same events: one for as long as all is the same in both, two for what parts (decision 30)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from operator import attrgetter
from uuid import UUID

from inbox.domain.preview.memory import Remembering
from inbox.domain.target import Target
from inbox.flow.hearing import Case, Court, Event, Subject, hear
from inbox.flow.preview.course import Come, Course
from inbox.flow.preview.tally import Totals
from inbox.flow.rulebook import Rulebook
from inbox.models.past import Period
from inbox.models.routing import Origin
from inbox.models.standing import Standing
from inbox.models.telling import Ear

FINGERPRINT, NAME = "fingerprint", "dedupKey"

Mark = tuple[str, str]
"""By what an event finds what it meets: `FINGERPRINT` or `NAME`, and the fingerprint or the dedup key, of its source."""


@dataclass(frozen=True, slots=True)
class Seat:
    """A source: how its events are heard, and what of it the courses do not share any more."""

    court: Court
    parted: set[Mark] = field(default_factory=set)


class Courses:
    """What comes of events by the one set of rules and by the other.

    Of what rules say the same, and what stands the same in both courses, all is played once, `together`. Where they say
    something else, everything that the event can meet goes over into both courses that are `apart`, and stays there.
    Incidents of different fingerprints and dedup keys have nothing to do with each other, so nobody can tell the
    difference from two courses that are apart from the beginning.
    """

    def __init__(self, rules: Remembering, together: Course, before: Course, after: Course) -> None:
        self._rules = rules
        self._together, self._before, self._after = together, before, after
        waiting = (rule.id for each in (before, after) for rule in each.book.rules.rules if rule.open_after)
        self._waiting = tuple(dict.fromkeys(waiting))
        self._seats: dict[UUID, Seat] = {}

    @classmethod
    def of(cls, before: Rulebook, after: Rulebook, ears: Mapping[UUID, Ear], period: Period) -> Courses:
        """By these books, which differ in their rules alone."""
        courses = [Course(period.workspace_id, book, ears, period.since) for book in (before, before, after)]
        return cls(Remembering(before.rules, after.rules), *courses)

    def know(self, origin: Origin) -> None:
        """Events of this source may come."""
        self._seats[origin.source_id] = Seat(Court.of(self._together.book, origin))

    def knows(self, source_id: UUID) -> bool:
        """Whether events of this source may come."""
        return source_id in self._seats

    def court(self, source_id: UUID) -> Court:
        """How the events of a source are heard that is known."""
        return self._seats[source_id].court

    def meet(self, event: Event, subject: Subject) -> tuple[Come, Come]:
        """The next event: what comes of it before and after, which is one where it is the same."""
        seat = self._seats[event.source_id]
        said = self._rules.verdicts(subject, event.source_id, event.received_at)
        before = after = hear(event, subject, seat.court, said[0])
        marks = _marks(before)
        if said[0] is not said[1]:
            after = hear(event, subject, seat.court, said[1])
            marks += _marks(after)
        elif seat.parted.isdisjoint(marks):
            come = self._together.meet(before)
            return come, come
        if not seat.parted.issuperset(marks):
            self._part(seat, event, marks)
        return self._before.meet(before), self._after.meet(after)

    def pass_to(self, moment: datetime) -> None:
        """Time goes by."""
        for course in (self._together, self._before, self._after):
            course.pass_to(moment)

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
        self.pass_to(event.received_at)
        world, found, left = self._together.world, dict[UUID, Standing](), [*marks]
        while left:
            mark = left.pop()
            if mark in seat.parted:
                continue
            seat.parted.add(mark)
            kind, text = mark
            met: Sequence[Standing | None]
            if kind == NAME:
                met = world.named(event.source_id, text)
            else:
                met = [world.newest(event.source_id, text)]
                for course in (self._before, self._after):
                    course.world.take_over_waits(self._waiting, text, world)
            for incident in filter(None, met):
                found[incident.id] = incident
                left += _marks_of(incident)
        for incident in sorted(found.values(), key=attrgetter("id")):
            for course in (self._before, self._after):
                course.take_over(incident, self._together)
            self._together.forget(incident)


def _marks(case: Case) -> tuple[Mark, ...]:
    """All that the event may touch: nothing where it is neither to open an incident nor to end one."""
    event, decision = case.event, case.decision
    if decision.target is not Target.INCIDENT and not decision.recovers:
        return ()
    marks: tuple[Mark, ...] = ((FINGERPRINT, case.fingerprint),)
    if event.fingerprint != case.fingerprint:
        marks += ((FINGERPRINT, event.fingerprint),)
    return marks if event.dedup_key is None else (*marks, (NAME, event.dedup_key))


def _marks_of(incident: Standing) -> tuple[Mark, ...]:
    """By which events find it."""
    own = (FINGERPRINT, incident.fingerprint)
    return (own,) if incident.dedup_key is None else (own, (NAME, incident.dedup_key))
