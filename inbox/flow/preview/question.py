"""What is asked of a preview, and what is looked up before the first event is played (decision 8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from inbox.domain.preview.memory import Remembering
from inbox.flow.rulebook import Rulebook, compiled
from inbox.models import rulebooks, telling
from inbox.models.destinations import Destination
from inbox.models.past import Period
from inbox.models.rules import Rule
from inbox.models.telling import Ear


@dataclass(frozen=True, slots=True)
class Question:
    """Which events, by which rules (the enabled ones in their order) as they stand and as they would be.

    `tried` is the one rule about which it is asked, if it is one.
    """

    period: Period
    before: Sequence[Rule]
    after: Sequence[Rule]
    tried: UUID | None = None


def books_of(question: Question) -> tuple[Rulebook, Rulebook]:
    """The workspace's rulebook with the one set of rules and with the other; silences as they stand, over ones too."""
    id = question.period.workspace_id
    workspace, profiles = rulebooks.workspaces([id])[id], rulebooks.profiles([id])[id]
    silences = rulebooks.silences([id], question.period.since)[id]
    there = rulebooks.destination_ids([id])[id]
    books = [compiled(workspace, 0, rows, profiles, silences) for rows in (question.before, question.after)]
    before, after = (replace(book, rules=Remembering(book.rules.rules), destination_ids=there) for book in books)
    return before, after


def ears_of(workspace_id: UUID) -> dict[UUID, Ear]:
    """All destinations of a workspace."""
    own = (Destination.workspace_id == workspace_id) & Destination.deleted_at.is_null()
    return telling.ears([row.id for row in Destination.select(Destination.id).where(own)])
