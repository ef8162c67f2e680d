"""The source kinds of the compatible formats (specification 19.8)."""

from __future__ import annotations

from inbox.domain.keys import SenderKeyKind
from inbox.intake.source_kind import Snippet, SourceKind

PAGERDUTY = SourceKind(
    "pagerduty",
    "PagerDuty Events API",
    "Alerts and changes of every tool that sends to PagerDuty and whose address can be set.",
    "The address of the Events API, and the key as its integration key.",
    "/v1/compat/pagerduty/v2/enqueue",
    SenderKeyKind.SOURCE_KEY,
    (
        Snippet(
            "alertmanager", "Alertmanager", "pagerduty-alertmanager.yml", "Each group of alerts becomes one incident."
        ),
        Snippet("curl", "curl", "pagerduty-curl.sh", "The answer is 202 with the dedup_key."),
    ),
)
PROMETHEUS = SourceKind(
    "prometheus",
    "Prometheus",
    "Alerts that Prometheus pushes itself, without an Alertmanager. Other rulers with its format do so as well.",
    "`alerting` in prometheus.yml.",
    "/v1/compat/alertmanager/api/v2/alerts",
    SenderKeyKind.SOURCE_KEY,
    (Snippet("prometheus", "Prometheus", "prometheus.yml", "Each alert opens an incident, and its end resolves it."),),
)
OPSGENIE = SourceKind(
    "opsgenie",
    "Opsgenie Alert API",
    "Alerts of every tool that sends to Opsgenie and whose address can be set.",
    "The address of the API, and the key as its API key.",
    "/v1/compat/opsgenie/v2/alerts",
    SenderKeyKind.SOURCE_KEY,
    (
        Snippet(
            "alertmanager", "Alertmanager", "opsgenie-alertmanager.yml", "Each group of alerts becomes one incident."
        ),
        Snippet("curl", "curl", "opsgenie-curl.sh", "The answer is 202 with the id of the request."),
    ),
)
CLOUDEVENTS = SourceKind(
    "cloudevents",
    "CloudEvents",
    "CloudEvents 1.0 over HTTP: structured, batched or binary.",
    "The address that events are sent to, and the key as bearer.",
    "/v1/compat/cloudevents",
    SenderKeyKind.SOURCE_KEY,
    (Snippet("curl", "curl", "cloudevents-curl.sh", "The answer is 202 with a receipt."),),
)

COMPATIBLE = (PAGERDUTY, PROMETHEUS, OPSGENIE, CLOUDEVENTS)
