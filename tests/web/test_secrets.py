"""A secret that a dialog has shown is nowhere in the browser after the dialog has closed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.web.conftest import Open
from tests.web.pages import QUERY_CACHE, prove, signed_in, stored_secret
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]

PLACES = f"""async () => {{
  const client = {QUERY_CACHE};
  const read = (request) => new Promise((resolve, reject) => {{
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  }});
  const databases = await Promise.all((await indexedDB.databases()).map(async ({{ name }}) => {{
    const database = await read(indexedDB.open(name));
    return Promise.all([...database.objectStoreNames].map((store) =>
      read(database.transaction(store).objectStore(store).getAll())));
  }}));
  const fields = [...document.querySelectorAll('input, textarea')].map((each) => each.value);
  return {{
    address: location.href,
    history: JSON.stringify(history.state),
    title: document.title,
    cookies: document.cookie,
    'local storage': JSON.stringify({{ ...localStorage }}),
    'session storage': JSON.stringify({{ ...sessionStorage }}),
    databases: JSON.stringify(databases),
    document: document.documentElement.outerHTML + fields.join(' '),
    queries: JSON.stringify(client.getQueryCache().getAll().map((each) => [each.queryKey, each.state])),
    mutations: JSON.stringify(client.getMutationCache().getAll().map((each) => each.state)),
  }};
}}"""


def places_of(page: Any, secret: str) -> list[str]:
    """Where the browser has the secret now, or what an address has of it after its last slash."""
    assert len(secret) >= 8
    found: dict[str, str] = page.evaluate(PLACES)
    return [place for place, text in found.items() if text and secret in text]


def assert_forgotten(page: Any, secret: str) -> None:
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert places_of(page, secret) == []


def new_source(service: Service, name: str) -> str:
    workspace = service.home()
    return str(service.post("/v1/sources", {"workspaceId": workspace["id"], "name": name})["id"])


def test_the_search_for_secrets_covers_every_place_in_the_browser(visit: Open, service: Service) -> None:
    page = signed_in(visit, service, "/account")
    page.get_by_role("button", name="Pair a phone").click()
    code = page.locator("[data-secret]").inner_text()
    page.evaluate("(code) => { sessionStorage.planted = code; history.replaceState({ code }, '', `#${code}`); }", code)

    assert places_of(page, code) == ["address", "history", "session storage", "document"]


def test_a_source_key_is_forgotten(visit: Open, service: Service) -> None:
    source = new_source(service, "Source with a secret")
    page = signed_in(visit, service, f"/w/home/sources/{source}?tab=keys")
    page.get_by_role("button", name="Create a key").first.click()
    page.get_by_role("dialog").get_by_role("button", name="Create the key").click()
    page.locator("[data-secret]").wait_for()
    expect(page.get_by_role("dialog").get_by_text("Only a hash of it is stored.")).to_be_visible()
    first = stored_secret(page)
    assert_forgotten(page, first)

    page.get_by_role("button", name="Actions for the key").click()
    page.get_by_role("menuitem", name="Rotate").click()
    page.get_by_role("dialog").get_by_role("button", name="Rotate the key").click()
    page.locator("[data-secret]").wait_for()
    assert_forgotten(page, stored_secret(page))


def test_the_secret_of_a_destination_is_forgotten(visit: Open, service: Service) -> None:
    page = signed_in(visit, service, "/w/home/destinations?new")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Signed webhook").click()
    dialog.get_by_role("textbox", name="Name").fill("Receiver with a secret")
    dialog.get_by_role("textbox", name="Address").fill("http://127.0.0.1:9/hook")
    dialog.get_by_label("Add it to the default route").uncheck()
    dialog.get_by_role("button", name="Create the destination").click()
    shown = page.get_by_role("dialog", name="Destination secret")
    expect(shown.get_by_text("It is stored encrypted.")).to_be_visible()

    secret = stored_secret(page)

    assert secret.startswith("whsec_")
    assert_forgotten(page, secret.removeprefix("whsec_"))


def test_a_pairing_code_and_a_key_of_an_authenticator_app_are_forgotten(visit: Open, service: Service) -> None:
    page = signed_in(visit, service, "/account")
    page.get_by_role("button", name="Pair a phone").click()
    code = page.locator("[data-secret]").inner_text()
    page.get_by_role("button", name="Cancel").click()
    assert_forgotten(page, code)

    page.get_by_role("region", name="Second factor").get_by_role("button", name="Set up").click()
    prove(page, done=page.get_by_role("dialog", name="Set up an authenticator app"))
    dialog = page.get_by_role("dialog", name="Set up an authenticator app")
    seed = dialog.locator("pre").inner_text()
    dialog.get_by_role("button", name="Cancel").click()
    assert_forgotten(page, seed)
    assert places_of(page, seed.replace(" ", "")) == []


def test_the_addresses_of_a_monitor_and_of_its_badge_are_forgotten(visit: Open, service: Service) -> None:
    monitor = service.monitor("Monitor with a secret")
    page = signed_in(visit, service, f"/w/home/heartbeats/{monitor['id']}?tab=setup")
    page.get_by_role("button", name="Rotate the token").click()
    page.get_by_role("dialog").get_by_role("button", name="Rotate the token").click()
    page.get_by_role("dialog", name="New ping address").wait_for()
    token = stored_secret(page).rpartition("/")[2]
    page.get_by_role("button", name="Create a badge").click()
    badge = page.get_by_role("img", name="Badge of Monitor with a secret").get_attribute("src").split("/")[-1]

    page.get_by_role("tab", name="Pings").click()

    expect(page.get_by_role("button", name="Create a badge")).to_have_count(0)
    assert_forgotten(page, token)
    assert_forgotten(page, badge.partition(".")[0])


def test_the_link_of_an_invite_is_forgotten(visit: Open, service: Service) -> None:
    page = signed_in(visit, service, "/w/home/members")
    page.get_by_role("button", name="Invite", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Create the link").click()
    prove(page, done=page.get_by_role("dialog", name="Invite link"))

    link = stored_secret(page)

    assert_forgotten(page, link.partition("#token=")[2])
