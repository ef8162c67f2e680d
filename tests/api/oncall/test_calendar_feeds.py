"""Calendar feeds over HTTP: secret addresses that show shifts to calendars and scripts (specification 23.14)."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import icalendar
import pytest
from flask import Flask
from flask.testing import FlaskClient

from inbox.config.settings import Settings
from inbox.models.oncall.feeds import OnCallFeed
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.models.people.accounts import User
from inbox.models.workspaces.tables import Workspace
from inbox.services.oncall import feeds, schedules
from inbox.services.workspaces import members
from tests.api.oncall.test_schedules import (
    Browsers,
    pointers,
    schedule,  # noqa: F401
    workspace,  # noqa: F401
)
from tests.cast import Cast, make_workspace, present, typeid
from tests.oncall import make_feed, make_override, make_schedule

ALL = "/v1/calendar-feeds"
DAY = timedelta(days=1)


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


def address(token: str, form: str = "ics") -> str:
    return f"/v1/calendars/{token}.{form}"


def events(client: FlaskClient, token: str) -> list[Any]:
    answer = client.get(address(token))
    assert answer.status_code == 200, answer.text
    return list(icalendar.Calendar.from_ical(answer.text).walk("VEVENT"))


def test_a_person_reads_their_shifts_by_an_address_that_is_shown_once(
    browser: Browsers, cast: Cast, workspace: str, client: FlaskClient
) -> None:
    make_schedule(cast.workspace, cast.users["vic"], name="Backend")
    make_schedule(cast.workspace, cast.users["olga"], name="Others")

    made = browser("vic").post(ALL, {"workspaceId": workspace})

    assert made.status_code == 201, made.json
    path = made.json["icsUrl"].partition("/v1/")[2]
    answer = client.get(f"/v1/{path}")
    assert answer.headers["Content-Type"] == "text/calendar; charset=utf-8"
    assert answer.headers["Cache-Control"] == "private, max-age=900"
    [shift] = icalendar.Calendar.from_ical(answer.text).walk("VEVENT")
    assert shift["SUMMARY"] == "On call: Backend"
    [listed] = browser("vic").get(f"{ALL}?workspaceId={workspace}").json["items"]
    assert listed["id"] == made.json["id"] and listed["lastUsedAt"] is not None and "icsUrl" not in listed
    assert made.json["icsUrl"].endswith(f"{listed['hint']}.ics")
    assert browser("mia").get(ALL).json["items"] == []


def test_a_schedule_is_read_as_calendar_text_and_json(
    cast: Cast, schedule: OnCallSchedule, client: FlaskClient
) -> None:
    _, token = make_feed(cast.workspace, cast.users["vic"], schedule)

    names = {each["SUMMARY"] for each in events(client, token)}
    text, json = client.get(address(token, "txt")), client.get(address(token, "json")).json

    assert names == {f"On call: {schedule.name} ({name})" for name in ("Olga", "Adam", "Mia")}
    [now] = json["onCallNow"]
    assert text.text == f"{now['name']}\n" and text.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert now == json["shifts"][0] and now["scheduleId"] == typeid("sch", schedule.id)
    assert now["startsAt"] < json["shifts"][1]["startsAt"] == now["endsAt"]


def test_the_text_of_an_own_feed_names_the_schedules(cast: Cast, client: FlaskClient) -> None:
    for name in ("Backend", "Frontend"):
        make_schedule(cast.workspace, cast.users["vic"], name=name)
    _, token = make_feed(cast.workspace, cast.users["vic"])

    assert client.get(address(token, "txt")).text == "Backend\nFrontend\n"


def test_a_feed_has_no_addresses_and_nothing_of_other_workspaces(cast: Cast, client: FlaskClient) -> None:
    make_schedule(cast.workspace, cast.users["eve"], name="Backend")
    make_schedule(make_workspace("Foreign", vic=cast.users["vic"]), cast.users["vic"], name="Foreign")
    User.update(email="vic@example.org").where(User.id == cast.users["vic"].id).execute()
    _, token = make_feed(cast.workspace, cast.users["vic"])

    read = [client.get(address(token, form)).text for form in ("ics", "txt", "json")]

    assert not any(word in text for text in read for word in ("Foreign", "Eve", "@", "example.org/v1"))


def test_an_override_splits_a_shift_whose_first_part_stays(cast: Cast, client: FlaskClient) -> None:
    alone = make_schedule(cast.workspace, cast.users["olga"], logged_until=present())
    _, token = make_feed(cast.workspace, cast.users["olga"], alone)
    [before] = events(client, token)
    start = present() + DAY
    override = make_override(alone, cast.users["mia"], starts_at=start, ends_at=start + DAY)

    first, covered, second = events(client, token)
    assert (first["UID"], first["SEQUENCE"]) == (before["UID"], 1)
    assert len({first["UID"], covered["UID"], second["UID"]}) == 3

    override.delete_instance()
    found = {each["UID"]: each for each in events(client, token)}
    assert (found[first["UID"]]["STATUS"], found[first["UID"]]["SEQUENCE"]) == ("CONFIRMED", 2)
    assert {found[each["UID"]]["STATUS"] for each in (covered, second)} == {"CANCELLED"}


def test_an_unchanged_feed_is_answered_with_304(cast: Cast, schedule: OnCallSchedule, client: FlaskClient) -> None:
    OnCallSchedule.update(logged_until=present()).execute()
    _, token = make_feed(cast.workspace, cast.users["vic"], schedule)
    tag = client.get(address(token)).headers["ETag"]

    again = client.get(address(token), headers={"If-None-Match": tag})
    head = client.head(address(token))

    assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", tag)
    assert (head.status_code, head.data, head.headers["ETag"]) == (200, b"", tag)


@pytest.mark.parametrize("form", ["ics.gz", "", "html", "ICS"])
def test_an_unknown_form_is_not_found(cast: Cast, client: FlaskClient, form: str) -> None:
    _, token = make_feed(cast.workspace, cast.users["vic"])

    assert client.get(address(token, form)).status_code == 404


def test_a_new_feed_ends_the_former_one_of_the_same_shifts(
    cast: Cast, schedule: OnCallSchedule, client: FlaskClient
) -> None:
    kept = [make_feed(cast.workspace, cast.users["vic"])[1], make_feed(cast.workspace, cast.users["mia"], schedule)[1]]
    _, former = make_feed(cast.workspace, cast.users["vic"], schedule)
    _, token = make_feed(cast.workspace, cast.users["vic"], schedule)

    assert client.get(address(former)).status_code == 404
    assert {client.get(address(each)).status_code for each in (*kept, token)} == {200}


def _revoke(cast: Cast, feed: OnCallFeed) -> None:
    feeds.remove(feed, now=present())


def _leave(cast: Cast, feed: OnCallFeed) -> None:
    members.leave(cast.workspace.id, cast.users["vic"].id, now=present())


def _disable(cast: Cast, feed: OnCallFeed) -> None:
    User.update(disabled_at=present()).where(User.id == feed.user_id).execute()


def _close(cast: Cast, feed: OnCallFeed) -> None:
    Workspace.update(deleted_at=present()).where(Workspace.id == cast.workspace.id).execute()


def _require_a_factor(cast: Cast, feed: OnCallFeed) -> None:
    Workspace.update(settings={"requireMfa": True}).where(Workspace.id == cast.workspace.id).execute()


def _delete(cast: Cast, feed: OnCallFeed) -> None:
    schedules.remove(OnCallSchedule.get_by_id(feed.schedule_id), expected_rev=None, now=present())


@pytest.mark.parametrize("end", [_revoke, _leave, _disable, _close, _require_a_factor, _delete])
def test_a_feed_ends(
    cast: Cast, schedule: OnCallSchedule, client: FlaskClient, end: Callable[[Cast, OnCallFeed], None]
) -> None:
    feed, token = make_feed(cast.workspace, cast.users["vic"], schedule)

    end(cast, feed)

    assert {client.get(address(token, form)).status_code for form in ("ics", "txt", "json")} == {404}


def test_a_feed_of_another_person_or_workspace_is_hidden(
    browser: Browsers, cast: Cast, workspace: str, client: FlaskClient
) -> None:
    feed, token = make_feed(cast.workspace, cast.users["vic"])
    foreign = make_schedule(make_workspace("Foreign"), cast.users["eve"])
    path = f"{ALL}/{typeid('cal', feed.id)}"

    assert [browser(name).delete(path).status_code for name in ("olga", "eve")] == [404, 404]
    body = {"workspaceId": workspace, "scheduleId": typeid("sch", foreign.id)}
    assert pointers(browser("vic").post(ALL, body)) == ["/scheduleId"]
    assert pointers(browser("eve").post(ALL, {"workspaceId": workspace})) == ["/workspaceId"]
    assert client.get(address(token)).status_code == 200
    assert browser("vic").delete(path).status_code == 204
    assert browser("vic").delete(path).status_code == 404


def test_a_feed_answers_sixty_requests_an_hour(
    cast: Cast, client: FlaskClient, in_settings: Callable[..., Settings]
) -> None:
    in_settings(rate_limits=True)
    _, token = make_feed(cast.workspace, cast.users["vic"])
    _, other = make_feed(cast.workspace, cast.users["mia"])

    statuses = [client.get(address(token, "txt")).status_code for _ in range(feeds.READS_AN_HOUR)]
    refused = client.get(address(token, "txt"))

    assert set(statuses) == {200}
    assert (refused.status_code, refused.json["code"]) == (429, "rate_limited")
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    assert client.get(address(other, "txt")).status_code == 200


def test_the_secret_is_neither_stored_nor_logged(
    cast: Cast, client: FlaskClient, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    feed, token = make_feed(cast.workspace, cast.users["vic"])
    with caplog.at_level(logging.DEBUG):
        client.get(address(token))
        client.get(address(token, "unknown"))

    stored = OnCallFeed.get_by_id(feed.id)
    assert bytes(stored.token_hash) != token.encode() and stored.token_hint == token[-4:]
    assert token not in caplog.text and token not in "".join(capsys.readouterr())
