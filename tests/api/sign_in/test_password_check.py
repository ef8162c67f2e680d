"""The password check, before a password is chosen (specification 11.6)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from inbox.config.settings import Settings
from inbox.models.people.accounts import User
from inbox.models.records.audit import AuditEntry
from inbox.services.people.passwords import CHECKS_PER_MINUTE
from tests.browser import Browser
from tests.cast import Cast

PATH = "/v1/auth/password-check"


@pytest.mark.parametrize(
    ("password", "accepted"),
    [
        ("nine char", False),
        ("ten chars!", True),
        ("Password2024!", False),
        ("olga@example.org", False),
        ("a long phrase of my own", True),
    ],
)
def test_the_check_accepts_and_refuses_like_a_new_password(anonymous: Browser, password: str, accepted: bool) -> None:
    answer = anonymous.post(PATH, {"password": password, "email": "olga@example.org"})

    assert (answer.status_code, answer.json["accepted"]) == (200, accepted)
    assert (answer.json["detail"] is None) is accepted


def test_the_answer_has_the_reason_and_not_the_password(anonymous: Browser) -> None:
    answer = anonymous.post(PATH, {"password": "tinkerbell"})

    assert answer.json["detail"].startswith("This is one of the passwords that are tried first.")
    assert "tinkerbell" not in answer.text


def test_a_password_check_stores_nothing(anonymous: Browser, cast: Cast) -> None:
    before = (User.select().count(), AuditEntry.select().count())

    anonymous.post(PATH, {"password": "a long phrase of my own"})

    assert (User.select().count(), AuditEntry.select().count()) == before


def test_an_address_has_so_many_checks_a_minute(anonymous: Browser, in_settings: Callable[..., Settings]) -> None:
    in_settings(rate_limits=True)
    statuses = [anonymous.post(PATH, {"password": "tinkerbell"}).status_code for _ in range(CHECKS_PER_MINUTE + 1)]

    assert statuses == [200] * CHECKS_PER_MINUTE + [429]
