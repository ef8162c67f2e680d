"""SNS, CloudWatch, Azure Monitor and Google Cloud: states, severities, keys and links (specification 19.6 and 19.15)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from inbox.domain.events import validation
from inbox.domain.events.validation import NewEvent
from inbox.domain.values.severity import Severity
from inbox.intake.base import Payload, WrongPayload
from inbox.intake.registry import TOOLS
from tests.cast import NOW
from tests.intake.payloads import payload

TOPIC = "arn:aws:sns:eu-central-1:123456789012:ops"
LINK = f"https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn={TOPIC}&Token=2336412f37"


def only(tool: str, document: Any) -> NewEvent:
    [made] = TOOLS[tool].events(Payload(document)).events
    [event] = validation.accept(made, received_at=NOW)
    assert [warning.code for warning in event.warnings if warning.code != "clock_skew"] == []
    return event


def alarm(**changed: Any) -> dict[str, Any]:
    """The alarm of the fixture with other members."""
    return {**json.loads(payload("sns", "alarm")["Message"]), **changed}


def notification(message: Any, **changed: Any) -> dict[str, Any]:
    text = message if isinstance(message, str) else json.dumps(message)
    return {**payload("sns", "alarm"), "Message": text, **changed}


def subscription(kind: str = "SubscriptionConfirmation", **changed: Any) -> dict[str, Any]:
    return {
        "Type": kind, "MessageId": "165545c9-2a5c-472c-8df2-7ff2be2b3b1b", "Token": "2336412f37", "TopicArn": TOPIC,
        "Message": "You have chosen to subscribe.", "SubscribeURL": LINK, "Timestamp": "2026-11-22T10:00:00.000Z",
        "SignatureVersion": "1", "Signature": "EXAMPLE", "SigningCertURL": "https://sns.eu-central-1.amazonaws.com/a.pem",
    } | changed  # fmt: skip


def test_an_alarm_of_cloudwatch_has_its_reason_place_and_link() -> None:
    event = only("sns", payload("sns", "alarm"))

    assert event.body is not None and event.body.startswith("Threshold Crossed: 1 datapoint [97.2]")
    assert (event.resource, event.tags) == (
        "DBInstanceIdentifier:shop-db",
        ["namespace:AWS/RDS", "region:eu-central-1"],
    )
    assert event.url == (
        "https://eu-central-1.console.aws.amazon.com/cloudwatch/home?region=eu-central-1#alarmsV2:alarm/db-cpu"
    )
    assert event.occurred_at_sent == "2026-11-22T10:15:30.123000"
    assert event.idempotency_key == "22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324"


def test_an_alarm_without_an_envelope_is_the_same_alarm() -> None:
    raw, wrapped = only("sns", alarm()), only("sns", notification(alarm()))
    assert (raw.dedup_key, raw.title, raw.url) == (wrapped.dedup_key, wrapped.title, wrapped.url)


@pytest.mark.parametrize(
    ("changed", "severity"),
    [({}, "ERROR"), ({"AlarmDescription": None}, "ERROR"), ({"AlarmName": "p1-cpu"}, "CRITICAL"),
     ({"AlarmDescription": "Severity: critical"}, "CRITICAL"), ({"AlarmDescription": "a\nwarning"}, "ERROR"),
     ({"AlarmName": "Warning: disk", "AlarmDescription": "P1"}, "WARNING"), ({"AlarmDescription": "sev4"}, "INFO"),
     ({"AlarmName": "disk-low", "AlarmDescription": ""}, "ERROR"), ({"NewStateValue": "INSUFFICIENT_DATA"}, "WARNING"),
     ({"AlarmName": "step1x", "AlarmDescription": ""}, "ERROR")],
)  # fmt: skip
def test_the_severity_of_an_alarm_is_a_word_of_its_name_or_description(changed: dict[str, Any], severity: str) -> None:
    event = only("sns", notification(alarm(**changed)))
    assert (str(event.severity), event.recovers) == (severity, False)


def test_each_contributor_to_an_alarm_has_a_key() -> None:
    series = {"AlarmContributorId": "d6442e85", "AlarmContributorAttributes": {"TableName": "orders"}}

    firing, ended = (only("sns", notification(alarm(**series, NewStateValue=state))) for state in ("ALARM", "OK"))

    assert firing.dedup_key == ended.dedup_key == f"{only('sns', payload('sns', 'alarm')).dedup_key}:d6442e85"
    assert (firing.title, ended.recovers) == ("db-cpu orders", True)


@pytest.mark.parametrize(
    ("arn", "host"),
    [("arn:aws-cn:cloudwatch:cn-north-1:1:alarm:a", "console.amazonaws.cn"),
     ("arn:aws-us-gov:cloudwatch:us-gov-west-1:1:alarm:a", "console.amazonaws-us-gov.com"),
     ("arn:aws:cloudwatch:evil.example/:1:alarm:a", None), ("arn:other:cloudwatch:x:1:alarm:a", None), ("", None)],
)  # fmt: skip
def test_the_link_of_an_alarm_uses_the_console_of_its_partition(arn: str, host: str | None) -> None:
    url = only("sns", notification(alarm(AlarmArn=arn))).url
    assert (url.split("/")[2] if url else None) == host


def test_an_alarm_without_an_arn_has_a_key_of_its_account_and_name() -> None:
    assert only("sns", notification(alarm(AlarmArn=None))).dedup_key == "aws:123456789012:EU (Frankfurt):db-cpu"


@pytest.mark.parametrize(
    ("message", "subject", "title"),
    [("Disk\nis full", "From the script", "From the script"), ("Disk\nis full", None, "Disk"),
     ({"detail-type": "AWS Health Event", "detail": {}}, None, "AWS Health Event"), ("{broken", None, "{broken"),
     ({"AlarmName": "x"}, None, '{"AlarmName": "x"}'), ("[1]", "", "[1]"), (json.dumps({"a": [[]]})[:-1], None, '{"a": [[]]')],
)  # fmt: skip
def test_every_other_message_has_the_severity_of_its_source_and_a_key_of_its_title(
    message: Any, subject: str | None, title: str
) -> None:
    event = only("sns", notification(message, Subject=subject))

    assert (event.title, event.severity) == (title, Severity.INFO), "the default of this source"
    assert (event.dedup_key or "").startswith("sns:ops:")
    assert event.resource == "topic:ops" and event.body


def test_a_message_nested_deeper_than_json_may_be_is_a_text() -> None:
    text = '{"AlarmName":' + "[" * 5000 + "]" * 5000 + "}"
    assert only("sns", notification(text, Subject="deep")).title == "deep"


@pytest.mark.parametrize(
    ("kind", "title"),
    [("SubscriptionConfirmation", "Confirm the subscription of the SNS topic ops"),
     ("UnsubscribeConfirmation", "The subscription of the SNS topic ops has ended")],
)  # fmt: skip
def test_a_subscription_is_an_alarm_with_the_link_of_sns(kind: str, title: str) -> None:
    event = only("sns", subscription(kind))

    assert (event.title, event.severity, event.dedup_key) == (title, Severity.WARNING, f"sns:{TOPIC}")
    assert event.url == LINK


@pytest.mark.parametrize(
    "link",
    ["http://sns.eu-central-1.amazonaws.com/?a", "https://sns.eu-central-1.amazonaws.com.evil.example/",
     "https://evil.example/?sns.eu-central-1.amazonaws.com", "https://sns.a.amazonaws.com@evil.example/",
     "https://user:pw@sns.a.amazonaws.com/", "https://sns.a.amazonaws.com:8443/", "https://sns.amazonaws.com/",
     "https://xsns.a.amazonaws.com/", "https://sns.a.b.amazonaws.com/", "javascript:alert(1)", "https://[", "//sns.a.amazonaws.com/"],
)  # fmt: skip
def test_a_link_of_another_host_is_refused(link: str) -> None:
    with pytest.raises(WrongPayload) as wrong:
        TOOLS["sns"].events(Payload(subscription(SubscribeURL=link)))
    assert [fault.pointer for fault in wrong.value.faults] == ["/SubscribeURL"]


@pytest.mark.parametrize(
    "link", ["https://sns.cn-north-1.amazonaws.com.cn/?a=b", "https://sns.us-gov-west-1.amazonaws.com/"]
)
def test_sns_hosts_of_every_partition_are_accepted(link: str) -> None:
    assert only("sns", subscription(SubscribeURL=link)).url == link


@pytest.mark.parametrize("missing", ["Message", "SubscribeURL", "TopicArn"])
def test_a_message_that_lacks_a_member_names_it(missing: str) -> None:
    document = payload("sns", "alarm") if missing == "Message" else subscription()
    del document[missing]
    with pytest.raises(WrongPayload) as wrong:
        TOOLS["sns"].events(Payload(document))
    assert [fault.pointer for fault in wrong.value.faults] == [f"/{missing}"]


def azure(**changed: Any) -> dict[str, Any]:
    document: dict[str, Any] = payload("azure_monitor", "alarm")
    document["data"]["essentials"] |= changed
    return document


@pytest.mark.parametrize(
    ("word", "severity"),
    [
        ("Sev0", "CRITICAL"),
        ("Sev1", "ERROR"),
        ("Sev2", "WARNING"),
        ("Sev3", "INFO"),
        ("Sev4", "DEBUG"),
        ("x", "WARNING"),
    ],
)
def test_the_severities_of_azure_are_its_own(word: str, severity: str) -> None:
    assert str(only("azure_monitor", azure(severity=word)).severity) == severity


def test_an_alert_of_azure_has_its_condition_target_and_link() -> None:
    event = only("azure_monitor", azure())

    assert event.body == "CPU of the shop\n\nPercentage CPU GreaterThan 25: 31.1105"
    assert (event.resource, event.tags) == ("virtualmachines:vm1", ["signal:Metric", "service:Platform"])
    assert (
        event.url is not None
        and event.url.startswith("https://portal.azure.com/#blade/")
        and "%2Fsubscriptions" in event.url
    )
    assert (
        only("azure_monitor", azure(investigationLink="https://portal.azure.com/#view/x")).url
        == "https://portal.azure.com/#view/x"
    )


def test_an_unknown_condition_of_azure_is_logged() -> None:
    event = only("azure_monitor", azure(monitorCondition="Updated"))
    assert (event.title, event.severity, event.dedup_key) == ("cpu on vm1: updated", Severity.INFO, None)


def test_an_older_schema_of_azure_is_refused_with_the_remedy() -> None:
    with pytest.raises(WrongPayload) as wrong:
        TOOLS["azure_monitor"].events(
            Payload({"schemaId": "AzureMonitorMetricAlert", "data": {"context": {"id": "x"}}})
        )
    assert "common alert schema" in wrong.value.faults[0].detail


def google(**changed: Any) -> dict[str, Any]:
    document: dict[str, Any] = payload("gcp", "alarm")
    document["incident"] |= changed
    return document


@pytest.mark.parametrize(
    ("changed", "severity"),
    [({}, "CRITICAL"), ({"severity": "Warning"}, "WARNING"), ({"severity": "No severity"}, "ERROR"), ({"severity": None}, "ERROR"),
     ({"severity": None, "policy_user_labels": {"severity": "p4"}}, "INFO"),
     ({"severity": "Error", "policy_user_labels": {"severity": "p4"}}, "ERROR")],
)  # fmt: skip
def test_the_severity_of_google_is_its_field_or_a_label(changed: dict[str, Any], severity: str) -> None:
    assert str(only("gcp", google(**changed)).severity) == severity


def test_an_incident_of_google_has_its_summary_place_and_link() -> None:
    event = only("gcp", google(state="OPEN"))

    assert event.body is not None and event.body.endswith("value of 0.940.\n\nSee the runbook.")
    assert (event.resource, event.tags) == ("gce_instance:db1", ["project:shop", "team:db"])
    assert event.url is not None and event.url.startswith("https://console.cloud.google.com/")
    assert only("gcp", google(documentation={"subject": "Disk of db1"})).title == "Disk of db1"


@pytest.mark.parametrize("changed", [{"state": "acknowledged"}, {"state": None}])
def test_an_unknown_state_of_google_is_logged(changed: dict[str, Any]) -> None:
    assert only("gcp", google(**changed)).dedup_key is None


def test_a_test_notification_of_google_opens_nothing() -> None:
    document = {**google(state="OPEN", documentation="Test alert"), "version": "test"}
    event = only("gcp", document)
    assert (event.severity, event.dedup_key) == (Severity.INFO, None)
    assert event.body is not None and event.body.endswith("Test alert")
