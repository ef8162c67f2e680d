"""Addresses that programs know: password managers, and people who found a vulnerability."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from inbox.config.settings import Settings
from tests.browser import Browser


def test_a_password_manager_is_led_to_the_form_for_a_new_password(anonymous: Browser) -> None:
    answer = anonymous.get("/.well-known/change-password")

    assert (answer.status_code, answer.headers["Location"]) == (302, "/account#password")


def test_the_contact_for_vulnerabilities_is_named_for_half_a_year(
    anonymous: Browser, in_settings: Callable[..., Settings]
) -> None:
    in_settings(security_contact="mailto:security@example.org", base_url="https://inbox.example.org")

    answer = anonymous.get("/.well-known/security.txt")
    fields = dict(line.split(": ", 1) for line in answer.text.splitlines())

    assert (answer.status_code, answer.content_type) == (200, "text/plain; charset=utf-8")
    assert fields["Contact"] == "mailto:security@example.org"
    assert fields["Canonical"] == "https://inbox.example.org/.well-known/security.txt"
    left = datetime.fromisoformat(fields["Expires"]) - datetime.now(UTC)
    assert timedelta(days=178) < left < timedelta(days=181)


def test_security_txt_is_not_found_without_a_contact(anonymous: Browser) -> None:
    assert anonymous.get("/.well-known/security.txt").status_code == 404
