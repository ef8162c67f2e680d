"""Limits of the number of records that belong to a workspace, a source or a person (specification 17.2)."""

from __future__ import annotations

from uuid import UUID

import peewee

from inbox.database.base import db
from inbox.domain.values.refusals import Conflict
from inbox.models.workspaces.tables import Workspace


def check_room(records: peewee.ModelSelect, most: int, sentence: str) -> None:
    """Raise `Conflict` when there are `most` of these records already. `sentence` has a place for the number.

    The caller has locked their owner (`lock_workspace`, `lock_person`), so that one of two requests for the last place
    is refused.
    """
    if records.count() >= most:
        raise Conflict(sentence.format(f"{most:,}"))


def lock_workspace(workspace_id: UUID) -> None:
    """Lock the workspace before its records are counted. Routing refers to the row, and does not wait."""
    Workspace.select(Workspace.id).where(Workspace.id == workspace_id).for_update("FOR NO KEY UPDATE").execute()


def lock_person(user_id: UUID) -> None:
    """Lock the number of records of a person until the transaction ends, after all rows.

    The row of the person is not locked: some changes lock it before workspaces, and others lock a workspace first.
    """
    db.execute_sql("SELECT pg_advisory_xact_lock(hashtextextended(%s, 5))", (user_id.hex,))
