"""Unsaved work: a page with changes asks before it is left, and a note that was not sent stays as a draft."""

from __future__ import annotations

from typing import Any

import pytest

from tests.web.conftest import Open
from tests.web.pages import signed_in
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]

QUESTION = "Leave without saving?"


def to_inbox(page: Any) -> None:
    page.get_by_role("navigation", name="Screens").get_by_role("link", name="Inbox").first.click()


def test_a_rule_with_changes_asks_before_it_is_left_by_a_link_or_by_back(visit: Open, service: Service) -> None:
    page = signed_in(visit, service, "/w/home/rules")
    page.get_by_role("link", name="New rule").click()
    name = page.get_by_role("textbox", name="Name", exact=True)
    name.fill("Half a rule")
    to_inbox(page)
    question = page.get_by_role("dialog", name=QUESTION)
    question.get_by_role("button", name="Keep editing").click()
    expect(name).to_have_value("Half a rule")
    page.go_back()
    question.get_by_role("button", name="Keep editing").click()
    expect(name).to_have_value("Half a rule")

    to_inbox(page)
    question.get_by_role("button", name="Discard changes").click()
    expect(page.get_by_role("heading", name="Inbox")).to_be_visible()
    expect(question).to_have_count(0)


def test_a_form_that_nobody_touched_and_a_cancelled_one_are_left_at_once(visit: Open, service: Service) -> None:
    page = signed_in(visit, service, "/w/home/rules/new")
    expect(page.get_by_role("textbox", name="Name", exact=True)).to_be_visible()
    to_inbox(page)
    expect(page.get_by_role("heading", name="Inbox")).to_be_visible()

    page.goto(f"{service.address}/w/home/rules/new")
    page.get_by_role("textbox", name="Name", exact=True).fill("Cancelled rule")
    page.get_by_role("link", name="Cancel").click()
    expect(page.get_by_role("heading", name="Rules", exact=True)).to_be_visible()
    expect(page.get_by_role("dialog", name=QUESTION)).to_have_count(0)


def test_settings_with_changes_ask_before_the_page_is_left_or_reloaded(visit: Open, service: Service) -> None:
    page = signed_in(visit, service, "/w/home/settings")
    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    page.get_by_role("textbox", name="Name", exact=True).fill("Half a name")
    to_inbox(page)
    page.get_by_role("dialog", name=QUESTION).get_by_role("button", name="Keep editing").click()
    page.evaluate("setTimeout(() => location.reload())")
    page.wait_for_timeout(1_000)
    assert asked == ["beforeunload"]
    expect(page.get_by_role("textbox", name="Name", exact=True)).to_have_value("Half a name")


def test_a_note_that_was_not_sent_stays_with_its_incident(visit: Open, service: Service) -> None:
    incident = service.incident("Half a note", dedupKey="half a note")
    page = signed_in(visit, service, f"/w/home/incidents/{incident['id']}")
    note = page.get_by_role("textbox", name="Note")
    note.fill("I looked at")
    to_inbox(page)
    page.get_by_role("link", name="Half a note").click()
    expect(note).to_have_value("I looked at")
    page.reload()
    expect(note).to_have_value("I looked at")
    page.get_by_role("button", name="Add note").click()
    expect(note).to_have_value("")
