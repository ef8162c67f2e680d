"""The live layer through a failed read, the end of a session and a sign-in over the page; a sign-in of somebody else there."""

from __future__ import annotations

from typing import Any

import pytest
import requests

from tests.web.conftest import Open
from tests.web.pages import QUERY_CACHE, signed_in
from tests.web.service import EMAIL, PASSWORD, Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]

READ_ME_AGAIN = f"""async () => {{
  const cache = {QUERY_CACHE};
  const isMe = ({{ queryKey }}) => queryKey[0]?._id === 'meRead';
  await cache.refetchQueries({{ predicate: isMe }});
  return cache.getQueryCache().find({{ predicate: isMe, exact: false }})?.state.status;
}}"""

SESSION_ENDED = {"status": 401, "code": "unauthenticated", "title": "Sign in", "requestId": "req_1"}


def opened(visit: Open, service: Service, path: str) -> Any:
    """A page of Olga with its own session, which follows the stream."""
    page = visit()
    page.goto(f"{service.address}/login?next={path}")
    sign_in(page, EMAIL)
    expect(page.locator('[data-connection="live"]')).to_be_visible()
    return page


def sign_in(place: Any, email: str) -> None:
    place.get_by_label("Email address").fill(email)
    place.get_by_role("textbox", name="Password").fill(PASSWORD)
    place.get_by_role("button", name="Sign in", exact=True).click()


def end_session(page: Any, service: Service) -> None:
    """The session of the page ends somewhere else."""
    cookies = {each["name"]: each["value"] for each in page.context.cookies()}
    headers = {"Origin": service.address}
    url = f"{service.address}/v1/auth/logout"
    requests.post(url, cookies=cookies, headers=headers, timeout=60).raise_for_status()


def test_changes_appear_after_a_read_of_the_person_has_failed(visit: Open, service: Service) -> None:
    page = signed_in(visit, service, "/w/home/inbox")
    live = page.locator('[data-connection="live"]')
    expect(live).to_be_visible()
    page.route("**/v1/me", lambda route: route.abort())
    assert page.evaluate(READ_ME_AGAIN) == "error"
    page.unroute("**/v1/me")

    service.send("After the failed read", dedupKey="after the failed read")

    expect(page.get_by_role("link", name="After the failed read")).to_be_visible()
    expect(live).to_be_visible()


def test_changes_appear_again_after_a_sign_in_over_the_page(visit: Open, service: Service) -> None:
    page = opened(visit, service, "/w/home/inbox")
    end_session(page, service)
    dialog = page.get_by_role("dialog", name="Your session has ended")
    bar = page.get_by_text("Your session has ended: showing data from")
    expect(bar).to_be_visible()
    sign_in(dialog, EMAIL)

    expect(page.locator('[data-connection="live"]')).to_be_visible()
    expect(bar).to_have_count(0)
    service.send("After the second sign-in", dedupKey="after the second sign-in")
    expect(page.get_by_role("link", name="After the second sign-in")).to_be_visible()


def test_a_sign_in_in_another_tab_answers_the_dialog_and_the_page_follows_changes_again(
    visit: Open, service: Service
) -> None:
    page = opened(visit, service, "/w/home/inbox")
    end_session(page, service)
    dialog = page.get_by_role("dialog", name="Your session has ended")
    expect(dialog).to_be_visible()
    other = page.context.new_page()
    other.goto(f"{service.address}/login?next=/w/home/sources")
    sign_in(other, EMAIL)
    expect(other.locator('[data-connection="live"]')).to_be_visible()

    expect(dialog).to_have_count(0)
    other.close()
    service.send("After the other tab", dedupKey="after the other tab")
    expect(page.get_by_role("link", name="After the other tab")).to_be_visible()


def test_an_act_is_not_sent_as_another_person_who_signed_in_meanwhile(visit: Open, service: Service) -> None:
    service.joined("Bert")
    incident = service.incident("Of Olga alone", dedupKey="of Olga alone")
    page = opened(visit, service, f"/w/home/incidents/{incident['id']}")
    page.route("**/v1/incidents/bulk", lambda route: route.fulfill(status=401, json=SESSION_ENDED), times=1)
    page.get_by_role("button", name="Resolve", exact=True).click()
    sign_in(page.get_by_role("dialog", name="Your session has ended"), "bert@example.org")

    expect(page.get_by_role("button", name="Account of Bert")).to_be_visible()
    expect(page.get_by_role("heading", name="Inbox")).to_be_visible()
    assert service.get(f"/v1/incidents/{incident['id']}")["state"] == "open"
