"""Runs tests on Debian's PostgreSQL 15 as it is shipped: `python -m tests.database.on_debian PATH…`, any pytest arguments.

The cluster is new, with the configuration that initdb writes; only where it listens is set. Redis is the embedded one. Tests of faults,
which stop their servers, start such a cluster themselves.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ops.binaries import reachable, redis_programs, server_account
from ops.children import Child, wait_until
from tests.database.clusters import CHOICE, Cluster, debian_programs
from tests.runner.ports import free_port

ROOT = Path(__file__).parent.parent.parent

MAIN_PATH = (
    "tests/flow/delivery/test_deliver_claims.py",
    "tests/flow/ingest/test_ingest.py",
    "tests/flow/routing/test_route.py",
    "tests/flow/routing/test_route_resolves.py",
    "tests/flow/routing/test_route_workers.py",
    "tests/flow/notices/test_create.py",
    "tests/models/lists/test_pagination.py",
    "tests/api/lists/test_list_plans.py",
    "tests/api/lists/test_long_lists.py",
)
"""An event from its receipt to its deliveries, and the lists with the plans of their queries."""


SHORT = (
    "tests/flow/delivery/test_deliver_claims.py",
    "tests/models/people/test_sessions.py",
    "tests/api/lists/test_list_plans.py",
    "tests/flow/ingest/test_ingest.py::test_requests_that_wait_together_are_one_transaction",
    "tests/flow/routing/test_route.py::test_an_event_that_breaks_opens_an_incident",
    "tests/flow/delivery/test_deliver_answers.py::test_a_notice_is_one_signed_post_with_the_exact_body",
    "tests/models/lists/test_pagination.py::test_a_numbered_page_is_a_part_of_the_list_and_carries_its_number",
)
"""What depends most on how the server is set, and one test of each step of the main path."""


@contextmanager
def servers() -> Iterator[tuple[str, str]]:
    """The addresses of such a PostgreSQL and of a Redis."""
    cluster = Cluster(debian_programs())
    port, account = free_port(), server_account(cluster.data)
    redis = Child(
        name="redis",
        argv=[reachable(redis_programs(), account), "--port", str(port), "--bind", "127.0.0.1", "--save", ""],
        env={"PATH": os.defpath},
        cwd=cluster.folder,
        log=cluster.folder / "redis.log",
        account=account,
    )
    try:
        cluster.initialize()
        cluster.start()
        redis.start()
        wait_until(lambda: "Ready to accept" in (cluster.folder / "redis.log").read_text(), 30)
        yield cluster.url.removesuffix("inbox") + "postgres", f"redis://127.0.0.1:{port}"
    finally:
        redis.stop(grace=10)
        cluster.remove()


def run(arguments: Sequence[str]) -> subprocess.CompletedProcess[bytes]:
    """pytest with these arguments on such servers; its output is ours."""
    with servers() as (database_url, redis_url):
        environment = {**os.environ, "DATABASE_URL": database_url, "REDIS_URL": redis_url, CHOICE: "debian"}
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", *arguments]
        return subprocess.run(command, cwd=ROOT, env=environment, check=False)


if __name__ == "__main__":
    if debian_programs() is None:
        sys.exit("Debian's package postgresql-15 is not installed.")
    sys.exit(run(sys.argv[1:] or MAIN_PATH).returncode)
