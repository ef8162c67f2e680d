"""A data directory from a backup, and directories that servers cannot use: corrected or reported."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ops import ownership, postgres_settings
from ops.embedded import NotStarted, Servers
from ops.sockets import give
from tests.ops.processes import PROJECT

pytestmark = pytest.mark.slow

UNKNOWN_UID = 54_321
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")


@pytest.fixture
def state() -> Iterator[Path]:
    """A directory whose path is short enough for sockets."""
    directory = Path(tempfile.mkdtemp(prefix="ops-"))
    directory.chmod(0o755)
    yield directory
    shutil.rmtree(directory, ignore_errors=True)


@pytest.fixture
def cluster(state: Path) -> Path:
    """The data of a database that was made here before."""
    with Servers.start(state, redis=False, durable=False):
        pass
    return state / "postgres"


def give_all(directory: Path, uid: int) -> None:
    for path in (directory, *directory.rglob("*")):
        os.chown(path, uid, uid, follow_symlinks=False)


@needs_root
@pytest.mark.parametrize("owner", [0, UNKNOWN_UID], ids=["root", "nobody we know"])
def test_restored_data_without_owners_is_assigned_to_the_servers(state: Path, cluster: Path, owner: int) -> None:
    give_all(cluster, owner)
    cluster.chmod(0o755)
    outside = state / "outside"
    outside.touch()
    (cluster / "link").symlink_to(outside)

    with Servers.start(state, redis=False, durable=False) as servers:
        (note,) = [note for note in servers.notes if str(cluster) in note]

    assert "belongs to user" in note and "again" in note
    assert cluster.stat().st_uid not in (0, UNKNOWN_UID)
    assert outside.stat().st_uid == 0, "a link was followed"


@needs_root
def test_a_link_in_place_of_a_directory_gives_nothing_away(tmp_path: Path) -> None:
    outside, link = tmp_path / "outside", tmp_path / "run"
    outside.mkdir()
    link.symlink_to(outside)

    give(link, pwd.getpwnam("nobody"))

    assert outside.stat().st_uid == 0


@needs_root
def test_servers_that_run_as_nobody_say_who_else_can_read_the_database(state: Path) -> None:
    data, nobody = state / "postgres", pwd.getpwnam("nobody")
    data.mkdir()
    os.chown(data, nobody.pw_uid, nobody.pw_gid)

    with Servers(state, durable=False) as servers:
        [note] = servers.notes

    assert "other programs of that user can read the database" in note and "useradd" in note


@needs_root
def test_a_data_directory_of_another_owner_is_refused_with_instructions(tmp_path: Path) -> None:
    os.chown(tmp_path, UNKNOWN_UID, UNKNOWN_UID)

    with pytest.raises(ownership.WrongOwner) as refused:
        ownership.restore(tmp_path, None)

    assert str(refused.value).startswith(
        f"{tmp_path} belongs to user number {UNKNOWN_UID}, and this process is user root"
    )
    assert f"chown -R 0 {tmp_path}" in str(refused.value)


@needs_root
def test_a_file_that_cannot_be_used_is_named_with_its_owner(tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    keys.touch()
    assert ownership.described(str(keys)) == ""

    os.chown(keys, UNKNOWN_UID, UNKNOWN_UID)

    assert (
        ownership.described(str(keys)) == f" (it belongs to user number {UNKNOWN_UID}, and this process is user root)"
    )
    assert ownership.described(str(tmp_path / "missing")) == ""


def test_the_cause_of_a_failed_database_start_is_its_first_fatal_line(state: Path, cluster: Path) -> None:
    (cluster / "global" / "pg_control").unlink()

    with pytest.raises(NotStarted, match=r"pg_control.*No such file or directory|could not find the database system"):
        Servers.start(state, redis=False, durable=False)


@needs_root
@pytest.mark.skipif(
    not all(path.stat().st_mode & 0o001 for path in (Path(sys.prefix).resolve(), *Path(sys.prefix).resolve().parents)),
    reason="the project is where other users cannot read it, such as below /root",
)
def test_a_user_id_without_a_name_gets_instructions(state: Path) -> None:
    os.chown(state, UNKNOWN_UID, UNKNOWN_UID)
    read, write = os.pipe()
    if (child := os.fork()) == 0:
        try:
            os.setgid(UNKNOWN_UID)
            os.setuid(UNKNOWN_UID)
            Servers.start(state, redis=False, durable=False)
        except NotStarted as refused:
            os.write(write, str(refused).encode())
        finally:
            os._exit(0)
    os.close(write)
    os.waitpid(child, 0)
    with os.fdopen(read) as stated:
        assert stated.read().startswith(f"user number {UNKNOWN_UID} has no entry in the password file")


SMALL_SHARED_MEMORY = """
import sys
from pathlib import Path
import psycopg2
from ops.embedded import Servers
with Servers.start(Path(sys.argv[1]), redis=False, durable=False) as servers:
    with psycopg2.connect(servers.database_url) as connection, connection.cursor() as cursor:
        cursor.execute("SHOW dynamic_shared_memory_type")
        print(cursor.fetchone()[0])
"""


@needs_root
def test_servers_start_where_there_is_next_to_no_shared_memory(state: Path) -> None:
    mount = "mount -t tmpfs -o size=64k tmpfs /dev/shm"
    if subprocess.run(["unshare", "-m", "sh", "-c", mount], capture_output=True, check=False).returncode != 0:
        pytest.skip("a file system cannot be mounted here")

    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", f'{mount} && exec "$@"', "sh", sys.executable, "-c", SMALL_SHARED_MEMORY, state],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stdout == "mmap\n", done.stderr[-2000:]


def test_usual_shared_memory_is_used_as_postgresql_does(tmp_path: Path) -> None:
    assert postgres_settings.shared_memory(tmp_path) == {}
    assert postgres_settings.shared_memory(Path("/nowhere")) == {"dynamic_shared_memory_type": "mmap"}
