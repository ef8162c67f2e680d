"""The commands that the pages show beside a running service."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.docs.operators_machine import Machine, machine
from tests.docs.operators_pages import Shell, block
from tests.docs.operators_service import EMAIL, Service
from tests.runner.programs import needs_curl

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("up")]

TOKEN = "a-token-for-the-metrics-0123456789"


@dataclass(frozen=True)
class Running:
    """A machine with a service, and Olga's key of a source."""

    machine: Machine
    service: Service
    key: str

    def shell(self, **environment: str) -> Shell:
        """The shell of the operator, with further variables."""
        existing = self.machine.shell
        return replace(existing, environment={**existing.environment, **environment})


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    with machine({"INBOX_METRICS_TOKEN": TOKEN}) as made, made.up() as service:
        key = service.source_key(service.sign_in())
        service.send(key, "Backup of db-1 failed")
        service.has("Backup of db-1 failed")
        yield Running(made, service, key)


def test_the_commands_are_listed(running: Running) -> None:
    assert "doctor" in running.shell().run(block("commands.md", "List the commands"))


def test_a_file_is_planned_applied_and_exported(running: Running, tmp_path: Path) -> None:
    shell = replace(running.shell(), place={**running.machine.shell.place, "/srv/inbox": str(tmp_path)})
    shell.run(block("configuration-as-code.md", "Write a file"))
    planned = shell.run(block("configuration-as-code.md", "See the plan"))
    applied = shell.run(block("configuration-as-code.md", "Apply the file"))
    again = shell.run(block("configuration-as-code.md", "Apply the file"))
    shell.run(block("configuration-as-code.md", "Begin with an existing workspace"))

    assert "create   rules.databases “Databases”" in planned and "Nothing was stored." in planned
    assert "3 to create." in applied and "Nothing to change." in again
    whole = (tmp_path / "whole.yaml").read_text()
    assert "matchText: resource startsWith" in whole and "secret: ${PAGER_SECRET}" in whole


def test_a_healthy_service_passes_every_check(running: Running) -> None:
    for chosen in (
        block("monitoring.md", "Check from a shell"),
        block("troubleshooting.md", "Start here"),
        block("troubleshooting.md", "Events are accepted and nothing happens", 1),
    ):
        running.machine.is_well(chosen)
    findings = json.loads(running.shell().run(block("security.md", "Check for weak settings")))
    assert {finding["state"] for finding in findings} == {"ok"}
    assert "key ring" in {finding["what"] for finding in findings}


def test_quarantined_events_are_released(running: Running) -> None:
    assert running.shell().run(block("troubleshooting.md", "Events are accepted and nothing happens", 2))


def test_the_purge_counts_and_removes_nothing(running: Running) -> None:
    running.shell().run(block("troubleshooting.md", "See what the purge would remove"))

    assert running.service.titles() == ["Backup of db-1 failed"]


def test_an_administrator_is_created_and_gets_a_new_password(running: Running) -> None:
    email = "adam@example.org"
    printed = running.shell(EMAIL=email).run(block("troubleshooting.md", "Create an administrator, or a new password"))

    first, second = re.findall(r"\b(?:[0-9a-z]{5}-){4}[0-9a-z]{5}\b", printed)
    assert EMAIL in printed and first != second
    Service(running.machine.address, running.machine.data).call(
        "POST", "/v1/auth/login", {"email": email, "password": second}
    )


@needs_curl
def test_the_metrics_are_read_with_the_token(running: Running) -> None:
    shell = running.shell(HOST=running.machine.address, INBOX_METRICS_TOKEN=TOKEN)

    printed = shell.run(block("monitoring.md", "Read the metrics"))

    assert "inbox_postgres_up 1.0" in printed
    processes = re.findall(
        r'^process_(?:cpu_seconds_total|open_fds|resident_memory_bytes)\{process="', printed, re.MULTILINE
    )
    assert len(processes) >= 3


def test_the_encryption_key_is_changed() -> None:
    with machine() as made:
        with made.up() as service:
            service.source_key(service.sign_in())
        keys = made.data / "keys"
        old = re.search(r"INBOX_SECRET_KEYS=(.*)", keys.read_text())
        new = made.shell.run(block("security.md", "Generate a key")).strip()
        assert old is not None

        keys.write_text(keys.read_text().replace(old.group(1), f"{new},{old.group(1)}"))
        with made.up():
            assert (
                made.shell.run(block("security.md", "Change the encryption key"))
                .splitlines()[-1]
                .startswith("Complete")
            )

        keys.write_text(keys.read_text().replace(f",{old.group(1)}", ""))
        with made.up():
            made.is_well(block("security.md", "Check for weak settings"))
