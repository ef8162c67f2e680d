"""Source keys over HTTP: shown once, rotated with a day of grace, revoked at once (specification 5.2)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from flask import Flask

from inbox.domain.senders import keys
from inbox.domain.values import times
from inbox.models.people.accounts import User
from inbox.models.senders.sources import Source, SourceKey, record_use
from tests.browser import Browser
from tests.cast import Cast, make_key, present, typeid

Browsers = Callable[[str], Browser]
EVENT = {"title": "Disk full"}


@pytest.fixture
def path(cast: Cast) -> str:
    return f"/v1/sources/{typeid('src', cast.source.id)}/keys"


def accepted(app: Flask, key: str) -> bool:
    answer = app.test_client().post("/v1/events", json=EVENT, headers={"Authorization": f"Bearer {key}"})
    assert answer.status_code in (202, 401)
    return answer.status_code == 202


def age(key_hint: str, **columns: object) -> None:
    SourceKey.update(**columns).where(SourceKey.hint == key_hint).execute()


def test_a_new_key_works_and_is_shown_this_once(app: Flask, browser: Browsers, cast: Cast, path: str) -> None:
    made = browser("adam").post(path, {"name": "nightly"})
    secret = made.json["secret"]

    assert made.status_code == 201
    assert keys.well_formed(keys.KeyKind.SOURCE, secret)
    assert made.json["hint"] == secret[-4:]
    assert made.json["createdBy"] == {"type": "user", "id": typeid("usr", cast.users["adam"].id), "name": "Adam"}
    assert made.headers["Cache-Control"] == "no-store"
    assert (made.json["lastUsedAt"], made.json["graceEndsAt"], made.json["revokedAt"]) == (None, None, None)
    assert accepted(app, secret)
    for listing in (path, "/v1/keys"):
        shown = browser("olga").get(listing)
        assert "nightly" in shown.text
        assert secret not in shown.text
        assert "secret" not in shown.json["items"][0]
        assert SourceKey.get(SourceKey.name == "nightly").hash.hex() not in shown.text


def test_a_key_names_its_creator_after_the_account_is_closed_and_nobody_when_no_person_created_it(
    browser: Browsers, cast: Cast, path: str
) -> None:
    browser("adam").post(path, {"name": "nightly"})
    SourceKey.update(created_by=None).where(SourceKey.name != "nightly").execute()
    User.update(deleted_at=present()).where(User.id == cast.users["adam"].id).execute()

    creators = {item["name"]: item["createdBy"] for item in browser("olga").get(path).json["items"]}

    assert creators.pop("nightly") == {"type": "user", "id": typeid("usr", cast.users["adam"].id), "name": "Adam"}
    assert set(creators.values()) == {None}


def test_rotation_gives_a_new_key_and_a_day_to_the_old_one(
    app: Flask, browser: Browsers, cast: Cast, path: str
) -> None:
    old = browser("adam").get(path).json["items"][0]

    made = browser("adam").post(f"{path}/{old['id']}/rotate").json
    retained = next(key for key in browser("adam").get(path).json["items"] if key["id"] == old["id"])

    assert made["id"] != old["id"]
    assert accepted(app, made["secret"]) and accepted(app, cast.key)
    left = times.parse(retained["graceEndsAt"]) - present()
    assert timedelta(hours=23, minutes=59) < left <= timedelta(hours=24)


def test_the_grace_ends_to_the_second(app: Flask, cast: Cast) -> None:
    for ends, works in ((timedelta(seconds=30), True), (timedelta(seconds=-1), False)):
        key = make_key(cast.source, grace_ends_at=present() + ends)

        assert accepted(app, key) is works


def test_a_key_is_rotated_once_and_a_revoked_one_never(browser: Browsers, path: str) -> None:
    adam = browser("adam")
    old = adam.get(path).json["items"][0]["id"]
    new = adam.post(f"{path}/{old}/rotate").json["id"]
    adam.delete(f"{path}/{new}")

    assert [adam.post(f"{path}/{key}/rotate").status_code for key in (old, new)] == [409, 409]


def test_a_revoked_key_stops_at_once_also_in_its_grace(app: Flask, browser: Browsers, cast: Cast, path: str) -> None:
    adam = browser("adam")
    old = adam.get(path).json["items"][0]["id"]
    new = adam.post(f"{path}/{old}/rotate").json

    assert adam.delete(f"{path}/{old}").status_code == 204
    assert not accepted(app, cast.key)
    assert accepted(app, new["secret"])
    assert adam.delete(f"{path}/{new['id']}").status_code == 204
    assert not accepted(app, new["secret"])
    assert adam.delete(f"{path}/{new['id']}").status_code == 204


def test_disabling_or_deleting_a_source_ends_its_keys(app: Flask, browser: Browsers, cast: Cast, path: str) -> None:
    source = path.removesuffix("/keys")

    browser("adam").patch(source, {"enabled": False})
    assert not accepted(app, cast.key)
    browser("adam").patch(source, {"enabled": True})
    assert accepted(app, cast.key)
    browser("adam").delete(source)
    assert not accepted(app, cast.key)


@pytest.mark.parametrize("who", ["vic", "mia"])
def test_only_administrators_see_source_keys(browser: Browsers, path: str, who: str) -> None:
    person = browser(who)
    key = browser("adam").get(path).json["items"][0]["id"]

    refused = [
        person.get(path), person.post(path, {"name": "mine"}), person.post(f"{path}/{key}/rotate"),
        person.delete(f"{path}/{key}"), person.get("/v1/keys"),
    ]  # fmt: skip

    assert [(answer.status_code, answer.json["requiredRole"]) for answer in refused] == [(403, "admin")] * 5


def test_eve_finds_no_key_of_another_workspace(app: Flask, browser: Browsers, cast: Cast, path: str) -> None:
    eve = browser("eve")
    key = browser("adam").get(path).json["items"][0]["id"]
    hers = f"/v1/sources/{typeid('src', cast.foreign_source.id)}/keys"

    refused = [
        eve.get(path), eve.post(path, {"name": "hers"}), eve.post(f"{path}/{key}/rotate"), eve.delete(f"{path}/{key}"),
        eve.post(f"{hers}/{key}/rotate"), eve.delete(f"{hers}/{key}"),
    ]  # fmt: skip

    assert {answer.status_code for answer in refused} == {404}
    assert [item["sourceName"] for item in eve.get("/v1/keys").json["items"]] == ["Cron"]
    assert accepted(app, cast.key)


def test_keys_are_grouped_by_source(browser: Browsers, cast: Cast, path: str) -> None:
    second = Source.create(id=cast.foreign.id, workspace=cast.workspace, name="Alarms", created_at=present())
    make_key(second)
    make_key(cast.source)

    listed = browser("olga").get("/v1/keys?sort=source&order=asc").json["items"]

    assert [key["sourceName"] for key in listed] == ["Alarms", "Prometheus", "Prometheus"]


def test_a_key_names_the_client_of_its_last_use(browser: Browsers, cast: Cast) -> None:
    path = f"/v1/sources/{typeid('src', cast.source.id)}/keys"
    before = browser("adam").get(path).json["items"]
    key = SourceKey.get(SourceKey.source == cast.source.id)
    record_use({key.id: ("203.0.113.7", "curl/8.14.1")}, present(), present())

    after = browser("adam").get(path).json["items"]

    assert [each["lastUsedFrom"] for each in before] == [None]
    assert [each["lastUsedFrom"] for each in after] == [{"network": "203.0.113.7", "userAgent": "curl/8.14.1"}]
    assert browser("mia").get(path).status_code == 403
