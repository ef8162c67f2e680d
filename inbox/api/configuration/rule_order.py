"""Puts the rules of files in their order, and leaves the places of other rules as they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from uuid import UUID

from inbox.models.routing import routing_config
from inbox.models.routing.rules import Rule
from inbox.services.routing import rules


def reorder(workspace_id: UUID, ordered: Sequence[UUID], now: datetime) -> bool:
    """Gives the places of these rules to them in this order. Returns whether a rule moved."""
    before = [rule.id for rule in rules.existing([workspace_id]).order_by(Rule.position, Rule.id)]
    after = with_places(before, ordered)
    if after == before:
        return False
    rev = routing_config.order_rev(workspace_id)
    rules.reorder(workspace_id, after, expected_rev=rev, now=now)
    return True


def with_places(before: Iterable[UUID], ordered: Sequence[UUID]) -> list[UUID]:
    """Returns the order of all rules in which the given ones take each other's places."""
    own, following = set(ordered), iter(ordered)
    return [next(following) if id in own else id for id in before]
