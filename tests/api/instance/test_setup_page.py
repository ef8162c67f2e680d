"""The set-up page: a form that works without a script, and shows the first source key once."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Callable
from typing import Any

import peewee
import pytest
from flask import Flask

from inbox.config.settings import Settings
from inbox.domain.values.legal_links import LegalLink
from inbox.models.people.accounts import SetupLink, User
from inbox.models.records.audit import AuditEntry
from inbox.models.senders.sources import Source, SourceKey
from inbox.services.instance import setup
from tests.api.events.senders import Sender
from tests.browser import Browser
from tests.cast import Cast, present, typeid

WHO = {"email": "olga@example.org", "password": "a harbour in the fog", "name": "Olga <b>", "workspaceName": "Acme"}


@pytest.fixture
def token(ground: peewee.Database) -> str:
    return str(setup.setup_link(present())).partition("#token=")[2]


def send(browser: Browser, fields: dict[str, str], **headers: str) -> Any:
    sent = {"Origin": browser.base_url, "Accept": "text/html", **headers}
    return browser.client.post("/v1/setup", data=fields, headers={name: text for name, text in sent.items() if text})


def page(answer: Any) -> str:
    return str(answer.get_data(as_text=True))


def test_the_setup_page_is_a_form_for_the_holder_of_the_token(token: str, anonymous: Browser) -> None:
    answer = anonymous.get("/setup")
    names = re.findall(r'<input id="(\w+)" name="\1"', page(answer))

    assert (answer.status_code, answer.mimetype) == (200, "text/html")
    assert names == ["token", "email", "name", "password", "workspaceName"]
    assert '<form method="post" action="/v1/setup">' in page(answer)
    assert token not in page(answer)


def test_the_page_shows_the_legal_links_at_its_foot(
    token: str, anonymous: Browser, in_settings: Callable[..., Settings]
) -> None:
    assert "<nav" not in page(anonymous.get("/setup"))

    in_settings(legal_links=(LegalLink("Terms & <b>", "https://example.org/t?a=1&b='2'"),))

    link = '<a href="https://example.org/t?a=1&amp;b=&#39;2&#39;" rel="noreferrer">Terms &amp; &lt;b&gt;</a>'
    assert f'<nav aria-label="Legal">{link}</nav>' in page(anonymous.get("/setup"))


def test_the_page_runs_no_script_but_its_own_file_and_no_style_but_its_own(token: str, anonymous: Browser) -> None:
    answer = anonymous.get("/setup")
    policy = answer.headers["Content-Security-Policy"]
    [style] = re.findall(r"<style>(.*?)</style>", page(answer), re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(html.unescape(style).encode()).digest()).decode()

    assert "default-src 'none'" in policy and "script-src 'self'" in policy and "form-action 'self'" in policy
    assert f"style-src 'sha256-{digest}'" in policy and "unsafe" not in policy and "&" not in style
    assert re.findall(r"<script[^>]*>[^<]*</script>", page(answer)) == ['<script src="/setup.js" defer></script>']
    assert not re.search(r'\son\w+=|style="', page(answer))
    assert anonymous.get("/setup.js").mimetype == "text/javascript"


def test_the_form_makes_the_account_signs_in_and_shows_a_source_key_that_works(
    token: str, app: Flask, anonymous: Browser
) -> None:
    answer = send(anonymous, WHO | {"token": token})
    text = html.unescape(page(answer))
    [key] = set(re.findall(r"svc_src_\w+", text))

    assert answer.status_code == 201 and User.get().is_instance_admin
    assert anonymous.get("/v1/me").json["email"] == "olga@example.org"
    assert "Welcome, Olga &lt;b&gt;" in page(answer) and "shown only once" in text
    assert f'curl {anonymous.base_url}/v1/events -H "Authorization: Bearer {key}" -d ' in text
    assert answer.headers["Cache-Control"] == "no-store"
    Sender(app, key).stored({"title": "Backup of db-1 failed"})
    actors = {
        entry.actor["id"]
        for entry in AuditEntry.select().where(AuditEntry.action.in_(["source.created", "key.created"]))
    }
    assert actors == {typeid("usr", User.get().id)}
    assert (Source.get().name, SourceKey.select().count()) == ("My first source", 1)


def test_a_used_setup_link_says_that_an_account_exists(token: str, anonymous: Browser) -> None:
    send(anonymous, WHO | {"token": token})
    repeated, opened = send(anonymous, WHO | {"token": token}), anonymous.get("/setup")

    assert (repeated.status_code, opened.status_code) == (404, 200)
    for answer in (repeated, opened):
        assert "This instance is already set up" in page(answer) and "sign in" in page(answer)
        assert "<form" not in page(answer)
    assert User.select().count() == 1


@pytest.mark.parametrize(
    ("change", "field"),
    [({"password": "short"}, "password"), ({"email": "nobody"}, "email"), ({"name": " "}, "name"),
     ({"workspaceName": ""}, "workspaceName"), ({"password": "password1234"}, "password")],
    ids=str,
)  # fmt: skip
def test_an_invalid_setup_field_is_marked_and_the_other_values_are_kept(
    change: dict[str, str], field: str, token: str, anonymous: Browser
) -> None:
    sent = {**WHO, "token": token, **change}
    answer = send(anonymous, sent)
    text = page(answer)

    assert answer.status_code == 422 and User.select().count() == 0 and SetupLink.select().count() == 1
    assert re.findall(r'name="(\w+)"[^>]*aria-invalid', text) == [field]
    assert f'name="token" value="{token}"' in text and html.escape(sent["password"]) not in text
    assert "<b>" not in text
    assert send(anonymous, WHO | {"token": token}).status_code == 201


def test_a_wrong_token_is_refused_beside_its_field(token: str, anonymous: Browser) -> None:
    answer = send(anonymous, WHO | {"token": token[:-1]})

    assert answer.status_code == 403 and "bin/inbox setup-link" in page(answer)
    assert User.select().count() == 0


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example.org"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
    ids=str,
)
def test_a_form_of_another_site_is_refused_even_with_the_token(
    headers: dict[str, str], token: str, anonymous: Browser
) -> None:
    assert send(anonymous, WHO | {"token": token}, **headers).status_code == 403
    assert User.select().count() == 0


def test_no_other_address_takes_a_form(cast: Cast, app: Flask, settings: Settings) -> None:
    answer = Browser(app, settings.base_url).client.post(
        "/v1/auth/login", data={"email": "a@example.org", "password": "x"}, headers={"Origin": settings.base_url}
    )

    assert answer.status_code == 415
