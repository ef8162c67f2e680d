"""The bills of materials of a release, in the format of CycloneDX: one of the Python packages, one of the dashboard."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from inbox.runtime.distribution import ROOT
from ops import dashboard

BUILD_ONLY = "incident-inbox (pyproject.toml:web)"
"""The group of the lock file that builds the dashboard and is no part of the wheel."""


def write(version: str, directory: Path) -> list[Path]:
    """Writes both bills, and the lock file of the wheel, into a directory."""
    locked = directory / f"incident_inbox-{version}-requirements.txt"
    locked.write_text(of_the_wheel((ROOT / "requirements.txt").read_text()))
    packages = directory / f"incident_inbox-{version}-python.cdx.json"
    command = [
        sys.executable,
        "-m",
        "cyclonedx_py",
        "requirements",
        str(locked),
        "--pyproject",
        str(ROOT / "pyproject.toml"),
    ]
    done = subprocess.run([*command, "--output-reproducible"], check=True, stdout=subprocess.PIPE)
    bill = json.loads(done.stdout)
    bill["metadata"]["component"]["version"] = version  # pyproject.toml takes it from the code
    packages.write_text(json.dumps(bill, indent=2) + "\n")
    bundled = directory / f"incident_inbox-{version}-dashboard.cdx.json"
    node = dashboard.node()
    npm = node.parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    words = ["sbom", "--sbom-format", "cyclonedx", "--omit", "dev", "--package-lock-only"]
    done = subprocess.run([str(node), str(npm), *words], cwd=dashboard.WEB, check=True, stdout=subprocess.PIPE)
    bundled.write_bytes(done.stdout)
    return [locked, packages, bundled]


def of_the_wheel(locked: str) -> str:
    """Returns the text of a lock file without the packages that only build the dashboard, and without what only those need."""
    blocks = list(_blocks(locked))
    left_out = {BUILD_ONLY}
    while more := {name for name, text in blocks if name and _asked_by(text) <= left_out} - left_out:
        left_out |= more
    return "".join(text for name, text in blocks if name not in left_out)


def _blocks(locked: str) -> Iterator[tuple[str, str]]:
    """Yields the name of each package, empty for the head of the file, with its lines."""
    for text in re.split(r"^(?=[\w.-]+==)", locked, flags=re.MULTILINE):
        found = re.match(r"[\w.-]+(?===)", text)
        yield found[0] if found else "", text


def _asked_by(text: str) -> set[str]:
    """Returns what uv names after `# via`."""
    comments = re.findall(r"^ +# +(?:via\b *)?(.*)$", text, re.MULTILINE)
    return {comment for comment in comments if comment}
