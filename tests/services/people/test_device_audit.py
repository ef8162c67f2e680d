"""The whole audit entry of each act on a device: actor, act, account and stored fields (specification 12.7)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest

from inbox.domain.values.refusals import Unauthenticated
from inbox.flow.unit_of_work import work
from inbox.models.people.accounts import User
from inbox.models.people.devices import Device
from inbox.models.records.audit import AuditEntry
from inbox.services.people import devices, pairings
from inbox.services.people.devices import Tokens
from inbox.services.records import audit
from tests.cast import Cast, typeid
from tests.cast import present as real
from tests.stand_ins.phone import code_of, pair

PAIRED = real().replace(microsecond=0)
NOW = PAIRED + timedelta(minutes=10)
ADDRESS, REQUEST = "203.0.113.7", "r" * 32
SYSTEM = {"type": "system", "id": "", "name": ""}


@pytest.fixture
def mia(cast: Cast) -> User:
    return cast.users["mia"]


@pytest.fixture
def phone(mia: User) -> Tokens:
    return pair(mia, PAIRED, name="Mia's phone")


@contextmanager
def request_of(user: User | None) -> Iterator[None]:
    """What is done within is done in a request of this person; of nobody known without one."""
    audit.begin_request(REQUEST, ADDRESS)
    if user is not None:
        audit.set_actor(audit.person(user))
    try:
        yield
    finally:
        audit.end_request()


def entry(action: str) -> dict[str, Any]:
    """All columns of the one entry of this action but its id."""
    [found] = AuditEntry.select().where(AuditEntry.action == action).dicts()
    del found["id"]
    return found


def expected(mia: User, phone: Tokens, action: str, **changed: Any) -> dict[str, Any]:
    """The entry of an act that Mia asked for, with what is different of it."""
    return {
        "at": NOW,
        "workspace_id": None,
        "user_id": mia.id,
        "actor": {"type": "user", "id": typeid("usr", mia.id), "name": "Mia"},
        "action": action,
        "target": {"type": "device", "id": typeid("dev", phone.device_id), "name": "Mia's phone"},
        "ip": ADDRESS,
        "request_id": REQUEST,
        "details": {},
        **changed,
    }


def record_of(device: Device) -> dict[str, Any]:
    """What a revoked device leaves in its entry."""
    moment = PAIRED.strftime("%Y-%m-%dT%H:%M:%S.000Z")
    return {"name": device.name, "platform": device.platform, "createdAt": moment, "lastSeenAt": moment}


def test_a_device_pairs_with_the_account_of_the_code(mia: User) -> None:
    code = code_of(mia, NOW)
    with request_of(None):  # the phone is not known yet
        phone = pairings.claim(code, "Mia's phone", NOW, address=ADDRESS, platform="Android 16").tokens
        assert phone is not None

    assert entry("device.paired") == expected(mia, phone, "device.paired", details={"platform": "Android 16"})


def test_a_new_name_is_kept_with_the_old_one(mia: User, phone: Tokens) -> None:
    with request_of(mia):
        devices.rename(Device.get(), "Mia's watch", expected_rev=None, now=NOW)

    about = {"type": "device", "id": typeid("dev", phone.device_id), "name": "Mia's watch"}
    details = {"changes": [{"field": "name", "before": "Mia's phone", "after": "Mia's watch"}]}
    assert entry("device.renamed") == expected(mia, phone, "device.renamed", target=about, details=details)


def test_a_revoked_device_is_kept_as_it_was(mia: User, phone: Tokens) -> None:
    before = Device.get()
    with request_of(mia):
        devices.revoke(before, expected_rev=None, now=NOW)

    assert entry("device.revoked") == expected(mia, phone, "device.revoked", details={"record": record_of(before)})


def test_a_refresh_token_that_is_used_again_is_acted_on_by_the_system(mia: User, phone: Tokens) -> None:
    devices.refresh(phone.refresh_token, PAIRED)
    before = Device.get()
    with request_of(None), pytest.raises(Unauthenticated):
        devices.refresh(phone.refresh_token, NOW)

    details = {"record": record_of(before), "because": "refreshTokenReused"}
    assert entry("device.revoked") == expected(mia, phone, "device.revoked", actor=SYSTEM, details=details)


def test_an_owner_who_revokes_the_devices_of_a_member_is_the_actor(cast: Cast, mia: User, phone: Tokens) -> None:
    olga = audit.person(cast.users["olga"])
    before = Device.get()
    with work() as done:
        devices.end_all(mia.id, NOW, done, actor=olga)

    by_olga = {"type": "user", "id": typeid("usr", cast.users["olga"].id), "name": "Olga"}
    details = {"record": record_of(before)}
    assert entry("device.revoked") == expected(
        mia, phone, "device.revoked", actor=by_olga, ip="", request_id="", details=details
    )
