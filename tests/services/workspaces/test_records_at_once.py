"""Concurrent requests for the last place of a person or workspace: one is refused."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from inbox.database.base import db
from inbox.domain.deliveries.push import PhoneChoice
from inbox.domain.values.refusals import Conflict
from inbox.domain.workspaces.roles import Role
from inbox.flow.unit_of_work import work
from inbox.models.deliveries.destinations import Destination
from inbox.models.people.chat_accounts import ChatAccount
from inbox.models.people.devices import Device
from inbox.models.people.members import Member
from inbox.services.people import chat_accounts, pairings, push
from inbox.services.people.push import PushSubscription
from inbox.services.workspaces import members
from tests.api.people.test_chat_accounts import offer
from tests.cast import Cast, join, make_workspace, present
from tests.flow.concurrent_connections import in_a_thread, somebody_waits
from tests.live.web import until
from tests.stand_ins.phone import code_of, pair
from tests.stand_ins.push_service import (
    Subscription,
    service,  # noqa: F401
)
from tests.stand_ins.receivers import Receiver

Act = Callable[[], Any]


def refusals_of(first: Act, second: Act) -> int:
    """Begin the second act before the transaction of the first one ends. Returns how many were refused."""
    refused = []

    def run() -> None:
        with db.connection_context():
            try:
                second()
            except Conflict as refusal:
                refused.append(refusal)

    thread = threading.Thread(target=run)
    with work():
        first()
        thread.start()
        # Another transaction looks, because within one PostgreSQL repeats what it saw first.
        until(lambda: not thread.is_alive() or in_a_thread(somebody_waits)())
    thread.join(60)
    return len(refused)


def made_owner(cast: Cast, workspace_id: UUID) -> Act:
    olga, vic = cast.users["olga"].id, cast.users["vic"].id
    return lambda: members.set_role(workspace_id, vic, Role.OWNER, by=olga, now=present())


def claimed(code: str) -> Act:
    return lambda: pairings.claim(code, "Phone", present(), address="127.0.0.1")


def subscribed(device: Device, workspace_id: UUID, service: Receiver) -> Act:
    browser = Subscription(service)
    requested = PushSubscription(
        browser.endpoint, **browser.keys, hide_content=False, workspaces={workspace_id: PhoneChoice()}
    )
    return lambda: push.subscribe(device, requested, present())


def test_concurrent_promotions_never_exceed_the_limit_of_owned_workspaces(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(members, "MAX_OWNED", 1)
    others = [make_workspace(f"Other {number}", olga=cast.users["olga"]) for number in range(2)]
    for other in others:
        join(other, cast.users["vic"], "viewer")

    assert refusals_of(*(made_owner(cast, other.id) for other in others)) == 1
    assert Member.select().where(Member.user == cast.users["vic"], Member.role == "owner").count() == 1


def test_two_codes_pair_no_more_devices_than_a_person_may_have(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairings, "MAX_DEVICES", 1)
    mia = cast.users["mia"]
    codes = [code_of(mia) for _ in range(2)]

    assert refusals_of(*map(claimed, codes)) == 1
    assert Device.select().where(Device.user == mia).count() == 1


def test_a_person_links_no_more_chat_accounts_than_the_limit(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat_accounts, "MAX_ACCOUNTS", 1)
    mia = cast.users["mia"].id

    def linked(account: str) -> Act:
        token = offer(cast, account).rpartition("/")[2]
        return lambda: chat_accounts.link(chat_accounts.find_offer(token, present()), mia, present())

    assert refusals_of(linked("T1/U1"), linked("T1/U2")) == 1
    assert ChatAccount.select().count() == 1


def test_no_more_phones_of_a_workspace_are_notified_than_the_limit(
    cast: Cast,
    service: Receiver,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(push, "MAX_PHONES_OF_WORKSPACE", 1)
    push.public_key(present())
    for name in ("mia", "vic"):
        pair(cast.users[name])
    devices = list(Device.select().order_by(Device.id))

    assert refusals_of(*(subscribed(device, cast.workspace.id, service) for device in devices)) == 1
    assert Destination.select().where(Destination.device_id.is_null(False)).count() == 1
