"""Time zones work on a machine that has no data of them: ours comes with the requirements."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent.parent
PROGRAM = """
from datetime import datetime
from zoneinfo import TZPATH, ZoneInfo, available_timezones
assert TZPATH == (), TZPATH
assert len(available_timezones()) > 400
noon = datetime(2026, 7, 1, 12, tzinfo=ZoneInfo("Europe/Vienna"))
print(noon.astimezone(ZoneInfo("Asia/Kathmandu")).isoformat())
"""


def test_time_zones_are_known_on_a_machine_without_zone_data() -> None:
    alone = os.environ | {"PYTHONTZPATH": ""}
    answer = subprocess.run(
        [sys.executable, "-c", PROGRAM], check=False, env=alone, capture_output=True, text=True, timeout=60
    )

    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.strip() == "2026-07-01T15:45:00+05:45"


def test_time_zone_data_is_a_direct_requirement() -> None:
    required = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["dependencies"]

    assert any(each.startswith("tzdata==") for each in required)
