"""The alarm script of Debian's Netdata sends in the legacy push format (specification 19.2, 19.3)."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from inbox.models.senders.sources import Source
from tests.cast import make_key
from tests.senders.conftest import Instance
from tests.senders.programs import of_debian

pytestmark = pytest.mark.slow

CHANGES = (("WARNING", "CLEAR"), ("CRITICAL", "WARNING"), ("CLEAR", "CRITICAL"))


def notify(instance: Instance, token: str, folder: Path, status: str, before: str) -> subprocess.CompletedProcess[str]:
    """Run the script as Netdata does when an alarm changes its status."""
    script = of_debian("netdata-plugins-bash", "usr/lib/netdata/plugins.d/alarm-notify.sh")
    configuration = instance.snippet("legacy_push", "netdata", token)
    (folder / "health_alarm_notify.conf").write_text(f'{configuration}\nSEND_EMAIL="NO"\n')
    alarm = ("sysadmin", "db2", "1", "2", "3", "1764000000", "disk_space", "disk.data", "/data", status, before)
    values = ("91", "80", "here", "60", "60", "%", "space in use", "91%", "80%", "", "", "1", "0")
    environment = {**os.environ, "NETDATA_USER_CONFIG_DIR": str(folder), "NETDATA_STOCK_CONFIG_DIR": str(folder)}
    return subprocess.run(
        ["bash", script, *alarm, *values], env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def test_an_alarm_opens_one_incident_and_its_end_resolves_it(instance: Instance, tmp_path: Path) -> None:
    token = make_key(instance.cast.source, kind="alias_token")
    Source.update(recovery_preset="netdata", allow_query_token=True).execute()

    states = []
    for status, before in CHANGES:
        done = notify(instance, token, tmp_path, status, before)
        assert "sent gotify notification" in done.stderr, done.stderr
        states.append(list(instance.incidents().values()))

    assert states == [["open"], ["open"], ["resolved"]]
    assert [event["severity"] for event in instance.events()][:2] == ["WARNING", "CRITICAL"]
