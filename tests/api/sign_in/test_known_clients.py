"""Trusted browsers and addresses of an account: guesses from elsewhere lock no trusted client out (decision 0031)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask

from inbox.config.settings import Settings
from inbox.database.base import db
from inbox.flow.upkeep.purge import purge
from inbox.models.people.accounts import User
from inbox.models.people.known_clients import MAX_PER_KIND, RETENTION, ClientKind, KnownClient
from inbox.models.records.audit import AuditEntry
from inbox.services.people import known_clients, passwords
from inbox.services.people.passwords import hashed
from inbox.services.workspaces import deletion
from tests.browser import Browser
from tests.cast import NOW, Cast, present

PASSWORD = "a quiet harbour at night"
HOME, OFFICE, ELSEWHERE = "203.0.113.7", "203.0.113.8", "198.51.100.9"
COOKIE = "inbox_browser_8080"

Arrive = Callable[[str], Browser]


@pytest.fixture(scope="module")
def password_hash() -> str:
    return hashed(PASSWORD)


@pytest.fixture
def mia(cast: Cast, password_hash: str) -> User:
    for name in ("mia", "eve"):
        User.update(password_hash=password_hash).where(User.id == cast.users[name].id).execute()
    return cast.users["mia"]


@pytest.fixture
def arrive(app: Flask, mia: User, in_settings: Callable[..., Settings]) -> Arrive:
    """A new browser at an address, while four tries pass for an account and a hundred from an address.

    The first sign-in of somebody unknown is one of the four.
    """
    chosen = in_settings(rate_limits=True, sign_ins_per_account_5min=4, sign_ins_per_address_5min=100)

    def arrived(address: str) -> Browser:
        browser = Browser(app, chosen.base_url)
        browser.client.environ_base["REMOTE_ADDR"] = address
        return browser

    return arrived


def sign_in(browser: Browser, name: str = "mia", password: str = PASSWORD) -> int:
    return browser.post("/v1/auth/login", {"email": f"{name}@example.org", "password": password}).status_code


def guess(browser: Browser, times: int = 4) -> list[int]:
    return [sign_in(browser, password="not her phrase") for _ in range(times)]


def moved(browser: Browser, address: str) -> Browser:
    """The same browser at another address."""
    browser.client.environ_base["REMOTE_ADDR"] = address
    return browser


def value_of(browser: Browser) -> str:
    cookie = browser.client.get_cookie(COOKIE)
    assert cookie is not None
    return str(cookie.value)


def test_wrong_passwords_from_elsewhere_do_not_shut_out_a_known_browser(arrive: Arrive) -> None:
    hers = arrive(HOME)
    assert sign_in(hers) == 200

    assert guess(arrive(ELSEWHERE)) == [401, 401, 401, 429]

    assert sign_in(arrive(OFFICE)) == 429
    assert sign_in(moved(hers, OFFICE)) == 200


def test_wrong_passwords_from_elsewhere_do_not_shut_out_a_known_address(arrive: Arrive) -> None:
    assert sign_in(arrive(HOME)) == 200
    assert guess(arrive(ELSEWHERE)) == [401, 401, 401, 429]

    assert sign_in(arrive(HOME)) == 200
    assert sign_in(arrive(OFFICE)) == 429


def test_a_known_browser_is_not_shut_out_by_others_at_its_address(
    arrive: Arrive, in_settings: Callable[..., Settings]
) -> None:
    hers = arrive(HOME)
    assert sign_in(hers) == 200
    in_settings(rate_limits=True, sign_ins_per_account_5min=3, sign_ins_per_address_5min=3)
    stranger = arrive(HOME)
    stranger_tries = [sign_in(stranger, name, "no phrase") for name in ("a", "b", "c", "d")]

    assert stranger_tries[-1] == 429
    assert sign_in(arrive(HOME)) == 429
    assert sign_in(hers) == 200


@pytest.mark.parametrize("known_by", ["browser", "address"])
def test_the_budget_of_a_known_client_ends_too_and_is_its_own(arrive: Arrive, known_by: str) -> None:
    hers = arrive(HOME)
    sign_in(hers)
    hers = moved(hers, OFFICE) if known_by == "browser" else arrive(HOME)

    assert guess(hers, 5) == [401, 401, 401, 401, 429]
    assert sign_in(hers) == 429

    assert sign_in(arrive(ELSEWHERE)) == 200


def test_a_browser_known_to_one_account_is_unknown_to_another(arrive: Arrive) -> None:
    eves = arrive(ELSEWHERE)
    assert sign_in(eves, "eve") == 200
    assert guess(arrive(OFFICE), 5) == [401, 401, 401, 401, 429]

    assert guess(eves, 1) == [429]
    assert guess(moved(eves, HOME), 1) == [429]


@pytest.mark.parametrize("value", ["", "x", "a" * 43, "é" * 43, "a" * 5_000])
def test_a_forged_browser_cookie_has_no_effect(arrive: Arrive, value: str) -> None:
    assert sign_in(arrive(HOME)) == 200
    assert guess(arrive(OFFICE)) == [401, 401, 401, 429]
    forger = arrive(ELSEWHERE)
    headers = {"Cookie": f"{COOKIE}={value}"}
    body = {"email": "mia@example.org", "password": PASSWORD}

    assert forger.post("/v1/auth/login", body, headers=headers).status_code == 429


def test_a_browser_is_known_to_every_account_that_signed_in_there(arrive: Arrive) -> None:
    shared = arrive(HOME)
    sign_in(shared, "eve")
    first = value_of(shared)
    sign_in(shared, "mia")

    assert value_of(shared) == first
    assert guess(arrive(ELSEWHERE)) == [401, 401, 401, 429]
    assert sign_in(moved(shared, OFFICE)) == 200


def test_a_refused_sign_in_makes_nobody_known(arrive: Arrive) -> None:
    stranger = arrive(ELSEWHERE)
    assert guess(stranger, 1) == [401]

    assert stranger.client.get_cookie(COOKIE) is None
    assert KnownClient.select().count() == 0


def test_the_cookie_is_out_of_reach_of_scripts_and_neither_it_nor_the_address_is_stored(arrive: Arrive) -> None:
    hers = arrive(HOME)
    sign_in(hers)

    cookie = hers.client.get_cookie(COOKIE)
    assert cookie is not None and cookie.http_only and cookie.same_site == "Lax" and cookie.path == "/"
    assert cookie.max_age == int(RETENTION.total_seconds())
    rows = list(KnownClient.select())
    assert {row.kind for row in rows} == {"browser", "address"}
    for row in rows:
        assert len(bytes(row.digest)) == 32
        assert HOME.encode() not in bytes(row.digest) and value_of(hers).encode() not in bytes(row.digest)


def test_a_client_is_known_for_ninety_days_after_its_last_sign_in(mia: User) -> None:
    with db.atomic():
        known_clients.record_sign_in(mia.id, HOME, "b" * 43, NOW)

    for find, value in ((known_clients.address_bucket, HOME), (known_clients.browser_bucket, "b" * 43)):
        assert find(mia, value, NOW + RETENTION - timedelta(seconds=1)) is not None
        assert find(mia, value, NOW + RETENTION) is None
    assert purge(NOW + RETENTION)["known_clients"] == 0
    assert purge(NOW + RETENTION + timedelta(seconds=1))["known_clients"] == 2


def test_an_account_knows_its_ten_latest_clients_of_each_kind(mia: User, cast: Cast) -> None:
    with db.atomic():
        known_clients.record_sign_in(cast.users["eve"].id, HOME, "e" * 43, NOW)
        for number in range(MAX_PER_KIND):
            known_clients.record_sign_in(
                mia.id, f"203.0.113.{number}", f"{number:043}", NOW + timedelta(minutes=number)
            )
    assert KnownClient.select().where(KnownClient.user == mia.id).count() == 2 * MAX_PER_KIND
    later = NOW + timedelta(hours=1)
    assert known_clients.address_bucket(mia, "203.0.113.0", later) is not None

    with db.atomic():
        known_clients.record_sign_in(mia.id, "203.0.113.0", f"{0:043}", later)  # the oldest comes back
        known_clients.record_sign_in(mia.id, ELSEWHERE, "n" * 43, later)

    existing = [
        known_clients.address_bucket(mia, f"203.0.113.{number}", later) is not None for number in range(MAX_PER_KIND)
    ]
    assert existing == [True, False] + [True] * 8
    assert KnownClient.select().where(KnownClient.user == mia.id).count() == 2 * MAX_PER_KIND
    assert KnownClient.select().where(KnownClient.user == cast.users["eve"].id).count() == 2


@pytest.mark.parametrize("address", ["", "unknown", "localhost"])
def test_an_invalid_address_is_never_recorded_as_known(mia: User, address: str) -> None:
    with db.atomic():
        known_clients.record_sign_in(mia.id, address, "", NOW)

    assert KnownClient.select().count() == 0


def test_addresses_of_one_household_are_known_together(mia: User) -> None:
    with db.atomic():
        known_clients.record_sign_in(mia.id, "2001:db8:0:7::1", "", NOW)

    assert known_clients.address_bucket(mia, "2001:db8:0:7:ffff::2", NOW) is not None
    assert known_clients.address_bucket(mia, "2001:db8:0:8::1", NOW) is None


def test_closing_an_account_removes_its_known_clients(mia: User, cast: Cast) -> None:
    with db.atomic():
        known_clients.record_sign_in(mia.id, HOME, "b" * 43, NOW)
    deletion.close_account(mia.id, expected_rev=None, now=present())

    assert KnownClient.select().where(KnownClient.kind == str(ClientKind.BROWSER)).count() == 0
    assert KnownClient.select().count() == 0


def test_a_throttled_sign_in_leaves_one_entry_that_does_not_name_the_client(arrive: Arrive) -> None:
    hers = arrive(HOME)
    sign_in(hers)
    guess(hers, 6)

    entries = [row.details for row in AuditEntry.select().where(AuditEntry.action == "session.throttled")]
    assert entries == [{"door": "sign-in", "counted": "browser-of-account"}]


def test_the_same_work_is_done_where_there_is_no_account(mia: User) -> None:
    statements: list[Any] = []
    db.query_hooks.append(statements.append)
    try:
        known_clients.browser_bucket(mia, "b" * 43, NOW)
        existing, statements[:] = len(statements), []
        known_clients.browser_bucket(None, "b" * 43, NOW)
    finally:
        db.query_hooks.remove(statements.append)

    assert (existing, len(statements)) == (1, 1)
    assert passwords.matches(None, PASSWORD) is False
