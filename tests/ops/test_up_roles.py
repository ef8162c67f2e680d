"""`bin/up` connects its services as an ordinary database role, even if the superuser created the tables."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import psycopg2
import pytest
import requests

from inbox.database import base
from inbox.database.base import db
from inbox.database.migrate import migrate
from ops.datadir import DataDir
from ops.embedded import SERVICE_ROLE, Servers
from ops.run import of_services
from tests.ops.processes import until
from tests.ops.test_up import Start, data_dir, healthy, pids, port, up

__all__ = ["data_dir", "port", "up"]
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("up")]


@pytest.fixture
def made_by_the_superuser(data_dir: Path) -> Path:
    """A data directory of a version in which the services were the superuser."""
    DataDir(data_dir).keys()
    with Servers.start(data_dir, redis=False) as servers:
        base.open_database(servers.database_url, application="inbox-test")
        migrate(db)
        with closing(psycopg2.connect(servers.database_url)) as connection, connection, connection.cursor() as cursor:
            cursor.execute(f"DROP ROLE {SERVICE_ROLE}")
    return data_dir


def test_the_services_are_no_superuser_and_existing_data_goes_on(
    made_by_the_superuser: Path, up: Start, port: int
) -> None:
    reported = up(INBOX_ADMIN_EMAIL="olga@example.org", INBOX_ADMIN_PASSWORD="a passphrase of the environment")
    services = pids(reported)
    until(lambda: healthy(port), "it is ready")
    body = {"email": "olga@example.org", "password": "a passphrase of the environment"}
    assert requests.post(f"http://127.0.0.1:{port}/v1/auth/login", json=body, timeout=60).status_code == 200

    owner = DataDir(made_by_the_superuser).join({})["INBOX_MIGRATION_DATABASE_URL"]
    with closing(psycopg2.connect(owner)) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT DISTINCT usename FROM pg_stat_activity WHERE application_name LIKE 'inbox-%'")
        assert cursor.fetchall() == [(SERVICE_ROLE,)]
        cursor.execute(
            "SELECT rolsuper, rolcreaterole, rolreplication FROM pg_roles WHERE rolname = %s", (SERVICE_ROLE,)
        )
        assert cursor.fetchall() == [(False, False, False)]
    environments = {
        name: Path(f"/proc/{services[name]}/environ").read_text() for name in ("scheduler", "worker-1", "web")
    }
    assert not [name for name, environment in environments.items() if owner in environment]


def test_the_services_get_no_more_of_the_owners_address_than_its_hosts() -> None:
    owner = "postgresql://owner:secret@/inbox?host=/run/postgresql"

    environment = of_services({"INBOX_MIGRATION_DATABASE_URL": owner, "DATABASE_URL": "postgresql:///inbox"})

    hosts = "postgresql:///?host=%2Frun%2Fpostgresql"
    assert environment == {"INBOX_MIGRATION_DATABASE_URL": hosts, "DATABASE_URL": "postgresql:///inbox"}
