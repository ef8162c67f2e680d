"""Proofs of a session, and limits of attempts to sign in."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask

from app import create_app
from inbox.config.settings import Settings
from inbox.domain.values.networks import network
from inbox.models.people.accounts import Session, User
from tests.api.sign_in.auth_steps import (
    PASSWORD,
    Browsers,
    mia,  # noqa: F401
    morsel,
    password_hash,  # noqa: F401
)
from tests.browser import Browser
from tests.cast import present


@pytest.fixture
def long_ago(mia: dict[str, str], anonymous: Browser) -> Browser:
    """A browser in which Mia signed in an hour ago."""
    anonymous.post("/v1/auth/login", mia)
    Session.update(proved_at=present() - timedelta(hours=1)).execute()
    return anonymous


def test_a_proof_renews_this_session_only(long_ago: Browser, browser: Browsers) -> None:
    browser("mia")
    Session.update(proved_at=present() - timedelta(hours=1)).execute()
    answer = long_ago.post("/v1/auth/step-up", {"factor": "password", "password": PASSWORD})

    assert answer.status_code == 204 and answer.data == b""
    fresh = [row.proved_at > present() - timedelta(minutes=1) for row in Session.select().order_by(Session.created_at)]
    assert fresh == [True, False]


def test_a_wrong_proof_proves_nothing_and_signs_nobody_out(long_ago: Browser) -> None:
    answer = long_ago.post("/v1/auth/step-up", {"factor": "password", "password": "not her phrase"})

    assert (answer.status_code, answer.json["code"], answer.json["factors"]) == (403, "reauth_required", ["password"])
    assert Session.get().proved_at < present() - timedelta(minutes=30)
    assert long_ago.get("/v1/me").status_code == 200


def test_a_factor_we_do_not_know_is_a_bad_field(long_ago: Browser) -> None:
    answer = long_ago.post("/v1/auth/step-up", {"factor": "blood", "password": "x"})

    assert [each["pointer"] for each in answer.json["errors"]] == ["/factor"]


def test_ten_attempts_for_an_account_and_then_a_wait(
    mia: dict[str, str], anonymous: Browser, in_settings: Callable[..., Settings]
) -> None:
    in_settings(rate_limits=True, sign_ins_per_address_5min=100)
    wrong = [anonymous.post("/v1/auth/login", mia | {"password": "not her phrase"}) for _ in range(11)]
    right = anonymous.post("/v1/auth/login", mia)

    assert [answer.status_code for answer in wrong] == [401] * 10 + [429]
    assert wrong[-1].json["code"] == "rate_limited" and 1 <= int(wrong[-1].headers["Retry-After"]) <= 30
    assert right.status_code == 429
    assert User.get(User.email_key == "mia@example.org").disabled_at is None


def test_an_address_has_twenty_attempts_over_all_accounts(
    anonymous: Browser, in_settings: Callable[..., Settings]
) -> None:
    in_settings(rate_limits=True)
    spoofed = [
        anonymous.post(
            "/v1/auth/login",
            {"email": f"someone{place}@example.org", "password": "any phrase"},
            headers={"X-Forwarded-For": f"203.0.113.{place}"},
        )
        for place in range(21)
    ]

    assert [answer.status_code for answer in spoofed] == [401] * 20 + [429]


def test_concurrent_sign_ins_cannot_bypass_the_limit(
    mia: dict[str, str], app: Flask, in_settings: Callable[..., Settings]
) -> None:
    chosen = in_settings(rate_limits=True, sign_ins_per_account_5min=3)

    def attempt(_: int) -> int:
        return Browser(app, chosen.base_url).post("/v1/auth/login", mia | {"password": "not her phrase"}).status_code

    with ThreadPoolExecutor(12) as pool:
        statuses = list(pool.map(attempt, range(12)))

    assert sorted(statuses) == [401] * 3 + [429] * 9


def test_the_client_address_behind_a_proxy_comes_from_the_proxy(mia: dict[str, str], settings: Settings) -> None:
    behind = replace(settings, trusted_proxies=1)
    browser = Browser(create_app(behind), behind.base_url)
    browser.post("/v1/auth/login", mia, headers={"X-Forwarded-For": "198.51.100.7, 203.0.113.9"})

    assert Session.get().address == "203.0.113.9"


@pytest.mark.parametrize(
    ("address", "counted_as"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("2001:db8:1:2:aaaa::1", "2001:db8:1:2::"),
        ("2001:db8:1:2:bbbb::9", "2001:db8:1:2::"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("", "unknown"),
        ("not an address", "unknown"),
    ],
)
def test_addresses_are_counted_by_their_network(address: str, counted_as: str) -> None:
    assert network(address) == counted_as


def test_neither_password_nor_token_is_logged(mia: dict[str, str], anonymous: Browser, lines: Any) -> None:
    token = morsel(anonymous.post("/v1/auth/login", mia)).value
    anonymous.post("/v1/auth/login", mia | {"password": "x" * 257})
    anonymous.post("/v1/auth/step-up", {"factor": "password", "password": "another phrase"})
    written = str(lines())

    assert PASSWORD not in written and token not in written and "another phrase" not in written
