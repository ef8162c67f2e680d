"""Notices of `bin/up` at its start: addresses, unknown settings, the account of the servers."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

import psycopg2
import pytest

from inbox.config.settings import Settings
from inbox.domain.values.addresses import Deny
from ops.datadir import DataDir
from ops.embedded import NOBODY, Servers
from ops.listening import reached_at
from tests.ops.processes import until
from tests.ops.test_up import Start, data_dir, healthy, pids, port, up

__all__ = ["data_dir", "port", "up"]
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("up")]
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root has to become somebody else")

ELSEWHERE = "Other machines reach it at this address."


def stated(lines: str, beginning: str) -> list[str]:
    """The lines that go on like this behind their time."""
    return [line.partition(beginning)[2] for line in lines.splitlines() if beginning in line]


def test_listening_on_every_interface_without_a_base_url_names_the_address_of_the_network(
    up: Start, port: int, data_dir: Path
) -> None:
    reported = up(
        "--host", "0.0.0.0", INBOX_BASE_ULR="https://canary.example.org", INBOX_DESTINATION_DENY="10.0.0.0/8",
        INBOX_OUTBOUND_PROXY="http://user:canary@127.0.0.1:3128",
    )  # fmt: skip
    pids(reported)
    until(lambda: healthy(port), "it is ready")
    reported.waits_for(ELSEWHERE)

    address = stated(reported.stated, "Incident Inbox is at ")[0].partition(" ")[0]
    assert address == f"http://{reached_at('0.0.0.0')}:{port}" and f"{address}/setup#token=" in reported.stated
    [advice] = stated(reported.stated, ELSEWHERE)
    assert advice == (
        " To use a name or https, set INBOX_BASE_URL to that address: links, cookies and the cross-site check use it."
    )
    assert stated(reported.stated, "INBOX_BASE_ULR is") == [" no setting and is ignored; did you mean INBOX_BASE_URL?"]
    assert "canary" not in reported.stated + "".join(log.read_text() for log in (data_dir / "logs").iterdir())
    joined = Settings.from_env(DataDir(data_dir).join({}))
    assert (joined.host, joined.destination_deny) == ("0.0.0.0", Deny.parse("10.0.0.0/8"))
    assert joined.outbound_proxy is not None and "canary" not in repr(joined.outbound_proxy)


@pytest.mark.parametrize(
    ("host", "given"), [("0.0.0.0", {"INBOX_BASE_URL": "https://inbox.example.org"}), ("127.0.0.1", {})]
)
def test_a_base_url_or_a_loopback_host_is_accepted_without_a_notice(
    host: str, given: dict[str, str], up: Start, port: int
) -> None:
    reported = up("--host", host, **given)
    reported.waits_for("#token=")  # the last line of a start

    address = given.get("INBOX_BASE_URL", f"http://127.0.0.1:{port}")
    assert stated(reported.stated, "Incident Inbox is at ")[0].startswith(f"{address} ")
    assert ELSEWHERE not in reported.stated and "is ignored" not in reported.stated


@as_root
def test_servers_running_as_nobody_are_reported_with_instructions(up: Start, data_dir: Path) -> None:
    owned_by(data_dir, "nobody")

    reported = up(INBOX_EDITION="borrowed")  # refused when the servers run
    assert reported.process.wait(120) == 1

    assert stated(reported.stated, NOBODY) == [""]
    assert (data_dir / "postgres" / "PG_VERSION").stat().st_uid == pwd.getpwnam("nobody").pw_uid
    assert NOBODY in (data_dir / "logs" / "up.log").read_text()


@as_root
def test_servers_with_a_separate_account_cause_no_notice(data_dir: Path) -> None:
    owned_by(data_dir, "daemon")

    with Servers.start(data_dir, redis=False, durable=False) as servers:
        psycopg2.connect(servers.database_url).close()
        assert servers.notes == []


def owned_by(data_dir: Path, name: str) -> None:
    """The database's directory, which keeps its owner."""
    account = pwd.getpwnam(name)
    (data_dir / "postgres").mkdir(mode=0o700)
    os.chown(data_dir / "postgres", account.pw_uid, account.pw_gid)
