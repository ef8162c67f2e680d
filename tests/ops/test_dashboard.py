"""The dashboard build: an unchanged tree is not built again, and missing tools are named."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ops import dashboard
from ops.dashboard import NO_NODE, NO_PACKAGES

PROJECT = Path(__file__).parent.parent.parent


def bare_project(tmp_path: Path) -> Path:
    """A copy of what the build reads, without packages."""
    copy = tmp_path / "project"
    for folder in ("ops", "inbox"):
        shutil.copytree(PROJECT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(PROJECT / "web", copy / "web", ignore=shutil.ignore_patterns(*dashboard.MADE_HERE))
    shutil.copy(PROJECT / "app.py", copy)
    return copy


def build_in(project: Path, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *options, "-m", "ops.dashboard", "build"]
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(project), "HOME": str(project), **environment}
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)


def test_a_missing_node_package_is_named_in_one_sentence_and_on_the_first_page(tmp_path: Path) -> None:
    project = bare_project(tmp_path)
    done = build_in(project, "-S")  # without installed packages

    assert done.returncode == 1 and NO_NODE in done.stdout
    assert (project / "web" / ".built" / "missing").read_text() == NO_NODE
    assert not (project / "web" / "dist").exists()


def test_a_missing_registry_is_named_in_one_sentence(tmp_path: Path) -> None:
    project = bare_project(tmp_path)
    nobody = "http://127.0.0.1:1/"
    done = build_in(
        project, npm_config_registry=nobody, npm_config_fetch_retries="0", npm_config_cache=str(tmp_path / "c")
    )

    assert done.returncode == 1 and NO_PACKAGES in done.stdout and nobody not in done.stdout
    assert (project / "web" / ".built" / "missing").read_text() == NO_PACKAGES


def test_the_locked_packages_name_no_registry() -> None:
    locked = (PROJECT / "web" / "package-lock.json").read_text()

    assert '"resolved"' not in locked and "://registry" not in locked
    assert locked.count('"integrity"') > 100


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_build_output_of_the_dashboard_is_never_committed() -> None:
    tracked = subprocess.run(
        ["git", "ls-files", "web"], cwd=PROJECT, capture_output=True, text=True, check=True
    ).stdout.splitlines()

    assert not [path for path in tracked if set(Path(path).parts) & set(dashboard.MADE_HERE)]


def test_no_two_modules_differ_by_their_case_alone() -> None:
    """Such a pair is one module where the file system ignores case, as that of macOS does."""
    modules = [path.with_suffix("") for path in (PROJECT / "web" / "src").rglob("*.ts*") if "api" not in path.parts]
    names = [str(path).lower() for path in modules]

    assert len(names) > 200
    assert [str(path) for path in modules if names.count(str(path).lower()) > 1] == []
