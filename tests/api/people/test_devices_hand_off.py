"""Pairing in a browser for an app that is installed later: a cookie holds the tokens."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask

from inbox.config.settings import Settings
from inbox.models.people.devices import Device, DeviceToken
from tests.api.people.devices_steps import REFUSED, Browsers, outcome
from tests.browser import Browser
from tests.cast import Cast, present
from tests.stand_ins.phone import Phone, code_of

COOKIE = "inbox_hand_off_8080"


def hand_over(browser: Browser, cast: Cast, name: str = "mia") -> Any:
    """What the browser of a phone gets that pairs for the installed app."""
    body = {"code": code_of(cast.users[name]), "name": "Phone", "platform": "iOS", "handOff": True}
    return browser.post("/v1/devices/pair", body)


def cookie_of(browser: Browser) -> str:
    found = browser.client.get_cookie(COOKIE, path="/v1/devices")
    return "" if found is None else found.value


def test_the_browser_gets_a_cookie_instead_of_tokens(anonymous: Browser, cast: Cast) -> None:
    answer = hand_over(anonymous, cast)

    assert answer.status_code == 201
    tokens = ("accessToken", "accessExpiresAt", "refreshToken", "refreshExpiresAt")
    assert [answer.json[name] for name in tokens] == [None] * 4
    assert answer.json["handOffExpiresAt"] is not None
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie and "Path=/v1/devices" in cookie
    assert "Max-Age=600" in cookie
    assert cookie_of(anonymous) not in answer.text


def test_the_installed_app_exchanges_the_cookie_for_the_tokens(
    anonymous: Browser, app: Flask, cast: Cast, settings: Settings
) -> None:
    device_id = hand_over(anonymous, cast).json["deviceId"]

    tokens = anonymous.post("/v1/devices/token", {})

    assert (tokens.status_code, tokens.json["deviceId"]) == (200, device_id)
    assert cookie_of(anonymous) == ""
    phone = Phone(app, settings.base_url, tokens.json["accessToken"])
    assert phone.get("/v1/me").json["email"] == "mia@example.org"


def test_a_hand_off_works_once(anonymous: Browser, cast: Cast) -> None:
    hand_over(anonymous, cast)
    token = cookie_of(anonymous)
    anonymous.post("/v1/devices/token", {})
    anonymous.client.set_cookie(COOKIE, token, path="/v1/devices")

    assert outcome(anonymous.post("/v1/devices/token", {})) == REFUSED
    assert Device.get().revoked_at is None


def test_a_hand_off_ends_after_ten_minutes(anonymous: Browser, cast: Cast) -> None:
    hand_over(anonymous, cast)
    ends = DeviceToken.get().expires_at
    assert abs(ends - present() - timedelta(minutes=10)) < timedelta(minutes=1)
    DeviceToken.update(expires_at=present()).execute()

    assert outcome(anonymous.post("/v1/devices/token", {})) == REFUSED


def test_a_revoked_device_is_not_handed_over(anonymous: Browser, browser: Browsers, cast: Cast) -> None:
    device_id = hand_over(anonymous, cast).json["deviceId"]
    assert browser("mia").delete(f"/v1/devices/{device_id}").status_code == 204

    assert outcome(anonymous.post("/v1/devices/token", {})) == REFUSED


@pytest.mark.parametrize("token", ["", "x", "y" * 300, "é"])
def test_a_cookie_that_is_no_hand_off_is_refused_as_any_token(anonymous: Browser, cast: Cast, token: str) -> None:
    hand_over(anonymous, cast)
    anonymous.client.set_cookie(COOKIE, token, path="/v1/devices")

    assert outcome(anonymous.post("/v1/devices/token", {})) == REFUSED


def test_a_hand_off_token_is_no_access_and_no_refresh_token(
    anonymous: Browser, app: Flask, cast: Cast, settings: Settings
) -> None:
    hand_over(anonymous, cast)
    token = cookie_of(anonymous)

    assert outcome(Phone(app, settings.base_url, token).get("/v1/me")) == REFUSED
    assert outcome(anonymous.post("/v1/devices/token", {"refreshToken": token})) == REFUSED


def test_another_site_cannot_take_the_device_over(anonymous: Browser, cast: Cast) -> None:
    hand_over(anonymous, cast)

    refused = anonymous.post("/v1/devices/token", {}, headers={"Sec-Fetch-Site": "cross-site"})

    assert outcome(refused) == (403, "forbidden")
    assert anonymous.post("/v1/devices/token", {}).status_code == 200


def test_a_pairing_preview_shows_the_account_and_keeps_the_code_valid(anonymous: Browser, cast: Cast) -> None:
    code = code_of(cast.users["mia"])

    shown = anonymous.post("/v1/devices/pairings/preview", {"code": code.lower()})

    assert (shown.status_code, shown.json["name"], shown.json["email"]) == (200, "Mia", "mia@example.org")
    assert set(shown.json) == {"name", "email", "expiresAt"}
    assert anonymous.post("/v1/devices/pair", {"code": code, "name": "Phone"}).status_code == 201
    assert outcome(anonymous.post("/v1/devices/pairings/preview", {"code": code})) == (403, "pairing_invalid")


def test_wrong_codes_are_counted_in_previews_too(anonymous: Browser, cast: Cast) -> None:
    code = code_of(cast.users["mia"])
    wrong = code[:-1] + ("0" if code[-1] != "0" else "1")

    answers = [anonymous.post("/v1/devices/pairings/preview", {"code": wrong}) for _ in range(5)]

    assert {outcome(answer) for answer in answers} == {(403, "pairing_invalid")}
    assert outcome(anonymous.post("/v1/devices/pair", {"code": code, "name": "Phone"})) == (403, "pairing_invalid")


def test_previews_and_claims_share_the_attempts_of_an_address(
    anonymous: Browser, cast: Cast, in_settings: Callable[..., Settings]
) -> None:
    in_settings(rate_limits=True, pairing_attempts_per_address=3)
    code = code_of(cast.users["mia"])

    answers = [anonymous.post("/v1/devices/pairings/preview", {"code": code}).status_code for _ in range(4)]

    assert answers == [200, 200, 200, 429]
    assert outcome(anonymous.post("/v1/devices/pair", {"code": code, "name": "Phone"})) == (429, "rate_limited")
