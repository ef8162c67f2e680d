"""Backup and restore of a `bin/up`: the steps of the page, executed one after the other."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.docs.operators_machine import Machine
from tests.docs.operators_machine import machine as one_machine
from tests.docs.operators_pages import block
from tests.docs.operators_service import Service
from tests.faults.service_processes import until
from tests.runner.ports import free_port

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("up")]


@pytest.fixture
def mail_port() -> int:
    return free_port()


@pytest.fixture
def machine(mail_port: int) -> Iterator[Machine]:
    with one_machine({"INBOX_MAIL_IN_PORT": str(mail_port)}) as made:
        yield made


def listens(port: int) -> bool:
    with closing(socket.socket()) as client:
        client.settimeout(5)
        return client.connect_ex(("127.0.0.1", port)) == 0


def test_a_dump_of_a_running_service_restores_everything_up_to_the_backup(machine: Machine, mail_port: int) -> None:
    with machine.up() as service:
        key = service.source_key(service.sign_in())
        service.send(key, "Before the backup")
        service.has("Before the backup")
        until(lambda: listens(mail_port), "mails are received", 60)
        machine.shell.run(block("backup-and-restore.md", "Back up while it runs"))
        service.send(key, "After the backup")
        service.has("Before the backup", "After the backup")

    machine.shell.run(block("backup-and-restore.md", "Restore the dump", 1))
    with machine.up(recovery=True):
        machine.shell.run(block("backup-and-restore.md", "Restore the dump", 3))
        assert not listens(mail_port)
    with machine.up() as service:
        service.sign_in()
        service.has("Before the backup")
        service.send(key, "After the restore")
        service.has("Before the backup", "After the restore")
        machine.is_well(block("backup-and-restore.md", "Check the result"))


def test_a_copy_of_the_stopped_data_directory_restores_everything(machine: Machine) -> None:
    with machine.up() as service:
        key = service.source_key(service.sign_in())
        service.send(key, "Before the backup")
        service.has("Before the backup")

    machine.shell.run(block("backup-and-restore.md", "Copy the stopped data directory", 1))
    machine.shell.run(block("backup-and-restore.md", "Copy the stopped data directory", 2))

    with machine.up() as service:
        service.sign_in()
        service.has("Before the backup")
        machine.is_well(block("backup-and-restore.md", "Check the result"))


def test_the_service_replaces_lost_keys_only_on_request(machine: Machine) -> None:
    with machine.up() as service:
        key = service.source_key(service.sign_in())
    (machine.data / "keys").unlink()
    log = machine.directory / "refused.log"

    with machine.shell.started(block("install.md", "Start everything"), log) as refused:
        assert refused.wait(90) == 1
    assert "--new-keys" in log.read_text()

    with machine.shell.started(block("backup-and-restore.md", "Lost keys"), log):
        service = Service(machine.address, log)
        service.wait()
        service.sign_in()
        service.send(key, "With new keys")
        service.has("With new keys")
        with pytest.raises(AssertionError, match="key ring"):
            machine.shell.run(block("security.md", "Check for weak settings"))
