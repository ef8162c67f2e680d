"""The groups in which tools send their alerts (specification 19.5)."""

from __future__ import annotations

from typing import Any

import pytest

from inbox.domain.events.fields import IDENTITY_LIMIT
from inbox.intake.base import Payload
from inbox.intake.registry import TOOLS
from inbox.intake.snippets import KINDS
from tests.intake.payloads import payload

GROUPED = [name for name, tool in TOOLS.items() if tool.group is not None]


def group(name: str, **changed: Any) -> str:
    return (
        TOOLS[name].events(Payload({**payload(name, "alarm"), "groupKey": None, "groupLabels": None, **changed})).group
    )


def test_only_alertmanager_and_grafana_send_groups() -> None:
    assert GROUPED == ["alertmanager", "grafana"]


@pytest.mark.parametrize("name", GROUPED)
def test_the_alarm_and_the_end_of_a_group_name_the_same_group(name: str) -> None:
    alarm, end = (TOOLS[name].events(Payload({**payload(name, when), "groupKey": "g"})) for when in ("alarm", "end"))

    assert alarm.group == end.group != ""


def test_the_group_is_the_key_else_the_labels_in_any_order() -> None:
    labels = {"a": "1", "b": "2"}

    assert group("alertmanager", groupKey="g", groupLabels=labels) == "g"
    assert group("alertmanager", groupLabels=labels) == group("alertmanager", groupLabels={"b": "2", "a": "1"}) != ""
    assert group("alertmanager", groupLabels={"a": "1,b=2"}) != group("alertmanager", groupLabels=labels)


@pytest.mark.parametrize("name", GROUPED)
@pytest.mark.parametrize("labels", [{}, None, [], "x", {str(number): "x" for number in range(257)}])
def test_a_payload_without_key_and_labels_has_no_group(name: str, labels: Any) -> None:
    assert group(name, groupLabels=labels) == ""


def test_a_group_of_grafana_belongs_to_its_organization() -> None:
    assert group("grafana", groupKey="g", orgId=1) == group("grafana", groupKey="g", orgId=None)
    assert group("grafana", groupKey="g", orgId=1) != group("grafana", groupKey="g", orgId=2)


def test_an_old_alert_of_grafana_has_no_group() -> None:
    old = {"ruleId": 7, "ruleName": "CPU", "state": "alerting", "orgId": 1}
    assert TOOLS["grafana"].events(Payload(old)).group == ""


@pytest.mark.parametrize("name", GROUPED)
def test_a_long_group_key_is_bounded_and_stays_different(name: str) -> None:
    long = "x" * 1_000_000

    assert len(group(name, groupKey=long)) <= IDENTITY_LIMIT
    assert group(name, groupKey=long) != group(name, groupKey=long + "y")


def test_the_text_for_alertmanager_limits_the_alerts_of_a_webhook() -> None:
    assert "max_alerts: 1000" in KINDS["alertmanager"].snippets[0].text("https://inbox.example.org")
