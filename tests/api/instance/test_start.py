"""One answer with all data of the first page and the signed-in person (specification 11.9)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from flask import Flask

from inbox.config.settings import Settings
from inbox.domain.values import ids
from tests.api.people.devices_steps import phone  # noqa: F401
from tests.browser import Browser
from tests.cast import Cast, present, sign_in, typeid
from tests.flow.routing_fixtures import accept
from tests.stand_ins.outgoing_posts import make_destination, make_incident, owe
from tests.stand_ins.phone import pair

Browsers = Callable[[str], Browser]


def test_the_start_answer_equals_the_single_reads(browser: Browsers, cast: Cast) -> None:
    make_incident(cast)
    vic = browser("vic")

    start = vic.get("/v1/start").get_json()

    assert start["info"] == vic.get("/v1/info").get_json()
    assert start["me"] == vic.get("/v1/me").get_json()
    assert start["preferences"] == vic.get("/v1/me/preferences").get_json()
    assert start["workspaces"] == vic.get("/v1/workspaces?sort=name&order=asc").get_json()["items"]
    assert start["counts"] == vic.get("/v1/incidents/counts").get_json()
    assert start["counts"]["unresolved"] == 1


def test_setup_progress_names_the_missing_steps(browser: Browsers, cast: Cast) -> None:
    def progress() -> list[bool]:
        found = browser("mia").get("/v1/start").get_json()["progress"]
        return [found["hasEvent"], found["hasSentDelivery"], found["hasDevice"]]

    assert progress() == [False, False, False]
    accept(cast.foreign_source, present())
    destination = make_destination(cast.workspace, "http://127.0.0.1:9/")
    owe(destination, status="failed", due_at=None, settled_at=present())
    assert progress() == [False, False, False]

    accept(cast.source, present())
    owe(destination, status="sent", due_at=None, settled_at=present())
    pair(cast.users["mia"])

    assert progress() == [True, True, True]


def test_the_session_of_the_caller_is_shown_with_the_end_of_its_step_up(
    app: Flask, settings: Settings, cast: Cast
) -> None:
    proved = present() - timedelta(minutes=6)
    mia = Browser(app, settings.base_url, cookie=sign_in(cast.users["mia"], proved_at=proved))

    me = mia.get("/v1/me").get_json()

    assert ids.decode("ses", me["sessionId"]) is not None
    assert me["deviceId"] is None
    until = {
        name: datetime.fromisoformat(at) - datetime.fromisoformat(me["provedAt"])
        for name, at in me["stepUpUntil"].items()
    }
    assert until == {"recent": timedelta(minutes=15), "reauth": timedelta(minutes=5)}
    assert me["hasSecondFactor"] is False
    assert me["id"] == typeid("usr", cast.users["mia"].id)


def test_a_device_has_no_proof(phone: Callable[[str], Browser], cast: Cast) -> None:
    me = phone("mia").get("/v1/me").get_json()

    assert (me["sessionId"], me["provedAt"], me["stepUpUntil"]) == (None, None, None)
    assert ids.decode("dev", me["deviceId"]) is not None
