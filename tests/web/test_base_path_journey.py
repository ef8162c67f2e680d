"""The whole service below a path, `/inbox`, of a host that nginx shares with other services."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.faults.service_processes import until
from tests.identity.providers import real_provider
from tests.runner.ports import free_port
from tests.stand_ins.receivers import Answer, Receiver
from tests.up import Up, started
from tests.web.conftest import DESKTOP, Open, visits
from tests.web.service import EMAIL, PASSWORD, Service
from tests.web.test_notifications import CLICK, NotifiedPhone
from tests.web.test_phone import COPY

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("base_path")]

STORED_COPY = COPY.replace("'inbox'", "'/inbox inbox'")
ALICE = {"sub": "alice", "email": "alice@example.org", "email_verified": True, "name": "Alice"}
NGINX = """{user} daemon off; pid {folder}/pid; error_log stderr; events {{}}
http {{
  access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; proxy_buffering off;
  proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $http_host;
  server {{ listen 127.0.0.1:{removing}; location /inbox/ {{ proxy_pass http://127.0.0.1:{port}/; }} }}
  server {{ listen 127.0.0.1:{passing}; location /inbox/ {{ proxy_pass http://127.0.0.1:{port}; }} }}
}}"""
"""Two servers: one removes the path from requests, one passes it on. Nothing else of the host belongs to the service."""


@dataclass(frozen=True)
class Site:
    """The service: `up` by its public address, `other` through the proxy that passes the path on, `direct` past both."""

    up: Up
    other: str
    direct: str
    said: str

    @property
    def origin(self) -> str:
        return self.up.address.removesuffix("/inbox")


@contextmanager
def nginx(folder: Path, **ports: int) -> Iterator[None]:
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
    if program is None:
        pytest.skip("nginx is not installed")
    conf = folder / "nginx.conf"
    conf.write_text(NGINX.format(user="user root;" if os.geteuid() == 0 else "", folder=folder, **ports))
    with (folder / "nginx.log").open("wb") as out:
        process = subprocess.Popen([program, "-e", "stderr", "-p", folder, "-c", conf], stdout=out, stderr=out)
    try:
        yield
    finally:
        process.terminate()
        process.wait(30)


@pytest.fixture(scope="module")
def site(built: None, browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder, removing, passing = tmp_path_factory.mktemp("base-path"), free_port(), free_port()
    address = f"http://127.0.0.1:{removing}/inbox"
    with real_provider(ALICE) as issuer, pytest.MonkeyPatch.context() as patched:
        provider = {"id": "acme", "name": "Acme", "issuer": issuer, "clientId": "inbox", "clientSecret": "secret"}
        patched.setenv("INBOX_OIDC_PROVIDERS", json.dumps([{**provider, "allowSignup": True}]))
        patched.setenv("INBOX_BASE_URL", address)
        patched.setenv("INBOX_PUSH_HOSTS", "127.0.0.1")
        with started(folder, "--web", "1", "--workers", "1") as up:
            port = int(up.address.rpartition(":")[2])
            with nginx(folder, removing=removing, passing=passing, port=port):
                yield Site(
                    Up(address, up.setup_token, up.data),
                    f"http://127.0.0.1:{passing}/inbox",
                    up.address,
                    (folder / "up.log").read_text(),
                )


@pytest.fixture(scope="module")
def service(site: Site, browser: Any) -> Service:
    """The service once Olga has opened the printed link, and created the first account in the browser."""
    page = browser.new_context(viewport=DESKTOP).new_page()
    page.set_default_timeout(60_000)
    page.goto(f"{site.up.address}/setup#token={site.up.setup_token}")
    page.get_by_label("Email address").fill(EMAIL)
    page.get_by_label("Your name").fill("Olga")
    page.get_by_role("textbox", name="Password").fill(PASSWORD)
    page.get_by_role("button", name="Create the account").click()
    page.get_by_role("button", name="Account of Olga").wait_for()
    assert page.url == f"{site.up.address}/welcome"
    page.context.close()
    return Service.of(site.up)


@pytest.fixture
def visit(browser: Any, site: Site) -> Iterator[Open]:
    """Opens pages. A request to another path of the host, and a file that is missing, fails the test."""
    yield from watched_visits(browser, site)


@pytest.fixture
def notified(desktop_browser: Any, site: Site) -> Iterator[Open]:
    """Opens pages in the browser that shows notifications."""
    yield from watched_visits(desktop_browser, site)


def watched_visits(browser: Any, site: Site) -> Iterator[Open]:
    strays: list[str] = []

    def watched(*options: Any, **more: Any) -> Any:
        page = open_page(*options, **more)
        inside = (f"{site.up.address}/", f"{site.other}/")
        own = (site.origin, site.other.removesuffix("/inbox"))
        page.on("request", lambda sent: strays.append(sent.url) if is_stray(sent.url) else None)
        page.on("response", lambda back: strays.append(back.url) if back.status in (404, 502) else None)

        def is_stray(url: str) -> bool:
            return url.startswith(own) and not url.startswith(inside)

        return page

    opened = visits(browser)
    open_page = next(opened)
    yield watched
    next(opened, None)
    assert strays == []


def sign_in(page: Any) -> None:
    page.get_by_label("Email address").fill(EMAIL)
    page.get_by_role("textbox", name="Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()


def test_the_start_prints_the_address_with_the_path(site: Site) -> None:
    assert f"Incident Inbox is at {site.up.address} " in site.said
    assert f"{site.up.address}/setup#token=" in site.said


@pytest.mark.parametrize("through", ["removing", "passing"])
def test_a_person_signs_in_at_a_deep_link_follows_the_stream_and_acknowledges(
    visit: Open, site: Site, service: Service, through: str
) -> None:
    address = site.up.address if through == "removing" else site.other
    incident = service.incident(f"Seen through the {through} proxy", dedupKey=through)
    assert incident["url"].startswith(f"{site.up.address}/w/home/incidents/")
    link = incident["url"].replace(site.up.address, address)
    page = visit()

    page.goto(link)
    expect(page).to_have_url(re.compile(re.escape(f"{address}/login?next=%2Fw%2Fhome%2Fincidents%2F")))
    sign_in(page)
    expect(page).to_have_url(link)
    expect(page.get_by_role("link", name="Back to the inbox")).to_be_visible()
    page.get_by_role("button", name="Acknowledge").click()
    expect(page.get_by_role("button", name="Unacknowledge")).to_be_visible()

    page.get_by_role("link", name="Back to the inbox").click()
    expect(page.locator("[data-connection=live]")).to_be_visible()
    service.send(f"Shown live through the {through} proxy", dedupKey=f"live {through}")
    page.get_by_role("link", name=f"Shown live through the {through} proxy").click()
    expect(page).to_have_url(re.compile(re.escape(f"{address}/w/home/incidents/")))
    assert {each["path"] for each in page.context.cookies()} == {"/inbox"}


def test_a_person_signs_in_through_a_provider_and_returns_to_the_page(
    visit: Open, site: Site, service: Service
) -> None:
    page = visit()
    page.goto(f"{site.up.address}/account?x=y")
    page.get_by_role("button", name="Sign in with Acme").click()
    page.get_by_role("button", name="alice", exact=True).click()

    expect(page).to_have_url(f"{site.up.address}/account?x=y")
    expect(page.get_by_role("button", name="Account of Alice")).to_be_visible()


def test_a_page_that_is_opened_past_the_proxy_leads_to_the_path(visit: Open, site: Site, service: Service) -> None:
    page = visit()
    page.goto(f"{site.direct}/w/home/rules")

    expect(page).to_have_url(f"{site.direct}/inbox/login?next=%2Fw%2Fhome%2Frules")
    sign_in(page)
    expect(page).to_have_url(f"{site.direct}/inbox/w/home/rules")


def test_texts_that_people_copy_have_the_path(visit: Open, site: Site, service: Service) -> None:
    page = visit(service=service)
    page.goto(f"{site.up.address}/w/home/sources")
    page.get_by_role("link", name="Backups").click()

    expect(page.get_by_text(f"{site.up.address}/v1/events").first).to_be_visible()
    monitor = service.monitor("Nightly")
    assert monitor["pingUrl"].startswith(f"{site.up.address}/v1/heartbeats/svc_hb_")
    assert service.get("/v1/openapi.json")["servers"] == [{"url": site.up.address}]
    assert service.invite("member").startswith(f"{site.up.address}/invite#token=")


def test_the_app_is_installed_below_the_path_and_acknowledges_from_a_notification(
    notified: Open, site: Site, service: Service
) -> None:
    with Receiver(Answer(201)) as push_service:
        phone = NotifiedPhone(notified, service, push_service, "Night phone")
        scopes = phone.page.evaluate(
            "navigator.serviceWorker.getRegistrations().then((all) => all.map((each) => each.scope))"
        )
        assert scopes == [f"{site.up.address}/"]
        service.send("Pushed to the phone", dedupKey="pushed", severity="CRITICAL")
        sent = phone.next_message(1)
        phone.shows(["CRITICAL · Pushed to the phone"])
        assert sent["navigate"].startswith(f"{site.up.address}/w/home/incidents/")
        [worker] = phone.page.context.service_workers
        worker.evaluate(CLICK)

        until(lambda: service.get(f"/v1/incidents/{sent['tag']}")["state"] == "acknowledged", "it is acknowledged", 60)
        phone.page.goto(f"{site.up.address}/w/home/inbox")  # the copy keeps a list that has been on the screen
        expect(phone.page.get_by_role("link", name="Prepared critical")).to_be_visible()
        until(
            lambda: "Prepared critical" in json.dumps(phone.page.evaluate(STORED_COPY)), "the list is in the copy", 60
        )
        phone.page.context.set_offline(True)
        phone.page.goto(f"{site.up.address}/w/home/inbox")
        expect(phone.page.get_by_role("link", name="Prepared critical")).to_be_visible()
