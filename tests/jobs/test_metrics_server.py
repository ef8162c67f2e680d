"""Workers and schedulers serve the metrics of their host on a separate port."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
from prometheus_client.parser import text_string_to_metric_families

from inbox.config.settings import Settings
from tests.database.pgbouncer import environment_of
from tests.ops.processes import Reported, until
from tests.runner.ports import free_port

pytestmark = pytest.mark.slow

ROUNDS, JOBS = "inbox_scheduler_rounds_total", "inbox_jobs_total"
Start = Callable[..., Reported]


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def start(ground: object, settings: Settings, tmp_path: Path, port: int) -> Iterator[Start]:
    """Starts workers and schedulers of one host."""
    running: list[Reported] = []

    def begin(module: str, **more: str) -> Reported:
        environment = {
            **os.environ,
            **environment_of(settings),
            "REDIS_URL": settings.redis_url,
            "INBOX_SECRET_KEYS": settings.secret_keys,
            "INBOX_SIGNING_KEY": settings.signing_key,
            "INBOX_METRICS_DIR": str(tmp_path / "m"),
            "INBOX_METRICS_PORT": str(port),
            **more,
        }
        running.append(Reported(["-m", module], tmp_path / f"{module}-{len(running)}", environment))
        return running[-1]

    yield begin
    for reported in running:
        reported.kill()


def ask(port: int, path: str = "/metrics", *, host: str = "127.0.0.1", **headers: str) -> Any:
    try:
        return requests.get(f"http://{host}:{port}{path}", headers=headers, timeout=10)
    except requests.ConnectionError:
        return None


def sample_names(port: int) -> set[tuple[str, str]]:
    """Pairs of sample and process."""
    answer = ask(port)
    if answer is None:
        return set()
    families = text_string_to_metric_families(answer.text)
    return {(sample.name, sample.labels["process"]) for family in families for sample in family.samples}


def test_one_port_shows_every_worker_and_scheduler_of_the_host(start: Start, port: int) -> None:
    start("jobs.worker"), start("jobs.worker"), start("jobs.scheduler")
    required = {(ROUNDS, "scheduler-1"), ("inbox_routing_batches_total", "worker-2"), (JOBS, "worker-1")}
    required.add(("inbox_job_duration_seconds_count", "worker-1"))

    until(lambda: required <= sample_names(port), "all three are shown, and the first worker has swept")


def test_another_process_serves_the_metrics_when_the_serving_one_ends(start: Start, port: int) -> None:
    first = start("jobs.worker")
    first.waits_for("metrics served")
    second = start("jobs.worker")
    until(lambda: (ROUNDS, "worker-2") in sample_names(port), "the second is shown")
    first.kill()

    second.waits_for("metrics served")
    assert {process for _, process in sample_names(port)} == {"worker-2"}


def test_a_worker_says_without_a_token_that_it_lives(start: Start, port: int) -> None:
    start("jobs.worker", INBOX_METRICS_TOKEN="a token of metrics").waits_for("metrics served")

    answer = ask(port, "/healthz")

    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


def test_the_token_is_asked_for(start: Start, port: int) -> None:
    start("jobs.scheduler", INBOX_METRICS_TOKEN="a-token-of-ours").waits_for("metrics served")

    assert ask(port).status_code == 401
    assert ask(port, Authorization="Bearer another").status_code == 401
    assert ask(port, Authorization="Bearer a-token-of-ours").status_code == 200
    assert ask(port, "/", Authorization="Bearer a-token-of-ours").status_code == 404


def test_a_silent_caller_delays_nobody_for_long(start: Start, port: int) -> None:
    start("jobs.scheduler").waits_for("metrics served")
    with socket.create_connection(("127.0.0.1", port)):
        assert ask(port).status_code == 200


def has_ipv6() -> bool:
    """Whether this machine has the loopback address of IPv6."""
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


@pytest.mark.skipif(not has_ipv6(), reason="only with IPv6")
@pytest.mark.parametrize(("host", "called"), [("::1", "[::1]"), ("::", "[::1]"), ("::", "127.0.0.1")])
def test_the_metrics_are_served_over_ipv6(start: Start, port: int, host: str, called: str) -> None:
    start("jobs.scheduler", INBOX_HOST=host).waits_for("metrics served")

    assert ask(port, host=called).status_code == 200


def test_an_address_that_cannot_be_used_is_reported_with_the_cause(start: Start) -> None:
    reported = start("jobs.scheduler", INBOX_HOST="192.0.2.1")

    reported.waits_for("the metrics cannot be served")

    (line,) = [json.loads(line) for line in reported.stated.splitlines() if "the metrics cannot be served" in line]
    assert (line["level"], line["host"]) == ("warning", "192.0.2.1")
    assert "assign requested address" in line["fault"]
