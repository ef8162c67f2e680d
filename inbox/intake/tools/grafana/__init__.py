"""Grafana unified alerting, and the alerts of Grafana before version 8."""

from __future__ import annotations

from inbox.domain.events.time_meaning import TimeMeaning
from inbox.domain.senders.keys import SenderKeyKind
from inbox.domain.values.severity import Severity
from inbox.intake import event, state_words
from inbox.intake.base import Event, Node, Payload, Tool
from inbox.intake.signatures import SigningScheme, hex_hmac_with_time
from inbox.intake.source_kind import GROUPS, Snippet
from inbox.intake.tools import alertmanager

SIGNATURE = "X-Grafana-Alerting-Signature"
"""The default of Grafana."""

TIME = "X-Grafana-Alerting-Timestamp"
"""The name that the operator enters in the contact point, because Grafana has no default."""

NO_DATA = ("DatasourceNoData", "DatasourceError")
TEST_GROUP = "test-"
"""The beginning of `groupKey` in a test. People may give a test labels of their own. Other keys begin with a brace."""

TEST_RULE = "0"
"""`ruleId` of the alert that the test button of Grafana before version 8 sends."""

MOST_VALUES = 20
ENDED, ALARMS = ("ok",), ("alerting", "no_data")


def items(payload: Payload) -> list[Node]:
    """Returns the alerts of the group, or the body itself for an alert of the old format."""
    if payload.node.text("ruleId"):
        return [payload.node]
    return payload.node.items("alerts")


def group(payload: Payload) -> str:
    """Returns the organization and the key of the group; empty for an alert of the old format."""
    key = alertmanager.group(payload)
    return event.bounded(f"{_organization(payload)}:{key}") if key else ""


def read(alert: Node, payload: Payload) -> Event | None:
    """Returns the event of one alert."""
    if alert.text("ruleId"):
        return _old(alert)
    if payload.node.text("groupKey").startswith(TEST_GROUP):
        return event.log(
            f"Test of Grafana: {alert.first('annotations.summary', 'labels.alertname')}", type="alert.test"
        )
    made = alertmanager.of_alert(alert, f"grafana:{_organization(payload)}:{alert.require('fingerprint')}")
    if alert.text("labels", "alertname") in NO_DATA and made["severity"] != Severity.SUCCESS:
        rule = alert.text("labels", "rulename")
        made |= {"severity": str(Severity.WARNING), "title": event.joined((rule, made["title"]), ": ")}
    return made


def _organization(payload: Payload) -> str:
    return payload.node.text("orgId") or "1"


def _old(alert: Node) -> Event | None:
    state = alert.text("state")
    if state not in (*ENDED, *ALARMS):
        return None
    if alert.text("ruleId") == TEST_RULE:
        return event.log(f"Test of Grafana: {alert.first('ruleName', 'title')}", type="alert.test")
    return event.either(
        state in ENDED,
        state_words.without_state(alert.first("ruleName", "title")) or "Alert",
        f"grafana:rule:{alert.text('ruleId')}",
        Severity.WARNING if state == "no_data" else Severity.ERROR,
        body=event.joined((alert.text("message"), *_values(alert)), "\n"),
        type="alert",
        tags=event.labels(**alert.members("tags")),
        url=alert.text("ruleUrl"),
    )


def _values(alert: Node) -> list[str]:
    """Returns the values that met the condition, each with its series."""
    return [
        event.joined((f"{match.text('metric')} = {match.text('value')}", _series(match.members("tags"))))
        for match in alert.elements("evalMatches")[:MOST_VALUES]
    ]


def _series(tags: dict[str, str]) -> str:
    return f"({', '.join(f'{name}={value}' for name, value in tags.items())})" if tags else ""


TOOL = Tool(
    name="grafana",
    label="Grafana",
    summary="Alert rules of Grafana, one incident for each group of alert instances.",
    setup="Alerting, Contact points, integration Webhook; the key as authorization credentials.",
    expected="a webhook with `alerts`, or an old one with `ruleId`, was expected",
    items=items,
    read=read,
    time=TimeMeaning.BEGINNING,
    warn=alertmanager.left_out,
    group=group,
    signing=SigningScheme(
        (SIGNATURE,),
        "the HMAC secret of the contact point",
        hex_hmac_with_time(SIGNATURE, TIME),
        is_optional=True,
    ),
    documentation="https://grafana.com/docs/grafana/latest/alerting/",
    more=(Snippet("signed", "Grafana with a signature", "grafana-signed.txt", GROUPS, SenderKeyKind.SIGNING_SECRET),),
)
