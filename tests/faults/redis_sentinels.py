"""Three Redis servers, of which one is the master, and three sentinels that let another one take over."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from ops.children import Child
from tests.faults.service_processes import until
from tests.runner.places import roomy_directory
from tests.runner.ports import free_port
from tests.stand_ins.redis_process import WITHOUT_DATA, redis_process

NAME = "inbox-master"
PASSWORD, SENTINEL_PASSWORD = "s3cret@servers", "s3cret/sentinels"
DOWN_AFTER_MS = 500
"""How long a master does not answer before a sentinel takes it for dead."""

SETTINGS = {**WITHOUT_DATA, "masterauth": PASSWORD, "requirepass": PASSWORD, "repl-diskless-sync-delay": "0"}


class RedisSentinels:
    """Runs servers and sentinels on ports of one address of this machine, each in a separate folder."""

    def __init__(self, folder: Path, address: str = "127.0.0.1") -> None:
        self._folder, self._address = folder, address
        self.ports = [free_port() for _ in range(3)]
        self.sentinel_ports = [free_port() for _ in range(3)]
        self._servers = {port: self._server(port) for port in self.ports}
        self._sentinels = [self._sentinel(port) for port in self.sentinel_ports]

    @property
    def url(self) -> str:
        """As an operator writes it."""
        hosts = ",".join(f"{self._address}:{port}" for port in self.sentinel_ports)
        password, sentinels = PASSWORD.replace("@", "%40"), SENTINEL_PASSWORD.replace("/", "%2F")
        return f"redis+sentinel://:{password}@{hosts}/{NAME}/0?sentinel_password={sentinels}"

    def start(self) -> None:
        """Returns when every sentinel knows the others and both replicas."""
        for child in (*self._servers.values(), *self._sentinels):
            child.start()
        until(self.is_whole, "the sentinels know each other and the replicas")

    def stop(self) -> None:
        for child in (*self._sentinels, *self._servers.values()):
            child.kill()

    def master(self) -> int:
        """The port of the master, as most sentinels say; 0 while they differ."""
        named = [self._named(port) for port in self.sentinel_ports]
        return next((port for port in self.ports if named.count(port) >= 2), 0)

    def client_of_master(self) -> Redis:
        """A client of the present master; it does not follow a change."""
        return self._client(self.master(), PASSWORD)

    def kill_master(self) -> int:
        """kill -9, as when the machine is gone. Answers the port."""
        port = self.master()
        self._servers[port].send(signal.SIGKILL)
        self._servers[port].wait(20)
        return port

    def freeze_master(self) -> int:
        """Its process stops until it is thawed, as when the machine hangs. Answers the port."""
        port = self.master()
        self._servers[port].send(signal.SIGSTOP)
        return port

    def thaw(self, port: int) -> None:
        """A frozen server continues."""
        self._servers[port].send(signal.SIGCONT)

    def restart_sentinel(self) -> None:
        """One sentinel dies and is started again."""
        sentinel = self._sentinels[0]
        sentinel.send(signal.SIGKILL)
        sentinel.wait(20)
        sentinel.start()

    def revive(self, port: int) -> None:
        """Starts a killed server, which the sentinels make a replica."""
        self._servers[port].start()

    def is_whole(self) -> bool:
        """Whether every sentinel sees two healthy replicas that have caught up, and two other sentinels."""
        return all(self._sees_all(port) for port in self.sentinel_ports)

    def fail_over(self) -> None:
        """Asks a sentinel for a planned change of the master."""
        with self._client(self.sentinel_ports[0], SENTINEL_PASSWORD) as sentinel:
            sentinel.execute_command("SENTINEL", "FAILOVER", NAME)

    def _named(self, sentinel_port: int) -> int:
        try:
            with self._client(sentinel_port, SENTINEL_PASSWORD) as sentinel:
                return int(sentinel.sentinel_get_master_addr_by_name(NAME)[1])
        except (RedisError, OSError):
            return 0

    def _sees_all(self, sentinel_port: int) -> bool:
        try:
            with self._client(sentinel_port, SENTINEL_PASSWORD) as sentinel:
                master = sentinel.sentinel_master(NAME)
                replicas = sentinel.sentinel_slaves(NAME)
        except (RedisError, OSError):
            return False
        healthy = [each for each in replicas if each["master-link-status"] == "ok" and each["flags"] == "slave"]
        return master["flags"] == "master" and master["num-other-sentinels"] == 2 and len(healthy) == 2

    def _server(self, port: int) -> Child:
        follows = {} if port == self.ports[0] else {"replicaof": f"{self._address} {self.ports[0]}"}
        return redis_process(self._folder / f"server-{port}", port, {**SETTINGS, "bind": self._address, **follows})

    def _sentinel(self, port: int) -> Child:
        watches = {
            "bind": self._address,
            "requirepass": SENTINEL_PASSWORD,
            "sentinel monitor": f"{NAME} {self._address} {self.ports[0]} 2",
            "sentinel auth-pass": f"{NAME} {PASSWORD}",
            "sentinel down-after-milliseconds": f"{NAME} {DOWN_AFTER_MS}",
            "sentinel failover-timeout": f"{NAME} 3000",
            "sentinel parallel-syncs": f"{NAME} 2",
        }
        return redis_process(self._folder / f"sentinel-{port}", port, watches, sentinel=True)

    def _client(self, port: int, password: str) -> Redis:
        retry = Retry(NoBackoff(), 0)
        return Redis(self._address, port, password=password, socket_timeout=2, retry=retry, decode_responses=True)


@contextmanager
def redis_sentinels(address: str = "127.0.0.1") -> Iterator[RedisSentinels]:
    """Started servers and sentinels, which are gone afterwards."""
    with roomy_directory("inbox-sentinels-") as folder:
        made = RedisSentinels(folder, address)
        try:
            made.start()
            yield made
        finally:
            made.stop()
