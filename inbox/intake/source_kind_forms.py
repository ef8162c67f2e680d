"""What a form and a list show of a source kind beside its texts: a picture, the page of its maker, its settings.

Specification 19.7.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from inbox.domain.senders.keys import SenderKeyKind
from inbox.domain.senders.recovery import RecoveryPreset
from inbox.intake.registry import TOOLS
from inbox.intake.source_kind import SourceKind


class SourceIcon(StrEnum):
    """The picture of a kind."""

    CODE = "code"
    MAIL = "mail"
    HEARTBEAT = "heartbeat"
    MESSAGE = "message"
    TOOL = "tool"


class SourceFieldType(StrEnum):
    """How a field is entered."""

    TEXT = "text"
    SECRET = "secret"
    FLAG = "flag"
    CHOICE = "choice"
    MAPPING = "mapping"


class FieldOwner(StrEnum):
    """What has the field."""

    SOURCE = "source"
    KEY = "key"


@dataclass(frozen=True, slots=True)
class SourceField:
    """A field of a source or of a key that matters to a kind. The server validates it with the record."""

    name: str
    label: str
    type: SourceFieldType
    help: str
    of: FieldOwner = FieldOwner.SOURCE
    required: bool = False
    choices: tuple[str, ...] = ()


ICONS: Mapping[str, SourceIcon] = {
    "events": SourceIcon.CODE,
    "custom": SourceIcon.CODE,
    "legacy_push": SourceIcon.MESSAGE,
    "mail": SourceIcon.MAIL,
    "heartbeats": SourceIcon.HEARTBEAT,
}
"""All others are tools."""

DOCUMENTATION: Mapping[str, str] = {
    "alertmanager": "https://prometheus.io/docs/alerting/latest/configuration/#webhook_config",
    "azure_monitor": "https://learn.microsoft.com/azure/azure-monitor/alerts/action-groups",
    "better_stack": "https://betterstack.com/docs/uptime/webhooks/",
    "checkmk": "https://docs.checkmk.com/latest/en/notifications.html",
    "cloudevents": "https://cloudevents.io/",
    "datadog": "https://docs.datadoghq.com/integrations/webhooks/",
    "gcp": "https://cloud.google.com/monitoring/support/notification-options",
    "github": "https://docs.github.com/webhooks",
    "gitlab": "https://docs.gitlab.com/user/project/integrations/webhooks/",
    "grafana": "https://grafana.com/docs/grafana/latest/alerting/",
    "healthchecks": "https://healthchecks.io/docs/configuring_notifications/",
    "home_assistant": "https://www.home-assistant.io/integrations/rest_command/",
    "icinga": "https://icinga.com/docs/icinga-2/latest/doc/03-monitoring-basics/",
    "jenkins": "https://plugins.jenkins.io/notification/",
    "librenms": "https://docs.librenms.org/Alerting/Transports/",
    "netdata": "https://learn.netdata.cloud/",
    "opsgenie": "https://docs.opsgenie.com/docs/alert-api",
    "pagerduty": "https://developer.pagerduty.com/docs/events-api-v2-overview",
    "prometheus": "https://prometheus.io/docs/prometheus/latest/configuration/configuration/#alertmanager_config",
    "proxmox": "https://pve.proxmox.com/wiki/Notifications",
    "prtg": "https://www.paessler.com/manuals/prtg/notifications",
    "sentry": "https://docs.sentry.io/integrations/integration-platform/webhooks/",
    "sns": "https://docs.aws.amazon.com/sns/latest/dg/sns-http-https-endpoint-as-subscriber.html",
    "uptime_kuma": "https://github.com/louislam/uptime-kuma/wiki",
    "zabbix": "https://www.zabbix.com/documentation/current/en/manual/config/notifications/media/webhook",
}
"""The page of the maker. Formats of the service have none."""

_PRESET = SourceField(
    "recoveryPreset", "Recoveries of a tool", SourceFieldType.CHOICE,
    "A pattern of the service for the messages of a tool.", choices=tuple(map(str, RecoveryPreset)),
)  # fmt: skip
_PATTERN = SourceField(
    "recoveryPattern", "Recovery pattern", SourceFieldType.TEXT,
    "RE2, searched in the title and the message before the pattern of a tool. A match resolves the incident. With a group"
    " named recovery, only a match of this group does. The group named key is the dedup key.",
)  # fmt: skip
_QUERY = SourceField(
    "allowQueryToken", "Token in the query", SourceFieldType.FLAG,
    "For senders that can set neither a header nor a password. Proxies may log it.",
)  # fmt: skip
_MAPPING = SourceField(
    "mapping", "Mapping", SourceFieldType.MAPPING, "Which values of the payload become the fields of an event."
)
_FIELDS: Mapping[str, tuple[SourceField, ...]] = {
    "legacy_push": (_PRESET, _PATTERN, _QUERY),
    "mail": (_PRESET, _PATTERN),
    "custom": (_MAPPING,),
}


def fields(kind: SourceKind) -> tuple[SourceField, ...]:
    """The fields of the source that matter to this kind, and the secret of a tool that signs."""
    tool = TOOLS.get(kind.kind)
    if tool is None or tool.signing is None:
        return _FIELDS.get(kind.kind, ())
    place = f"It must be {tool.signing.place} in {tool.label}."
    return (
        SourceField(
            "secret", "Signing secret", SourceFieldType.SECRET, place, FieldOwner.KEY, tool.signing.is_made_by_tool
        ),
    )


def key_kinds(kind: SourceKind) -> list[SenderKeyKind]:
    """The kinds of keys that its texts take, the usual one first."""
    return list(dict.fromkeys([kind.key_kind, *(each.key_kind for each in kind.snippets if each.key_kind)]))
