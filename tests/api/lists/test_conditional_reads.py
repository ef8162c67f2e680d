"""Conditional reads: an unchanged answer is not sent again (specification 2.7)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from inbox.models.incidents.tables import Incident
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.stand_ins.outgoing_posts import make_destination, make_incident, owe

Browsers = Callable[[str], Browser]


@pytest.mark.parametrize(
    "path",
    [
        "/v1/incidents",
        "/v1/incidents/counts",
        "/v1/incidents/facets",
        "/v1/events/facets",
        "/v1/me",
        "/v1/openapi.json",
    ],
)
def test_an_answer_that_has_not_changed_is_not_sent_again(browser: Browsers, cast: Cast, path: str) -> None:
    make_incident(cast)
    vic = browser("vic")
    first = vic.get(path)

    repeated = vic.get(path, headers={"If-None-Match": first.headers["ETag"]})

    assert (first.status_code, first.headers["Cache-Control"]) == (200, "private, no-cache")
    assert (repeated.status_code, repeated.get_data()) == (304, b"")
    assert repeated.headers["ETag"] == first.headers["ETag"]
    assert vic.get(path, headers={"If-None-Match": '"other"'}).status_code == 200


def test_a_list_that_has_changed_is_sent(browser: Browsers, cast: Cast) -> None:
    vic, first = browser("vic"), make_incident(cast)
    tag = vic.get("/v1/incidents").headers["ETag"]

    Incident.update(event_count=2).where(Incident.id == first.id).execute()

    assert vic.get("/v1/incidents", headers={"If-None-Match": tag}).status_code == 200


def test_a_record_that_shows_something_new_is_sent_though_its_revision_is_the_same(
    browser: Browsers, cast: Cast
) -> None:
    destination = make_destination(cast.workspace, "http://127.0.0.1:9/")
    path, vic = f"/v1/destinations/{typeid('dst', destination.id)}", browser("vic")
    first = vic.get(path)
    assert vic.get(path, headers={"If-None-Match": first.headers["ETag"]}).status_code == 304

    owe(destination, status="failed", due_at=None, settled_at=present(), cause="http_503")

    repeated = vic.get(path, headers={"If-None-Match": first.headers["ETag"]})
    assert (repeated.status_code, repeated.json["rev"]) == (200, first.json["rev"])


def test_the_tag_of_a_read_names_the_revision_to_be_changed(browser: Browsers, cast: Cast) -> None:
    path, adam = f"/v1/sources/{typeid('src', cast.source.id)}", browser("adam")
    tag = adam.get(path).headers["ETag"]

    assert adam.patch(path, {"name": "Renamed"}, headers={"If-Match": tag}).status_code == 200
    assert adam.patch(path, {"name": "Again"}, headers={"If-Match": tag}).status_code == 412


def test_answers_of_other_people_have_other_tags(browser: Browsers, cast: Cast) -> None:
    tag = browser("vic").get("/v1/me").headers["ETag"]

    assert browser("mia").get("/v1/me", headers={"If-None-Match": tag}).status_code == 200


def test_secrets_and_pages_are_not_kept(browser: Browsers, anonymous: Browser, cast: Cast) -> None:
    key = browser("adam").post(f"/v1/sources/{typeid('src', cast.source.id)}/keys", {"name": "Another"})

    assert (key.status_code, key.headers["Cache-Control"]) == (201, "no-store")
    assert anonymous.get("/").headers["Cache-Control"] == "no-store"
    assert browser("vic").get("/v1/incidents/inc_x").headers["Cache-Control"] == "no-store"
