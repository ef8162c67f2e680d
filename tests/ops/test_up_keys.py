"""The keys of an existing database are never replaced without a request."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from tests.ops.processes import Reported, until
from tests.ops.test_up import Start, data_dir, healthy, pids, port, up

__all__ = ["data_dir", "port", "up"]
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("up")]

ADMIN = {"INBOX_ADMIN_EMAIL": "olga@example.org", "INBOX_ADMIN_PASSWORD": "a passphrase of the environment"}


@pytest.fixture
def used(up: Start, data_dir: Path, tmp_path: Path) -> Iterator[Path]:
    """A data directory that a run has left; the key file is kept at the path that is answered."""
    reported = up(**ADMIN)
    pids(reported)
    stop(reported)
    retained = tmp_path / "kept"
    shutil.copy2(data_dir / "keys", retained)
    yield retained


def stop(reported: Reported) -> None:
    reported.process.terminate()
    assert reported.process.wait(120) == 0


def test_a_database_is_not_started_without_its_key_file(used: Path, up: Start, data_dir: Path, port: int) -> None:
    (data_dir / "keys").unlink()
    refused = up()

    assert refused.process.wait(90) == 1
    assert f"the file {data_dir / 'keys'} is missing" in refused.stated and "--new-keys" in refused.stated
    assert "postgres runs" not in refused.stated and not (data_dir / "keys").exists()

    shutil.copy2(used, data_dir / "keys")
    up()
    until(lambda: healthy(port), "it is ready")


def test_keys_of_another_database_are_refused_and_new_ones_are_taken_when_asked_for(
    used: Path, up: Start, data_dir: Path, port: int
) -> None:
    (data_dir / "keys").write_text("INBOX_SECRET_KEYS=k1:" + "A" * 43 + "=\nINBOX_SIGNING_KEY=" + "s" * 40 + "\n")
    refused = up()
    assert refused.process.wait(90) == 1
    assert "the keys do not open the secrets in the database" in refused.stated and "Traceback" not in refused.stated

    (data_dir / "keys").unlink()
    afresh = up("--new-keys")
    until(lambda: healthy(port), "it is ready")
    body = {"email": ADMIN["INBOX_ADMIN_EMAIL"], "password": ADMIN["INBOX_ADMIN_PASSWORD"]}
    assert requests.post(f"http://127.0.0.1:{port}/v1/auth/login", json=body, timeout=60).status_code == 200
    stop(afresh)

    repeated = up()
    until(lambda: healthy(port), "it is ready without --new-keys, too")
    assert "migration" not in repeated.stated


def test_keys_of_the_environment_need_no_file(up: Start, data_dir: Path, port: int) -> None:
    up(INBOX_SECRET_KEYS="k1:" + "B" * 43 + "=", INBOX_SIGNING_KEY="s" * 40)
    until(lambda: healthy(port), "it is ready")

    assert not (data_dir / "keys").exists()
