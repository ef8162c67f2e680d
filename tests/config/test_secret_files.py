"""Secrets that files hold: `NAME_FILE` stands for the content of a file."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from inbox.config import secret_files
from inbox.config.settings import Settings, SettingsInvalid
from inbox.config.unknown import unknown_settings

PROJECT = Path(__file__).parent.parent.parent
SECRETS = {
    "DATABASE_URL": "postgresql://inbox:hidden@127.0.0.1/inbox",
    "REDIS_URL": "redis://:hidden@127.0.0.1",
    "INBOX_SECRET_KEYS": "k1:MTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTE=",
    "INBOX_SIGNING_KEY": "0" * 32,
}


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """Every required setting in a file, each with the end of line that editors add."""
    for name, value in SECRETS.items():
        (tmp_path / name).write_text(value + "\n")
    return {f"{name}_FILE": str(tmp_path / name) for name in SECRETS}


def refusal(environ: dict[str, str]) -> list[str]:
    with pytest.raises(SettingsInvalid) as refused:
        Settings.from_env(environ)
    return refused.value.faults


def test_settings_are_read_from_files(files: dict[str, str]) -> None:
    settings = Settings.from_env(files)

    assert [settings.database_url, settings.redis_url, settings.secret_keys, settings.signing_key] == list(
        SECRETS.values()
    )


def test_a_setting_and_its_file_are_refused_together(files: dict[str, str]) -> None:
    assert refusal(files | {"REDIS_URL": "redis://other"}) == ["REDIS_URL and REDIS_URL_FILE are both set"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "No such file or directory"),
        (b" \n", "it is empty"),
        (b"\xff", "it is not UTF-8"),
        (b"x" * (secret_files.MOST_BYTES + 1), "it has more than 64 KiB"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_without_its_content(
    files: dict[str, str], tmp_path: Path, content: bytes | None, reason: str
) -> None:
    path = tmp_path / "REDIS_URL"
    path.unlink()
    if content is not None:
        path.write_bytes(content)

    assert refusal(files) == [f"REDIS_URL_FILE names a file that cannot be used: {reason}"]


def test_the_largest_file_is_read(files: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "INBOX_SIGNING_KEY").write_bytes(b"x" * secret_files.MOST_BYTES)

    assert len(Settings.from_env(files).signing_key) == secret_files.MOST_BYTES


def test_a_process_gets_the_value_and_not_the_file(files: dict[str, str]) -> None:
    values, faults = secret_files.read(files | {"LANG": "C"})

    assert (values, faults) == (SECRETS | {"LANG": "C"}, [])


def test_the_variables_of_files_are_known_settings() -> None:
    known = {secret_files.variable_of(name): "x" for name in secret_files.SECRETS}

    assert unknown_settings(known) == []
    assert unknown_settings({"INBOX_NAME_FILE": "x"}) != []


@pytest.mark.parametrize("command", [["ops.up"], ["ops.run", "worker"]], ids=["up", "worker"])
def test_a_command_says_which_file_is_missing(command: list[str], tmp_path: Path) -> None:
    environ = os.environ | {"REDIS_URL_FILE": str(tmp_path / "absent"), "INBOX_DATA_DIR": str(tmp_path / "data")}
    environ.pop("REDIS_URL", None)
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=PROJECT,
        env=environ,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 1
    assert "REDIS_URL_FILE names a file that cannot be used" in done.stderr
