"""The measurements of deliveries run at the quick effort, on their own servers, and count every webhook."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from bench.deliveries import EVENTS_A_SECOND, FAST, GROUPS, SLOW
from bench.figures import Effort
from inbox.runtime.distribution import ROOT

pytestmark = pytest.mark.slow

SECONDS = 900
QUICK = Effort.quick()


def figures_of(part: str) -> list[dict[str, Any]]:
    """What this part of a measurement answers."""
    words = [sys.executable, "-m", "tests.bench.quick_parts", part]
    ran = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert ran.returncode == 0, ran.stderr[-3000:]
    return json.loads(ran.stdout)


def test_two_hundred_destinations_of_which_a_tenth_are_slow() -> None:
    figures = figures_of("deliveries.many")

    assert GROUPS * (FAST + SLOW) == 200 and GROUPS * SLOW == 20
    assert [(figure["unit"], "2 workers" in figure["name"]) for figure in figures] == [
        ("webhooks/s", False),
        ("ms", False),
        ("webhooks/s", True),
        ("ms", True),
    ]
    for drained, paced in (figures[:2], figures[2:]):
        assert drained["value"] > 0 < drained["more"]["webhooks"]
        assert paced["more"]["webhooks"] == QUICK.everyday_seconds * EVENTS_A_SECOND * FAST
        assert paced["p50"] <= paced["p99"] <= paced["more"]["slowest_ms"]
        for figure in (drained, paced):
            assert {"workers", "postgres", "redis"} <= figure["more"]["cpu_us"].keys()


def test_events_while_one_worker_routes_a_backlog() -> None:
    figures = figures_of("latency.beside_floods")

    assert [figure["name"].rpartition(" of ")[2] for figure in figures] == ["1 source", "17 sources", "its own source"]
    for figure in figures:
        assert "one worker" in figure["name"]
        assert len(figure["more"]["took_ms"]) >= 1
        assert figure["p50"] <= figure["p99"] <= max(figure["more"]["took_ms"]) + 0.01
