"""A path in `INBOX_BASE_URL`: the proxy in front removes it from each request, or passes it on."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import peewee
import pytest
from flask import Flask
from werkzeug.test import Client, TestResponse

from app import create_app
from inbox.config.settings import Settings
from inbox.domain.values.base_url import OWN
from tests.cast import Cast, typeid

ADDRESS, BROWSER = "https://ops.example.org/inbox", {"Accept": "text/html"}
DOCUMENT = (
    '<!doctype html><link rel="manifest" href="__BASE__/manifest.webmanifest"><script src="__BASE__/assets/a.js">'
)


@pytest.fixture
def chosen(ground: peewee.Database, in_settings: Callable[..., Settings]) -> Settings:
    return in_settings(base_url=ADDRESS)


@pytest.fixture(params=["removed", "passed on"])
def call(chosen: Settings, request: pytest.FixtureRequest) -> Callable[..., TestResponse]:
    """Sends a request to a path below the base URL, through a proxy that removes the path or passes it on."""
    before = "" if request.param == "removed" else "/inbox"
    return caller(create_app(chosen), before)


def caller(app: Flask, before: str) -> Callable[..., TestResponse]:
    client: Client = app.test_client(use_cookies=False)

    def send(path: str, method: str = "GET", **options: object) -> TestResponse:
        return client.open(before + path, method=method, **options)

    return send


def links(page: TestResponse) -> set[str]:
    return set(re.findall(r"""(?:href|action|src)=["']([^"']*)""", page.text))


@pytest.mark.parametrize("path", ["/", "/setup", "/problems/", "/problems/not_found", "/v1/nothing"])
def test_links_of_plain_pages_have_the_path(call: Callable[..., TestResponse], path: str) -> None:
    page = call(path, headers=BROWSER)

    assert page.mimetype == "text/html"
    assert links(page)
    assert {link for link in links(page) if not link.startswith("/inbox/")} == set()


def test_an_event_is_accepted(call: Callable[..., TestResponse], cast: Cast) -> None:
    headers = {"Authorization": f"Bearer {cast.key}"}

    for path in ("/v1/events", "/v1/events/", "/v1//events"):
        assert call(path, "POST", json={"title": "Disk full", "severity": "ERROR"}, headers=headers).status_code == 202


def test_the_address_of_a_new_record_has_the_path(call: Callable[..., TestResponse], cast: Cast) -> None:
    headers = {"Cookie": f"__Secure-inbox_session={cast.cookie('adam')}", "Origin": "https://ops.example.org"}

    made = call(
        "/v1/sources",
        "POST",
        json={"workspaceId": typeid("wsp", cast.workspace.id), "name": "Backups"},
        headers=headers,
    )

    assert made.status_code == 201
    assert made.headers["Location"].startswith("/inbox/v1/sources/src_")


def test_an_address_that_is_nearly_right_is_corrected_with_the_path(call: Callable[..., TestResponse]) -> None:
    assert "`/inbox/v1/events`" in call("/v1/event", "POST").json["detail"]


def test_a_page_of_another_path_is_none_of_this_service(chosen: Settings) -> None:
    assert caller(create_app(chosen), "/inboxes")("/v1/info").status_code == 404


def test_the_address_without_a_slash_is_the_start(chosen: Settings) -> None:
    assert caller(create_app(chosen), "/inbox")("", headers=BROWSER).status_code == 200


def test_the_redirect_to_the_password_has_the_path(call: Callable[..., TestResponse]) -> None:
    assert call("/.well-known/change-password").headers["Location"] == "/inbox/account#password"


def test_the_document_and_the_manifest_name_files_below_the_path(chosen: Settings, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(DOCUMENT)
    (tmp_path / "manifest.webmanifest").write_text('{"id": "__BASE__/", "start_url": "__BASE__/"}')

    for before in ("", "/inbox"):
        send = caller(create_app(chosen, built=tmp_path), before)
        assert links(send("/w/home/inbox")) == {"/inbox/manifest.webmanifest", "/inbox/assets/a.js"}
        assert send("/manifest.webmanifest").json == {"id": "/inbox/", "start_url": "/inbox/"}


def test_the_document_of_a_service_at_the_root_has_no_path(
    ground: peewee.Database, settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / "index.html").write_text(DOCUMENT)

    document = create_app(settings, built=tmp_path).test_client().get("/")

    assert document.text == DOCUMENT.replace("__BASE__", "")


def test_every_first_segment_of_the_service_is_refused_as_a_path(app: Flask) -> None:
    first = {rule.rule.split("/")[1] for rule in app.url_map.iter_rules()}

    assert {segment for segment in first if segment and "." not in segment} == set(OWN.split())
