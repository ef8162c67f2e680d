"""The tables of the specification match the code: codes, warnings, reasons and similar lists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from inbox.api.http.problems import KINDS
from inbox.domain.deliveries.delivery import FailureReason, Status
from inbox.domain.deliveries.fallback_reasons import FallbackReason
from inbox.domain.deliveries.notices import Cause
from inbox.domain.events.fields import WarningCode
from inbox.domain.incidents import timeline
from inbox.domain.incidents.event_transition import Disposition
from inbox.domain.routing.decision import SHIPPED_DISPOSITIONS
from inbox.domain.values.severity import Severity
from inbox.domain.workspaces.audit_actions import ACTIONS
from inbox.domain.workspaces.roles import Role
from inbox.domain.workspaces.settings import SHIPPED as SETTINGS
from inbox.identity import faults
from inbox.live.feed import PREFIX
from inbox.services.instance.capabilities import CAPABILITIES
from tests.api.audit.audited import ENTRIES, REFUSALS

DOCS = Path(__file__).parent.parent.parent.parent / "docs" / "specification"


@cache
def sections() -> dict[str, str]:
    """The text of each section by its number."""
    text = "\n".join(path.read_text() for path in sorted(DOCS.glob("*.md")))
    parts = re.split(r"^#{2,3} ([0-9.]+) .*$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def rows(section: str) -> Iterator[list[str]]:
    """The rows of the tables of a section, without their heads."""
    for line in sections()[section].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| `"):
            yield cells


def named(section: str) -> list[str]:
    """What stands in backticks in the first column of a section's tables."""
    return [name for cells in rows(section) for name in re.findall("`([^`]+)`", cells[0])]


def quoted(section: str, item: str) -> set[str]:
    """What stands in backticks in the numbered item of a section that begins like this."""
    found = re.search(rf"^[0-9]+\. {item}.*?(?=^[0-9]+\. |\Z)", sections()[section], re.MULTILINE | re.DOTALL)
    assert found is not None, item
    return {word for text in re.findall("`([^`]+)`", found[0]) for word in text.split()}


def test_problem_codes_have_the_statuses_of_the_table() -> None:
    assert {cells[0].strip("`"): int(cells[1]) for cells in rows("15.2")} == {
        code: kind.status for code, kind in KINDS.items()
    }


def test_severities_have_the_ranks_and_dispositions_of_the_table() -> None:
    described = [(cells[0].strip("`"), int(cells[1]), cells[2].split(";")[0].strip("`")) for cells in rows("4.2")]

    assert described == [(str(each), each.rank, str(SHIPPED_DISPOSITIONS[each])) for each in Severity]


def test_settings_of_a_workspace_have_the_defaults_of_the_table() -> None:
    plain = {cells[0].strip("`"): cells[1] for cells in rows("12.1")}

    assert plain.keys() == SETTINGS.keys()
    assert {name: plain[name] for name, value in SETTINGS.items() if type(value) is int} == {
        name: str(value) for name, value in SETTINGS.items() if type(value) is int
    }


@pytest.mark.parametrize(
    ("section", "names"),
    [
        ("1.5", CAPABILITIES),
        ("4.3", WarningCode),
        ("4.9", Disposition),
        ("9.5", Status),
        ("12.2", Role),
    ],
)
def test_a_table_has_one_row_for_each_value(section: str, names: list[str]) -> None:
    assert sorted(named(section)) == sorted(names)


def test_every_action_of_the_audit_log_is_listed() -> None:
    recorded = {action for table in (ENTRIES, REFUSALS) for actions in table.values() for action in actions}
    described = set(re.findall(r"`([a-z_]+\.[a-z_]+)`", sections()["12.8"]))

    assert described == set(ACTIONS)
    assert recorded <= described


def test_every_decision_is_described() -> None:
    described = set(re.findall(r"`([a-z_]+)(?::<id>)?`", sections()["9.2"]))

    assert set(Cause) <= described


@pytest.mark.parametrize(
    ("section", "item", "names"),
    [
        ("7.6", "Kinds", timeline.EntryKind),
        ("9.6", "An attempt without a status", FailureReason),
        ("9.11", "A `fallback` is sent", FallbackReason),
        ("11.7", "Error codes", faults.Fault),
        ("14.2", "Types", PREFIX),
    ],
)
def test_a_sentence_lists_every_value(section: str, item: str, names: list[str]) -> None:
    assert set(names) <= quoted(section, item)
