"""A TypeScript client, generated from the document and compiled strictly, with the dashboard's generator."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
FILES = ("package.json", "package-lock.json", ".npmrc", "openapi-ts.config.mjs", "tsconfig.json", "run.mjs")
WITHOUT_NETWORK = (
    *("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENETUNREACH", "EHOSTUNREACH"),
    *("ERR_SOCKET_TIMEOUT", "E403", "E502", "E503", "E504"),
)
"""The codes of npm for a registry that cannot be reached, or for a proxy that does not let requests through."""

GIVES_UP_SOON = (
    "--fetch-retries=2",
    "--fetch-retry-mintimeout=1000",
    "--fetch-retry-maxtimeout=5000",
    "--fetch-timeout=60000",
)
SECONDS = 600
NO_REGISTRY = "npm cannot reach its registry, so that its packages cannot be installed"


class GeneratedClient:
    """The client in its own folder; `call` sends with it."""

    def __init__(self, folder: Path, document: bytes, packages: Path) -> None:
        self.folder = folder
        for name in FILES:
            shutil.copy(HERE / name, folder / name)
        (folder / "node_modules").symlink_to(packages / "node_modules", target_is_directory=True)
        (folder / "openapi.json").write_bytes(document)
        node("node_modules/@hey-api/openapi-ts/bin/run.js", cwd=folder)
        node("node_modules/typescript/bin/tsc", cwd=folder)

    def call(self, base_url: str, calls: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Send these calls one after the other; each answer has its name, its status and its problem."""
        (self.folder / "calls.json").write_text(json.dumps({"baseUrl": base_url, "calls": calls}))
        answers: list[dict[str, Any]] = json.loads(node("run.mjs", "calls.json", cwd=self.folder))
        return answers


def installed(folder: Path, project: Path = HERE) -> Path:
    """The packages of the project's lock file, installed once. The test is skipped where the registry cannot be reached."""
    lock = (project / "package-lock.json").read_bytes()
    place = folder / hashlib.sha256(lock).hexdigest()[:12]
    place.mkdir(parents=True, exist_ok=True)
    with (place / ".lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        if not (place / ".installed").exists():
            for name in FILES[:3]:
                shutil.copy(project / name, place / name)
            npm = Path(sys.executable).with_name("npm")
            try:
                done = _run([str(npm), "ci", "--ignore-scripts", "--no-audit", "--no-fund", *GIVES_UP_SOON], place)
            except subprocess.TimeoutExpired:
                pytest.skip(NO_REGISTRY)
            if done.returncode and any(code in done.stderr for code in WITHOUT_NETWORK):
                pytest.skip(NO_REGISTRY)
            assert done.returncode == 0, done.stderr
            (place / ".installed").touch()
    return place


def node(*arguments: str, cwd: Path) -> str:
    """What a script of Node prints; fails with what it complains of."""
    done = _run([str(Path(sys.executable).with_name("node")), *arguments], cwd)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _run(command: list[str], cwd: Path) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        command, cwd=cwd, env={**os.environ, "PATH": path}, capture_output=True, text=True, timeout=SECONDS, check=False
    )
