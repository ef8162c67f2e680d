"""`pyproject.toml` is the one place that names the supported versions of Python. What cannot read it there is compared."""

from __future__ import annotations

import configparser
import re
from itertools import pairwise

from tests.house.documents import DOCUMENTS, PROJECT, named
from tests.house.pythons import NEWEST, OLDEST, PYPROJECT, TESTED

RANGE = f"Python {OLDEST} to {NEWEST}"
STATING = ("README.md", "docs/engineers/contributing.md", "docs/operators/install.md", "docs/users/first-steps.md")
HISTORY = ("CHANGELOG.md", "docs/decisions/", "docs/performance.md")
"""Pages that name the version of one measurement or of one day."""
OF_THE_AGENT = ("docs/users/watchers.md", "docs/specification/21-agent.md")
"""Pages of the agent, which runs on the Python of other machines."""

COMMANDS = (".ci/run", "ops/env.sh", "ops/pythons.sh", "ops/setup.py")


def test_the_tested_versions_follow_each_other_and_pip_refuses_older_ones_only() -> None:
    minors = [int(version.removeprefix("3.")) for version in TESTED]

    assert all(later == earlier + 1 for earlier, later in pairwise(minors))
    assert PYPROJECT["project"]["requires-python"] == f">={OLDEST}"


def test_types_and_lock_files_are_made_for_the_oldest_version() -> None:
    of_tests = configparser.ConfigParser()
    of_tests.read(PROJECT / "tests" / "mypy.ini")
    locking = [line for line in (PROJECT / "pyproject.toml").read_text().splitlines() if "uv pip compile" in line]

    assert PYPROJECT["tool"]["mypy"]["python_version"] == OLDEST
    assert of_tests["mypy"]["python_version"] == OLDEST
    assert len(locking) == 2
    assert all(f"--python-version {OLDEST} " in line for line in locking)


def test_documents_that_name_versions_name_the_tested_ones() -> None:
    pages = {named(page): " ".join(page.read_text().split()) for page in DOCUMENTS}

    assert [page for page in STATING if RANGE not in pages[page]] == []
    stray = {
        page: found
        for page, text in pages.items()
        if not page.startswith((*HISTORY, *OF_THE_AGENT))
        if (found := re.findall(r"Python 3\.\d+", text.replace(RANGE, "")))
    }
    assert stray == {}


def test_no_command_names_a_version() -> None:
    texts = {name: (PROJECT / name).read_text() for name in COMMANDS}

    assert {name: found for name, text in texts.items() if (found := re.findall(r"\b3\.1\d|3, ?1\d", text))} == {}
