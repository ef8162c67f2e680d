"""Start lines of a worker and a scheduler."""

from __future__ import annotations

import os
from pathlib import Path

import peewee
import pytest

from inbox.config.settings import Settings
from tests.database.pgbouncer import environment_of
from tests.ops.processes import Reported

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("module", ["jobs.worker", "jobs.scheduler"])
def test_a_misspelt_setting_is_in_the_log_of_every_process(
    module: str, ground: peewee.Database, settings: Settings, tmp_path: Path
) -> None:
    environment = {
        **os.environ,
        **environment_of(settings),
        "REDIS_URL": settings.redis_url,
        "INBOX_SECRET_KEYS": settings.secret_keys,
        "INBOX_SIGNING_KEY": settings.signing_key,
        "INBOX_BASE_ULR": "https://canary.example.org",
    }
    reported = Reported(["-m", module], tmp_path / "log", environment)
    try:
        reported.waits_for("did you mean INBOX_BASE_URL?")
        assert "canary" not in reported.stated
    finally:
        reported.kill()
