"""Access of a paired device: the acts of its person, and operations that refuse every device."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask, jsonify

from app import create_app
from inbox.api.http.policy import POLICY, SESSION, USER, EndpointPolicy, StepUp
from inbox.config.settings import Settings
from inbox.models.people.accounts import User
from inbox.models.people.devices import Device, DeviceToken
from inbox.services.people import devices
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


def operations(app: Flask, *credentials: str) -> Iterator[tuple[str, str]]:
    """Method and path, with ids of nothing, of every operation that takes one of these credentials."""
    for rule in app.url_map.iter_rules():
        if POLICY[rule.endpoint].credential in credentials:
            path = re.sub(r"<typeid\((\w+)\):\w+>", lambda match: f"{match[1]}_01j0000000e008000000000001", rule.rule)
            for method in (rule.methods or set()) - {"HEAD"}:
                yield method, re.sub("<[^>]+>", "x", path)


@pytest.fixture
def wrong_credentials(cast: Cast) -> dict[str, str]:
    """One bearer of each kind that is no good on the management API."""
    old, revoked, disabled = (pair(cast.users[name]) for name in ("mia", "mia", "vic"))
    expired = pair(cast.users["mia"], present() - timedelta(hours=1))
    devices.refresh(old.refresh_token, present())
    devices.revoke(Device.get_by_id(revoked.device_id), expected_rev=None, now=present())
    User.update(disabled_at=present()).where(User.id == cast.users["vic"].id).execute()
    return {
        "source key": cast.key,
        "heartbeat token": "svc_hb_" + "a" * 49,
        "personal access token": "svc_pat_" + "a" * 49,
        "session token": cast.cookie("olga"),
        "refresh token": pair(cast.users["olga"]).refresh_token,
        "replaced": old.access_token,
        "expired": expired.access_token,
        "revoked": revoked.access_token,
        "of somebody disabled": disabled.access_token,
        "unknown": "a" * 43,
        "empty": "",
        "too long": "a" * 5_000,
        "two": pair(cast.users["olga"]).access_token + ", x",
    }


@pytest.mark.slow
def test_every_other_bearer_is_refused_alike_on_every_operation(
    app: Flask, settings: Settings, wrong_credentials: dict[str, str]
) -> None:
    details = set()
    for kind, credential in wrong_credentials.items():
        wrong = Phone(app, settings.base_url, credential)
        for method, path in operations(app, "user", "session", "device"):
            answer = wrong.call(method, path, headers={"X-Request-Id": "the-same-for-all"})
            assert outcome(answer) == REFUSED, (kind, method, path)
            details.add(answer.json["detail"])

    # A source key is recognised by its form alone. All other credentials get the same answer.
    assert details == {"This credential is not valid here.", "A source key is valid for events and check-ins only."}


def test_operations_that_require_a_session_refuse_a_device(app: Flask, phone: Phones, anonymous: Browser) -> None:
    mia = phone("mia")
    unknown = Phone(app, mia.base_url, "a" * 43)
    paths = set()
    for method, path in operations(app, "session"):
        answers = [each.call(method, path, headers={"X-Request-Id": "the-same-for-all"}) for each in (mia, unknown)]
        assert outcome(answers[0]) == REFUSED, (method, path)
        assert answers[0].data == answers[1].data
        paths.add(path)

    assert {"/v1/auth/logout", "/v1/auth/step-up", "/v1/devices/pairings", f"/v1/devices/pairings/{NOBODYS}"} <= paths


def test_a_device_is_admitted_to_every_operation_of_a_person(app: Flask, phone: Phones) -> None:
    mia = phone("mia")
    for method, path in operations(app, "user"):
        if path != "/v1/stream":
            assert mia.call(method, path).status_code != 401, (method, path)


def test_credentials_do_not_stand_in_for_each_other(
    app: Flask, anonymous: Browser, cast: Cast, settings: Settings
) -> None:
    tokens = pair(cast.users["mia"])
    as_cookie = Browser(app, settings.base_url, cookie=tokens.access_token)
    event = Phone(app, settings.base_url, tokens.access_token).post("/v1/events", {"title": "Disk full"})

    assert outcome(as_cookie.get("/v1/me")) == REFUSED
    assert outcome(event) == REFUSED
    refreshed = anonymous.post("/v1/devices/token", {"refreshToken": cast.cookie("mia")})
    assert outcome(refreshed) == REFUSED


@pytest.mark.parametrize("path", ["/v1/me", "/v1/devices", "/v1/stream"])
def test_a_device_token_beside_a_session_is_refused(path: str, browser: Browsers, phone: Phones) -> None:
    both = {"Authorization": f"Bearer {phone('mia').access_token}"}

    assert outcome(browser("mia").get(path, headers=both)) == REFUSED
    assert outcome(browser("eve").get(path, headers=both)) == REFUSED


@pytest.mark.parametrize("form", ["bearer {}", "BEARER {}", "Bearer  {} "])
def test_the_scheme_is_read_in_any_case(form: str, phone: Phones) -> None:
    mia = phone("mia")

    assert mia.get("/v1/me", headers={"Authorization": form.format(mia.access_token)}).status_code == 200


@pytest.mark.parametrize("form", ["Basic {}", "Bearer{}", "Token {}", "Bearer\t{}", "{}"])
def test_only_the_bearer_scheme_authenticates_a_device(form: str, phone: Phones) -> None:
    mia = phone("mia")

    assert outcome(mia.get("/v1/me", headers={"Authorization": form.format(mia.access_token)})) == REFUSED


@pytest.mark.parametrize(
    "headers",
    [{"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "null"}, {}],
    ids=str,
)
def test_the_rules_against_other_sites_are_for_cookies(headers: dict[str, str], phone: Phones, cast: Cast) -> None:
    path = f"/v1/workspaces/{typeid('wsp', cast.workspace.id)}"

    assert phone("olga").patch(path, {"name": "Renamed"}, headers=headers).status_code == 200
    assert phone("olga").delete(f"/v1/sources/{typeid('src', cast.source.id)}", headers=headers).status_code == 204


@pytest.mark.parametrize(("name", "status"), [("olga", 200), ("adam", 200), ("mia", 403), ("vic", 403), ("eve", 404)])
def test_a_device_has_the_role_of_its_person(name: str, status: int, phone: Phones, cast: Cast) -> None:
    path = f"/v1/workspaces/{typeid('wsp', cast.workspace.id)}"

    assert phone(name).patch(path, {"name": "Renamed"}).status_code == status


@pytest.mark.parametrize("step_up", list(StepUp))
def test_a_device_cannot_step_up(
    step_up: StepUp, settings: Settings, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    User.update(password_hash="$argon2id$").execute()
    monkeypatch.setitem(POLICY, "here", EndpointPolicy(USER, step_up=step_up, workspace_from="none"))
    app = create_app(settings)
    app.add_url_rule("/here", "here", lambda: jsonify({}), methods=["DELETE"])
    answer = Phone(app, settings.base_url, pair(cast.users["olga"]).access_token).delete("/here")

    assert outcome(answer) == (403, "reauth_required")
    assert answer.json["factors"] == []


def test_a_device_renames_and_ends_itself_but_no_other(phone: Phones, cast: Cast) -> None:
    mia = phone("mia")
    own = mia.get("/v1/devices").json["items"][0]["id"]
    other = typeid("dev", pair(cast.users["mia"]).device_id)

    assert outcome(mia.patch(f"/v1/devices/{other}", {"name": "Mine"})) == (403, "forbidden")
    assert outcome(mia.delete(f"/v1/devices/{other}")) == (403, "forbidden")
    renamed = mia.patch(f"/v1/devices/{own}", {"name": "Night shift"})
    assert (renamed.json["name"], renamed.headers["ETag"]) == ("Night shift", '"2"')
    assert mia.delete(f"/v1/devices/{own}").status_code == 204
    assert outcome(mia.get("/v1/me")) == REFUSED


def test_a_stale_revision_changes_nothing(browser: Browsers, cast: Cast) -> None:
    path = f"/v1/devices/{typeid('dev', pair(cast.users['mia']).device_id)}"
    mia = browser("mia")
    assert mia.patch(path, {"name": "One"}, headers={"If-Match": '"1"'}).status_code == 200

    assert outcome(mia.patch(path, {"name": "Two"}, headers={"If-Match": '"1"'})) == (412, "rev_mismatch")
    assert outcome(mia.delete(path, headers={"If-Match": '"1"'})) == (412, "rev_mismatch")
    assert mia.get("/v1/devices").json["items"][0]["name"] == "One"
    assert mia.delete(path, headers={"If-Match": '"2"'}).status_code == 204


@pytest.mark.parametrize("name", ["olga", "vic", "eve"])
def test_the_devices_of_another_person_are_not_found(name: str, browser: Browsers, cast: Cast) -> None:
    foreign_one = typeid("dev", pair(cast.users["mia"]).device_id)
    other = browser(name)

    assert other.get("/v1/devices").json["items"] == []
    for method, body in (("PATCH", {"name": "Mine"}), ("DELETE", None)):
        answers = [other.call(method, f"/v1/devices/{each}", body) for each in (foreign_one, NOBODYS)]
        assert {outcome(answer) for answer in answers} == {(404, "not_found")}
        assert len({str(answer.json | {"requestId": ""}) for answer in answers}) == 1
    assert Device.get().name == "Phone"
    assert Device.get().revoked_at is None


def test_a_revoked_device_is_out_from_the_next_request_and_not_listed(
    browser: Browsers, anonymous: Browser, app: Flask, cast: Cast, settings: Settings
) -> None:
    tokens = pair(cast.users["mia"])
    mia, lost = browser("mia"), Phone(app, settings.base_url, tokens.access_token)
    path = f"/v1/devices/{typeid('dev', tokens.device_id)}"
    assert lost.get("/v1/me").status_code == 200

    assert mia.delete(path).status_code == 204

    assert outcome(lost.get("/v1/me")) == REFUSED
    assert outcome(anonymous.post("/v1/devices/token", {"refreshToken": tokens.refresh_token})) == REFUSED
    assert mia.get("/v1/devices").json["items"] == []
    assert outcome(mia.delete(path)) == (404, "not_found")


def change_password(browser: Browsers) -> Any:
    return browser("eve").post("/v1/me/password", {"newPassword": "another long phrase of hers"})


def close_account(browser: Browsers) -> Any:
    return browser("eve").delete("/v1/me")


def disable(browser: Browsers) -> Any:
    User.update(is_instance_admin=True).where(User.name == "Olga").execute()
    eve = typeid("usr", User.get(User.name == "Eve").id)
    return browser("olga").patch(f"/v1/admin/users/{eve}", {"disabled": True})


@pytest.mark.parametrize("act", [change_password, close_account, disable])
def test_devices_and_pairing_codes_end_with_the_session_or_account_that_made_them(
    act: Callable[[Browsers], Any], browser: Browsers, anonymous: Browser, app: Flask, cast: Cast, settings: Settings
) -> None:
    tokens, code = pair(cast.users["eve"]), code_of(cast.users["eve"])
    others = Phone(app, settings.base_url, pair(cast.users["mia"]).access_token)

    assert act(browser).status_code in (200, 204)

    assert outcome(Phone(app, settings.base_url, tokens.access_token).get("/v1/me")) == REFUSED
    assert outcome(anonymous.post("/v1/devices/token", {"refreshToken": tokens.refresh_token})) == REFUSED
    User.update(disabled_at=None).execute()  # not even when they are let in again
    assert outcome(Phone(app, settings.base_url, tokens.access_token).get("/v1/me")) == REFUSED
    assert outcome(anonymous.post("/v1/devices/pair", {"code": code, "name": "x"})) == (403, "pairing_invalid")
    assert others.get("/v1/me").status_code == 200


def test_devices_are_listed_in_pages(browser: Browsers, cast: Cast) -> None:
    for number in range(3):
        pair(cast.users["mia"], name=f"Phone {number}")
    mia = browser("mia")

    first = mia.get("/v1/devices?sort=name&order=asc&limit=2").json
    second = mia.get(f"/v1/devices?sort=name&order=asc&limit=2&cursor={first['nextCursor']}").json

    assert [each["name"] for each in first["items"] + second["items"]] == ["Phone 0", "Phone 1", "Phone 2"]
    assert mia.get("/v1/devices?offset=0").json["total"] == 3


def test_no_token_and_no_code_is_logged(
    lines: Callable[[], list[dict[str, Any]]], browser: Browsers, anonymous: Browser, app: Flask, settings: Settings
) -> None:
    code = browser("mia").post("/v1/devices/pairings").json["code"]
    paired = anonymous.post("/v1/devices/pair", {"code": code, "name": "Phone"}).json
    anonymous.post("/v1/devices/pair", {"code": code, "name": "Phone"})
    Phone(app, settings.base_url, paired["accessToken"]).get("/v1/me")
    anonymous.post("/v1/devices/token", {"refreshToken": paired["refreshToken"]})

    written = str(lines())
    assert "/v1/devices/pair" in written
    for secret in (code, code.replace("-", ""), paired["accessToken"], paired["refreshToken"]):
        assert secret not in written


def test_the_openapi_document_names_operations_that_accept_a_device(app: Flask) -> None:
    document = app.test_client().get("/v1/openapi.json").json
    named = {operation["operationId"]: operation for item in document["paths"].values() for operation in item.values()
             if "operationId" in operation}  # fmt: skip

    assert named["meRead"]["security"] == [{"sessionCookie": []}, {"deviceBearer": []}]
    assert named["streamRead"]["security"] == [{"sessionCookie": []}, {"deviceBearer": []}]
    assert named["devicesStartPairing"]["security"] == [{"sessionCookie": []}]
    assert named["devicesPair"]["security"] == []
    assert {"403", "429"} <= set(named["devicesPair"]["responses"])
    assert POLICY["devices.start_pairing"].credential is SESSION


def test_expired_tokens_leave_no_way_in_when_they_are_swept(cast: Cast, phone: Phones) -> None:
    mia = phone("mia")
    DeviceToken.delete().execute()

    assert outcome(mia.get("/v1/me")) == REFUSED
