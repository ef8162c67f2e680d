"""Accounts without an invitation: signing up by mail, and through an independent identity provider."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import psycopg2
import pyotp
import pytest

from ops.datadir import DataDir
from tests.faults.service_processes import until
from tests.identity.providers import real_provider
from tests.mail.servers import MailServer
from tests.up import Up, started
from tests.web.conftest import Open
from tests.web.pages import stored_secret
from tests.web.service import EMAIL, PASSWORD, one_request_a_connection

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("entrance")]

ALICE = {"sub": "alice", "email": "alice@example.org", "email_verified": True, "name": "Alice"}
BOB = {"sub": "bob", "email": "bob@example.org", "email_verified": True, "name": "Bob"}


@dataclass(frozen=True)
class Entrance:
    """An instance that strangers may sign up at, by mail and by the provider Acme."""

    up: Up
    mails: MailServer

    @property
    def address(self) -> str:
        return self.up.address

    def link(self, page_name: str, to: str) -> str:
        """The newest link to this page that was mailed to an address."""
        pattern = re.compile(rf"{re.escape(self.address)}/{page_name}#token=[\w-]+")

        def found() -> str | None:
            links = [pattern.search(mail.text) for mail in self.mails.mails if mail.to == [to]]
            return next((each[0] for each in reversed(links) if each), None)

        return str(until(found, f"a link to {page_name} is mailed", 60))

    def age_proofs(self) -> None:
        """The last proof of everybody was an hour ago."""
        address = DataDir.of({"INBOX_DATA_DIR": str(self.up.data)}).join({})["DATABASE_URL"]
        with closing(psycopg2.connect(address)) as connection, connection, connection.cursor() as cursor:
            cursor.execute("UPDATE sessions SET proved_at = proved_at - interval '1 hour'")


@pytest.fixture(scope="module")
def entrance(built: None, browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Entrance]:
    """The instance, once Olga has set it up."""
    with real_provider(ALICE, BOB) as issuer, MailServer() as mails, pytest.MonkeyPatch.context() as patched:
        provider = {"id": "acme", "name": "Acme", "issuer": issuer, "clientId": "inbox", "clientSecret": "secret"}
        patched.setenv("INBOX_OIDC_PROVIDERS", json.dumps([{**provider, "allowSignup": True}]))
        patched.setenv("INBOX_SMTP_URL", mails.url)
        patched.setenv("INBOX_MAIL_FROM", "inbox@example.org")
        patched.setenv("INBOX_EDITION", "hosted")
        with started(tmp_path_factory.mktemp("entrance"), "--web", "1", "--workers", "1") as up:
            olga = {"email": EMAIL, "name": "Olga", "password": PASSWORD, "workspaceName": "Home"}
            session = one_request_a_connection()
            body = {"token": up.setup_token, **olga}
            session.post(f"{up.address}/v1/setup", json=body, timeout=60).raise_for_status()
            yield Entrance(up, mails)


def through_acme(page: Any, sub: str) -> None:
    """Sign in at the provider that the page leads to."""
    page.wait_for_url("**/oauth2/authorize?**")
    page.get_by_role("button", name=sub, exact=True).click()


def test_a_stranger_signs_up_and_creates_the_first_workspace(visit: Open, entrance: Entrance) -> None:
    page = visit()
    page.goto(f"{entrance.address}/login")
    page.get_by_role("link", name="Sign up").click()
    page.get_by_label("Email address").fill("nora@example.org")
    page.get_by_label("Your name").fill("Nora")
    page.get_by_role("textbox", name="Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign up").click()
    page.get_by_role("heading", name="Check your mail").wait_for()
    page.goto(entrance.link("verify-email", "nora@example.org"))
    page.get_by_role("button", name="Confirm the address").click()
    page.get_by_role("link", name="Sign in").click()
    page.get_by_label("Email address").fill("nora@example.org")
    page.get_by_role("textbox", name="Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_role("heading", name="Your first workspace").wait_for()
    page.get_by_label("Workspace name").fill("Nora's shop")
    page.get_by_role("button", name="Create the workspace").click()

    expect(page.get_by_role("heading", name="Send an event")).to_be_visible()
    assert re.search(r"/w/nora-?s-shop/welcome$", page.url)
    page.get_by_role("button", name="Workspace: Nora's shop").click()
    page.get_by_role("menuitem", name="Create a workspace").click()
    dialog = page.get_by_role("dialog", name="Create a workspace")
    dialog.get_by_label("Workspace name").fill("Second shop")
    dialog.get_by_role("button", name="Create the workspace").click()
    expect(page.get_by_role("button", name="Workspace: Second shop")).to_be_visible()


def test_a_further_address_is_confirmed_by_a_code_and_named_by_a_rule(visit: Open, entrance: Entrance) -> None:
    page = visit()
    page.goto(f"{entrance.address}/account")
    page.get_by_role("button", name="Sign in with Acme").click()
    through_acme(page, "bob")
    section = page.get_by_role("region", name="Paging")
    section.get_by_label("Email address").fill("bob@pager.example.org")
    section.get_by_role("button", name="Send a code").click()

    def code() -> str | None:
        mails = [mail for mail in entrance.mails.mails if mail.to == ["bob@pager.example.org"]]
        found = re.search(r"the code (\d{6})", mails[-1].text) if mails else None
        return found and found[1]

    section.get_by_label("Code for bob@pager.example.org").fill(until(code, "a code is mailed", 60))
    section.get_by_role("button", name="Confirm", exact=True).click()
    expect(section.get_by_text("Mail, confirmed", exact=True)).to_be_visible()
    section.get_by_role("button", name="Add a rule").first.click()
    section.get_by_role("combobox", name="Method").click()
    page.get_by_role("option", name="Mail to bob@pager.example.org").click()
    section.get_by_role("button", name="Save the rules").click()
    expect(section.get_by_role("button", name="Save the rules")).to_have_count(0)
    expect(section.get_by_role("combobox", name="Method")).to_have_value("Mail to bob@pager.example.org")


def test_a_provider_leads_back_to_the_page_after_a_second_factor(visit: Open, entrance: Entrance) -> None:
    page = visit()
    page.goto(f"{entrance.address}/account")
    page.get_by_role("button", name="Sign in with Acme").click()
    through_acme(page, "alice")
    page.get_by_role("heading", name="Account", exact=True).wait_for()
    page.get_by_role("region", name="Second factor").get_by_role("button", name="Set up").click()
    dialog = page.get_by_role("dialog", name="Set up an authenticator app")
    seed = dialog.locator("pre").inner_text().replace(" ", "")
    dialog.get_by_label("Code").fill(pyotp.TOTP(seed).now())
    dialog.get_by_role("button", name="Confirm").click()
    page.get_by_role("dialog", name="Recovery codes").wait_for()
    code = stored_secret(page).split()[0]

    later = visit()
    later.goto(f"{entrance.address}/account?tab=x")
    later.get_by_role("button", name="Sign in with Acme").click()
    through_acme(later, "alice")
    later.get_by_text("Your account has a second factor.").wait_for()
    assert "#" not in later.url
    later.get_by_text("Recovery code").click()
    later.get_by_role("textbox", name="Recovery code").fill(code)
    later.get_by_role("button", name="Continue").click()

    expect(later.get_by_role("heading", name="Account", exact=True)).to_be_visible()
    assert later.url == f"{entrance.address}/account?tab=x"


def test_a_person_without_a_password_confirms_through_the_provider(visit: Open, entrance: Entrance) -> None:
    page = visit()
    page.goto(f"{entrance.address}/account")
    page.get_by_role("button", name="Sign in with Acme").click()
    through_acme(page, "bob")
    section = page.get_by_role("region", name="Password")
    section.get_by_role("textbox", name="New password").fill(PASSWORD)
    entrance.age_proofs()
    section.get_by_role("button", name="Set a password").click()
    dialog = page.get_by_role("dialog", name="Confirm your identity")
    with page.context.expect_page() as opened:
        dialog.get_by_role("button", name="Confirm with Acme").click()
    through_acme(opened.value, "bob")

    expect(page.get_by_text("The password was changed.")).to_be_visible()
    expect(dialog).to_have_count(0)


def test_a_provider_that_does_not_confirm_says_why_and_the_session_stays(visit: Open, entrance: Entrance) -> None:
    page, alice = visit(), visit()
    for each in (page, alice):
        each.goto(f"{entrance.address}/login?next=%2Faccount")
        each.get_by_role("button", name="Sign in with Acme").click()
    through_acme(alice, "alice")
    alice.wait_for_url(f"{entrance.address}/**")
    page.get_by_placeholder("sub").fill("a stranger")
    page.get_by_role("button", name="Authorize").click()
    expect(page.get_by_role("alert")).to_contain_text("The identity provider does not confirm your email address.")

    page.get_by_label("Email address").fill(EMAIL)
    page.get_by_role("textbox", name="Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_role("button", name="Account of Olga").wait_for()
    page.goto(f"{entrance.address}/account")
    page.get_by_role("region", name="Identity providers").get_by_role("button", name="Link").click()
    through_acme(page, "alice")
    expect(page.get_by_role("alert")).to_contain_text("This identity is linked to another account.")
    page.get_by_role("link", name="Open your account").click()

    expect(page.get_by_role("heading", name="Account", exact=True)).to_be_visible()


def test_a_link_that_did_not_arrive_is_sent_again_and_sets_a_password(visit: Open, entrance: Entrance) -> None:
    page = visit()
    page.goto(f"{entrance.address}/login")
    page.get_by_role("link", name="Forgot your password?").click()
    page.get_by_label("Email address").fill(EMAIL)
    page.get_by_role("button", name="Send the link").click()
    first = entrance.link("reset", EMAIL)
    page.get_by_role("button", name="Send another link").click()
    second = until(lambda: (found := entrance.link("reset", EMAIL)) != first and found, "another link is mailed", 60)
    page.goto(first)
    page.get_by_role("textbox", name="New password").fill(PASSWORD)
    page.get_by_role("button", name="Set the password").click()
    expect(page.get_by_role("heading", name="This link does not work")).to_be_visible()
    page.goto("about:blank")
    page.goto(second)
    page.get_by_role("textbox", name="New password").fill(PASSWORD)
    page.get_by_role("button", name="Set the password").click()
    expect(page.get_by_role("heading", name="The password was changed")).to_be_visible()
