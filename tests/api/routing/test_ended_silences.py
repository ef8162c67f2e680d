"""Routing loads recently ended silences; a workspace has a limited number of them."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import pytest

from inbox.flow.routing.routing_config import SILENCE_GRACE
from inbox.models.routing.silences import Silence
from inbox.services.routing.silences import MAX_ENDED
from tests.api.routing.silences_steps import Browsers
from tests.cast import Cast, present, typeid
from tests.silences import make_silence

MINUTE = timedelta(minutes=1)


def end(cast: Cast, count: int, ago: timedelta) -> None:
    """Store silences that ended some time ago."""
    first = make_silence(cast.workspace, start=present() - ago - timedelta(hours=1))
    Silence.update(ends_at=present() - ago).where(Silence.id == first.id).execute()
    row = Silence.get_by_id(first.id).__data__
    Silence.insert_many([{**row, "id": UUID(int=number + 1)} for number in range(count - 1)]).execute()


def create(browser: Browsers, cast: Cast) -> int:
    ends_at = (present() + timedelta(hours=1)).isoformat()
    workspace = typeid("wsp", cast.workspace.id)
    fields = {"workspaceId": workspace, "matchText": "any event", "endsAt": ends_at, "comment": "Deployment"}
    return browser("mia").post("/v1/silences", fields).status_code


@pytest.mark.parametrize(("ended", "status"), [(MAX_ENDED - 1, 201), (MAX_ENDED, 409), (MAX_ENDED + 1, 409)])
def test_a_workspace_has_so_many_silences_that_ended_lately(
    browser: Browsers, cast: Cast, ended: int, status: int
) -> None:
    end(cast, ended, MINUTE)

    assert create(browser, cast) == status


def test_silences_that_ended_earlier_do_not_count(browser: Browsers, cast: Cast) -> None:
    end(cast, MAX_ENDED + 1, SILENCE_GRACE + MINUTE)

    assert create(browser, cast) == 201


def test_a_deleted_silence_makes_room(browser: Browsers, cast: Cast) -> None:
    end(cast, MAX_ENDED, MINUTE)
    path = f"/v1/silences/{typeid('sil', UUID(int=1))}"

    browser("mia").delete(path)

    assert create(browser, cast) == 201
    assert browser("mia").post(f"{path}/restore").status_code == 200


def test_a_silence_that_ended_is_restored_within_the_limit(browser: Browsers, cast: Cast) -> None:
    end(cast, MAX_ENDED, MINUTE)
    Silence.update(deleted_at=present()).where(Silence.id == UUID(int=1)).execute()
    end(cast, 1, MINUTE)

    answer = browser("mia").post(f"/v1/silences/{typeid('sil', UUID(int=1))}/restore")

    assert answer.status_code == 409
