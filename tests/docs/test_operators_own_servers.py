"""External PostgreSQL and Redis: the pages run block by block, from the roles to a restored database."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg2
import pytest

from ops.embedded import Servers
from tests.database.clusters import Cluster
from tests.docs.operators_pages import Shell, block
from tests.docs.operators_service import EMAIL, PASSWORD, Service
from tests.faults.service_processes import PROJECT
from tests.runner.ports import free_port
from tests.runner.programs import needs_curl

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("up")]


@dataclass(frozen=True)
class Host:
    """A host whose `/etc/incident-inbox` and `/var` are in one directory, with a shipped PostgreSQL."""

    directory: Path
    port: int
    shell: Shell
    database_url: str

    @property
    def etc(self) -> Path:
        return self.directory / "etc"

    @contextmanager
    def parts(self) -> Iterator[Service]:
        """All parts run, as the page starts them by hand."""
        log = self.directory / "parts.log"
        with self.shell.started(block("install.md", "Start the parts by hand"), log):
            service = Service(f"http://127.0.0.1:{self.port}", log)
            service.wait()
            yield service

    def set_up(self, service: Service) -> None:
        """The first account, by the link that the page prints."""
        printed = self.shell.run(block("install.md", "Create the first administrator"))
        token = re.search(r"#token=([\w-]+)", printed)
        assert token is not None, printed
        first = {"email": EMAIL, "password": PASSWORD, "name": "Olga", "workspaceName": "Acme"}
        service.call("POST", "/v1/setup", {"token": token.group(1), **first})


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    """Roles, database, environment file and tables, as the page makes them."""
    directory = Path(tempfile.mkdtemp(prefix="operators-"))
    (directory / "etc").mkdir()
    cluster, redis = Cluster(), Servers.start(directory / "redis", postgres=False)
    try:
        cluster.initialize()
        cluster.start()
        made = _host(directory, cluster, redis.redis_url)
        made.shell.run(block("install.md", "Create roles and database"))
        made.shell.run(block("install.md", "Write the environment file"), at=made.etc)
        made.shell.run(block("install.md", "Create the tables"))
        yield made
    finally:
        redis.stop()
        cluster.remove()
        shutil.rmtree(directory, ignore_errors=True)


def _host(directory: Path, cluster: Cluster, redis_url: str) -> Host:
    port, server = free_port(), f"127.0.0.1:{cluster.port}"
    place = {
        "db1.example.org:5432/incident_inbox?sslmode=verify-full&sslrootcert=system": f"{server}/incident_inbox",
        "rediss://:CHANGE-ME-3@redis.example.org:6379/0": redis_url,
        "https://inbox.example.org": f"http://127.0.0.1:{port}",
        "/opt/incident-inbox": str(PROJECT),
        "/etc/incident-inbox": str(directory / "etc"),
        "/var/lib/incident-inbox": str(directory / "data"),
        "/var/backups/incident-inbox": str(directory / "backups"),
        "$(date +%Y-%m-%d)": "2026-11-22",
    }
    database_url = f"postgresql://inbox_service@{server}/incident_inbox"
    environment = {
        "ADMIN_URL": f"postgresql://inbox@{server}/postgres",
        "DATABASE_URL": database_url,
        "HOST": f"http://127.0.0.1:{port}",
        "INBOX_PORT": str(port),
        "INBOX_WEB_WORKERS": "1",
    }
    return Host(directory, port, Shell(place, environment), database_url)


@needs_curl
def test_an_instance_on_servers_of_ones_own_from_the_roles_to_a_restored_backup(host: Host) -> None:
    with host.parts() as service:
        assert '"ok"' in host.shell.run(block("upgrade.md", "Wait until a host is ready"))
        host.set_up(service)
        key = service.source_key(service.sign_in())
        service.send(key, "Before the backup")
        service.has("Before the backup")
        host.shell.run(block("backup-and-restore.md", "Back up the database"))
        service.send(key, "After the backup")
        service.has("Before the backup", "After the backup")

    host.shell.run(block("backup-and-restore.md", "Restore the database"))
    host.shell.run(block("install.md", "Create the tables"))

    with host.parts() as service:
        service.sign_in()
        service.has("Before the backup")
        service.send(key, "After the restore")
        service.has("Before the backup", "After the restore")


def test_the_sizes_name_the_tables_of_both_schemas(host: Host) -> None:
    printed = host.shell.run(block("scaling.md", "Measure the size of the tables"))

    assert len(re.findall(r"^ \w+ +\| +\d+ (?:kB|bytes)$", printed, re.MULTILINE)) == 10


def test_the_role_of_the_services_cannot_change_the_audit_log(host: Host) -> None:
    connection = psycopg2.connect(host.database_url)
    try:
        with connection.cursor() as cursor, pytest.raises(psycopg2.errors.InsufficientPrivilege):
            cursor.execute("DELETE FROM audit_log")
    finally:
        connection.close()


def test_only_the_owner_of_the_environment_file_and_its_group_can_read_it(host: Host) -> None:
    assert [file.stat().st_mode & 0o777 for file in sorted(host.etc.iterdir())] == [0o640, 0o640]
