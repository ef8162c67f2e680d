"""What a release contains: the wheel and the source package, the chart, the image, and the checksums of all files."""

from __future__ import annotations

import hashlib
import importlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from inbox.runtime.distribution import ROOT
from ops import dashboard
from ops.release.checks import CHART, commit_time

CONTAINERFILE = Path("docs", "operators", "examples", "Containerfile")
BUILDERS = ("buildah", "podman", "docker")
SUMS = "SHA256SUMS"

Say = Callable[[str], None]


class NotMade(Exception):
    """A part of the release could not be made. The text says why."""


def build_wheel(directory: Path, say: Say) -> Path:
    """Builds the wheel and the source package, and returns the wheel. Raises NotMade without a built dashboard."""
    if not dashboard.build(say):
        raise NotMade("the dashboard is not built")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "sdist", "--target", "wheel"]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": commit_time()}
    subprocess.run([*command, "--directory", str(directory)], cwd=ROOT, env=environment, check=True, stdout=sys.stderr)
    [wheel] = directory.glob("*.whl")
    return wheel


def try_wheel(wheel: Path, locked: Path, place: Path) -> None:
    """Installs the wheel in an empty environment in `place`, and runs `incident-inbox up` there until it answers.

    `locked` has the dependencies with their hashes. The home directory is empty, and no file of the checkout is in reach of
    the installed modules. Raises CalledProcessError.
    """
    home, environment = place / "home", place / "environment"
    home.mkdir(parents=True)
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    pip = [str(environment / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--requirement", str(ROOT / "requirements-build.txt")], check=True)
    subprocess.run([*pip, "--require-hashes", "--no-build-isolation", "--requirement", str(locked)], check=True)
    subprocess.run([*pip, "--no-deps", str(wheel)], check=True)
    first_start = [sys.executable, str(ROOT / "ops" / "matrix" / "first_start.py")]
    variables = {"HOME": str(home), "PATH": os.environ.get("PATH", os.defpath)}
    subprocess.run(
        [*first_start, str(environment / "bin" / "incident-inbox"), "up"], cwd=home, env=variables, check=True
    )


def package_chart(version: str, directory: Path) -> None:
    """Packages the chart. Raises NotMade where Helm has no wheel for this machine."""
    try:
        helm = importlib.import_module("helm_python")
    except ImportError:
        raise NotMade("Helm has no wheel for this machine") from None
    helm.package(str(ROOT / CHART), destination=str(directory), version=version, app_version=version)


def build_image(version: str, directory: Path, python_image: str, say: Say) -> None:
    """Builds the image with the first builder of this machine, and saves it as an archive; says so where there is none."""
    builder = next(filter(shutil.which, BUILDERS), None)
    if builder is None:
        say(f"no image: none of {', '.join(BUILDERS)} is installed")
        return
    name, archive = f"incident-inbox:{version}", directory / f"incident-inbox-{version}.image.tar"
    base = ["--build-arg", f"PYTHON_IMAGE={python_image}"] if python_image else []
    docker_format = [] if builder == "docker" else ["--format", "docker"]  # the format that has health checks
    build = [builder, "build", *docker_format, *base, "--file", str(CONTAINERFILE), "--tag", name, "."]
    subprocess.run(build, cwd=ROOT, check=True, stdout=sys.stderr)
    save = [builder, "save", "--output", str(archive), name]
    if builder == "buildah":
        save = [builder, "push", "--quiet", name, f"docker-archive:{archive}:{name}"]
    subprocess.run(save, check=True, stdout=sys.stderr)


def write_sums(directory: Path) -> Path:
    """Writes the checksums of all files in the form that `sha256sum --check` reads."""
    files = sorted(path for path in directory.iterdir() if path.is_file() and path.name != SUMS)
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (directory / SUMS).write_text("".join(lines))
    return directory / SUMS
