"""What must hold before anything is built: a clean tree, one version everywhere, and a tag that is free."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from inbox import __version__
from inbox.runtime.distribution import ROOT

CHART = Path("deploy", "helm", "incident-inbox")


def tag_of(version: str) -> str:
    """Returns the name of the tag of a version."""
    return f"v{version}"


def faults(version: str, root: Path = ROOT, present: str = __version__) -> list[str]:
    """Returns a sentence for each reason against a release of the checkout in `root`, whose code has the version `present`."""
    found = []
    if version != present:
        found.append(f"inbox/__init__.py has the version {present}")
    if not re.search(rf"^## {re.escape(version)}$", (root / "CHANGELOG.md").read_text(), re.MULTILINE):
        found.append(f"CHANGELOG.md has no heading {version}")
    chart = (root / CHART / "Chart.yaml").read_text()
    if re.findall(r'^(?:version|appVersion): "?([^"\n]+)"?$', chart, re.MULTILINE) != [version, version]:
        found.append(f"Chart.yaml has another version than {version}")
    if _git(root, "status", "--porcelain"):
        found.append("the tree has changes that are not committed")
    if _git(root, "tag", "--list", tag_of(version)):
        found.append(f"the tag {tag_of(version)} exists")
    return found


def commit_time(root: Path = ROOT) -> str:
    """Returns the time of the last commit in seconds since 1970. Packages of one commit are then equal byte by byte."""
    return _git(root, "log", "-1", "--format=%ct")


def tag(version: str, root: Path = ROOT) -> None:
    """Makes the annotated tag of the version at the last commit."""
    _git(root, "tag", "--annotate", tag_of(version), "--message", f"Incident Inbox {version}")


def _git(root: Path, *words: str) -> str:
    command: Sequence[str] = ["git", "-C", str(root), *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
