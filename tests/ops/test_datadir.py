"""The data directory: keys that are created once, addresses to join, and log rotation."""

from __future__ import annotations

import re
import resource
import tracemalloc
from pathlib import Path

import pytest

import cli.__main__ as cli
from inbox.config.settings import Settings
from ops import run
from ops.datadir import KEYS, LARGEST_LOG, DataDir


def test_keys_are_generated_once_and_valid_for_the_settings(tmp_path: Path) -> None:
    data = DataDir(tmp_path)

    keys = data.keys()

    assert DataDir(tmp_path).keys() == keys
    assert (tmp_path / "keys").stat().st_mode & 0o777 == 0o600
    Settings.from_env({"DATABASE_URL": "postgresql://x/x", "REDIS_URL": "redis://x", **keys})


def test_a_second_command_joins_a_run_and_the_environment_takes_precedence(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    data.keys()
    data.announce({"DATABASE_URL": "postgresql://of-the-run", "REDIS_URL": "unix:///of-the-run"})

    joined = DataDir.of({"INBOX_DATA_DIR": str(tmp_path)}).join({"REDIS_URL": "redis://given"})

    assert joined["DATABASE_URL"] == "postgresql://of-the-run"
    assert joined["REDIS_URL"] == "redis://given"
    assert joined["INBOX_SIGNING_KEY"]
    data.withdraw()
    assert "DATABASE_URL" not in data.join({})


def test_an_empty_variable_does_not_override_the_run(tmp_path: Path) -> None:
    DataDir(tmp_path).announce({"DATABASE_URL": "postgresql://of-the-run"})

    joined = DataDir(tmp_path).join({"DATABASE_URL": "", "INBOX_NAME": ""})

    assert joined == {"DATABASE_URL": "postgresql://of-the-run", "INBOX_NAME": ""}


def test_a_process_that_joins_has_the_settings_of_the_run(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    providers = '[{"id": "acme",\n  "clientSecret": "\u2028x\\n"}]'
    settings = {
        "INBOX_SMTP_URL": "smtp://inbox:a%22b@mail.example.org",
        "INBOX_DESTINATION_DENY": "10.0.0.0/8",
        "INBOX_OUTBOUND_PROXY": "http://user:password@proxy.example.org:3128",
        "INBOX_OIDC_PROVIDERS": providers,
        "INBOX_NAME": '"Wacht" für\tf\udcfcr\r',
        "INBOX_LEGAL_LINKS": "Impressum=https://example.org/ü",
        "PGHOST": "db.example.org",
    }
    others = dict.fromkeys(("INBOX_ADMIN_EMAIL", "INBOX_ADMIN_PASSWORD", *KEYS, "INBOX_WORKERS", "HOME"), "x")

    data.announce(settings | others)

    assert data.join({}) == settings
    assert data.join({"INBOX_DESTINATION_DENY": "192.0.2.1"}) == settings | {"INBOX_DESTINATION_DENY": "192.0.2.1"}
    assert (tmp_path / "addresses").stat().st_mode & 0o777 == 0o600
    lines = (tmp_path / "addresses").read_text().splitlines()
    assert len(lines) == len(settings) and "INBOX_SMTP_URL=smtp://inbox:a%22b@mail.example.org" in lines


def test_values_of_a_run_of_an_older_version_are_read(tmp_path: Path) -> None:
    (tmp_path / "addresses").write_text('DATABASE_URL=postgresql://x?y="z"\nINBOX_NAME="Half\n')
    (tmp_path / "keys").write_text('INBOX_SIGNING_KEY="quoted"\n')

    assert DataDir(tmp_path).join({}) == {
        "DATABASE_URL": 'postgresql://x?y="z"', "INBOX_NAME": '"Half', "INBOX_SIGNING_KEY": '"quoted"',
    }  # fmt: skip


def test_a_file_that_cannot_be_read_is_reported_by_every_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "keys").mkdir()
    reason = f"{tmp_path / 'keys'} cannot be read: Is a directory"
    monkeypatch.setenv("INBOX_DATA_DIR", str(tmp_path))

    assert cli.main(["queues"], {"INBOX_DATA_DIR": str(tmp_path)}) == 1
    assert capsys.readouterr().err == f"{reason}\n"
    with pytest.raises(SystemExit, match=re.escape(reason)):
        run.main(["worker"])


def test_a_log_that_has_grown_large_is_cut_and_its_newest_part_kept(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    data.create()
    log = data.logs / "web.log"
    with log.open("ab") as writer:  # keeps it open, as a process does
        writer.write(b"old\n" + b"." * LARGEST_LOG + b"\nnewest\n")
        writer.flush()

        data.cut_logs()
        writer.write(b"after\n")

    assert log.read_bytes() == b"after\n"
    retained = (data.logs / "web.log.1").read_bytes()
    assert len(retained) == LARGEST_LOG
    assert retained.endswith(b"\nnewest\n")
    assert not retained.startswith(b"old")


def test_a_log_is_cut_without_being_read_into_memory(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    data.create()
    log = data.logs / "web.log"
    with log.open("wb") as writer:
        writer.truncate(40 * LARGEST_LOG)  # takes no space on the disk

    tracemalloc.start()
    data.cut_logs()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert most < LARGEST_LOG // 8
    assert (log.stat().st_size, (data.logs / "web.log.1").stat().st_size) == (0, LARGEST_LOG)


def test_a_log_that_cannot_be_cut_is_left_as_it_is(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    data.create()
    (data.logs / "web.log.1").mkdir()  # nothing can be written there
    for name in ("web.log", "worker-1.log"):
        (data.logs / name).write_bytes(b"." * (LARGEST_LOG + 1))

    data.cut_logs()

    assert (data.logs / "web.log").stat().st_size == LARGEST_LOG + 1
    assert (data.logs / "worker-1.log").stat().st_size == 0


def test_a_log_whose_copy_finds_no_space_is_left_as_it_is(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    data.create()
    log = data.logs / "web.log"
    log.write_bytes(b"." * (LARGEST_LOG + 1))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024 * 1024, before[1]))  # a larger file cannot be written
    try:
        data.cut_logs()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)

    assert log.stat().st_size == LARGEST_LOG + 1
    assert not log.with_suffix(".log.1").exists()
