"""Open streams of sessions that end elsewhere: new password, single or all sessions signed out (specification 14.4)."""

from __future__ import annotations

import http.client
import json
from typing import Any

from inbox.domain.values import ids
from inbox.models.people.accounts import Session, User
from inbox.services.people import sessions
from tests.cast import Cast, sign_in
from tests.live.web import SECONDS, Follower, Web, until

PASSWORD = "another long phrase of hers"


def send(web: Web, method: str, path: str, cookie: str, body: Any = None) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", web.port, timeout=SECONDS)
    headers = {
        "Content-Type": "application/json",
        "Cookie": f"inbox_session_8080={cookie}",
        "Sec-Fetch-Site": "same-origin",
    }
    connection.request(method, path, body=None if body is None else json.dumps(body), headers=headers)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status


def following(web: Web, cookie: str) -> Follower:
    follower = web.follow(cookie)
    assert follower.status == 200
    until(lambda: [each["type"] for each in follower.reported[:1]] == ["resync"])
    return follower


def test_a_new_password_ends_the_streams_of_all_other_sessions(web: Web, audience: Cast) -> None:
    mia: User = audience.users["mia"]
    here, elsewhere = sign_in(mia), sign_in(mia)
    with following(web, elsewhere) as other, following(web, audience.cookie("eve")) as eves:
        assert send(web, "POST", "/v1/me/password", here, {"newPassword": PASSWORD}) == 204

        assert other.ended.wait(SECONDS)
        assert send(web, "GET", "/v1/me", elsewhere) == 401
        assert not eves.ended.is_set()


def test_a_session_that_is_ended_from_elsewhere_gets_no_more(web: Web, audience: Cast) -> None:
    mia: User = audience.users["mia"]
    here, lost = sign_in(mia), sign_in(mia)
    row = Session.get(Session.token_hash == sessions.digest(lost))
    with following(web, lost) as other, following(web, here) as own_one:
        assert send(web, "DELETE", f"/v1/me/sessions/{ids.encode('ses', row.id)}", here) == 204

        assert other.ended.wait(SECONDS)
        assert not own_one.ended.is_set()


def test_signing_out_everywhere_else_ends_every_other_stream(web: Web, audience: Cast) -> None:
    mia: User = audience.users["mia"]
    here, others = sign_in(mia), [sign_in(mia), sign_in(mia)]
    with following(web, here) as own_one, following(web, others[0]) as one, following(web, others[1]) as another:
        assert send(web, "POST", "/v1/me/sessions/revoke-others", here, {}) == 204

        assert one.ended.wait(SECONDS) and another.ended.wait(SECONDS)
        assert not own_one.ended.is_set()
