"""Set-up: one link creates one administrator, and then expires (specification 13.1)."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import peewee
import pytest
from flask import Flask

from inbox.config.settings import Settings
from inbox.database.base import db
from inbox.domain.values.refusals import ValidationFailed
from inbox.models.people.accounts import SetupLink, User
from inbox.models.people.members import Member
from inbox.models.workspaces.tables import Workspace, WorkspaceCounter
from inbox.services.instance import setup
from inbox.services.people import passwords
from tests.browser import Browser
from tests.cast import Cast, present
from tests.proving import HOME

WHO = {
    "email": "Olga@Example.org",
    "password": "a harbour in the fog",
    "name": "Olga",
    "workspaceName": "Acme & Söhne",
}


def token_of(link: str | None) -> str:
    assert link is not None
    return link.partition("#token=")[2]


@pytest.fixture
def token(ground: peewee.Database) -> str:
    return token_of(setup.setup_link(present()))


def test_the_link_leads_to_the_dashboard_with_its_token_in_the_fragment(
    ground: peewee.Database, settings: Settings
) -> None:
    link = setup.setup_link(present())

    assert link is not None and link.startswith(f"{settings.base_url}/setup#token=")
    assert len(token_of(link)) >= 43
    [row] = SetupLink.select()
    assert token_of(link).encode() not in bytes(row.token_hash) and len(bytes(row.token_hash)) == 32


def test_a_new_link_ends_the_previous_one(anonymous: Browser) -> None:
    first, second = token_of(setup.setup_link(present())), token_of(setup.setup_link(present()))

    assert anonymous.post("/v1/setup", WHO | {"token": first}).json["code"] == "token_invalid"
    assert anonymous.post("/v1/setup", WHO | {"token": second}).status_code == 201


def test_set_up_makes_an_administrator_with_a_workspace_and_signs_in(token: str, anonymous: Browser) -> None:
    assert anonymous.get("/v1/info").json["setupRequired"] is True
    answer = anonymous.post("/v1/setup", WHO | {"token": token})

    assert answer.status_code == 201
    assert answer.json["user"]["email"] == "Olga@Example.org" and answer.json["user"]["isInstanceAdmin"] is True
    assert answer.json["user"].items() <= anonymous.get("/v1/me").json.items()
    assert set(answer.json) == {"user", "workspaceId"}
    [workspace] = anonymous.get("/v1/workspaces").json["items"]
    assert (workspace["name"], workspace["slug"], workspace["role"]) == ("Acme & Söhne", "acme-sohne", "owner")
    assert WorkspaceCounter.select().count() == 1
    assert anonymous.get("/v1/info").json["setupRequired"] is False
    assert passwords.matches(User.get().password_hash, WHO["password"])


def test_set_up_takes_a_time_zone_and_makes_a_first_source(token: str, anonymous: Browser, app: Flask) -> None:
    more = {"timezone": "Europe/Berlin", "locale": "de", "firstSource": {"name": "Prometheus"}}
    answer = anonymous.post("/v1/setup", WHO | more | {"token": token})

    assert answer.status_code == 201
    assert (answer.json["user"]["timezone"], answer.json["user"]["locale"]) == ("Europe/Berlin", "de")
    [workspace] = anonymous.get("/v1/workspaces").json["items"]
    assert (workspace["id"], workspace["timezone"]) == (answer.json["workspaceId"], "Europe/Berlin")
    [source] = anonymous.get("/v1/sources").json["items"]
    assert answer.json["source"] == {"id": source["id"], "name": "Prometheus"}
    sender = {"Authorization": f"Bearer {answer.json['key']['secret']}"}
    assert Browser(app, HOME).post("/v1/events", {"title": "Disk full"}, headers=sender).status_code == 202


def test_a_time_zone_that_does_not_exist_is_refused_and_the_link_stays(token: str, anonymous: Browser) -> None:
    refused = anonymous.post("/v1/setup", WHO | {"token": token, "timezone": "Mars/Base"})

    assert (refused.status_code, refused.json["errors"][0]["pointer"]) == (422, "/timezone")
    assert anonymous.post("/v1/setup", WHO | {"token": token}).status_code == 201


def test_the_setup_endpoint_is_not_found_after_the_set_up(token: str, anonymous: Browser) -> None:
    anonymous.post("/v1/setup", WHO | {"token": token})

    assert SetupLink.select().count() == 0
    assert setup.setup_link(present()) is None
    for body in (WHO | {"token": token}, {}, {"token": "x"}):
        assert anonymous.post("/v1/setup", body).status_code == 404
    assert anonymous.client.post("/v1/setup", data=b"{", content_type="application/json").status_code == 404


@pytest.mark.parametrize(
    "change", [lambda t: t[:-1], lambda t: t + "x", lambda t: t.swapcase(), lambda t: "x", lambda t: "é" * 9]
)
def test_every_refused_token_gets_the_same_answer(change: Callable[[str], str], token: str, anonymous: Browser) -> None:
    answer = anonymous.post("/v1/setup", WHO | {"token": change(token)})

    assert (answer.status_code, answer.json["code"]) == (403, "token_invalid")
    assert User.select().count() == 0


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"password": "short"}, "/password"),
        ({"password": "x" * 257}, "/password"),
        ({"password": "password1234"}, "/password"),
        ({"password": "olga@example.org"}, "/password"),
        ({"email": "nobody"}, "/email"),
        ({"email": "a@b@c"}, "/email"),
        ({"email": "olga@example.org\nBcc: x"}, "/email"),
        ({"name": "   "}, "/name"),
        ({"name": "a" * 101}, "/name"),
        ({"name": "line\nbreak"}, "/name"),
        ({"workspaceName": ""}, "/workspaceName"),
        ({"workspaceName": "\u202egnp"}, "/workspaceName"),
        ({"isInstanceAdmin": True}, "/isInstanceAdmin"),
    ],
    ids=str,
)
def test_bad_fields_use_up_nothing(change: dict[str, Any], pointer: str, token: str, anonymous: Browser) -> None:
    answer = anonymous.post("/v1/setup", {**WHO, "token": token, **change})

    assert (answer.status_code, [each["pointer"] for each in answer.json["errors"]]) == (422, [pointer])
    assert User.select().count() == 0
    assert anonymous.post("/v1/setup", WHO | {"token": token}).status_code == 201


def test_concurrent_uses_of_the_setup_link_create_one_administrator(token: str, app: Flask, settings: Settings) -> None:
    def attempt(place: int) -> int:
        body = WHO | {"token": token, "email": f"olga{place}@example.org"}
        return Browser(app, settings.base_url).post("/v1/setup", body).status_code

    with ThreadPoolExecutor(6) as pool:
        statuses = list(pool.map(attempt, range(6)))

    assert sorted(statuses) == [201] + [404] * 5
    assert (User.select().count(), Workspace.select().count(), Member.select().count()) == (1, 1, 1)


def test_the_environment_makes_the_administrator_once(ground: peewee.Database, settings: Settings) -> None:
    named = replace(settings, admin_email="ops@example.org", admin_password="a harbour in the fog")

    assert setup.create_first_administrator(settings, present()) is False
    assert setup.create_first_administrator(named, present()) is True
    assert setup.create_first_administrator(named, present()) is False
    user = User.get()
    assert (user.email, user.is_instance_admin) == ("ops@example.org", True)
    assert user.email_verified_at is not None
    assert Member.get().role == "owner" and setup.setup_link(present()) is None


def test_link_and_environment_at_once_make_one_administrator(ground: peewee.Database, settings: Settings) -> None:
    named = replace(settings, admin_email="ops@example.org", admin_password="a harbour in the fog")

    def make(_: int) -> bool:
        with db.connection_context():
            return setup.create_first_administrator(named, present())

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(make, range(4))) == [False, False, False, True]
    assert User.select().count() == 1


def test_a_weak_password_in_the_environment_is_refused(ground: peewee.Database, settings: Settings) -> None:
    with pytest.raises(ValidationFailed):
        setup.create_first_administrator(
            replace(settings, admin_email="ops@example.org", admin_password="password123"), present()
        )


def test_an_instance_with_an_account_issues_no_setup_link(cast: Cast) -> None:
    assert setup.setup_link(present()) is None
