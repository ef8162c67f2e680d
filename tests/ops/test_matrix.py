"""`bin/matrix`: the chosen mirror, passed-on settings, reasons to skip, and executed commands."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import pytest

from ops.matrix import bare_root, registries, runs
from ops.matrix.__main__ import SUITES, options_from
from ops.matrix.mirror import Mirror, codename, find_mirror
from tests.ops.processes import PROJECT

STANZA = """\
# a mirror of this network
Types: deb deb-src
URIs: {uri}
Suites: trixie trixie-updates
Components: main contrib
Signed-By: /usr/share/keyrings/own.gpg
"""


@pytest.fixture
def apt(tmp_path: Path) -> Path:
    """The directory of apt's settings, without a source."""
    (tmp_path / "sources.list.d").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("sources.list", "deb http://mirror.example/debian trixie main\n", Mirror("http://mirror.example/debian")),
        (
            "sources.list.d/own.list",
            "deb [arch=amd64 signed-by=/own.gpg] https://mirror.example/debian/ trixie main contrib\n",
            Mirror("https://mirror.example/debian", "/own.gpg"),
        ),
        (
            "sources.list.d/own.sources",
            STANZA.format(uri="https://mirror.example/debian"),
            Mirror("https://mirror.example/debian", "/usr/share/keyrings/own.gpg"),
        ),
        (
            "sources.list.d/own.sources",
            STANZA.format(uri="https://off.example/") + "Enabled: no\n\n" + STANZA.format(uri="http://on.example"),
            Mirror("http://on.example", "/usr/share/keyrings/own.gpg"),
        ),
        ("sources.list", "# deb http://mirror.example/debian trixie main\n", None),
        ("sources.list", "deb-src http://mirror.example/debian trixie main\n", None),
        ("sources.list", "deb http://mirror.example/security trixie-security main\n", None),
        ("sources.list", "deb http://mirror.example/tool trixie stable\n", None),
        ("sources.list", "deb file:/srv/debian trixie main\n", None),
        ("sources.list.d/own.sources.disabled", STANZA.format(uri="http://mirror.example/debian"), None),
        ("sources.list.d/own.list", "", None),
    ],
)
def test_the_mirror_is_the_first_one_of_the_release_that_apt_reads(
    name: str, text: str, found: Mirror | None, apt: Path
) -> None:
    (apt / name).write_text(text)

    assert find_mirror("trixie", apt) == found


def test_only_debian_has_a_release_of_debian(tmp_path: Path) -> None:
    debian, ubuntu = tmp_path / "debian", tmp_path / "ubuntu"
    debian.write_text('ID=debian\nVERSION_CODENAME=trixie\nNAME="Debian GNU/Linux"\n')
    ubuntu.write_text("ID=ubuntu\nID_LIKE=debian\nVERSION_CODENAME=noble\n")

    assert (codename(debian), codename(ubuntu), codename(tmp_path / "missing")) == ("trixie", "", "")


def test_a_mirror_that_does_not_answer_has_no_suite() -> None:
    assert not Mirror("http://127.0.0.1:1/debian").has("trixie")


def test_the_variables_of_registries_are_passed_and_no_others() -> None:
    passed = {
        "PIP_INDEX_URL": "1",
        "npm_config_registry": "2",
        "https_proxy": "3",
        "NO_PROXY": "4",
        "SSL_CERT_FILE": "5",
    }

    assert registries.variables({**passed, "DATABASE_URL": "6", "PATH": "7", "INBOX_SECRET_KEYS": "8"}) == passed


def test_the_files_of_a_home_are_readable_for_their_owner_alone(tmp_path: Path) -> None:
    here, home = tmp_path / "here", tmp_path / "home"
    (here / ".config" / "pip").mkdir(parents=True)
    (here / ".config" / "pip" / "pip.conf").write_text("[global]\nindex-url = https://user:secret@index.example\n")
    (here / ".ssh").mkdir()
    home.mkdir()

    registries.copy_to_home(home, (os.getuid(), os.getgid()), here)

    assert [path.name for path in home.iterdir()] == [".config"]
    assert (home / ".config" / "pip" / "pip.conf").stat().st_mode & 0o777 == 0o600


def test_a_link_of_the_bare_system_leads_to_no_file_of_this_system(tmp_path: Path) -> None:
    """Debian links each certificate by an absolute path, which from outside leads to the file of the same name here."""
    here, root, outside = tmp_path / "here", tmp_path / "root", tmp_path / "outside"
    outside.write_text("of this machine")
    for system, text in ((here, "here"), (root, "")):
        (system / "etc" / "ssl" / "certs").mkdir(parents=True)
        if text:
            (system / "etc" / "ssl" / "certs" / "ca.pem").write_text(text)
            (system / "etc" / "hosts").write_text(text)
    (root / "etc" / "ssl" / "certs" / "ca.pem").symlink_to(outside)
    (root / "etc" / "hosts").symlink_to(outside)

    registries.copy_to_system(root, here)

    assert outside.read_text() == "of this machine"
    assert (root / "etc" / "ssl" / "certs" / "ca.pem").read_text() == (root / "etc" / "hosts").read_text() == "here"


def test_the_default_runs_both_suites_as_both_accounts_and_a_python_runs_none() -> None:
    everything, python = options_from([]), options_from(["--python", "python3.12", "--start-only"])

    assert (everything.suites, everything.accounts, everything.runs_tests) == (SUITES, ("root", "user"), True)
    assert (python.suites, python.pythons, python.runs_tests) == ((), ["python3.12"], False)
    assert options_from(["--suite", "sid", "--", "tests/domain", "-k", "rule"]).test_arguments == [
        "tests/domain",
        "-k",
        "rule",
    ]


def wish(directory: Path, *arguments: str) -> runs.Wish:
    return options_from(["--directory", str(directory), *arguments])


@pytest.mark.parametrize(
    ("codes", "lines"),
    [
        ((0, 0), ["passed: all is well", "passed: all is well"]),
        ((0, 3), ["passed: all is well", "FAILED with exit code 3: all is well"]),
        ((1, 0), ["FAILED with exit code 1: all is well"]),
    ],
)
def test_the_tests_run_after_a_start_and_each_command_has_a_line(
    codes: Sequence[int], lines: list[str], tmp_path: Path
) -> None:
    commands: list[Sequence[str]] = []
    stated: list[str] = []

    def run(command: Sequence[str], log: IO[str]) -> int:
        commands.append(command)
        log.write("a line\nall is well\n\n")
        return codes[len(commands) - 1]

    passed = runs.run_commands("sid-root", run, wish(tmp_path, "--", "tests/domain"), stated.append)

    assert commands == [["python3", "ops/matrix/first_start.py"], ["bin/test", "tests/domain"]][: len(lines)]
    assert [line.partition("bin/")[2].partition(" (log")[0] for line in stated] == [
        f"{step}: {line}" for step, line in zip(("up", "test"), lines, strict=False)
    ]
    assert passed is (codes == (0, 0))


def test_a_suite_that_cannot_be_made_has_a_reason() -> None:
    nobody = Mirror("http://127.0.0.1:1/debian")
    reason = runs.obstacle("sid", nobody)

    assert reason
    if os.geteuid() != 0:
        assert reason == runs.NOT_ROOT
    assert runs.obstacle("sid", None)


def test_an_ordinary_user_and_a_machine_without_debootstrap_are_skipped_with_a_line(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "ops.matrix", "--suite", "sid", "--directory", str(tmp_path)]
    environment = {"PATH": str(tmp_path), "PYTHONPATH": str(PROJECT)}

    without_git = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    (tmp_path / "git").symlink_to("/bin/true")
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    reason = runs.NOT_INSTALLED.format("debootstrap") if os.geteuid() == 0 else runs.NOT_ROOT
    assert without_git.stdout == "skipped: git, which makes the clones, is not installed\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, f"sid: skipped: {reason}\n", "")


def test_a_python_that_is_not_here_is_skipped_with_a_line(tmp_path: Path) -> None:
    stated: list[str] = []

    assert runs.run_python("python3.2", wish(tmp_path), stated.append)
    assert stated == ["python3.2: skipped: python3.2 is not installed"]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists its mounts in a file")
def test_a_mount_below_a_system_is_seen_before_it_is_removed(tmp_path: Path) -> None:
    assert "/dev/pts" in bare_root.mounts_below(Path("/dev"))
    assert bare_root.mounts_below(Path("/de")) == bare_root.mounts_below(tmp_path) == []


def test_commands_inside_run_as_an_ordinary_user_or_as_root() -> None:
    assert bare_root.ROOT.become == ()
    assert bare_root.USER.become[:2] == ("setpriv", "--reuid=olga")
