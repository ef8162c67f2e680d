"""The main path works behind PgBouncer, which gives each transaction another connection of the server."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.database import pgbouncer

ROOT = Path(__file__).parent.parent.parent
SHORT = (
    "tests/flow/ingest/test_ingest.py::test_requests_that_wait_together_are_one_transaction",
    "tests/flow/ingest/test_ingest.py::test_one_idempotency_key_sent_eight_times_at_once_is_stored_once",
    "tests/flow/routing/test_route.py::test_an_event_that_breaks_opens_an_incident",
    "tests/flow/delivery/test_deliver_claims.py",
    "tests/flow/delivery/test_deliver_answers.py::test_a_notice_is_one_signed_post_with_the_exact_body",
)
"""An event from its receipt to its delivery. Other groups: see contributing.md."""

pytestmark = [pytest.mark.slow, pytest.mark.skipif(pgbouncer.CHOSEN, reason="everything runs behind the pooler")]


@pytest.mark.skipif(not Path(pgbouncer.PROGRAM).exists(), reason=pgbouncer.MISSING)
def test_events_are_stored_routed_and_delivered_behind_a_pooler() -> None:
    environment = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", *SHORT]
    done = subprocess.run(
        command, cwd=ROOT, env=environment | {"TEST_POOLER": "1"}, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout[-3000:]
    assert " skipped" not in done.stdout
