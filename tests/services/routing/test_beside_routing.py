"""Concurrent edits of workspaces, sources and rules during routing: neither waits for the other."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.browser import Browser
from tests.cast import Cast, typeid
from tests.flow.concurrent_connections import other_connection
from tests.flow.routing_fixtures import listen
from tests.flow.rulemaking import rule

Browsers = Callable[[str], Browser]


@pytest.mark.parametrize("room", ["workspaces", "sources", "rules", "destinations"])
def test_records_referenced_by_routing_can_be_changed_during_routing(room: str, browser: Browsers, cast: Cast) -> None:
    rows = {
        "workspaces": ("wsp", cast.workspace),
        "sources": ("src", cast.source),
        "rules": ("rul", rule(cast.workspace)),
        "destinations": ("dst", listen(cast.workspace)),
    }
    prefix, row = rows[room]
    adam = browser("adam")
    with other_connection() as connection, connection.cursor() as cursor:
        cursor.execute(f"SELECT FROM {room} WHERE id = %s FOR KEY SHARE", (str(row.id),))

        answer = adam.patch(f"/v1/{room}/{typeid(prefix, row.id)}", {"name": "Renamed"})

    assert answer.status_code == 200


def test_a_view_is_saved_while_its_owner_is_referred_to(browser: Browsers, cast: Cast) -> None:
    new = {"workspaceId": typeid("wsp", cast.workspace.id), "name": "Mine", "list": "incidents", "filters": {}}
    mia = browser("mia")
    with other_connection() as connection, connection.cursor() as cursor:
        cursor.execute("SELECT FROM users WHERE id = %s FOR KEY SHARE", (str(cast.users["mia"].id),))

        assert mia.post("/v1/views", new).status_code == 201
