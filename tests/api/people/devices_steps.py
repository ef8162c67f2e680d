"""Steps with paired devices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from inbox.config.settings import Settings
from tests.browser import Browser
from tests.cast import Cast
from tests.stand_ins.phone import Phone, pair

Browsers = Callable[[str], Browser]


Phones = Callable[[str], Phone]


NOBODYS = "dev_01j0000000e008000000000001"


REFUSED = (401, "unauthenticated")


@pytest.fixture
def phone(app: Flask, cast: Cast, settings: Settings) -> Phones:
    """`phone("mia")` is a new paired device of that member of the cast."""
    return lambda name: Phone(app, settings.base_url, pair(cast.users[name]).access_token)


def outcome(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json["code"]
