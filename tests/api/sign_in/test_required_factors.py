"""A workspace that requires a second factor of its members (specification 12.3)."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import timedelta

import pytest

from inbox.database.base import new_id
from inbox.live import permissions
from inbox.models.people.accounts import Session
from inbox.models.people.factors import Passkey, TotpFactor
from inbox.models.people.members import Member
from inbox.models.workspaces.tables import Workspace
from tests.api.people.devices_steps import (
    Phones,
    phone,  # noqa: F401
)
from tests.browser import Browser
from tests.cast import Cast, join, make_user, make_workspace, present, sign_in, typeid
from tests.proving import App
from tests.stand_ins.push_service import (
    Subscription,
    service,  # noqa: F401
)
from tests.stand_ins.receivers import Receiver

SUBSCRIPTION = "/v1/devices/current/push-subscription"
Browsers = Callable[[str], Browser]


@pytest.fixture
def strict(cast: Cast, browser: Browsers) -> Workspace:
    """The workspace that Olga, who has an app, has made strict."""
    App.of(cast.users["olga"])
    path = f"/v1/workspaces/{typeid('wsp', cast.workspace.id)}"
    assert browser("olga").patch(path, {"settings": {"requireMfa": True}}).status_code == 200
    return cast.workspace


def test_a_member_without_a_second_factor_gets_mfa_required(strict: Workspace, cast: Cast, browser: Browsers) -> None:
    mia, workspace, source = browser("mia"), typeid("wsp", strict.id), typeid("src", cast.source.id)
    answers = [
        mia.get(f"/v1/workspaces/{workspace}"),
        mia.get(f"/v1/sources/{source}"),
        mia.get(f"/v1/sources?workspaceId={workspace}"),
        mia.get(f"/v1/incidents?workspaceId={workspace}"),
        browser("adam").post("/v1/sources", {"workspaceId": workspace, "name": "Cron"}),
        browser("adam").patch(f"/v1/workspaces/{workspace}", {"settings": {"requireMfa": False}}),
    ]

    assert {(answer.status_code, answer.json["code"]) for answer in answers} == {(403, "mfa_required")}


@pytest.mark.parametrize("factor", ["totp", "passkey"])
def test_a_member_with_a_second_factor_is_admitted(
    factor: str, strict: Workspace, cast: Cast, browser: Browsers
) -> None:
    mia = browser("mia")
    if factor == "totp":
        App.of(cast.users["mia"])
    else:
        key = {"credential_id": b"c", "public_key": b"k", "sign_count": 0, "name": "Laptop", "created_at": present()}
        Passkey.create(id=new_id(), user=cast.users["mia"], **key)

    assert mia.get(f"/v1/workspaces/{typeid('wsp', strict.id)}").status_code == 200
    assert len(mia.get("/v1/sources").json["items"]) == 1


def test_an_unconfirmed_app_is_no_second_factor(strict: Workspace, cast: Cast, browser: Browsers) -> None:
    App.of(cast.users["mia"])
    TotpFactor.update(confirmed_at=None).where(TotpFactor.user == cast.users["mia"].id).execute()

    assert browser("mia").get(f"/v1/workspaces/{typeid('wsp', strict.id)}").status_code == 403


def test_other_workspaces_of_a_person_stay_open(strict: Workspace, cast: Cast, browser: Browsers) -> None:
    other = make_workspace("Another", mia=cast.users["mia"])
    mia = browser("mia")

    assert mia.get(f"/v1/workspaces/{typeid('wsp', other.id)}").status_code == 200
    assert mia.get("/v1/sources").json["items"] == []
    assert {each["name"] for each in mia.get("/v1/workspaces").json["items"]} == {"Acme", "Another"}


def test_a_member_without_a_second_factor_sees_the_workspace_name_and_can_leave(
    strict: Workspace, cast: Cast, browser: Browsers
) -> None:
    mia, path = browser("mia"), f"/v1/workspaces/{typeid('wsp', strict.id)}"
    [listed] = mia.get("/v1/workspaces").json["items"]
    assert (listed["id"], listed["name"], listed["role"]) == (typeid("wsp", strict.id), "Acme", "member")
    assert listed["settings"]["requireMfa"] is True
    assert mia.get(path).status_code == 403

    assert mia.delete(f"{path}/members/me").status_code == 204

    assert mia.get("/v1/workspaces").json["items"] == []
    assert Member.select().where(Member.user == cast.users["mia"].id).count() == 0


@pytest.mark.parametrize("act", ["remove", "list", "change"])
def test_a_member_without_a_required_factor_may_only_leave(
    strict: Workspace, cast: Cast, browser: Browsers, act: str
) -> None:
    members = f"/v1/workspaces/{typeid('wsp', strict.id)}/members"
    another = make_user("second")
    join(strict, another, "owner")
    second = Browser(browser("mia").client.application, browser("mia").base_url, cookie=sign_in(another))
    vic = f"{members}/{typeid('usr', cast.users['vic'].id)}"
    answer = {
        "remove": lambda: second.delete(vic),
        "list": lambda: second.get(members),
        "change": lambda: second.patch(vic, {"role": "admin"}),
    }[act]()

    assert (answer.status_code, answer.json["code"]) == (403, "mfa_required")


def test_the_last_owner_without_a_required_factor_cannot_leave(
    strict: Workspace, cast: Cast, browser: Browsers
) -> None:
    TotpFactor.delete().where(TotpFactor.user == cast.users["olga"].id).execute()

    answer = browser("olga").delete(f"/v1/workspaces/{typeid('wsp', strict.id)}/members/me")

    assert (answer.status_code, answer.json["code"]) == (409, "workspace_needs_owner")


def test_leaving_reveals_no_strict_workspace_to_outsiders(strict: Workspace, browser: Browsers) -> None:
    assert browser("eve").delete(f"/v1/workspaces/{typeid('wsp', strict.id)}/members/me").status_code == 404


def test_a_second_factor_requirement_is_refused_to_an_administrator_without_one(cast: Cast, browser: Browsers) -> None:
    path = f"/v1/workspaces/{typeid('wsp', cast.workspace.id)}"
    answer = browser("adam").patch(path, {"settings": {"requireMfa": True}})

    assert (answer.status_code, answer.json["errors"][0]["pointer"]) == (422, "/settings/requireMfa")
    assert browser("mia").get(path).status_code == 200
    assert browser("vic").patch(path, {"settings": {"requireMfa": True}}).status_code == 403


def test_a_strict_workspace_is_not_found_by_outsiders(strict: Workspace, browser: Browsers) -> None:
    assert browser("eve").get(f"/v1/workspaces/{typeid('wsp', strict.id)}").status_code == 404


def test_streams_omit_a_strict_workspace_of_a_member_without_second_factor(
    strict: Workspace, cast: Cast, browser: Browsers
) -> None:
    sessions = {}
    for name in ("olga", "mia"):
        browser(name)
        sessions[name] = (
            Session.select().where(Session.user == cast.users[name].id).order_by(Session.id.desc()).get().id
        )
    standing = permissions.current_workspaces(list(sessions.values()), [], present() + timedelta(seconds=1))

    assert standing[sessions["olga"]] == {strict.id} and standing[sessions["mia"]] == frozenset()


def test_phones_are_subscribed_to_other_workspaces_alone(
    strict: Workspace, cast: Cast, phone: Phones, service: Receiver
) -> None:
    other = make_workspace("Another", mia=cast.users["mia"])
    device = phone("mia")
    named = [{"workspaceId": typeid("wsp", strict.id), "minSeverity": None}]

    refused = device.put(SUBSCRIPTION, Subscription(service).body(workspaces=named))
    taken = device.put(SUBSCRIPTION, Subscription(service).body())

    assert (refused.status_code, refused.json["code"]) == (403, "mfa_required")
    assert [each["workspaceId"] for each in taken.json["push"]["workspaces"]] == [typeid("wsp", other.id)]
    App.of(cast.users["mia"])
    assert device.put(SUBSCRIPTION, Subscription(service).body(workspaces=named)).status_code == 200


def test_a_stored_choice_stays_while_its_workspace_is_closed(cast: Cast, phone: Phones, service: Receiver) -> None:
    """The phone renews its subscription at each start. It must not lose the workspace for the time after the second factor."""
    other = make_workspace("Other", mia=cast.users["mia"])
    device, chosen = phone("mia"), typeid("wsp", cast.workspace.id)
    first = [{"workspaceId": chosen, "minSeverity": "ERROR", "alerts": "on_call"}]
    device.put(SUBSCRIPTION, Subscription(service).body(workspaces=first))
    Workspace.update(settings={"requireMfa": True}).where(Workspace.id == cast.workspace.id).execute()

    renewed = device.put(SUBSCRIPTION, Subscription(service).body())
    assert (renewed.status_code, renewed.json["push"]["workspaces"]) == (200, first)

    both = [*first, {"workspaceId": typeid("wsp", other.id), "minSeverity": None}]
    changed = device.put(SUBSCRIPTION, Subscription(service).body(workspaces=both))
    assert (changed.status_code, len(changed.json["push"]["workspaces"])) == (200, 2)


def test_a_choice_that_ended_with_its_workspace_chooses_no_other(cast: Cast, phone: Phones, service: Receiver) -> None:
    make_workspace("Other", mia=cast.users["mia"])
    device = phone("mia")
    chosen = [{"workspaceId": typeid("wsp", cast.workspace.id), "minSeverity": None}]
    device.put(SUBSCRIPTION, Subscription(service).body(workspaces=chosen))
    Workspace.update(deleted_at=present()).where(Workspace.id == cast.workspace.id).execute()

    renewed = device.put(SUBSCRIPTION, Subscription(service).body())

    assert (renewed.status_code, renewed.json["push"]["workspaces"]) == (200, [])


def test_the_look_up_of_a_session_finds_the_strict_workspaces_as_well(
    strict: Workspace, browser: Browsers, caplog: pytest.LogCaptureFixture
) -> None:
    mia = browser("mia")

    with caplog.at_level(logging.DEBUG, logger="peewee"):
        refused = mia.get(f"/v1/sources?workspaceId={typeid('wsp', strict.id)}")

    assert refused.json["code"] == "mfa_required"
    assert len([record for record in caplog.records if "requireMfa" in record.getMessage()]) == 1
    assert len([record for record in caplog.records if "totp_factors" in record.getMessage()]) == 1
