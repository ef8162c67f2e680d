"""How many files of the product one event passes, from `POST /v1/events` to a delivered webhook.

The event is the second of its source: caches and compiled rules are those of a service that runs.
`bin/test tests/house/test_event_path.py -s` prints the files of each step.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from inbox.config.settings import Settings, variable
from inbox.models.deliveries.destinations import Destination
from tests.cast import Cast
from tests.flow.routing_fixtures import route_to
from tests.flow.rulemaking import clause, rule
from tests.stand_ins.receivers import Receiver

PROJECT = Path(__file__).parent.parent.parent
MOST_FILES = 74
"""The number of today (decision 0012). A change that needs fewer lowers it."""


def test_one_event_passes_no_more_files_than_today(
    settings: Settings, cast: Cast, destination: Destination, receiver: Receiver
) -> None:
    route_to(cast.workspace, [destination])
    rule(cast.workspace, clause("title", "contains", "disk"))

    found = called(settings, cast.key)

    _, request = receiver.requests
    assert request.verified()["data"]["resource"] == "host:ingest"
    first = found.pop("first")
    everything = set().union(*found.values())
    for name, files in {**found, "the first event alone": first - everything}.items():
        print(f"\n{name}, {len(files)} files:", *sorted(files), sep="\n  ")
    print(f"\n{len(everything)} files in all")
    assert min(len(files) for files in found.values()) > 10
    assert len(everything) <= MOST_FILES


def called(settings: Settings, key: str) -> dict[str, set[str]]:
    """The files by step, as a separate process sees them."""
    names = ("database_url", "redis_url", "secret_keys", "signing_key", "log_level")
    environment = {variable(name): getattr(settings, name) for name in names}
    done = subprocess.run(
        [sys.executable, "-m", "tests.house.event_path"],
        env={**os.environ, **environment, "INBOX_SOURCE_KEY": key, "INBOX_RATE_LIMITS": "off"},
        cwd=PROJECT, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return {step: set(files) for step, files in json.loads(done.stdout).items()}
