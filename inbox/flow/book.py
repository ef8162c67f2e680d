"""Where it is written down what happened to incidents: the ledger, or a preview's tally."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from inbox.domain.incident import Actor, Escalation, Incident
from inbox.domain.notices import PLAIN, Traits
from inbox.domain.profiles import Step
from inbox.domain.state_machine import Reason
from inbox.flow.notify import News
from inbox.models.incidents.lock import IncidentRow


class Book(Protocol):
    """Where it is written down what happened: the ledger, or a preview's tally."""

    @property
    def now(self) -> datetime: ...
    @property
    def keeps_timelines(self) -> bool: ...
    def make_id(self) -> UUID: ...
    def sender(self, event_id: UUID, source_name: str) -> Actor: ...
    def moved(self, incident: IncidentRow, after: Incident) -> None: ...
    def counted(self, incident: IncidentRow, after: Incident) -> None: ...
    def enter(
        self,
        incident: IncidentRow,
        kind: str,
        actor: Actor,
        details: Mapping[str, Any],
        *,
        event_id: UUID | None = None,
    ) -> object: ...
    def tell_of(
        self,
        incident: IncidentRow,
        reason: Reason,
        *,
        escalation: Escalation | None = None,
        by: Actor | None = None,
        event_id: UUID | None = None,
        steps: Sequence[Step] | None = None,
        traits: Traits = PLAIN,
    ) -> None: ...
    def inform(self, news: News) -> None: ...
