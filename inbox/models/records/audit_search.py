"""Lists of audit entries for administrators and for people, with every filter (specification 12.7)."""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID

import peewee

from inbox.database.patterns import like_pattern
from inbox.database.read_query import ReadQuery
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.models.lists.filters import Args, Filter, Filters, period
from inbox.models.lists.long_list import LongList, scan_by_id
from inbox.models.records.audit import AuditEntry


def _text(column: peewee.Field, name: str) -> Any:
    """Returns a text of a JSON column."""
    return peewee.fn.jsonb_extract_path_text(column, name)


def _has_action(table: Any, action: str) -> Any:
    """Returns a condition for one action or for all actions of a noun."""
    if "." not in action:
        return table.action.startswith(f"{action}.")
    return table.action == action


def _contains(table: Any, text: str) -> Any:
    """Returns a condition: the name of the actor, the name of the target or the details contain the text, in any case."""
    pattern, details = like_pattern(text), table.details.cast("text")
    return (_text(table.actor, "name") ** pattern) | (_text(table.target, "name") ** pattern) | (details**pattern)


FILTERS = Filters(
    AuditEntry,
    {
        "action": Filter(condition=_has_action),
        "actor_id": Filter(condition=lambda table, id: _text(table.actor, "id") == ids.encode(Prefix.USER, id)),
        "target_type": Filter(condition=lambda table, name: _text(table.target, "type") == name),
        "target_id": Filter(condition=lambda table, id: _text(table.target, "id") == id),
        "request_id": Filter("request_id"),
        "ip": Filter("ip"),
        "q": Filter(condition=_contains),
        **period("at"),
    },
)

_ROWS = ReadQuery(AuditEntry.select)


def of_instance(args: Args) -> Any:
    """Selects the entries without a workspace that pass the filters. Administrators of the instance read them.

    The id bounds follow from the times, because entries are in the order of their ids.
    """
    low, high = ids.around(args.get("since"), args.get("until"))
    bounds = [AuditEntry.id >= low] if low is not None else []
    bounds += [AuditEntry.id < high] if high is not None else []
    return AuditEntry.select().where(AuditEntry.workspace_id.is_null(), *FILTERS.conditions(args), *bounds)


def of_person(user_id: UUID, args: Args) -> Any:
    """Selects the entries without a workspace that concern the account of this person."""
    return of_instance(args).where(AuditEntry.user_id == user_id)


AUDIT_LOG = LongList(
    FILTERS, {"at": (AuditEntry.id,)}, lambda workspace_ids, ids: _ROWS(id=ids), partial(scan_by_id, FILTERS)
)
