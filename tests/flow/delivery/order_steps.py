"""Settings of deliveries for tests of their order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from inbox.config import settings as settings_module
from inbox.config.settings import Settings


@pytest.fixture
def chosen(ground: object, settings: Settings) -> Callable[..., None]:
    """Change settings for one test."""

    def choose(**changes: int) -> None:
        settings_module.use(replace(settings, **changes))

    return choose
