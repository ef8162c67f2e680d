"""The example files for operators: units, containers, proxies, alert rules and the dashboard name only what exists."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import yaml

from inbox.config.settings import Settings, variable
from inbox.config.unknown import COMMAND_VARIABLES
from inbox.runtime.queue import QueueName
from inbox.services.instance import scrape
from ops.dashboard import MADE_HERE, WEB
from ops.run import PARTS
from tests.docs.operators_pages import EXAMPLES, block
from tests.faults.service_processes import PROJECT

UNITS = sorted((EXAMPLES / "systemd").glob("*.service"))
YAML = sorted([*EXAMPLES.rglob("*.yaml"), *EXAMPLES.rglob("*.yml")])
COMMANDS = {f"bin/{part}" for part in PARTS}
SETTINGS = {variable(field.name) for field in fields(Settings)} | COMMAND_VARIABLES


def values(unit: Path, name: str) -> list[str]:
    return re.findall(rf"^{name}=(.*)$", unit.read_text(), re.MULTILINE)


def command_of(unit: Path) -> list[str]:
    [line] = values(unit, "ExecStart")
    return line.removeprefix("/opt/incident-inbox/").split()


def compose() -> dict[str, Any]:
    return dict(yaml.safe_load((EXAMPLES / "compose.yaml").read_text()))


def is_command_of_a_part(command: list[str]) -> bool:
    """`bin/web` and the like; only a worker has arguments, which are queues."""
    program, *queues = command
    return program in COMMANDS and (not queues or program == "bin/worker") and set(queues) <= set(map(str, QueueName))


def test_the_units_run_every_part() -> None:
    commands = [command_of(unit) for unit in UNITS]

    assert [command for command in commands if not is_command_of_a_part(command)] == []
    assert {program for program, *_ in commands} == COMMANDS
    assert all(os.access(PROJECT / program, os.X_OK) for program, *_ in commands)


def test_the_target_starts_units_that_exist_and_the_units_belong_to_it() -> None:
    target = EXAMPLES / "systemd" / "incident-inbox.target"
    required = {name for line in values(target, "Wants") for name in line.split() if name.startswith("incident-inbox")}

    assert required <= {unit.name for unit in UNITS}
    assert [unit.name for unit in UNITS if values(unit, "PartOf") != [target.name]] == []


def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    for file in (EXAMPLES / "systemd").iterdir():
        (tmp_path / file.name).write_text(file.read_text().replace("/opt/incident-inbox", str(PROJECT)))

    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *sorted(tmp_path.iterdir())],
        capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("file", YAML, ids=lambda file: file.name)
def test_every_yaml_file_can_be_read(file: Path) -> None:
    assert isinstance(yaml.safe_load(file.read_text()), dict)


def test_compose_runs_every_part_with_settings_that_exist() -> None:
    parts = {name: part for name, part in compose()["services"].items() if name not in ("postgres", "redis")}

    assert {part["command"][0] for part in parts.values()} == COMMANDS
    assert [name for name, part in parts.items() if not is_command_of_a_part(part["command"])] == []
    assert {setting for part in parts.values() for setting in part["environment"]} <= SETTINGS
    assert all({"DATABASE_URL", "REDIS_URL"} <= part["environment"].keys() for part in parts.values())


def test_the_settings_of_compose_are_accepted() -> None:
    given = {"POSTGRES_PASSWORD": "pw", "INBOX_SECRET_KEYS": "k1:" + "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="}
    given |= {"INBOX_SIGNING_KEY": "s" * 32, "INBOX_BASE_URL": "https://inbox.example.org", "INBOX_METRICS_TOKEN": ""}
    given |= {"INBOX_MAIL_IN_PORT": "2525", "INBOX_TRUSTED_PROXIES": "1"}

    for name in ("web", "worker", "scheduler", "routing", "migrate", "mail-in"):
        environment = compose()["services"][name]["environment"]
        filled = {key: re.sub(r"\$\{(\w+)[^}]*\}", lambda m: given[m[1]], text) for key, text in environment.items()}
        chosen = Settings.from_env(filled)
        assert (chosen.base_url, chosen.can_receive_mail) == ("https://inbox.example.org", True)


def test_compose_builds_the_containerfile_beside_it() -> None:
    build = compose()["services"]["migrate"]["build"]
    context = (EXAMPLES / build["context"]).resolve()

    assert context == PROJECT
    assert (context / build["dockerfile"]) == EXAMPLES / "Containerfile"


def test_the_container_has_every_room_of_the_product() -> None:
    text = (EXAMPLES / "Containerfile").read_text()
    copied = {word for line in re.findall(r"^COPY (?!--)(.+) \S+$", text, re.MULTILINE) for word in line.split()}
    [listed] = re.findall(r"^files = \[(.*)\]$", (PROJECT / "pyproject.toml").read_text(), re.MULTILINE)

    assert [name for name in copied if not (PROJECT / name).exists()] == []
    assert (
        set(re.findall(r'"([^"]+)"', listed)) | {"bin", "migrations", "gunicorn.conf.py", "docs/destinations"} <= copied
    )
    assert {"INBOX_HOST", "INBOX_DATA_DIR"} <= set(re.findall(r"\b(INBOX_\w+)=", text)) <= SETTINGS
    assert 'CMD ["bin/web"]' in text


def test_the_files_of_the_container_are_enough_to_import_every_part(tmp_path: Path) -> None:
    text = (EXAMPLES / "Containerfile").read_text()
    for line in re.findall(r"^COPY (?!--)(.+) \S+$", text, re.MULTILINE):
        for name in set(line.split()) - {"web"}:
            copy = shutil.copytree if (PROJECT / name).is_dir() else shutil.copy
            copy(PROJECT / name, tmp_path / name)
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(tmp_path), "PYTHONSAFEPATH": "1"}

    done = subprocess.run(
        [sys.executable, "-c", "import app, jobs.scheduler, jobs.worker, cli.__main__, ops.first_run, ops.web; print(app)"],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert str(tmp_path / "app.py") in done.stdout, done.stderr


def test_the_container_has_the_built_dashboard_where_the_service_reads_it() -> None:
    text = (EXAMPLES / "Containerfile").read_text()
    *_, builder, image = text.split("\nFROM ")

    assert builder.startswith("product AS dashboard\n") and image.startswith("product\n")
    assert "RUN .venv/bin/python -m ops.dashboard build\n" in builder
    assert "COPY --from=dashboard /opt/incident-inbox/web/dist web/dist\n" in image
    assert WEB == PROJECT / "web"
    assert 'Path(__file__).parent / "web" / "dist"' in (PROJECT / "wsgi.py").read_text()


def test_files_that_a_checkout_makes_do_not_enter_the_container() -> None:
    ignored = (PROJECT / ".dockerignore").read_text().splitlines()

    assert {f"web/{name}" for name in MADE_HERE if name != "api"} | {"web/src/api", ".venv", ".git"} <= set(ignored)


@pytest.fixture
def samples(ground: object) -> set[str]:
    """The names of all samples that `/metrics` can show, and those of a process."""
    text = scrape.exposition().decode()
    kinds = dict(re.findall(r"^# TYPE (\w+) (\w+)$", text, re.MULTILINE))
    histograms = {name for name, kind in kinds.items() if kind == "histogram"}
    return set(kinds) | {f"{name}_{part}" for name in histograms for part in ("bucket", "sum", "count")}


def expressions() -> Iterator[str]:
    rules = yaml.safe_load((EXAMPLES / "prometheus" / "alerts.yml").read_text())
    yield from (rule["expr"] for group in rules["groups"] for rule in group["rules"])
    yield from dashboard_expressions()


def dashboard_expressions() -> Iterator[str]:
    dashboard = json.loads((EXAMPLES / "grafana" / "dashboard.json").read_text())
    for panel in dashboard["panels"]:
        yield from (target["expr"] for target in panel.get("targets", ()))


def test_alert_rules_and_the_dashboard_ask_for_metrics_that_exist(samples: set[str]) -> None:
    requested = {name for each in expressions() for name in re.findall(r"\b(?:inbox|process)_\w+", each)}
    requested -= {"process_cpu_seconds_total", "process_resident_memory_bytes", "process_open_fds"} - samples

    assert len(list(dashboard_expressions())) > 25
    assert requested - samples == set()


def test_the_labels_of_the_dashboard_are_in_the_table_of_metrics() -> None:
    table = (PROJECT / "docs" / "operators" / "monitoring.md").read_text()
    rows = dict(re.findall(r"^\| `(inbox_\w+)` \| \w+ \| ([^|]*)\|", table, re.MULTILINE))
    unknown = []
    for each in dashboard_expressions():
        for name, matchers in re.findall(r"\b(inbox_\w+)\{([^}]*)\}", each):
            labels = set(re.findall(r"(\w+)=", matchers)) - {"job"}
            row = rows[re.sub(r"_(bucket|sum|count)$", "", name)]
            unknown += [(name, label) for label in labels if f"`{label}`" not in row]

    assert unknown == []


def test_prometheus_accepts_its_files(tmp_path: Path) -> None:
    if shutil.which("promtool") is None:
        pytest.skip("promtool is not installed")
    done = subprocess.run(
        ["promtool", "check", "rules", str(EXAMPLES / "prometheus" / "alerts.yml")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout + done.stderr


def test_the_generated_keys_are_accepted() -> None:
    made = subprocess.run(
        ["bash", "-c", block("security.md", "Generate a key").text], capture_output=True, text=True, check=True
    ).stdout.strip()
    given = {"DATABASE_URL": "postgresql://a/b", "REDIS_URL": "redis://a", "INBOX_SIGNING_KEY": "s" * 32}

    assert Settings.from_env({**given, "INBOX_SECRET_KEYS": made}).secret_keys == made
