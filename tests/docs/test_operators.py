"""The pages for operators keep their word: commands are executed, links lead somewhere, log lines and settings exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cli.__main__ import parser
from tests.docs.operators_pages import OPERATORS, blocks, executed, pages
from tests.faults.service_processes import PROJECT

EXPORT = "needs the export of another instance; tests/ops/test_cli_workspace_imports.py imports one"
SYSTEMD = "needs root and systemd as the init process; test_operators_examples.py verifies the units"

CLUSTER = "needs a Kubernetes cluster; tests/deploy/test_documented.py reads its words"

NOT_EXECUTED: dict[tuple[str, str, int], str] = {
    ("install.md", "The user of the servers", 1): "would add a user to the machine of the tests",
    ("install.md", "Python package", 1): "needs a package index; tests/ops/test_wheel.py installs the wheel",
    ("install.md", "Install the units", 1): SYSTEMD,
    ("kubernetes.md", "Create the secrets", 1): CLUSTER,
    ("kubernetes.md", "Install the chart", 1): CLUSTER,
    ("upgrade.md", "Rolling upgrade", 1): SYSTEMD,
    ("moving-a-workspace.md", "Look at the plan", 1): EXPORT,
    ("moving-a-workspace.md", "Import it", 1): EXPORT,
    ("moving-a-workspace.md", "Discard it", 1): EXPORT,
    ("monitoring.md", "Alerts", 1): "needs Prometheus' program promtool; the tests parse both files",
}
"""Page, heading and number of each command block that is not executed, and why."""

LONGEST_PAGE = 200
ROOMS = ("cli", "inbox", "jobs", "ops")


def anchors(path: Path) -> set[str]:
    """The fragments that lead to the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", each.lower()).strip().replace(" ", "-") for each in headings}


def test_every_command_block_is_executed_or_listed_with_its_reason() -> None:
    keys = [block.key for block in blocks() if block.language == "sh"]

    assert [key for key in keys if key not in executed() and key not in NOT_EXECUTED] == []
    assert [key for key in {*executed(), *NOT_EXECUTED} if keys.count(key) != 1] == []
    assert executed() & NOT_EXECUTED.keys() == set()


def test_every_other_block_is_a_setting() -> None:
    others = [block for block in blocks() if block.language != "sh"]

    assert [block.key for block in others if not re.fullmatch(r"[A-Z_]+='[^']*'\n", block.text)] == []


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_a_page_is_short_and_the_index_names_it(page: Path) -> None:
    assert len(page.read_text().splitlines()) <= LONGEST_PAGE
    assert f"(operators/{page.name})" in (PROJECT / "docs" / "README.md").read_text()


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_every_fragment_of_a_link_is_a_heading(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s:]*)#([^)\s]+)\)", page.read_text())

    assert [(to, name) for to, name in links if name not in anchors(page.parent / to if to else page)] == []


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_every_setting_of_a_page_is_documented(page: Path) -> None:
    documented = (PROJECT / "docs" / "configuration.md").read_text()
    named = set(re.findall(r"\bINBOX_[A-Z_]+\b", page.read_text()))

    commands = (OPERATORS / "commands.md").read_text()
    assert [name for name in named if f"`{name}`" not in documented + commands] == []


def test_every_log_line_of_the_table_is_one_of_the_service() -> None:
    source = "\n".join(path.read_text() for room in ROOMS for path in (PROJECT / room).rglob("*.py"))
    table = (OPERATORS / "troubleshooting.md").read_text().partition("| Log line |")[2].partition("\n\n")[0]
    lines = [
        line for row in re.findall(r"^\| (`.+?`) \|", table, re.MULTILINE) for line in re.findall("`([^`]+)`", row)
    ]
    texts = re.findall(r'"\{self\.server\} ([^"]+)"', (PROJECT / "inbox" / "runtime" / "outages.py").read_text())
    outages = {f"{server} {text}" for server in ("postgres", "redis") for text in texts}

    assert len(lines) > 20
    assert [line for line in lines if line not in outages and f'"{line}"' not in source] == []
    assert len(outages) == 4 and outages <= set(lines)


def test_every_quoted_message_is_one_of_the_service() -> None:
    source = "\n".join(path.read_text() for room in ROOMS for path in (PROJECT / room).rglob("*.py")).lower()
    shown = re.findall(r"^\| ([^|]*) \|", (OPERATORS / "troubleshooting.md").read_text(), re.MULTILINE)
    quoted = [text for cell in shown for text in re.findall(r'"([^"]+)"', cell)]

    assert len(quoted) >= 4
    assert [text for text in quoted if text.lower() not in source] == []


def test_the_page_of_commands_names_every_command() -> None:
    text = (OPERATORS / "commands.md").read_text()
    commands = re.findall(r"^    ([\w-]+)(?:  |$)", parser().format_help(), re.MULTILINE)

    assert len(commands) > 8
    assert [name for name in commands if f"`{name}" not in text] == []
