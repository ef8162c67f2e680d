"""Commands for containers: a container engine runs them where there is one. A stand-in checks and executes them everywhere."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.database.clusters import Cluster
from tests.docs.compose_commands import PROJECT, Refused, commands_in, read
from tests.docs.operators_pages import EXAMPLES, Shell, block
from tests.house.documents import DOCUMENTS

CONTAINERFILE = EXAMPLES / "Containerfile"
ENV = """POSTGRES_PASSWORD=secret
INBOX_SECRET_KEYS=k1:MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=
INBOX_SIGNING_KEY=ssssssssssssssssssssssssssssssss
INBOX_BASE_URL=http://127.0.0.1:8080
"""

TOP = {"name", "services", "volumes"}
SERVICE = {
    *(
        "build",
        "cap_drop",
        "command",
        "depends_on",
        "env_file",
        "environment",
        "healthcheck",
        "image",
        "ports",
        "profiles",
    ),
    *("read_only", "restart", "security_opt", "shm_size", "stop_grace_period", "tmpfs", "volumes"),
}
CONDITIONS = {"service_started", "service_healthy", "service_completed_successfully"}
INSTRUCTIONS = {"ARG", "FROM", "RUN", "WORKDIR", "COPY", "USER", "ENV", "EXPOSE", "STOPSIGNAL", "HEALTHCHECK", "CMD"}
"""The keys of the Compose specification and the instructions of a Containerfile that the examples use."""


def has_engine() -> bool:
    """Whether `docker compose` is installed and its engine answers."""
    if shutil.which("docker") is None:
        return False
    return all(
        subprocess.run(["docker", *words], capture_output=True, timeout=30, check=False).returncode == 0
        for words in (["compose", "version"], ["info"])
    )


def compose() -> dict[str, Any]:
    return dict(yaml.safe_load((EXAMPLES / "compose.yaml").read_text()))


def commands() -> Iterator[tuple[str, list[str]]]:
    """The commands of docker in all documents, in blocks and within sentences."""
    for path in DOCUMENTS:
        text = path.read_text().replace("\\\n", " ")
        for line in re.findall(r"^[^`\n]*\bdocker compose\b.*$", text, re.MULTILINE):
            yield from ((path.name, words) for words in commands_in(line.strip()))
        for code in re.findall(r"`(docker compose [^`]+)`", text):
            yield from ((path.name, words) for words in commands_in(code))


def directives(text: str) -> list[list[str]]:
    """The instructions of a Containerfile, each with its text."""
    joined = re.sub(r"\\\n\s*", " ", text)
    return [line.split(None, 1) for line in joined.splitlines() if line and not line.startswith("#")]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A directory that stands for /opt/incident-inbox, with a file `.env` beside the examples."""
    shutil.copytree(EXAMPLES, tmp_path / "checkout" / "docs" / "operators" / "examples")
    (tmp_path / "checkout" / "docs" / "operators" / "examples" / ".env").write_text(ENV)
    return tmp_path / "checkout"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """The commands that the stand-in was given."""
    return tmp_path / "notes"


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    found = Cluster()
    found.initialize()
    found.start()
    found.create_database()
    yield found
    found.remove()


@pytest.fixture
def shell(tmp_path: Path, checkout: Path, notes: Path) -> Shell:
    """A shell whose program `docker` is the stand-in."""
    program = tmp_path / "programs" / "docker"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nPYTHONPATH={PROJECT} exec {sys.executable} -m tests.docs.compose_commands "$@"\n')
    program.chmod(0o755)
    place = {
        "/opt/incident-inbox": str(checkout),
        "/var/backups/incident-inbox": str(tmp_path / "backups"),
        "docker compose": f"{program} compose",
    }
    return Shell(place, {"COMPOSE_NOTES": str(notes)})


def test_every_command_in_a_document_is_one_of_compose_with_its_file() -> None:
    found = list(commands())

    assert len(found) >= 6
    assert {read(words).subcommand for _, words in found} >= {"up", "exec", "logs"}


@pytest.mark.parametrize(
    "words",
    [
        "run web",
        "compose --detach up",
        "compose up --detatch",
        "compose -f docs/compose.yaml up",
        "compose exec wbe bin/inbox doctor",
        "compose exec web bin/inbocks doctor",
        "compose exec postgres mysqldump",
        "compose exec web",
        "compose --profile mial stop",
        "compose start",
    ],
)
def test_a_command_with_a_mistake_is_noticed(words: str) -> None:
    with pytest.raises(Refused):
        read(words.split())


def test_the_blocks_start_back_up_and_restore_the_containers(
    shell: Shell, checkout: Path, notes: Path, cluster: Cluster
) -> None:
    shell = Shell(shell.place, {**shell.environment, "PGHOST": "127.0.0.1", "PGPORT": str(cluster.port)})
    cluster.execute("CREATE TABLE kept (id integer)")

    shell.run(block("install.md", "Build and start"), at=checkout)
    shell.run(block("backup-and-restore.md", "Back up the containers"), at=checkout)
    cluster.execute("DROP TABLE kept")
    [made] = Path(shell.place["/var/backups/incident-inbox"]).iterdir()
    made.rename(made.with_name("2026-11-22"))
    shell.run(block("backup-and-restore.md", "Restore the containers"), at=checkout)

    assert cluster.execute("SELECT count(*) FROM kept") == [(0,)]
    assert (made.with_name("2026-11-22") / "env").read_text() == ENV
    subcommands = [re.sub(r"-f \S+ ", "", line).split()[0] for line in notes.read_text().splitlines()]
    assert subcommands == ["up", "exec", "exec", "--profile", "up", "exec", "exec", "up"]


def test_the_file_of_compose_has_keys_and_values_that_exist() -> None:
    found = compose()
    services = found["services"]

    assert {name for name in found if not name.startswith("x-")} == TOP
    assert {key for each in services.values() for key in each} <= SERVICE
    for name, each in services.items():
        needed = each.get("depends_on", {})
        assert needed.keys() <= services.keys(), name
        assert {condition for one in needed.values() for condition in one.values()} <= CONDITIONS
        assert [
            one
            for one in needed
            if needed[one]["condition"] == "service_healthy" and "healthcheck" not in services[one]
        ] == []
        assert {volume.partition(":")[0] for volume in each.get("volumes", ())} <= found["volumes"].keys()
        assert all(re.fullmatch(r"([\d.]+:)?\d+:\d+", str(port)) for port in each.get("ports", ()))
        times = [
            each.get("stop_grace_period", "1s"),
            *(each.get("healthcheck", {}).get(key, "1s") for key in ("interval", "timeout")),
        ]
        assert all(re.fullmatch(r"\d+[sm]", time) for time in times)
        assert each["restart"] in ("no", "always", "on-failure", "unless-stopped")


def test_the_containerfile_has_instructions_and_stages_that_exist() -> None:
    found = directives(CONTAINERFILE.read_text())
    stages = [text.partition(" AS ")[2] for name, text in found if name == "FROM"]

    assert {name for name, _ in found} <= INSTRUCTIONS
    assert found[0] == ["ARG", "PYTHON_IMAGE=python:3.12-slim"]
    assert {text.split()[0] for name, text in found if name == "FROM"} == {"${PYTHON_IMAGE}", "product"}
    assert set(re.findall(r"--from=(\S+)", CONTAINERFILE.read_text())) <= set(stages)
    # A number: Kubernetes cannot tell whether a name is the one of root.
    assert [text for name, text in found if name == "USER"] == ["10001"]
    for name, text in found:
        if name == "RUN":
            subprocess.run(["sh", "-n", "-c", text], check=True)


def test_the_image_has_every_part_of_the_product() -> None:
    copied = {
        source
        for name, text in directives(CONTAINERFILE.read_text())
        if name == "COPY" and not text.startswith("--from")
        for source in text.split()[:-1]
    }
    packed = tomllib.loads((PROJECT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]

    assert set(packed["only-include"]) - copied == {"web/dist"}


def test_every_container_but_the_migration_has_a_health_check_that_asks_a_port() -> None:
    [check] = [text for name, text in directives(CONTAINERFILE.read_text()) if name == "HEALTHCHECK"]
    ours = {name: each for name, each in compose()["services"].items() if each["image"] == "incident-inbox"}

    assert json.loads(check.partition("CMD ")[2]) == [".venv/bin/python", "-m", "ops.healthy"]
    assert {name for name, each in ours.items() if each.get("healthcheck") == {"disable": True}} == {"migrate"}
    ports = {
        name: each["environment"].get("INBOX_METRICS_PORT", "") for name, each in ours.items() if name != "migrate"
    }
    assert {name for name, port in ports.items() if not port} == {"web"}


@pytest.mark.slow
def test_a_container_engine_accepts_both_files(checkout: Path) -> None:
    if not has_engine():
        pytest.skip("no container engine with docker compose answers")
    file = checkout / "docs" / "operators" / "examples" / "compose.yaml"
    for words in (["compose", "-f", file, "config", "--quiet"], ["build", "--check", "--file", CONTAINERFILE, PROJECT]):
        done = subprocess.run(["docker", *map(str, words)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_a_container_engine_runs_the_blocks(tmp_path: Path) -> None:
    if not has_engine():
        pytest.skip("no container engine with docker compose answers")
    checkout = tmp_path / "checkout"
    ignored = shutil.ignore_patterns(".git", ".venv", "node_modules", "var")
    shutil.copytree(PROJECT, checkout, ignore=ignored)
    (checkout / "docs" / "operators" / "examples" / ".env").write_text(ENV)
    place = {"/opt/incident-inbox": str(checkout), "/var/backups/incident-inbox": str(tmp_path / "backups")}
    shell = Shell(place, {"COMPOSE_PROJECT_NAME": f"inbox-test-{tmp_path.name}"})
    file = str(checkout / "docs" / "operators" / "examples" / "compose.yaml")
    subprocess.run(["docker", "compose", "-f", file, "build"], check=True)  # longer than a block may take
    try:
        assert "/setup" in shell.run(block("install.md", "Build and start"), at=checkout)
        shell.run(block("backup-and-restore.md", "Back up the containers"), at=checkout)
        [made] = (tmp_path / "backups").iterdir()
        made.rename(made.with_name("2026-11-22"))
        shell.run(block("backup-and-restore.md", "Restore the containers"), at=checkout)
    finally:
        name = shell.environment["COMPOSE_PROJECT_NAME"]
        subprocess.run(["docker", "compose", "-f", file, "-p", name, "down", "--volumes"], check=False)
