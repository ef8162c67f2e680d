"""Debian's Patroni, etcd and HAProxy on 127.0.0.1, with the configuration that operators find: three nodes."""

from __future__ import annotations

import os
import pwd
import signal
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import psycopg2
import pytest
import requests
import yaml

from ops.binaries import server_account
from ops.children import Child, wait_until
from tests.faults.service_processes import PROJECT
from tests.runner.places import roomy_directory
from tests.runner.ports import free_port

EXAMPLES = PROJECT / "docs" / "operators" / "examples" / "patroni"
PROGRAMS = ("/usr/bin/etcd", "/usr/bin/patroni", "/usr/sbin/haproxy", "/usr/lib/postgresql/15/bin/postgres")
NODES = ("db1", "db2", "db3")
PASSWORD = "CHANGE-ME-1"
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC"}


class Node:
    """One host: etcd, Patroni, and the PostgreSQL that Patroni starts."""

    def __init__(self, name: str, folder: Path, account: pwd.struct_passwd | None) -> None:
        self.name, self._account = name, account
        self.folder = folder / name
        self.folder.mkdir(mode=0o700)
        self.postgres, self.rest, self.client, self.peer = (free_port() for _ in range(4))
        self.patroni = self._child("patroni", "/usr/bin/patroni", str(self.folder / "patroni.yml"))
        self.etcd = self._child("etcd", "/usr/bin/etcd", "--config-file", str(self.folder / "etcd.yml"))

    def configure(self, nodes: Mapping[str, Node]) -> None:
        """Writes the configuration of the example with the ports and folders of the test."""
        changes = {
            "name: db1": f"name: {self.name}",
            "10.0.0.0/24": "127.0.0.0/8",
            "/var/lib/postgresql/15/incident-inbox": str(self.folder / "data"),
            "/var/lib/etcd/incident-inbox": str(self.folder / "etcd"),
            "hosts: 10.0.0.1:2379,10.0.0.2:2379,10.0.0.3:2379": "hosts: "
            + ",".join(f"127.0.0.1:{node.client}" for node in nodes.values()),
            **{
                f"{name}=http://10.0.0.{number}:2380": f"{name}=http://127.0.0.1:{nodes[name].peer}"
                for number, name in enumerate(NODES, 1)
            },
            "10.0.0.1:8008": f"127.0.0.1:{self.rest}",
            "10.0.0.1:5432": f"127.0.0.1:{self.postgres}",
            "10.0.0.1:2379": f"127.0.0.1:{self.client}",
            "10.0.0.1:2380": f"127.0.0.1:{self.peer}",
        }
        for file in ("patroni.yml", "etcd.yml"):
            text = (EXAMPLES / file).read_text()
            for shown, used in changes.items():
                text = text.replace(shown, used)
            assert "10.0.0" not in text.partition("\n")[2], text
            (self.folder / file).write_text(text)
        # Everything is on one machine: the sockets need a folder of their own, and the disk is memory.
        loaded = yaml.safe_load((self.folder / "patroni.yml").read_text())
        loaded["postgresql"]["parameters"] = {"unix_socket_directories": str(self.folder)}
        (self.folder / "patroni.yml").write_text(yaml.safe_dump(loaded))
        if self._account is not None:
            for path in (self.folder, *self.folder.iterdir()):
                os.chown(path, self._account.pw_uid, self._account.pw_gid)

    def kill_postgres(self) -> None:
        """kill -9 of PostgreSQL and all of its processes. Patroni continues."""
        self.signal_postgres(signal.SIGKILL)

    def signal_postgres(self, number: signal.Signals) -> None:
        """Sends this to PostgreSQL and all of its processes."""
        with suppress(OSError, ValueError, IndexError):
            postmaster = int((self.folder / "data" / "postmaster.pid").read_text().split()[0])
            for pid in (postmaster, *_children(postmaster)):
                with suppress(ProcessLookupError):
                    os.kill(pid, number)

    def kill(self) -> None:
        """kill -9 of Patroni, too, as when the host is gone. etcd continues."""
        self.patroni.send(signal.SIGKILL)
        self.patroni.wait(20)
        self.kill_postgres()

    def answers(self, path: str) -> bool:
        """Whether Patroni answers 200 there: `/primary`, `/replica`, `/synchronous`."""
        with suppress(requests.RequestException):
            return requests.get(f"http://127.0.0.1:{self.rest}{path}", timeout=3).status_code == 200
        return False

    def _child(self, name: str, *words: str) -> Child:
        return Child(
            name=f"{name}-{self.name}",
            argv=list(words),
            env=ENVIRONMENT,
            cwd=self.folder,
            log=self.folder.parent / f"{name}-{self.name}.log",
            account=self._account,
            death_signal=signal.SIGTERM,
        )


class Patroni:
    """Three nodes, and HAProxy in front of them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        account = server_account(folder / "none")
        self.nodes = {name: Node(name, folder, account) for name in NODES}
        for node in self.nodes.values():
            node.configure(self.nodes)
        self._port = free_port()
        self._proxy = Child(
            name="haproxy",
            argv=["/usr/sbin/haproxy", "-db", "-f", str(self._proxy_configuration())],
            env=ENVIRONMENT,
            cwd=folder,
            log=folder / "haproxy.log",
        )

    @property
    def proxied_url(self) -> str:
        """The database behind HAProxy."""
        return f"postgresql://postgres:{PASSWORD}@127.0.0.1:{self._port}/inbox"

    @property
    def url(self) -> str:
        """The database at the three servers."""
        hosts = ",".join(f"127.0.0.1:{node.postgres}" for node in self.nodes.values())
        return f"postgresql://postgres:{PASSWORD}@{hosts}/inbox"

    def start(self) -> None:
        """Returns when there is a primary with its synchronous standby, and the database `inbox`."""
        for node in self.nodes.values():
            node.etcd.start()
        for node in self.nodes.values():
            node.patroni.start()
        self._proxy.start()
        assert wait_until(self.is_whole, 120), self.logs()
        url = self.proxied_url.removesuffix("inbox") + "postgres"
        assert wait_until(lambda: _created(url), 30), self.logs()

    def stop(self) -> None:
        self._proxy.kill()
        for node in self.nodes.values():
            node.kill()
            node.etcd.kill()

    def primary(self) -> Node | None:
        """The node that takes writes."""
        return next((node for node in self.nodes.values() if node.answers("/primary")), None)

    def timeline(self) -> int:
        """How often a server of this cluster has become the primary; 0 while none takes writes."""
        primary = self.primary()
        with suppress(requests.RequestException):
            if primary is not None:
                return int(
                    requests.get(f"http://127.0.0.1:{primary.rest}/patroni", timeout=3).json().get("timeline", 0)
                )
        return 0

    def is_whole(self) -> bool:
        """Whether there are a primary, a synchronous standby and another one, which follow it."""
        roles = [
            [node.answers(path) for node in self.nodes.values()] for path in ("/primary", "/replica?lag=1MB", "/sync")
        ]
        return [sum(role) for role in roles] == [1, 2, 1]

    def switch_over(self) -> None:
        """A planned change to the synchronous standby. Returns when Patroni has made it."""
        primary = self.primary()
        assert primary is not None
        standby = next(node for node in self.nodes.values() if node.answers("/sync"))
        answer = requests.post(
            f"http://127.0.0.1:{primary.rest}/switchover",
            json={"leader": primary.name, "candidate": standby.name},
            timeout=60,
        )
        assert answer.status_code == 200, answer.text

    def logs(self) -> str:
        """The ends of all logs."""
        return "\n".join(f"{log.name}: {log.read_text()[-1500:]}" for log in sorted(self._folder.glob("*.log")))

    def _proxy_configuration(self) -> Path:
        text = (EXAMPLES / "haproxy.cfg").read_text().replace("127.0.0.1:5000", f"127.0.0.1:{self._port}")
        for number, node in enumerate(self.nodes.values(), 1):
            shown = f"10.0.0.{number}:5432 check port 8008"
            assert shown in text
            text = text.replace(shown, f"127.0.0.1:{node.postgres} check port {node.rest}")
        (self._folder / "haproxy.cfg").write_text(text)
        return self._folder / "haproxy.cfg"


@contextmanager
def patroni() -> Iterator[Patroni]:
    """Started nodes, which are gone afterwards. The test is skipped where a program is not installed."""
    if missing := [program for program in PROGRAMS if not Path(program).exists()]:
        pytest.skip(f"not installed: {', '.join(missing)}")
    with roomy_directory("inbox-patroni-") as folder:
        made = Patroni(folder)
        try:
            made.start()
            yield made
        finally:
            made.stop()


def _created(url: str) -> bool:
    with suppress(psycopg2.OperationalError), closing(psycopg2.connect(url, connect_timeout=5)) as connection:
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute("CREATE DATABASE inbox")
        return True
    return False


def _children(parent: int) -> list[int]:
    path = Path(f"/proc/{parent}/task/{parent}/children")
    return [int(pid) for pid in path.read_text().split()]
