"""A page reaches a person by mail and phone and is answered there; a second one goes on by Escalate. In a real browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.faults.service_processes import until
from tests.mail.servers import MailServer
from tests.stand_ins.receivers import Receiver
from tests.up import started
from tests.web.conftest import Open
from tests.web.pages import signed_in
from tests.web.service import EMAIL, PASSWORD, Service, one_request_a_connection
from tests.web.test_notifications import NotifiedPhone, push_service, visit  # noqa: F401

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]


@dataclass(frozen=True)
class Team:
    """An instance that sends mail: Olga, Mia who is on call by the schedule Backend, and the mails."""

    olga: Service
    mia: Service
    schedule: str
    mails: MailServer

    def mails_to_mia(self) -> list[str]:
        """The texts of the mails that Mia got."""
        return [mail.text for mail in self.mails.mails if mail.to == ["mia@example.org"]]


@pytest.fixture(scope="module")
def team(built: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    with MailServer() as mails, pytest.MonkeyPatch.context() as patched:
        patched.setenv("INBOX_SMTP_URL", mails.url)
        patched.setenv("INBOX_MAIL_FROM", "inbox@example.org")
        patched.setenv("INBOX_PUSH_HOSTS", "127.0.0.1")
        with started(tmp_path_factory.mktemp("pages"), "--web", "1", "--workers", "1") as up:
            account = {"email": EMAIL, "name": "Olga", "password": PASSWORD, "workspaceName": "Home"}
            body = {"token": up.setup_token, **account}
            one_request_a_connection().post(f"{up.address}/v1/setup", json=body, timeout=60).raise_for_status()
            olga = Service.of(up)
            mia = olga.joined("Mia")
            yield Team(olga, mia, schedule(olga, mia.get("/v1/me")["id"]), mails)


def schedule(olga: Service, user_id: str) -> str:
    """A schedule in which this person is always on call."""
    workspace = olga.home()
    layer = {"name": "Weeks", "start": "2026-03-02T09:00", "unit": "week", "every": 1, "members": [[user_id]]}
    body = {"workspaceId": workspace["id"], "name": "Backend", "timezone": "UTC", "layers": [layer]}
    return str(olga.post("/v1/schedules", body)["id"])


def test_a_page_reaches_mail_and_phone_and_is_answered_on_the_phone(
    visit: Open,
    team: Team,
    push_service: Receiver,
) -> None:
    phone = NotifiedPhone(visit, team.mia, push_service, "Phone of Mia")
    page = signed_in(visit, team.olga, "/w/home/inbox")
    page.get_by_role("button", name="New incident").click()
    dialog = page.get_by_role("dialog", name="New incident")
    dialog.get_by_label("Title").fill("Customers cannot pay")
    dialog.get_by_role("combobox", name="Page").click()
    page.get_by_role("option", name="Backend").click()
    dialog.get_by_role("button", name="Open and page").click()
    expect(page.get_by_role("heading", name="Customers cannot pay")).to_be_visible()

    paged = page.get_by_role("list", name="Paged people").get_by_role("listitem")
    expect(paged).to_contain_text(re.compile("Mia, on call by Backend"))
    expect(paged).to_contain_text(re.compile("push accepted", re.IGNORECASE))
    expect(paged).to_contain_text(re.compile("mail accepted", re.IGNORECASE))
    expect(paged).to_contain_text("No answer yet")
    assert any("Customers cannot pay" in text for text in team.mails_to_mia())
    assert any("Customers cannot pay" in each["title"] for each in phone.subscription.notifications)

    phone.page.goto(f"{team.mia.address}/w/home/inbox")
    phone.page.get_by_role("link", name="Customers cannot pay").tap()
    phone.page.get_by_role("button", name="Acknowledge").tap()
    expect(paged).to_contain_text(re.compile(r"Acknowledged \d"))
    assert phone.page.evaluate("document.documentElement.scrollWidth") <= 390


def test_escalate_pages_the_people_of_the_next_step_at_once(
    visit: Open,
    team: Team,
) -> None:
    olga = team.olga
    workspace = olga.home()
    own: dict[str, Any] = {"workspaceId": workspace["id"]}
    first = {"afterMinutes": 0, "destinationIds": [], "people": [{"userId": olga.get("/v1/me")["id"]}]}
    second = {"afterMinutes": 60, "destinationIds": [], "people": [{"scheduleId": team.schedule}]}
    profile = olga.post("/v1/routing-profiles", {**own, "name": "Two steps", "steps": [first, second]})
    then = {"disposition": "incident", "routingProfileId": profile["id"]}
    olga.post("/v1/rules", {**own, "name": "Two steps", "matchText": 'title = "Queue is stuck"', "then": then})
    incident = olga.incident("Queue is stuck", dedupKey="page:escalate")
    page = signed_in(visit, olga, f"/w/home/incidents/{incident['id']}", size={"width": 1024, "height": 800})
    paged = page.get_by_role("list", name="Paged people").get_by_role("listitem")
    expect(paged).to_have_count(1)
    page.get_by_role("button", name="More actions").click()
    page.get_by_role("menuitem", name="Escalate to the next step").click()

    expect(paged.filter(has_text="Mia, on call by Backend")).to_be_visible()
    until(lambda: any("Queue is stuck" in text for text in team.mails_to_mia()), "Mia is mailed", 60)
    page.keyboard.press("e")
    expect(page.get_by_text("No step of the routing profile follows")).to_be_visible()
