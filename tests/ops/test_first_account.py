"""The first account without `bin/up`: by `bin/migrate`, `bin/web` and `bin/inbox setup-link`."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import peewee
import pytest
import requests

from inbox.config.settings import Settings
from inbox.models.instance.sealed import KeyCheck
from inbox.models.people.accounts import SetupLink, User
from inbox.services.instance import key_check
from inbox.services.people import sessions
from tests.cast import Cast, present
from tests.database.pgbouncer import environment_of
from tests.ops.processes import PROJECT, Reported, until
from tests.ops.test_web import answers
from tests.runner.ports import free_port

pytestmark = pytest.mark.slow

ADMIN = {"INBOX_ADMIN_EMAIL": "olga@example.org", "INBOX_ADMIN_PASSWORD": "a passphrase of the environment"}


@pytest.fixture
def environment(ground: peewee.Database, settings: Settings, tmp_path: Path) -> dict[str, str]:
    return {
        **environment_of(settings),
        "REDIS_URL": settings.redis_url,
        "INBOX_SECRET_KEYS": settings.secret_keys,
        "INBOX_SIGNING_KEY": settings.signing_key,
        "INBOX_DATA_DIR": str(tmp_path),
        "INBOX_WEB_WORKERS": "1",
        "PATH": os.environ["PATH"],
    }


def run(part: str, environment: Mapping[str, str], *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ops.run", part, *options],
        cwd=PROJECT, env=dict(environment), capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


def web(environment: Mapping[str, str], tmp_path: Path) -> tuple[Reported, int]:
    port = free_port()
    return Reported(["-m", "ops.run", "web"], tmp_path / "web.log", {**environment, "INBOX_PORT": str(port)}), port


def test_migrate_makes_the_administrator_of_the_environment(environment: dict[str, str]) -> None:
    done = run("migrate", environment | ADMIN)

    assert done.returncode == 0, done.stderr
    assert User.get().email == "olga@example.org" and User.get().is_instance_admin
    assert done.stdout == "no migration to apply\n"


def test_migrate_says_how_to_make_the_first_account_and_shows_no_link_where_it_may_be_logged(
    environment: dict[str, str],
) -> None:
    done = run("migrate", environment)

    assert "bin/inbox setup-link" in done.stdout and "#token=" not in done.stdout + done.stderr
    assert SetupLink.select().count() == 0


def test_a_misspelt_setting_is_reported_at_the_start(environment: dict[str, str]) -> None:
    done = run("migrate", environment | {"INBOX_BASE_ULR": "https://canary.example.org"})

    assert done.stderr == "INBOX_BASE_ULR is no setting and is ignored; did you mean INBOX_BASE_URL?\n"


def test_a_weak_password_of_the_environment_is_refused_by_name(environment: dict[str, str]) -> None:
    done = run("migrate", environment | ADMIN | {"INBOX_ADMIN_PASSWORD": "password123"})

    assert done.returncode == 2 and done.stderr.startswith("INBOX_ADMIN_PASSWORD: ")
    assert "password123" not in done.stdout + done.stderr


def test_the_web_processes_make_the_administrator_and_forget_the_password(
    environment: dict[str, str], tmp_path: Path
) -> None:
    reported, port = web(environment | ADMIN, tmp_path)
    try:
        until(lambda: answers(port), "it answers")
        body = {"email": ADMIN["INBOX_ADMIN_EMAIL"], "password": ADMIN["INBOX_ADMIN_PASSWORD"]}
        assert requests.post(f"http://127.0.0.1:{port}/v1/auth/login", json=body, timeout=60).status_code == 200
        assert ADMIN["INBOX_ADMIN_PASSWORD"] not in Path(f"/proc/{reported.process.pid}/environ").read_text()
    finally:
        reported.kill()


def test_the_web_processes_refuse_keys_of_another_database(environment: dict[str, str], tmp_path: Path) -> None:
    key_check.check(present())
    reported, _ = web(environment | {"INBOX_SECRET_KEYS": "k1:" + "B" * 43 + "="}, tmp_path)

    assert reported.process.wait(60) == 3
    assert "the keys do not open the secrets in the database" in reported.stated


def test_migrate_takes_new_keys_on_demand(environment: dict[str, str]) -> None:
    key_check.check(present())
    before = bytes(KeyCheck.get().sealed)
    other = environment | {"INBOX_SECRET_KEYS": "k9:" + "B" * 43 + "="}

    assert run("migrate", other).returncode == 3
    assert bytes(KeyCheck.get().sealed) == before
    assert run("migrate", other, "--new-keys").returncode == 0
    assert run("migrate", other).returncode == 0


def test_the_web_processes_start_while_the_database_is_away(environment: dict[str, str], tmp_path: Path) -> None:
    reported, port = web(environment | {"DATABASE_URL": "postgresql://nobody@127.0.0.1:1/nothing"}, tmp_path)
    try:
        until(lambda: answers(port), "it answers")
    finally:
        reported.kill()


def link(environment: Mapping[str, str], *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "cli", "setup-link", *options],
        cwd=PROJECT, env=dict(environment), capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


def test_a_new_setup_link_ends_the_previous_one(environment: dict[str, str]) -> None:
    first, second = (link(environment).stdout.strip() for _ in range(2))
    token = link(environment, "--token").stdout.strip()

    assert first != second and all(each.startswith("http://127.0.0.1:8080/setup#token=") for each in (first, second))
    assert len(token) >= 43 and [bytes(row.token_hash) for row in SetupLink.select()] == [sessions.digest(token)]


def test_no_setup_link_exists_once_an_account_exists(environment: dict[str, str], cast: Cast) -> None:
    done = link(environment)

    assert (done.returncode, done.stdout) == (1, "")
    assert "An account already exists: sign in at http://127.0.0.1:8080." in done.stderr
