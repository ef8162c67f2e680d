"""Tokens of devices over time, their revocation, and their storage (specification 11.10)."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime, timedelta

import peewee
import pytest

from inbox.database.base import db
from inbox.domain.values.refusals import PairingInvalid, Unauthenticated
from inbox.flow.unit_of_work import work
from inbox.live.feed import Change
from inbox.models.people.accounts import User
from inbox.models.people.devices import Device, DevicePairing, DeviceToken
from inbox.models.records.audit import AuditEntry
from inbox.services.people import devices
from inbox.services.people.devices import Tokens
from ops.children import wait_until
from tests.cast import Cast, typeid
from tests.services.people.devices_steps import (
    DAY,
    HOUR,
    MINUTE,
    NOW,
    Answer,
    at_once,
    claim,
    mia,  # noqa: F401
)
from tests.stand_ins.phone import code_of, pair


def is_good(tokens: Tokens, now: datetime = NOW) -> bool:
    return devices.find(tokens.access_token, now) is not None


def test_an_access_token_is_good_for_an_hour(mia: User) -> None:
    tokens = pair(mia, NOW)

    assert is_good(tokens, NOW + HOUR - timedelta(milliseconds=1))
    assert not is_good(tokens, NOW + HOUR)


def test_a_refresh_token_is_good_for_ninety_days_and_begins_again_with_each(mia: User) -> None:
    tokens = pair(mia, NOW)
    second = devices.refresh(tokens.refresh_token, NOW + 89 * DAY)
    third = devices.refresh(second.refresh_token, NOW + 178 * DAY)

    assert third.refresh_expires_at == NOW + 268 * DAY
    with pytest.raises(Unauthenticated):
        devices.refresh(third.refresh_token, NOW + 268 * DAY)


def test_a_new_pair_ends_the_old_one(mia: User) -> None:
    first = pair(mia, NOW)
    second = devices.refresh(first.refresh_token, NOW)

    assert not is_good(first)
    assert is_good(second)
    assert second.device_id == first.device_id


def test_a_lost_answer_is_asked_for_again_within_a_minute_and_the_lost_pair_is_ended(mia: User) -> None:
    first = pair(mia, NOW)
    lost = devices.refresh(first.refresh_token, NOW)
    got = devices.refresh(first.refresh_token, NOW + MINUTE)

    assert not is_good(lost)
    assert is_good(got, NOW + MINUTE)
    assert is_good(devices.refresh(got.refresh_token, NOW + HOUR), NOW + HOUR)


@pytest.mark.parametrize("which", ["rotated", "ended"])
def test_an_old_refresh_token_that_comes_back_later_revokes_the_device(mia: User, which: str) -> None:
    first = pair(mia, NOW)
    ended = devices.refresh(first.refresh_token, NOW)
    newest = devices.refresh(first.refresh_token, NOW + MINUTE / 2)
    repeated = first if which == "rotated" else ended

    with pytest.raises(Unauthenticated):
        devices.refresh(repeated.refresh_token, NOW + MINUTE + timedelta(milliseconds=1))

    assert not is_good(newest, NOW + MINUTE)
    with pytest.raises(Unauthenticated):
        devices.refresh(newest.refresh_token, NOW + 2 * MINUTE)
    [entry] = AuditEntry.select().where(AuditEntry.action == "device.revoked")
    assert entry.details["because"] == "refreshTokenReused"
    assert entry.details["record"]["name"] == "Phone"
    assert entry.actor["type"] == "system"


def test_repeated_refreshes_do_not_extend_the_minute(mia: User) -> None:
    first = pair(mia, NOW)
    for seconds in (0, 20, 40, 60):
        latest = devices.refresh(first.refresh_token, NOW + timedelta(seconds=seconds))

    with pytest.raises(Unauthenticated):
        devices.refresh(first.refresh_token, NOW + timedelta(seconds=61))
    assert not is_good(latest, NOW + MINUTE)


def test_twenty_refreshes_at_once_leave_one_good_pair(mia: User) -> None:
    first = pair(mia, NOW)

    answers = at_once(lambda: devices.refresh(first.refresh_token, NOW), 20)

    pairs = [answer for answer in answers if isinstance(answer, Tokens)]
    assert len(pairs) == 20
    [good] = [each for each in pairs if is_good(each)]
    assert len({each.access_token for each in pairs} | {each.refresh_token for each in pairs}) == 40
    assert is_good(devices.refresh(good.refresh_token, NOW + HOUR), NOW + HOUR)
    assert Device.get().revoked_at is None


@pytest.mark.parametrize("kind", ["access", "session", "nothing", "ü" * 10, ""])
def test_an_invalid_refresh_token_is_refused(mia: User, kind: str) -> None:
    tokens = pair(mia, NOW)
    shown = tokens.access_token if kind == "access" else kind

    with pytest.raises(Unauthenticated):
        devices.refresh(shown, NOW)
    assert is_good(tokens)


@pytest.mark.parametrize("how", ["revoked", "disabled", "closed"])
def test_a_device_that_may_not_enter_refreshes_nothing(mia: User, how: str) -> None:
    tokens = pair(mia, NOW)
    if how == "revoked":
        devices.revoke(Device.get(), expected_rev=None, now=NOW)
    else:
        User.update({"disabled_at" if how == "disabled" else "deleted_at": NOW}).where(User.id == mia.id).execute()

    assert not is_good(tokens)
    with pytest.raises(Unauthenticated):
        devices.refresh(tokens.refresh_token, NOW)


def test_all_devices_of_a_person_end_together_and_other_devices_stay(cast: Cast) -> None:
    mia, vic = cast.users["mia"], cast.users["vic"]
    foreign_one, other = [pair(mia, NOW), pair(mia, NOW)], pair(vic, NOW)
    code = code_of(mia, NOW)
    with work() as done:
        assert devices.end_all(mia.id, NOW, done) == 2

    assert [is_good(tokens) for tokens in [*foreign_one, other]] == [False, False, True]
    with pytest.raises(PairingInvalid):
        claim(code)
    reported = {reference["op"] for [refs] in Change.select(Change.refs).tuples() for reference in refs}
    assert reported == {"created", "deleted"}
    assert AuditEntry.select().where(AuditEntry.action == "device.revoked").count() == 2


def test_a_code_that_is_sent_while_all_devices_end_pairs_nothing(mia: User) -> None:
    code = code_of(mia, NOW)

    def sent() -> str:
        with db.connection_context():
            try:
                claim(code)
            except PairingInvalid:
                return "refused"
            return "paired"

    with ThreadPoolExecutor(1) as elsewhere:
        with work() as done:
            devices.end_all(mia.id, NOW + MINUTE, done)
            answer = elsewhere.submit(sent)
            waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"
            assert wait_until(lambda: db.execute_sql(waiting).fetchone()[0] > 0, 10)
        assert answer.result() == "refused"
    assert Device.select().count() == 0


def test_a_refresh_during_a_revocation_leaves_no_valid_token(mia: User) -> None:
    for _ in range(5):
        tokens = pair(mia, NOW)
        with ThreadPoolExecutor(2) as two, suppress(Unauthenticated):
            refreshed = two.submit(_in_a_connection, lambda token=tokens: devices.refresh(token.refresh_token, NOW))
            two.submit(_in_a_connection, lambda: _end_all(mia)).result()
            assert not is_good(refreshed.result())
        assert Device.select().where(Device.revoked_at.is_null()).count() == 0


def _in_a_connection(act: Callable[[], Answer]) -> Answer:
    with db.connection_context():
        return act()


def _end_all(user: User) -> None:
    with work() as done:
        devices.end_all(user.id, NOW, done)


def test_stored_codes_and_tokens_cannot_be_used(mia: User) -> None:
    code = code_of(mia, NOW)
    first = claim(code)
    second = devices.refresh(first.refresh_token, NOW)
    retained = "".join(
        str(row)
        for table in (Device, DeviceToken, DevicePairing, AuditEntry, Change)
        for row in db.execute_sql(f"SELECT t::text, '' FROM {table._meta.table_name} t").fetchall()
    )

    assert str(first.device_id) in retained
    for secret in (code, code.replace("-", ""), *_secrets(first), *_secrets(second)):
        assert secret not in retained
        assert secret.encode().hex() not in retained


def _secrets(tokens: Tokens) -> tuple[str, str]:
    return tokens.access_token, tokens.refresh_token


def test_pairing_and_revoking_are_in_the_audit_log(mia: User) -> None:
    tokens = pair(mia, NOW, name="Mia's phone")
    devices.revoke(Device.get(), expected_rev=None, now=NOW)

    about = {"type": "device", "id": typeid("dev", tokens.device_id), "name": "Mia's phone"}
    paired, revoked = (
        AuditEntry.select().where(AuditEntry.action.startswith("device.")).order_by(AuditEntry.action).execute()
    )
    assert (paired.action, revoked.action) == ("device.paired", "device.revoked")
    assert paired.target == revoked.target == about
    assert paired.actor["id"] == typeid("usr", mia.id)


def test_the_last_use_is_written_once_a_minute(mia: User) -> None:
    tokens = pair(mia, NOW)
    seen = []
    for seconds in (59, 60, 100, 120):
        is_good(tokens, NOW + timedelta(seconds=seconds))
        seen.append(round((Device.get().last_seen_at - NOW).total_seconds()))

    assert seen == [0, 60, 60, 120]


def test_a_person_without_a_workspace_has_a_device_all_the_same(cast: Cast, ground: peewee.Database) -> None:
    tokens = pair(cast.users["eve"], NOW)
    db.execute_sql("DELETE FROM members WHERE user_id = %s", (cast.users["eve"].id,))

    found = devices.find(tokens.access_token, NOW)
    assert found is not None
    assert found.roles == {}
