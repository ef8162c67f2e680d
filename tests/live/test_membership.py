"""Open streams when somebody joins, leaves or is removed over HTTP (specification 14.4)."""

from __future__ import annotations

import http.client
import json
from typing import Any
from uuid import UUID

from inbox.database.base import new_id
from inbox.domain.values import ids
from inbox.flow.unit_of_work import work
from inbox.models.workspaces.tables import Workspace
from tests.cast import Cast, typeid
from tests.live.web import SECONDS, Web, follow_as, until


def ask(web: Web, cookie: str, method: str, path: str, body: Any = None) -> dict[str, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", web.port, timeout=SECONDS)
    headers = {"Cookie": f"inbox_session_8080={cookie}", "Content-Type": "application/json"}
    connection.request(method, path, None if body is None else json.dumps(body), headers)
    answer = connection.getresponse()
    text = answer.read()
    assert answer.status in (200, 201, 204), text
    return dict(json.loads(text)) if text else {}


def change(workspace: Workspace) -> str:
    incident = new_id()
    with work() as done:
        done.publish_change("incident", incident, workspace.id)
    return ids.encode("inc", incident)


def of(workspace_id: UUID, rest: str) -> str:
    return f"/v1/workspaces/{ids.encode('wsp', workspace_id)}{rest}"


def test_a_removed_member_gets_no_more_changes_in_any_process(web: Web, audience: Cast):
    mia = audience.users["mia"]
    with follow_as(web, audience, "mia") as one, follow_as(web, audience, "mia") as two:
        with follow_as(web, audience, "adam") as adam:
            path = of(audience.workspace.id, f"/members/{typeid('usr', mia.id)}")
            ask(web, audience.cookie("olga"), "DELETE", path)

            until(lambda: one.resyncs == two.resyncs == 2)
            incident = change(audience.workspace)
            until(lambda: adam.arrived(incident))

        assert not one.arrived(incident) and not two.arrived(incident)
        assert not one.ended.is_set()


def test_a_member_who_leaves_gets_no_more_changes(web: Web, audience: Cast):
    with follow_as(web, audience, "vic") as vic, follow_as(web, audience, "adam") as adam:
        ask(web, audience.cookie("vic"), "DELETE", of(audience.workspace.id, "/members/me"))

        until(lambda: vic.resyncs == 2)
        incident = change(audience.workspace)
        until(lambda: adam.arrived(incident))
        assert not vic.arrived(incident)


def test_a_person_who_accepts_an_invitation_gets_changes_of_the_workspace(web: Web, audience: Cast):
    with follow_as(web, audience, "eve") as eve:
        made = ask(web, audience.cookie("olga"), "POST", of(audience.workspace.id, "/invites"), {"role": "viewer"})
        token = made["link"].partition("#token=")[2]
        ask(web, audience.cookie("eve"), "POST", "/v1/invites/accept", {"token": token})

        until(lambda: eve.resyncs == 2)
        incident = change(audience.workspace)
        until(lambda: eve.arrived(incident))


def test_a_member_whose_role_changes_is_sent_a_change_of_the_own_record(web: Web, audience: Cast):
    mia = typeid("usr", audience.users["mia"].id)
    with follow_as(web, audience, "mia") as follower:
        ask(web, audience.cookie("olga"), "PATCH", of(audience.workspace.id, f"/members/{mia}"), {"role": "viewer"})

        until(lambda: follower.arrived(mia))
