"""The address of a client behind proxies is one for limits, sessions and the audit log (specification 2.8)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from app import create_app
from inbox.api.http.client_address import ClientAddress
from inbox.config.settings import Settings
from inbox.domain.values.networks import without_port
from inbox.models.people.accounts import Session, User
from inbox.services.people.passwords import hashed
from tests.browser import Browser
from tests.cast import Cast

PEER = "192.0.2.200"


def seen(forwarded: str | None, proxies: int) -> str:
    """The address that the app sees."""
    found = []

    def app(environ: dict[str, Any], _: Callable[..., Any]) -> Iterable[bytes]:
        found.append(environ["REMOTE_ADDR"])
        return []

    sent = {} if forwarded is None else {"HTTP_X_FORWARDED_FOR": forwarded}
    ClientAddress(app, proxies)({"REMOTE_ADDR": PEER, **sent}, lambda *_: None)
    return found[0]


@pytest.mark.parametrize(
    ("forwarded", "proxies", "address"),
    [
        ("203.0.113.9", 1, "203.0.113.9"),
        ("203.0.113.9:5678", 1, "203.0.113.9"),
        ("198.51.100.7:1, 203.0.113.9:65535", 1, "203.0.113.9"),
        ("198.51.100.7:1,203.0.113.9:65535", 2, "198.51.100.7"),
        ("[2001:db8::1]:5678", 1, "2001:db8::1"),
        ("[2001:db8::1]", 1, "2001:db8::1"),
        ("2001:db8::1", 1, "2001:db8::1"),
        ('"198.51.100.7, 203.0.113.9', 1, "203.0.113.9"),
        ("203.0.113.9", 2, PEER),
        ("198.51.100.7, ", 1, PEER),
        ("", 1, PEER),
        (None, 1, PEER),
    ],
)
def test_the_address_is_that_many_entries_from_the_right(forwarded: str | None, proxies: int, address: str) -> None:
    assert seen(forwarded, proxies) == address


@pytest.mark.parametrize(
    ("written", "address"),
    [
        ("203.0.113.9:0", "203.0.113.9"),
        ("203.0.113.9:655350", "203.0.113.9:655350"),
        ("203.0.113.9:", "203.0.113.9:"),
        ("203.0.113.9:http", "203.0.113.9:http"),
        ("::1", "::1"),
        ("2001:db8::1:5678", "2001:db8::1:5678"),
        ("::ffff:203.0.113.9", "::ffff:203.0.113.9"),
        ("[::ffff:203.0.113.9]:80", "::ffff:203.0.113.9"),
        ("[fe80::1%eth0]:80", "fe80::1%eth0"),
        ("[::1", "[::1"),
        ("[]:80", "[]:80"),
        ("unknown", "unknown"),
        ("", ""),
    ],
)
def test_a_port_is_no_part_of_an_address(written: str, address: str) -> None:
    assert without_port(written) == address


def test_clients_behind_a_proxy_that_writes_ports_have_budgets_of_their_own(
    cast: Cast, in_settings: Callable[..., Settings]
) -> None:
    User.update(password_hash=hashed("a quiet harbour at night")).where(User.id == cast.users["mia"].id).execute()
    behind = in_settings(trusted_proxies=1, rate_limits=True, sign_ins_per_address_5min=2)
    browser = Browser(create_app(behind), behind.base_url)

    def sign_in(address: str, password: str) -> int:
        fields = {"email": "mia@example.org", "password": password}
        return browser.post("/v1/auth/login", fields, headers={"X-Forwarded-For": address}).status_code

    guesses = [sign_in(f"203.0.113.9:{port}", "not her phrase") for port in (5001, 5002, 5003)]

    assert guesses == [401, 401, 429]
    assert sign_in("203.0.113.10:5001", "a quiet harbour at night") == 200
    assert Session.get().address == "203.0.113.10"
