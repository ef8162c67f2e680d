"""Generated requests against the running service: no operation answers 5xx, or what its document does not describe.

`FUZZ_EXAMPLES` sets how many examples each operation gets; what it is by default is small enough for every day.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.rig import Rig, running

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("faults")]

EXAMPLES = os.environ.get("FUZZ_EXAMPLES", "12")
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
PROGRAM = shutil.which("schemathesis", path=str(Path(sys.executable).parent)) or "schemathesis"


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    with running(tmp_path_factory.mktemp("generated"), web=1, workers=1) as rig:
        yield rig


def generate(rig: Rig, *which: str) -> subprocess.CompletedProcess[str]:
    command = [
        PROGRAM, "run", f"{rig.address}/v1/openapi.json", "--url", rig.address, "--checks", CHECKS,
        "--max-examples", EXAMPLES, "--phases", "examples,coverage,fuzzing,stateful", "--seed", "1",
        "--request-timeout", "20", "--suppress-health-check", "all", "--no-color", *which,
    ]  # fmt: skip
    return subprocess.run(command, capture_output=True, text=True, cwd=rig.state, timeout=900, check=False)


def test_an_owner_finds_no_fault_in_any_operation(rig: Rig) -> None:
    rig.sign_in()
    cookie = "; ".join(f"{name}={value}" for name, value in rig.api.cookies.items())

    # What would end the very session that asks is left to tests of its own.
    run = generate(
        rig, "-H", f"Cookie: {cookie}", "--exclude-path", "/v1/stream", "--exclude-path", "/v1/auth/logout",
        "--exclude-path", "/v1/me/password", "--exclude-path", "/v1/me/sessions/{session_id}",
        "--exclude-path", "/v1/events", "--include-path-regex", "^/",
    )  # fmt: skip

    assert run.returncode == 0, run.stdout[-8000:] + run.stderr[-2000:]


def test_a_sender_finds_no_fault_in_ingest(rig: Rig) -> None:
    key = rig.source_key(rig.sign_in())

    run = generate(
        rig, "-H", f"Authorization: Bearer {key}", "--include-path", "/v1/events", "--include-method", "POST"
    )

    assert run.returncode == 0, run.stdout[-8000:] + run.stderr[-2000:]


def test_a_stranger_finds_no_fault_in_any_operation(rig: Rig) -> None:
    run = generate(rig, "--exclude-path", "/v1/stream")

    assert run.returncode == 0, run.stdout[-8000:] + run.stderr[-2000:]
