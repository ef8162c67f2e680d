"""Creation of `.venv`: once, by one process at a time, and again when the lock file changes."""

from __future__ import annotations

import hashlib
import os
import shutil
import socket
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.ops.processes import PROJECT
from tests.runner.ports import free_port

pytestmark = pytest.mark.slow

NOTHING = "# nothing\n"


def make_project(folder: Path) -> Path:
    """A project that needs no packages."""
    (folder / "ops").mkdir()
    (folder / "bin").mkdir()
    for name in ("setup.py", "env.sh", "pythons.sh", "ports.py"):
        shutil.copy(PROJECT / "ops" / name, folder / "ops" / name)
    shutil.copy(PROJECT / "pyproject.toml", folder)
    for name in ("requirements.txt", "requirements-dev.txt", "requirements-build.txt"):
        (folder / name).write_text(NOTHING)
    (folder / "ops" / "up.py").write_text("import sys; print('up', *sys.argv[1:])")
    (folder / "cli").mkdir()
    (folder / "cli" / "__main__.py").write_text("import sys; print('inbox', *sys.argv[1:])")
    for name in ("up", "inbox"):
        shutil.copy(PROJECT / "bin" / name, folder / "bin" / name)
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project without an environment."""
    return make_project(tmp_path)


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment as `ops/setup.py` makes it for running."""
    project = make_project(tmp_path_factory.mktemp("made"))
    stated(set_up(project))
    return project / ".venv"


@pytest.fixture
def complete_project(project: Path, environment: Path) -> Path:
    """A project with a copy of that environment, since making one takes five seconds of a processor."""
    shutil.copytree(environment, project / ".venv", symlinks=True)
    return project


def set_up(project: Path, kind: str = "run") -> subprocess.Popen[str]:
    command = [sys.executable, project / "ops" / "setup.py", kind]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def stated(process: subprocess.Popen[str]) -> str:
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    return errors


def test_two_first_starts_at_once_make_one_environment_and_a_later_one_makes_nothing(project: Path) -> None:
    both = [set_up(project), set_up(project)]

    words = [stated(process) for process in both]

    assert sorted("Making" in each for each in words) == [False, True]
    assert (project / ".venv" / "bin" / "python").exists()
    assert stated(set_up(project)) == ""


def test_a_changed_lock_renews_and_an_unfinished_environment_is_made_again(complete_project: Path) -> None:
    marker = complete_project / ".venv" / "marker"
    marker.touch()

    (complete_project / "requirements.txt").write_text(NOTHING * 2)
    assert "Renewing" in stated(set_up(complete_project))
    assert marker.exists()

    (complete_project / "requirements.txt").write_text(NOTHING * 3)
    assert "the locked requirements have changed" in stated(set_up(complete_project, "dev"))
    (complete_project / "requirements-dev.txt").write_text(NOTHING * 2)
    assert stated(set_up(complete_project)) == "", "what is set up for development is set up for running"
    assert "Renewing" in stated(set_up(complete_project, "dev"))

    (complete_project / ".venv" / "unfinished").touch()
    assert "Making" in stated(set_up(complete_project))
    assert not marker.exists()


def test_test_requirements_are_added_to_the_environment_without_a_renewal(complete_project: Path) -> None:
    assert stated(set_up(complete_project, "dev")) == "Adding to .venv what tests and checks need (once)\n"

    (complete_project / "requirements-dev.txt").write_text(NOTHING * 2)
    assert stated(set_up(complete_project, "dev")) == "Renewing .venv: the locked requirements have changed\n"


def test_the_usual_start_runs_only_the_suitable_python(complete_project: Path, tmp_path: Path) -> None:
    command = [complete_project / "bin" / "up", "--port", "1"]
    subprocess.run(command, check=True, capture_output=True, timeout=120, env=dict(os.environ))
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("dirname", "sh"):
        (tools / name).symlink_to(str(shutil.which(name)))
    (complete_project / "ops" / "setup.py").write_text("raise SystemExit('setup.py was asked')")

    done = subprocess.run(command, env={"PATH": str(tools)}, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "up --port 1\n", "")
    command_line = [complete_project / "bin" / "inbox", "source", "list"]
    done = subprocess.run(
        command_line, env={"PATH": str(tools)}, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "inbox source list\n", "")

    os.utime(complete_project / "requirements.txt")  # written again, as by a checkout of another version
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1 and "setup.py was asked" in done.stderr


def test_a_port_in_use_is_reported_before_anything_is_installed(project: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        for arguments, more in ((["--port", str(port)], {}), ([], {"INBOX_PORT": str(port)})):
            done = subprocess.run(
                [project / "bin" / "up", *arguments],
                env={**os.environ, **more}, capture_output=True, text=True, timeout=60, check=False,
            )  # fmt: skip

            assert done.returncode == 1
            assert f"port {port} on 127.0.0.1 is in use by another program" in done.stderr
    assert not (project / ".venv").exists()


def test_installing_says_how_far_it_is(complete_project: Path) -> None:
    names = [f"inbox_of_nobody_{number}" for number in range(12)]
    here = f"--no-index\n--find-links {complete_project.as_uri()}\n"
    (complete_project / "requirements.txt").write_text(here + "".join(_wheel(complete_project, name) for name in names))

    words = stated(set_up(complete_project)).splitlines()

    assert [line.partition("-")[0] for line in words if " of 12 " in line] == ["  10 of 12 packages: inbox_of_nobody_9"]
    assert "  installing 12 packages" in words


def _wheel(project: Path, name: str) -> str:
    """The line of a lock file for a package that holds nothing."""
    wheel = project / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        about = f"{name}-1.0.dist-info"
        archive.writestr(f"{name}.py", "")
        archive.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        archive.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{about}/RECORD", "")
    return f"{name}==1.0 --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n"


def test_only_a_package_with_the_locked_hash_is_installed(complete_project: Path) -> None:
    wheel = complete_project / "inbox_of_nobody-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        about = "inbox_of_nobody-1.0.dist-info"
        archive.writestr("inbox_of_nobody.py", "")
        archive.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: inbox-of-nobody\nVersion: 1.0\n")
        archive.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{about}/RECORD", "")
    right = hashlib.sha256(wheel.read_bytes()).hexdigest()
    lock = complete_project / "requirements.txt"

    lock.write_text(f"{wheel.as_uri()} --hash=sha256:{'0' * 64}\n")
    process = set_up(complete_project)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 1
    assert "DO NOT MATCH THE HASHES" in errors

    lock.write_text(f"{wheel.as_uri()} --hash=sha256:{right}\n")
    stated(set_up(complete_project))
    assert (
        subprocess.run([complete_project / ".venv/bin/python", "-c", "import inbox_of_nobody"], check=False).returncode
        == 0
    )


def test_the_commands_work_from_any_directory(project: Path, tmp_path: Path) -> None:
    trap = tmp_path / "elsewhere"
    (trap / "ops").mkdir(parents=True)
    (trap / "ops" / "__init__.py").write_text("raise SystemExit('the wrong ops')")
    (trap / "json.py").write_text("raise SystemExit('the wrong json')")

    port = str(free_port())

    done = subprocess.run(
        [project / "bin" / "up", "--port", port], cwd=trap, capture_output=True, text=True, timeout=120, check=False
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout == f"up --port {port}\n"
