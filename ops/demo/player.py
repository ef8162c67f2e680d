"""Plays the entries of the history through the pipeline, with the clock of the history."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from inbox.domain.deliveries.delivery import Receipt
from inbox.domain.incidents.incident import Act, Actor, State
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.values.refusals import InvalidTransition
from inbox.flow.backdating import Backdating
from inbox.flow.people import incidents as people
from inbox.flow.people.incidents import Edit
from inbox.flow.unit_of_work import work
from inbox.models.deliveries.claims import ClaimedDelivery
from inbox.models.incidents.tables import Incident
from inbox.models.people.accounts import User
from ops.demo.company import ANSWERS, CHAT, DAYS, Target
from ops.demo.script import Acted, Called, Entry, Sent

DISTURBANCE = (timedelta(days=6, hours=4), timedelta(minutes=40))
"""The start and the length of the chat's failure, before the end. Deliveries of that time arrived by retries."""

ACTS = {"acknowledge": Act.ACKNOWLEDGE, "snooze": Act.SNOOZE, "resolve": Act.RESOLVE}


class Player:
    """One run over the history that ends at `ends_at`."""

    def __init__(
        self, workspace_id: UUID, ends_at: datetime, accounts: Mapping[str, User], keys: Mapping[str, tuple[UUID, str]]
    ) -> None:
        """`accounts` are people by short name, `keys` the id and the key of each source by name."""
        self.backdating = Backdating(workspace_id, ends_at - timedelta(days=DAYS), self._answer)
        self.workspace_id = workspace_id
        self._ends_at = ends_at
        self._accounts = accounts
        self._keys = keys
        self._targets: Mapping[UUID, Target] = {}

    def use_targets(self, targets: Mapping[UUID, Target]) -> None:
        """Sets the destinations by id."""
        self._targets = targets
        self.backdating.use_destinations(list(targets))

    def play(self, entries: Sequence[Entry]) -> int:
        """Plays the entries. Returns the number of events."""
        events = 0
        for entry in entries:
            self.backdating.advance(entry.at)
            if isinstance(entry, Sent):
                source_id, key = self._keys[entry.source]
                self.backdating.receive(key, source_id, entry.event, entry.at)
                events += 1
            elif isinstance(entry, Called):
                entry.change(entry.at)
            else:
                self._act(entry)
            self.backdating.settle(entry.at)
        self.backdating.advance(self._ends_at)
        return events

    def _act(self, entry: Acted) -> None:
        """Applies an act. An act that the state of the incident excludes is left out, for example after a recovery."""
        incident = self._last(entry.key)
        if incident is None or (entry.act != "note" and incident.state == State.RESOLVED):
            return
        user = self._accounts[entry.by]
        by = Actor("user", ids.encode(Prefix.USER, user.id), user.name)
        try:
            with work() as done:
                if entry.act == "note":
                    people.note(incident.id, entry.text, entry.at, done, by=by)
                elif entry.act == "assign":
                    edit = Edit(assigns=True, assignee_id=self._accounts[entry.text].id)
                    people.edit(incident.id, edit, entry.at, done, by=by, expected_rev=None)
                else:
                    request = people.ActRequest(ACTS[entry.act], by=by, person=user.id, until=entry.until)
                    people.act(incident.id, request, entry.at, done)
        except InvalidTransition:
            return

    def _last(self, key: str) -> Incident | None:
        own = (Incident.workspace_id == self.workspace_id) & (Incident.dedup_key == key)
        found: Incident | None = Incident.select().where(own).order_by(Incident.opened_at.desc()).first()
        return found

    def _answer(self, claimed: ClaimedDelivery, at: datetime) -> Receipt:
        target = self._targets[claimed.destination_id]
        before = self._ends_at - at
        failed = target.behaviour != "healthy" and before < target.since
        if target.name == CHAT:
            begins, lasts = DISTURBANCE
            failed, code = begins - lasts < before <= begins, ANSWERS["retrying"]
        else:
            code = ANSWERS[target.behaviour]
        return Receipt(code if failed else ANSWERS["healthy"], duration_ms=40 + secrets.randbelow(180))
