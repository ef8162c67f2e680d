"""Every process refuses the old name of a setting and names the new one, before it opens a database."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from inbox.distribution import ROOT
from inbox.renamed_settings import RENAMED
from ops.run import PARTS
from tests.house.test_settings import GOOD
from tests.ops.test_up import Start, data_dir, port, up

__all__ = ["data_dir", "port", "up"]

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("up")]

FAULTS = [f"{old} is called {new} now" for old, new in RENAMED.items()]


@pytest.mark.parametrize("arguments", [*PARTS.values(), ["-m", "cli", "doctor"]], ids=" ".join)
def test_a_process_with_old_names_does_not_start_and_names_the_new_ones(arguments: list[str]) -> None:
    old = dict.fromkeys(RENAMED, "canary")
    done = subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, **GOOD, **old, "DATABASE_URL": "postgresql://inbox@127.0.0.1:1/inbox"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert done.returncode != 0
    assert [fault for fault in FAULTS if fault not in done.stderr] == []
    assert "canary" not in done.stderr and "Traceback" not in done.stderr


def test_bin_up_with_old_names_does_not_start_and_names_the_new_ones(up: Start) -> None:
    refused = up(**dict.fromkeys(RENAMED, "canary"))

    assert refused.process.wait(90) == 1
    assert [fault for fault in FAULTS if fault not in refused.stated] == []
    assert "canary" not in refused.stated and "Traceback" not in refused.stated
