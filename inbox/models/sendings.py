"""Deliveries as people look for them: every filter of the list, newest first or oldest first (specification 9.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any
from uuid import UUID

from inbox.models import span
from inbox.models.notices import Delivery
from inbox.models.records import Reading
from inbox.models.turning import LongList
from inbox.models.walks import Branches, Walk

OWNED = ("incident_id", "destination_id")
"""Filters by whose deliveries they are, each with an index in which they stand by their ids."""


def listed(workspace_ids: Sequence[UUID], args: Mapping[str, Any]) -> LongList:
    """The deliveries of these workspaces that pass the filters in `args`."""
    return LongList(walk(workspace_ids, args), _AMONG, partial(all_of, workspace_ids, args))


def all_of(workspace_ids: Sequence[UUID], args: Mapping[str, Any]) -> Any:
    """All of them, for counting."""
    return Delivery.select().where(Delivery.workspace_id.in_(list(workspace_ids)), *_conditions(args), *_times(args))


_AMONG = Reading(lambda ids: Delivery.select().where(Delivery.id == ids))


def walk(workspace_ids: Sequence[UUID], args: Mapping[str, Any]) -> Walk:
    """How the list is walked."""
    owner = next((name for name in OWNED if name in args), None)
    branches = Branches({"workspace_id": "uuid"}, [(id,) for id in workspace_ids])
    if owner is not None:
        branches = Branches({"workspace_id": "uuid", owner: "uuid"}, [(id, args[owner]) for id in workspace_ids])
    low, high = span.about(args.get("since"), args.get("until"))
    asked = _conditions({name: value for name, value in args.items() if name != owner})
    return Walk(Delivery, [Delivery.id], branches, low, high, _times(args), asked, _conditions(args))


def _conditions(args: Mapping[str, Any]) -> list[Any]:
    return [getattr(Delivery, name) == args[name] for name in (*OWNED, "status", "reason") if name in args]


def _times(args: Mapping[str, Any]) -> list[Any]:
    found = [Delivery.created_at >= args["since"]] if "since" in args else []
    return [*found, Delivery.created_at < args["until"]] if "until" in args else found
