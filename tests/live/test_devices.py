"""The live stream of a paired phone, and its end, on two real web workers."""

from __future__ import annotations

import json
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from datetime import timedelta

import pytest

from inbox.database.base import new_id
from inbox.domain.values import ids
from inbox.domain.values.refusals import Unauthenticated
from inbox.flow.unit_of_work import work
from inbox.models.people.accounts import User
from inbox.models.people.devices import Device, DeviceToken
from inbox.models.people.members import Member
from inbox.models.workspaces.tables import Workspace
from inbox.services.people import devices
from inbox.services.people.devices import Tokens
from tests.cast import Cast, present
from tests.live.web import Follower, Web, follow_as, until
from tests.stand_ins.phone import pair


def change(workspace: Workspace) -> str:
    """A committed change of an incident there; answers its id on the stream."""
    incident = new_id()
    with work() as done:
        done.publish_change("incident", incident, workspace.id)
    return ids.encode("inc", incident)


def follow(web: Web, tokens: Tokens) -> Follower:
    """The phone's client, past its first resync."""
    follower = web.follow_by_device(tokens.access_token)
    assert follower.status == 200
    until(lambda: follower.resyncs == 1)
    return follower


def revoke(tokens: Tokens) -> None:
    devices.revoke(Device.get_by_id(tokens.device_id), expected_rev=None, now=present())


def test_a_phone_gets_changes_of_the_workspaces_of_its_person(web: Web, audience: Cast):
    with follow(web, pair(audience.users["mia"])) as phone, follow(web, pair(audience.users["eve"])) as other:
        incident = change(audience.workspace)
        until(lambda: phone.arrived(incident))
        elsewhere = change(audience.foreign)
        until(lambda: other.arrived(elsewhere))

        assert not other.arrived(incident)
        assert not phone.arrived(elsewhere)


def test_only_the_owner_gets_changes_of_a_paired_phone(web: Web, audience: Cast):
    with follow_as(web, audience, "mia") as mia, follow_as(web, audience, "olga") as olga:
        device = ids.encode("dev", pair(audience.users["mia"]).device_id)
        until(lambda: mia.arrived(device))
        incident = change(audience.workspace)
        until(lambda: olga.arrived(incident))

        assert not olga.arrived(device)


@pytest.mark.parametrize("kind", ["source key", "refresh", "unknown", "replaced"])
def test_no_other_bearer_opens_a_stream(web: Web, audience: Cast, kind: str):
    tokens = pair(audience.users["mia"])
    bearer = {"source key": audience.key, "refresh": tokens.refresh_token, "unknown": "a" * 43}.get(kind, "")
    if kind == "replaced":
        devices.refresh(tokens.refresh_token, present())
        bearer = tokens.access_token

    assert web.get("/v1/stream", Authorization=f"Bearer {bearer}").status == 401


def test_a_device_beside_a_session_opens_no_stream(web: Web, audience: Cast):
    both = {
        "Cookie": f"inbox_session_8080={audience.cookie('mia')}",
        "Authorization": f"Bearer {pair(audience.users['mia']).access_token}",
    }

    assert web.get("/v1/stream", **both).status == 401


def test_revoking_a_phone_ends_its_streams_at_once_and_no_others(web: Web, audience: Cast):
    lost, retained = pair(audience.users["mia"]), pair(audience.users["mia"])
    with ExitStack() as stack:
        one, two, other = (stack.enter_context(follow(web, tokens)) for tokens in (lost, lost, retained))
        operator = stack.enter_context(follow_as(web, audience, "mia"))
        revoke(lost)

        until(lambda: one.ended.is_set() and two.ended.is_set())
        assert one.cleanly
        incident = change(audience.workspace)
        until(lambda: other.arrived(incident) and operator.arrived(incident))


def test_the_reuse_of_a_refresh_token_ends_the_stream(web: Web, audience: Cast):
    tokens = pair(audience.users["mia"])
    with follow(web, tokens) as phone:
        devices.refresh(tokens.refresh_token, present() - timedelta(seconds=61))
        with pytest.raises(Unauthenticated):
            devices.refresh(tokens.refresh_token, present())

        until(phone.ended.is_set)


def test_all_devices_of_a_person_end_with_their_streams(web: Web, audience: Cast):
    with follow(web, pair(audience.users["mia"])) as one, follow(web, pair(audience.users["mia"])) as two:
        with work() as done:
            devices.end_all(audience.users["mia"].id, present(), done)

        until(lambda: one.ended.is_set() and two.ended.is_set())


@pytest.mark.parametrize("how", ["revoked", "disabled", "closed", "expired"])
def test_the_stream_of_an_invalid_device_ends_without_a_notification(web: Web, audience: Cast, how: str):
    tokens, user = pair(audience.users["mia"]), audience.users["mia"].id
    with follow(web, tokens) as phone:
        if how == "revoked":
            Device.update(revoked_at=present()).execute()
        elif how == "expired":
            DeviceToken.update(expires_at=present()).execute()
        else:
            User.update({"disabled_at" if how == "disabled" else "deleted_at": present()}).where(
                User.id == user
            ).execute()

        until(phone.ended.is_set)


def test_a_stream_stays_open_while_the_phone_refreshes_its_tokens(web: Web, audience: Cast):
    tokens = pair(audience.users["mia"], present() - timedelta(minutes=59))
    with follow(web, tokens) as phone, follow_as(web, audience, "vic") as clock:
        devices.refresh(tokens.refresh_token, present())
        Member.delete().where(Member.user == audience.users["vic"].id).execute()
        until(lambda: clock.resyncs == 2)  # by now who may listen has been asked
        incident = change(audience.workspace)

        until(lambda: phone.arrived(incident))
        assert not phone.ended.is_set()


def test_a_phone_gets_no_changes_of_a_workspace_that_its_person_left(web: Web, audience: Cast):
    with follow(web, pair(audience.users["mia"])) as phone, follow_as(web, audience, "adam") as adam:
        Member.delete().where(Member.user == audience.users["mia"].id).execute()
        until(lambda: phone.resyncs == 2)
        incident = change(audience.workspace)
        until(lambda: adam.arrived(incident))

        assert not phone.arrived(incident)
        assert not phone.ended.is_set()


def test_no_request_that_starts_after_the_revocation_succeeds(web: Web, audience: Cast):
    for _ in range(20):
        tokens = pair(audience.users["mia"])
        with busy(web, tokens) as served:
            until(lambda served=served: len(served) > 5)
            revoke(tokens)
            afterwards = [web.get("/v1/me", Authorization=f"Bearer {tokens.access_token}").status for _ in range(10)]

        assert set(afterwards) == {401}
        assert 200 in served


@contextmanager
def busy(web: Web, tokens: Tokens):
    """While this lasts three clients of the phone ask without a pause; the statuses they were answered."""
    served: list[int] = []
    enough = threading.Event()

    def ask() -> None:
        while not enough.is_set():
            served.append(web.get("/v1/me", Authorization=f"Bearer {tokens.access_token}").status)

    with ThreadPoolExecutor(3) as clients:
        asking = [clients.submit(ask) for _ in range(3)]
        try:
            yield served
        finally:
            enough.set()
        for each in asking:
            each.result()


def test_twenty_refreshes_at_two_processes_leave_one_good_pair(web: Web, audience: Cast):
    tokens = pair(audience.users["mia"])
    start = threading.Barrier(20)

    def one() -> tuple[int, dict[str, str]]:
        start.wait(60)
        return web.post("/v1/devices/token", {"refreshToken": tokens.refresh_token})

    with ThreadPoolExecutor(20) as many:
        answers = [each.result() for each in [many.submit(one) for _ in range(20)]]

    assert {status for status, _ in answers} == {200}
    good = [
        pair for _, pair in answers if web.get("/v1/me", Authorization=f"Bearer {pair['accessToken']}").status == 200
    ]
    assert len(good) == 1
    assert web.post("/v1/devices/token", {"refreshToken": good[0]["refreshToken"]})[0] == 200


def test_a_phone_whose_answer_was_cut_off_asks_again(web: Web, audience: Cast):
    first = pair(audience.users["mia"])
    body = json.dumps({"refreshToken": first.refresh_token})
    with socket.create_connection(("127.0.0.1", web.port)) as cut:
        head = f"POST /v1/devices/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
        cut.sendall(f"{head}\r\n\r\n{body}".encode())
    until(lambda: Device.get_by_id(first.device_id).generation == 2)  # it was answered, and nobody was there to read

    status, got = web.post("/v1/devices/token", {"refreshToken": first.refresh_token})

    assert status == 200
    assert web.get("/v1/me", Authorization=f"Bearer {got['accessToken']}").status == 200
    assert web.post("/v1/devices/token", {"refreshToken": got["refreshToken"]})[0] == 200
