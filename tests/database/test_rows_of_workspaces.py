"""A row is locked, saved and deleted in its workspace only."""

from __future__ import annotations

from typing import Any

import pytest

from inbox.domain.values.refusals import NotFound
from inbox.models.incidents import lock
from inbox.models.senders.sources import Source
from inbox.services.senders.sources import SOURCES
from tests.cast import Cast
from tests.stand_ins.outgoing_posts import make_incident


def confused(cast: Cast) -> Source:
    """A source of Olga's workspace that the code takes for one of Eve's."""
    row: Any = Source.get(id=cast.source.id)
    row.workspace_id = cast.foreign.id
    return row


def test_a_row_of_another_workspace_is_not_saved(cast: Cast) -> None:
    row = confused(cast)
    row.name = "Renamed"

    assert row.save() == 0
    assert Source.get(id=cast.source.id).name == cast.source.name


def test_a_row_of_another_workspace_is_not_deleted(cast: Cast) -> None:
    assert confused(cast).delete_instance() == 0
    assert Source.get(id=cast.source.id).name == cast.source.name


def test_a_row_of_another_workspace_is_not_locked(cast: Cast) -> None:
    with pytest.raises(NotFound):
        SOURCES.lock(confused(cast), None)


def test_a_row_is_locked_and_saved_in_its_own_workspace(cast: Cast) -> None:
    row = SOURCES.lock(cast.source, None)
    row.name = "Renamed"

    assert row.save() == 1
    assert Source.get(id=cast.source.id).name == "Renamed"


def test_incidents_are_locked_in_their_workspace_only(cast: Cast) -> None:
    incident = make_incident(cast)

    assert lock.lock_many(cast.foreign.id, [incident.id]) == []
    assert [each.id for each in lock.lock_many(cast.workspace.id, [incident.id])] == [incident.id]
