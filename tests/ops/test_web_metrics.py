"""Several web processes and workers of one host give the same answer at `/metrics`."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
import requests
from prometheus_client.parser import text_string_to_metric_families

from inbox.config.settings import Settings
from tests.ops.processes import until
from tests.ops.test_web import Web, running

pytestmark = pytest.mark.slow

ROUTE = "/v1/info"


def requested(web: Web) -> dict[str, float]:
    """By process, how often `GET /v1/info` was asked for."""
    text = requests.get(f"http://127.0.0.1:{web.port}/metrics", timeout=30).text
    return {
        sample.labels["process"]: sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name == "inbox_http_requests_total" and sample.labels["route"] == ROUTE
    }


def ask(web: Web) -> None:
    assert requests.get(f"http://127.0.0.1:{web.port}{ROUTE}", timeout=30).status_code == 200


def processes(web: Web) -> set[str]:
    text = requests.get(f"http://127.0.0.1:{web.port}/metrics", timeout=30).text
    families = text_string_to_metric_families(text)
    return {each.labels["process"] for family in families for each in family.samples if "process" in each.labels}


def test_every_process_shows_the_metrics_of_all(settings: Settings, tmp_path: Path) -> None:
    with running(settings, tmp_path, INBOX_WEB_WORKERS="2") as web:
        until(lambda: processes(web) == {"web-1", "web-2"}, "both are shown")
        for _ in range(20):
            ask(web)

        # A process that does not answer in a second is left out, so a scrape of a busy machine may have fewer.
        until(lambda: {sum(requested(web).values()) for _ in range(6)} == {20}, "all are counted once")


def test_a_killed_web_process_leaves_nothing_and_the_next_one_takes_its_place(
    settings: Settings, tmp_path: Path
) -> None:
    with running(settings, tmp_path) as web:
        ask(web)
        assert requested(web) == {"web-1": 1}
        children = (
            Path(f"/proc/{web.reported.process.pid}/task/{web.reported.process.pid}/children").read_text().split()
        )
        os.kill(int(children[0]), signal.SIGKILL)

        until(lambda: _answers(web), "another process answers")
        assert requested(web) == {} and processes(web) == {"web-1"}


def _answers(web: Web) -> bool:
    try:
        return requests.get(f"http://127.0.0.1:{web.port}/healthz", timeout=2).ok
    except requests.RequestException:
        return False
