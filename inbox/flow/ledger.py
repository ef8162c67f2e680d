"""What happened to incidents in one unit of work: gathered in order, then written at once."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.domain.incident import Actor, Escalation, Incident
from inbox.domain.moves import Reason
from inbox.flow import notify
from inbox.flow.notify import Telling
from inbox.flow.work import Done
from inbox.models import standing, timeline
from inbox.models.routing import Origin
from inbox.models.sequence import ids_in_order
from inbox.models.standing import Standing
from inbox.models.timeline import Entry


class Ledger:
    """Incidents that moved at `now`, what their timelines say of it, and the notices that are owed."""

    def __init__(self, now: datetime, done: Done, origins: Mapping[UUID, Origin]) -> None:
        self.now = now
        self.done = done
        self.origins = origins
        self.make_id = ids_in_order(now)
        self._touched: dict[UUID, Standing] = {}
        self._only_counted: set[UUID] = set()
        self._entries: list[Entry] = []
        self._tellings: list[Telling] = []

    def moved(self, incident: Standing, after: Incident) -> None:
        """The incident has new values; what else is said of it comes after this."""
        incident.now = after
        self._touched[incident.id] = incident
        self._only_counted.discard(incident.id)

    def counted(self, incident: Standing, after: Incident) -> None:
        """An event was counted to it, and nothing else changed."""
        incident.now = after
        if incident.id not in self._touched:
            self._touched[incident.id] = incident
            self._only_counted.add(incident.id)

    def tell_of(
        self,
        incident: Standing,
        reason: Reason,
        *,
        escalation: Escalation | None = None,
        by: Actor | None = None,
        event_id: UUID | None = None,
    ) -> None:
        """A notice of the incident as it now stands is owed; it was `moved` before."""
        self._tellings.append(notify.owe(incident, reason, escalation=escalation, by=by, event_id=event_id))

    def enter(
        self, incident: Standing, kind: str, actor: Actor, details: Mapping[str, Any], *, event_id: UUID | None = None
    ) -> UUID:
        """Its timeline says so; `details` are JSON. Answers the entry's id."""
        entry = Entry(self.make_id(), incident, kind, actor, event_id, details)
        self._entries.append(entry)
        return entry.id

    def write(self, *, named: bool = False) -> None:
        """Write all of it, `named` as in `update`; known incidents first, in the order of their ids.

        New ones come last: their numbers hold up whoever else opens incidents in the workspace until the commit.
        """
        new = [one for one in self._touched.values() if one.is_new]
        old = sorted((one for one in self._touched.values() if not one.is_new), key=lambda one: one.id.int)
        for one in old:
            one.rev += 1
        standing.count([one for one in old if one.id in self._only_counted])
        standing.update([one for one in old if one.id not in self._only_counted], named=named)
        timeline.write_entries(self._entries, self.now)
        notify.tell(self._tellings, self.origins, self.now, self.make_id, self.done)
        standing.insert(new)
        for one in (*old, *new):
            self.done.changed(
                "incident", one.id, one.workspace_id, op="created" if one.is_new else "changed", rev=one.rev
            )
