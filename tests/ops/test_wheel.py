"""The wheel runs the whole service in a separate environment with an empty home directory."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from inbox import __version__
from tests.docs.operators_service import ADMINISTRATOR, Service
from tests.ops.processes import PROJECT, until
from tests.runner.ports import free_port
from tests.stand_ins.receivers import SECRET, Receiver

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("up")]

DEVELOPMENT = {
    f"ops/{name}"
    for name in (
        "check.py",
        "destination_pages.py",
        "endpoints.py",
        "env.sh",
        "pythons.sh",
        "repeat.py",
        "run_tests.py",
        "setup.py",
        "states.py",
    )
}
"""What only a checkout uses."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(directory)]
    subprocess.run(command, cwd=PROJECT, check=True, capture_output=True, timeout=300)
    [built] = directory.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a fresh environment with the wheel. The dependencies are those of the tests' environment."""
    environment = tmp_path_factory.mktemp("installed") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True, timeout=300)
    python = environment / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index", "--no-compile"]
    subprocess.run([*pip, str(wheel)], check=True, capture_output=True, timeout=300)
    [packages] = environment.glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return environment / "bin"


@pytest.fixture
def shell(tmp_path: Path) -> dict[str, str]:
    """The environment variables of somebody with an empty home, who works in a directory with misleading modules."""
    (tmp_path / "home").mkdir()
    (tmp_path / "work" / "inbox").mkdir(parents=True)
    (tmp_path / "work" / "inbox" / "__init__.py").write_text("raise SystemExit('the wrong inbox')")
    return {
        "HOME": str(tmp_path / "home"),
        "PATH": os.defpath,
        **ADMINISTRATOR,
    }


def ask(installed: Path, shell: dict[str, str], tmp_path: Path, *words: str) -> str:
    done = subprocess.run(
        [installed / "inbox", *words],
        cwd=tmp_path / "work", env=shell, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def address(installed: Path, shell: dict[str, str], tmp_path: Path) -> Iterator[str]:
    """The address of a running `inbox up`, which ends by a signal with exit code 0."""
    port, log = free_port(), tmp_path / "up.log"
    with log.open("wb") as output:
        up = subprocess.Popen(
            [installed / "incident-inbox", "up", "--port", str(port), "--workers", "1", "--web", "1"],
            cwd=tmp_path / "work", env=shell, stdout=output, stderr=output, start_new_session=True,
        )  # fmt: skip
    try:
        until(lambda: "Incident Inbox is at" in log.read_text() or up.poll() is not None, "it is up", 180)
        assert up.poll() is None, log.read_text()
        yield f"http://127.0.0.1:{port}"
        up.send_signal(signal.SIGTERM)
        assert up.wait(90) == 0, log.read_text()
    finally:
        if up.poll() is None:
            os.killpg(up.pid, signal.SIGKILL)
            up.wait()


def read(url: str) -> dict[str, Any]:
    answer = requests.get(url, timeout=30)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def test_the_wheel_has_every_file_of_the_product_and_nothing_of_development(wheel: Path) -> None:
    names = ["app.py", "wsgi.py", "gunicorn.conf.py"]
    for room in ("agent", "cli", "inbox", "jobs", "migrations", "ops", "docs/destinations", "docs/users"):
        files = [path for path in (PROJECT / room).rglob("*") if path.is_file() and path.suffix != ".pyc"]
        names += [str(path.relative_to(PROJECT)) for path in files]

    packed = [
        name for name in zipfile.ZipFile(wheel).namelist() if not re.match(r"web/dist/|[\w.-]+\.dist-info/", name)
    ]

    assert sorted(packed) == sorted(
        name
        for name in set(names) - DEVELOPMENT
        if not name.startswith(("ops/chapters/", "ops/matrix/", "ops/release/", "ops/screenshots/"))
    )


def test_the_installed_command_names_the_one_version_and_lists_the_programs(
    installed: Path, shell: dict[str, str], tmp_path: Path
) -> None:
    assert ask(installed, shell, tmp_path, "--version") == f"Incident Inbox {__version__}\n"

    shown = ask(installed, shell, tmp_path, "--help")

    assert "usage: inbox " in shown
    assert {"up", "web", "worker", "scheduler", "mail-in", "migrate", "doctor"} <= set(
        re.findall(r"^    ([\w-]+)(?: |$)", shown, re.MULTILINE)
    )
    assert "usage: inbox up " in ask(installed, shell, tmp_path, "up", "--help")


def test_the_wheel_requires_the_locked_dependencies_and_nothing_else(wheel: Path) -> None:
    named = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["dependencies"]
    locked = set(re.findall(r"^[\w.-]+==[^\s;]+", (PROJECT / "requirements.txt").read_text(), re.MULTILINE))
    with zipfile.ZipFile(wheel) as packed:
        [about] = [name for name in packed.namelist() if name.endswith(".dist-info/METADATA")]
        required = re.findall(r"^Requires-Dist: (.+)$", packed.read(about).decode(), re.MULTILINE)

    assert sorted(required) == sorted(named)
    assert set(required) - locked == set()


def test_an_installed_inbox_starts_everything_and_sends_a_webhook(
    installed: Path, shell: dict[str, str], tmp_path: Path, address: str
) -> None:
    key = json.loads(ask(installed, shell, tmp_path, "source", "create", "Backups", "--json"))[0]["key"]
    service = Service(address, tmp_path / "up.log")
    workspace = service.sign_in()

    with Receiver() as receiver:
        destination = {"workspaceId": workspace, "name": "Receiver", "kind": "webhook"}
        destination["config"] = {"url": receiver.url, "secret": SECRET}
        made = service.call("POST", "/v1/destinations", destination)
        service.call("PUT", f"/v1/workspaces/{workspace}/default-route", {"destinationIds": [made["id"]]})
        service.send(key, "Backup failed")
        notice = receiver.wait_for(1)[0].verified()

    assert notice["data"]["title"] == "Backup failed"
    assert read(f"{address}/v1/info")["version"] == __version__
    assert requests.get(f"{address}/docs/destinations/slack", timeout=30).status_code == 200
    assert read(f"{address}/v1/openapi.json")["info"]["version"] == __version__
    assert (tmp_path / "home" / ".local" / "share" / "incident-inbox" / "keys").is_file()
