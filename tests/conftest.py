"""Fixtures of all tests: real PostgreSQL and Redis, a clean database, the cast, the app."""

from __future__ import annotations

import base64
import gc
import os
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import peewee
import psycopg2
import pytest
from flask import Flask
from hypothesis import settings as property_settings

from inbox.config.settings import Settings
from inbox.database.base import db
from inbox.models.deliveries.destinations import Destination
from inbox.runtime import queue
from inbox.runtime.queue import set_worker_queues
from inbox.services.instance import bootstrap
from ops.migrate import apply
from tests.browser import Browser
from tests.cast import Cast
from tests.database import pgbouncer
from tests.database.database_reset import DatabaseReset
from tests.live.web import Web
from tests.runner.places import roomy_directory
from tests.stand_ins.outgoing_posts import make_destination
from tests.stand_ins.receivers import Receiver
from tests.statements import collecting, judging

collecting.collect()
property_settings.register_profile("house", deadline=None)  # who shares a machine may be made to wait at any time
property_settings.load_profile("house")

GC_THRESHOLDS = (50_000, 20, 20)
"""Objects made before the youngest are looked through for cycles, and how often that comes before older ones are."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Behind a pooler, tests of what needs the server itself are skipped, with the reason that they give."""
    for item in items if pgbouncer.CHOSEN else ():
        if marker := item.get_closest_marker("direct"):
            item.add_marker(pytest.mark.skip(reason=f"not behind a pooler: {marker.args[0]}"))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, Any, Any]:
    """Modules and collected tests stay to the end: no collection of cycles looks through them, now or during a test."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.set_threshold(*GC_THRESHOLDS)
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """A test fails with the statements that leave their workspace (decision 0045)."""
    result = yield
    if judging.is_judged(item.path):
        assert not judging.faults_of_collection()
    return result


def pytest_runtest_setup() -> None:
    """The statements of each test are collected apart."""
    collecting.COLLECTION.start()


@pytest.fixture(scope="session")
def addresses(worker_id: str) -> Iterator[tuple[str, str]]:
    """Yields the addresses of PostgreSQL and Redis from the environment, or starts embedded servers for this process."""
    database_url, redis_url = os.environ.get("DATABASE_URL"), os.environ.get("REDIS_URL")
    if database_url and redis_url:
        number = int("".join(filter(str.isdigit, worker_id)) or 0)
        yield database_url, _numbered(redis_url, number + 1)
        return
    from ops.embedded import Servers

    # On a disk that others keep busy, a new connection can take longer than a service waits for it.
    with roomy_directory("inbox-servers-") as directory, Servers.start(directory, durable=False) as servers:
        yield servers.database_url, servers.redis_url


def _numbered(redis_url: str, number: int) -> str:
    """The address of one database of this Redis, over TCP or over a Unix socket."""
    if redis_url.startswith("unix:"):
        return f"{redis_url.partition('?')[0]}?db={number}"
    return f"{redis_url.rstrip('/')}/{number}"


@pytest.fixture(scope="session")
def pooler(addresses: tuple[str, str]) -> Iterator[pgbouncer.PgBouncer | None]:
    """The pooler before the server of this test process, with `TEST_POOLER=1`."""
    if not pgbouncer.CHOSEN:
        yield None
        return
    with pgbouncer.pgbouncer(addresses[0]) as pooler:
        yield pooler


@pytest.fixture(scope="session")
def settings(addresses: tuple[str, str], pooler: pgbouncer.PgBouncer | None, worker_id: str) -> Settings:
    """Settings of a migrated database of this test process; the process is wired to it."""
    server, redis_url = addresses
    name = f"inbox_test_{worker_id}"
    with_database = urlunsplit(urlsplit(server)._replace(path=f"/{name}"))
    connection = psycopg2.connect(server)
    connection.autocommit = True
    with connection.cursor() as cursor:
        cursor.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        cursor.execute(f"CREATE DATABASE {name}")
    connection.close()
    chosen = Settings.from_env(
        {
            **pgbouncer.variables(with_database, pooler),
            "REDIS_URL": redis_url,
            "INBOX_SECRET_KEYS": "k1:" + base64.b64encode(b"1" * 32).decode(),
            "INBOX_SIGNING_KEY": "signing-key-for-tests-" + "0" * 20,
            "INBOX_RATE_LIMITS": "off",
            "INBOX_LOG_LEVEL": "WARNING",
        }
    )
    apply(chosen)
    bootstrap.configure(chosen, application="inbox-test")
    judging.read_tenant_tables(chosen.database_url)
    return chosen


@pytest.fixture(scope="session")
def database_reset(settings: Settings) -> DatabaseReset:
    """Cleans the database and the Redis of this test process."""
    return DatabaseReset(settings.redis_url)


@pytest.fixture
def ground(settings: Settings, database_reset: DatabaseReset) -> Iterator[peewee.Database]:
    """A clean database with an open connection for this thread, and an empty Redis."""
    bootstrap.configure(settings, application="inbox-test")
    set_worker_queues(())
    with database_reset.clean():
        yield db


@pytest.fixture(scope="module")
def web_of_file(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """A web process for all tests of a file."""
    with Web.start(settings, tmp_path_factory.mktemp("web"), workers=1) as web:
        yield web


@pytest.fixture
def shutdown(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Asks the process to end, as its signal handler does. The process of the tests continues after the test."""
    monkeypatch.setattr(queue, "_is_shutting_down", False)
    return queue.request_shutdown


@pytest.fixture
def cast(ground: peewee.Database) -> Cast:
    """Olga owns, Adam administers, Mia is a member, Vic views; Eve owns another workspace (house 5)."""
    return Cast.assemble()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A receiver of webhooks that answers 200 until the test says otherwise."""
    with Receiver() as receiver:
        yield receiver


@pytest.fixture
def destination(cast: Cast, receiver: Receiver) -> Destination:
    """A webhook destination of the workspace of the cast, whose calls go to `receiver`."""
    return make_destination(cast.workspace, receiver)


@pytest.fixture(scope="session")
def worker_id(request: pytest.FixtureRequest) -> str:
    """This test process's name: `gw0` and so on, or `main`."""
    return str(getattr(request.config, "workerinput", {}).get("workerid", "main"))


@pytest.fixture(scope="session")
def root() -> Path:
    """The project's folder."""
    return Path(__file__).parent.parent


@pytest.fixture(scope="session")
def app(settings: Settings) -> Flask:
    """The web app of this test process."""
    from app import create_app

    return create_app(settings)


@pytest.fixture
def anonymous(app: Flask, ground: peewee.Database, settings: Settings) -> Browser:
    """A browser on the dashboard's own address in which nobody is signed in."""
    return Browser(app, settings.base_url)


@pytest.fixture
def browser(app: Flask, cast: Cast, settings: Settings) -> Callable[[str], Browser]:
    """`browser("mia")` is a browser in which that member of the cast is signed in."""
    return lambda name: Browser(app, settings.base_url, cookie=cast.cookie(name))
