"""All that operators put together: two web hosts and two worker hosts, HAProxy, PgBouncer, Patroni and three sentinels."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import requests

from ops.children import Child
from ops.datadir import DataDir
from tests.database.patroni import ENVIRONMENT, Patroni, patroni
from tests.database.pgbouncer import PgBouncer, pgbouncer
from tests.faults import service_processes
from tests.faults.hosts import SERVERS, Host, hosts
from tests.faults.redis_sentinels import RedisSentinels, redis_sentinels
from tests.faults.service_processes import PROJECT, Addresses, RunningService, until
from tests.runner.ports import free_port

WEB, WORKERS = ("web1", "web2"), ("worker1", "worker2")
PORT = 8080
"""The port on which each web host listens."""

PARTS = {
    "web": ["web"],
    "worker": ["worker routing timers sweep", "worker", "scheduler"],
}

BALANCER = """
defaults
    mode tcp
    retries 3
    option redispatch
    timeout connect 500ms
    timeout check 500ms
    timeout client 1h
    timeout server 1h

listen web
    bind 127.0.0.1:{port}
    balance roundrobin
    option httpchk GET /healthz
    default-server inter 300ms fall 2 rise 1 on-marked-down shutdown-sessions
{servers}
"""


@dataclass
class Arrangement:
    """The servers and hosts, and the service as its senders see it."""

    patroni: Patroni
    pooler: PgBouncer
    sentinels: RedisSentinels
    hosts: Mapping[str, Host]
    service: RunningService

    def is_whole(self) -> bool:
        """Whether every server has its standbys again, and each web host answers."""
        ready = all(_is_ready(self.hosts[name]) for name in WEB)
        return ready and self.patroni.is_whole() and self.sentinels.is_whole()

    def report(self) -> str:
        """What each server says of itself, and the ends of the logs of Patroni."""
        nodes = {
            name: [path for path in ("/primary", "/replica", "/replica?lag=1MB", "/sync") if node.answers(path)]
            for name, node in self.patroni.nodes.items()
        }
        web = {name: _is_ready(self.hosts[name]) for name in WEB}
        return f"{nodes}, sentinels are whole: {self.sentinels.is_whole()}, {web}\n{self.patroni.logs()}"


@contextmanager
def arrangement(folder: Path) -> Iterator[Arrangement]:
    """A started arrangement. The test is skipped where a part of it cannot be had."""
    with (
        hosts(*WEB, *WORKERS) as network,
        patroni() as cluster,
        redis_sentinels(SERVERS) as sentinels,
        pgbouncer(cluster.proxied_url, SERVERS) as pooler,
    ):
        addresses = Addresses(cluster.proxied_url, sentinels.url)
        service = RunningService(addresses, folder, free_port())  # type: ignore[arg-type]
        environment = _environment(folder, pooler, service)
        _migrate(environment, cluster)
        pooler.restart()  # the sessions of before the migration lack the settings of the role
        for name, host in network.items():
            host.runs(PARTS[name.rstrip("12")], environment, folder / name)
            host.start()
        balancer = _balancer(folder, service.port, network)
        balancer.start()
        try:
            until(service.ready, "the service answers /readyz", 120)
            yield Arrangement(cluster, pooler, sentinels, network, service)
        finally:
            balancer.kill()


def _is_ready(host: Host) -> bool:
    try:
        return requests.get(f"http://{host.address}:{PORT}/readyz", timeout=2).status_code == 200
    except requests.RequestException:
        return False


def _environment(folder: Path, pooler: PgBouncer, service: RunningService) -> dict[str, str]:
    data = DataDir(folder / "keys")
    data.create()
    return {
        **os.environ,
        **data.keys(),
        "DATABASE_URL": pooler.url(),
        "INBOX_DATABASE_POOLER": "transaction",
        "REDIS_URL": service.servers.redis_url,
        "INBOX_BASE_URL": service.address,
        "INBOX_PORT": str(PORT),
        "INBOX_WEB_WORKERS": "1",
        "INBOX_RATE_LIMITS": "off",
        "INBOX_DELIVERY_TIMEOUT_SECONDS": "2",
        "PYTHONPATH": str(PROJECT),
    }


def _migrate(environment: Mapping[str, str], cluster: Patroni) -> None:
    account = {
        "INBOX_ADMIN_EMAIL": service_processes.EMAIL,
        "INBOX_ADMIN_PASSWORD": service_processes.PASSWORD,
        "INBOX_MIGRATION_DATABASE_URL": cluster.proxied_url,
    }
    words = [sys.executable, "-m", "ops.run", "migrate"]
    done = subprocess.run(
        words, env={**environment, **account}, cwd=PROJECT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _balancer(folder: Path, port: int, network: Mapping[str, Host]) -> Child:
    servers = "\n".join(f"    server {name} {network[name].address}:{PORT} check" for name in WEB)
    configuration = folder / "balancer.cfg"
    configuration.write_text(BALANCER.format(port=port, servers=servers))
    return Child(
        name="balancer",
        argv=["/usr/sbin/haproxy", "-db", "-f", configuration],
        env=ENVIRONMENT,
        cwd=folder,
        log=folder / "balancer.log",
        death_signal=signal.SIGKILL,
    )
