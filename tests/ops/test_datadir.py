"""The data directory: keys that are made once, addresses to join, logs that do not grow for ever."""

from __future__ import annotations

from pathlib import Path

from inbox.settings import Settings
from ops.datadir import LARGEST_LOG, DataDir


def test_keys_are_made_once_and_are_what_the_settings_want(tmp_path: Path) -> None:
    data = DataDir(tmp_path)

    keys = data.keys()

    assert DataDir(tmp_path).keys() == keys
    assert (tmp_path / "keys").stat().st_mode & 0o777 == 0o600
    Settings.from_env({"DATABASE_URL": "postgresql://x/x", "REDIS_URL": "redis://x", **keys})


def test_another_command_joins_a_run_and_what_the_environment_says_wins(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    data.keys()
    data.announce({"DATABASE_URL": "postgresql://of-the-run", "REDIS_URL": "unix:///of-the-run"})

    joined = DataDir.of({"INBOX_DATA_DIR": str(tmp_path)}).join({"REDIS_URL": "redis://given"})

    assert joined["DATABASE_URL"] == "postgresql://of-the-run"
    assert joined["REDIS_URL"] == "redis://given"
    assert joined["INBOX_SIGNING_KEY"]
    data.withdraw()
    assert "DATABASE_URL" not in data.join({})


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
    kept = (data.logs / "web.log.1").read_bytes()
    assert len(kept) == LARGEST_LOG
    assert kept.endswith(b"\nnewest\n")
    assert not kept.startswith(b"old")
