"""Paired devices over HTTP: pairing, refreshing and guessing of codes."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from redis import Redis

from inbox.config.settings import Settings
from inbox.models.people.devices import DevicePairing
from inbox.services.people.devices import REFRESHES_PER_HOUR
from tests.api.people.devices_steps import (
    NOBODYS,
    REFUSED,
    Browsers,
    Phones,
    outcome,
    phone,  # noqa: F401
)
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.stand_ins.phone import Phone, code_of, pair


def test_a_code_is_shown_and_a_phone_that_sends_it_is_paired(
    browser: Browsers, anonymous: Browser, app: Flask, cast: Cast, settings: Settings
) -> None:
    mia = browser("mia")
    made = mia.post("/v1/devices/pairings")
    assert made.status_code == 201
    assert re.fullmatch("[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}", made.json["code"])
    assert made.json["uri"] == f"{settings.base_url}/pair#{made.json['code']}"
    shown = {"id": made.json["id"], "status": "pending", "expiresAt": made.json["expiresAt"], "device": None}
    assert mia.get(made.headers["Location"]).json == shown

    paired = anonymous.post("/v1/devices/pair", {"code": made.json["code"], "name": "Mia's phone", "platform": "iOS"})

    assert paired.status_code == 201
    assert set(paired.json) == {
        "deviceId", "accessToken", "accessExpiresAt", "refreshToken", "refreshExpiresAt", "user",
        "handOffExpiresAt",
    }  # fmt: skip
    assert paired.json["user"]["email"] == "mia@example.org"
    claimed = mia.get(made.headers["Location"]).json
    device = mia.get("/v1/devices").json["items"][0]
    assert (claimed["status"], claimed["device"]) == ("claimed", device)
    assert device == {
        "id": paired.json["deviceId"], "name": "Mia's phone", "platform": "iOS", "current": False,
        "createdAt": device["createdAt"], "lastSeenAt": device["lastSeenAt"], "rev": 1,
        "push": {"state": "none", "hideContent": False, "workspaces": [], "lastDeliveredAt": None, "lastError": None},
    }  # fmt: skip
    itself = Phone(app, settings.base_url, paired.json["accessToken"])
    assert itself.get("/v1/me").json["id"] == typeid("usr", cast.users["mia"].id)
    assert itself.get("/v1/devices").json["items"][0]["current"] is True


def test_a_phone_refreshes_its_tokens(anonymous: Browser, app: Flask, cast: Cast, settings: Settings) -> None:
    first = pair(cast.users["mia"])

    second = anonymous.post("/v1/devices/token", {"refreshToken": first.refresh_token})

    assert second.status_code == 200
    assert set(second.json) == {"deviceId", "accessToken", "accessExpiresAt", "refreshToken", "refreshExpiresAt"}
    assert Phone(app, settings.base_url, second.json["accessToken"]).get("/v1/me").status_code == 200
    assert outcome(Phone(app, settings.base_url, first.access_token).get("/v1/me")) == REFUSED


def test_every_refused_code_gets_the_same_answer(cast: Cast, anonymous: Browser) -> None:
    mia, now = cast.users["mia"], present()
    used, expired, killed = (code_of(mia) for _ in range(3))
    anonymous.post("/v1/devices/pair", {"code": used, "name": "Phone"})
    DevicePairing.update(wrong_tries=5).where(DevicePairing.selector == killed[:4]).execute()
    DevicePairing.update(expires_at=now).where(DevicePairing.selector == expired[:4]).execute()
    codes = [used, expired, killed, "0000-0000", "", "x", "ü", "K7QM-3XP", "svc_src_abc", "-" * 64]

    answers = [
        anonymous.post(
            "/v1/devices/pair", {"code": code, "name": "Phone"}, headers={"X-Request-Id": "the-same-for-all"}
        )
        for code in codes
    ]

    assert {outcome(answer) for answer in answers} == {(403, "pairing_invalid")}
    assert len({answer.data for answer in answers}) == 1
    assert len({tuple(answer.headers) for answer in answers}) == 1


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"name": "Phone"}, "/code"),
        ({"code": 7, "name": "Phone"}, "/code"),
        ({"code": "0" * 65, "name": "Phone"}, "/code"),
        ({"code": "K7QM-3XPD"}, "/name"),
        ({"code": "K7QM-3XPD", "name": " "}, "/name"),
        ({"code": "K7QM-3XPD", "name": "x" * 101}, "/name"),
        ({"code": "K7QM-3XPD", "name": "Phone", "platform": "a\nb"}, "/platform"),
        ({"code": "K7QM-3XPD", "name": "Phone", "userId": "usr_1"}, "/userId"),
    ],
)
def test_a_body_that_is_not_the_shape_is_reported_where(body: dict[str, Any], pointer: str, anonymous: Browser) -> None:
    answer = anonymous.post("/v1/devices/pair", body)

    assert outcome(answer) == (422, "validation_failed")
    assert [fault["pointer"] for fault in answer.json["errors"]] == [pointer]


def test_a_pairing_is_seen_in_the_session_that_began_it_only(browser: Browsers) -> None:
    made = browser("mia").post("/v1/devices/pairings")

    for other in (browser("mia"), browser("olga"), browser("eve")):
        answer = other.get(made.headers["Location"])
        nowhere = other.get(f"/v1/devices/pairings/{NOBODYS}")
        assert outcome(answer) == (404, "not_found")
        assert answer.json | {"requestId": ""} == nowhere.json | {"requestId": ""}


def test_a_code_that_was_tried_too_often_or_too_late_reads_as_expired(browser: Browsers) -> None:
    mia = browser("mia")
    made = mia.post("/v1/devices/pairings")
    DevicePairing.update(wrong_tries=5).execute()
    assert mia.get(made.headers["Location"]).json["status"] == "expired"
    DevicePairing.update(wrong_tries=0, expires_at=present()).execute()
    assert mia.get(made.headers["Location"]).json["status"] == "expired"


def test_codes_cannot_be_guessed_fast_even_if_redis_is_flushed(
    cast: Cast, anonymous: Browser, in_settings: Callable[..., Settings]
) -> None:
    chosen = in_settings(rate_limits=True)
    code = code_of(cast.users["mia"])
    evaluated = []
    for attempt in range(60):
        if attempt % 10 == 0:
            with Redis.from_url(chosen.redis_url) as redis:
                redis.flushdb()
        answer = anonymous.post("/v1/devices/pair", {"code": code[:-1] + "!", "name": "x"})
        evaluated.append(answer.status_code)

    assert evaluated == [403] * 20 + [429] * 40
    refused = anonymous.post("/v1/devices/pair", {"code": code, "name": "Phone"})
    assert outcome(refused) == (429, "rate_limited")
    assert int(refused.headers["Retry-After"]) <= 180
    anonymous.client.environ_base["REMOTE_ADDR"] = "198.51.100.7"
    assert anonymous.post("/v1/devices/pair", {"code": code, "name": "Phone"}).status_code == 201


def test_codes_cannot_be_guessed_fast_from_many_addresses(
    anonymous: Browser, in_settings: Callable[..., Settings]
) -> None:
    in_settings(rate_limits=True, pairing_attempts=30)
    answers = []
    for attempt in range(40):
        anonymous.client.environ_base["REMOTE_ADDR"] = f"198.51.100.{attempt}"
        answers.append(anonymous.post("/v1/devices/pair", {"code": "0000-0000", "name": "x"}).status_code)

    assert answers == [403] * 30 + [429] * 10


def test_pairing_attempts_over_the_limit_do_not_block_other_addresses(
    anonymous: Browser, in_settings: Callable[..., Settings]
) -> None:
    in_settings(rate_limits=True, pairing_attempts=30)
    for _ in range(60):
        anonymous.post("/v1/devices/pair", {"code": "0000-0000", "name": "x"})
    anonymous.client.environ_base["REMOTE_ADDR"] = "198.51.100.7"

    assert anonymous.post("/v1/devices/pair", {"code": "0000-0000", "name": "x"}).status_code == 403


def test_a_device_does_not_refresh_without_end(
    cast: Cast, anonymous: Browser, in_settings: Callable[..., Settings]
) -> None:
    tokens = pair(cast.users["mia"])
    in_settings(rate_limits=True)
    began = time.monotonic()
    answers = []
    while not answers or (answers[-1] == 200 and len(answers) < 10 * REFRESHES_PER_HOUR):
        answers.append(anonymous.post("/v1/devices/token", {"refreshToken": tokens.refresh_token}).status_code)
    refilled = math.ceil((time.monotonic() - began) * REFRESHES_PER_HOUR / 3600)

    assert answers[-1] == 429
    assert REFRESHES_PER_HOUR <= len(answers) - 1 <= REFRESHES_PER_HOUR + refilled


def test_a_session_and_a_device_have_their_persons_rate_together(
    browser: Browsers, phone: Phones, in_settings: Callable[..., Settings]
) -> None:
    mia, mias, adams = browser("mia"), phone("mia"), phone("adam")
    in_settings(rate_limits=True, management_reads_per_minute_user=4)

    answers = [each.get("/v1/me").status_code for each in (mia, mias, mia, mias, mia, mias, adams)]

    assert answers == [200] * 4 + [429] * 2 + [200]
