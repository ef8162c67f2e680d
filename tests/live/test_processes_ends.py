"""The life of a stream: two real web workers, real PostgreSQL and Redis."""

from __future__ import annotations

import signal
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from inbox.config.settings import Settings
from inbox.database.base import db, new_id
from inbox.flow.unit_of_work import work
from inbox.models.workspaces.tables import Workspace
from ops.embedded import Servers
from tests.cast import Cast
from tests.closing import closed
from tests.live.processes_steps import (
    change,
)
from tests.live.web import SECONDS, Follower, Web, follow_as, until

pytestmark = pytest.mark.slow


def test_an_open_stream_holds_no_database_connection(web: Web, audience: Cast):
    with ExitStack() as stack:
        for name in ("olga", "adam", "mia", "vic"):
            for _ in range(5):
                stack.enter_context(follow_as(web, audience, name))
        count = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'inbox-web' AND datname = current_database()"

        assert db.execute_sql(count).fetchone()[0] < 10


def test_the_eleventh_stream_of_a_person_in_a_process_is_refused(web: Web, audience: Cast):
    cookie = audience.cookie("mia")
    with ExitStack() as stack:
        followers = [stack.enter_context(web.follow(cookie)) for _ in range(21)]  # two processes, ten in each

        refused = [follower for follower in followers if follower.status != 200]
        assert refused
        assert {follower.status for follower in refused} == {429}
        assert refused[0].response.headers["Retry-After"]


def test_a_client_that_hangs_up_makes_room_at_once(web: Web, audience: Cast):
    cookie = audience.cookie("mia")

    def all_in() -> bool:
        with ExitStack() as stack:
            return all(stack.enter_context(web.follow(cookie)).status == 200 for _ in range(10))

    for _ in range(3):  # ten in one process at most: who does not leave is in the way of the next
        until(all_in)


def test_a_client_that_does_not_read_is_disconnected_and_others_are_not(web: Web, audience: Cast):
    with follow_as(web, audience, "adam") as adam, unreachable_client(web, audience):

        def fell_behind() -> bool:
            report_much(audience.workspace)
            return "fell behind" in web.log.read_text()

        until(fell_behind, every=0.25)
        assert not adam.ended.is_set()
        last = change(audience.workspace)
        until(lambda: adam.arrived(last))


@contextmanager
def unreachable_client(web: Web, audience: Cast) -> Iterator[None]:
    """Mia's stream, opened and then never read."""
    with ExitStack() as stack:

        def is_open() -> bool:
            unreachable = stack.enter_context(socket.socket())
            unreachable.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            unreachable.connect(("127.0.0.1", web.port))
            unreachable.settimeout(SECONDS)
            unreachable.sendall(request)
            return unreachable.recv(12, socket.MSG_PEEK) == b"HTTP/1.1 200"

        request = f"GET /v1/stream HTTP/1.1\r\nHost: x\r\nCookie: inbox_session_8080={audience.cookie('mia')}\r\n\r\n".encode()
        until(is_open, every=0.5)  # a process that has just started may answer 503, with the database busy
        yield


def report_much(workspace: Workspace) -> None:
    """As many changes as are published one by one in a window."""
    with work() as done:
        for _ in range(90):
            done.publish_change("incident", new_id(), workspace.id)


def test_changes_are_reported_without_redis_and_its_return_causes_a_resync(
    web: Web, audience: Cast, redis_server: Servers
):
    with follow_as(web, audience, "mia") as mia:
        redis_server.kill_redis()
        meanwhile = change(audience.workspace)
        until(lambda: mia.arrived(meanwhile))

        redis_server.start_redis()
        until(lambda: mia.resyncs == 2)
        afterwards = change(audience.workspace)
        until(lambda: mia.arrived(afterwards))
        assert not mia.ended.is_set()


def failed_polls(web: Web) -> int:
    """How often the processes said so: the log is that of all tests here."""
    return web.log.read_text().count("change feed poll failed")


def test_every_stream_gets_a_resync_after_a_database_outage(
    web: Web, audience: Cast, addresses: tuple[str, str], settings: Settings
):
    with follow_as(web, audience, "mia") as mia:
        earlier = failed_polls(web)
        with closed(addresses[0], settings, ends="inbox-web"):
            until(lambda: failed_polls(web) > earlier)
            assert mia.resyncs == 1

        until(lambda: mia.resyncs == 2)
        incident = change(audience.workspace)
        until(lambda: mia.arrived(incident))
        assert not mia.ended.is_set()


def test_sigterm_ends_the_streams_cleanly(live_settings: Settings, audience: Cast, tmp_path: Path):
    with Web.start(live_settings, tmp_path) as web, ExitStack() as stack:
        names = ["olga", "adam", "mia", "vic", "eve"] * 4
        followers: list[Follower] = [stack.enter_context(follow_as(web, audience, name)) for name in names]
        web.child.send(signal.SIGTERM)

        assert web.child.wait(SECONDS)
        assert web.child.returncode == 0
        for follower in followers:
            until(follower.ended.is_set)
            assert follower.cleanly


def test_a_client_that_does_not_read_does_not_hold_up_the_stop(live_settings: Settings, audience: Cast, tmp_path: Path):
    with Web.start(live_settings, tmp_path, workers=1) as web, unreachable_client(web, audience):
        for _ in range(12):  # more than the kernel takes for it, less than its mailbox
            report_much(audience.workspace)
            time.sleep(0.25)
        web.child.send(signal.SIGTERM)

        assert web.child.wait(SECONDS)
        assert web.child.returncode == 0
        assert '"level": "error"' not in web.log.read_text()
