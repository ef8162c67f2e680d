"""Parts of a source kind in forms and lists: icon, documentation page, fields (specification 19.7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from inbox.domain.events.grouping import IncidentFor
from inbox.domain.senders.keys import SenderKeyKind
from inbox.domain.senders.recovery_presets import RecoveryPreset
from inbox.intake.registry import TOOLS
from inbox.intake.source_kind import SourceKind


class SourceIcon(StrEnum):
    """The icon of a kind."""

    CODE = "code"
    MAIL = "mail"
    HEARTBEAT = "heartbeat"
    MESSAGE = "message"
    TOOL = "tool"


class SourceFieldType(StrEnum):
    """The input type of a field."""

    TEXT = "text"
    SECRET = "secret"
    FLAG = "flag"
    CHOICE = "choice"
    MAPPING = "mapping"


class FieldOwner(StrEnum):
    """The record that has the field."""

    SOURCE = "source"
    KEY = "key"


@dataclass(frozen=True, slots=True)
class SourceField:
    """A field of a source or of a key that a kind uses. The server validates it with the record."""

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
"""All other kinds have the icon of a tool."""

_FORMATS: Mapping[str, str] = {
    "cloudevents": "https://cloudevents.io/",
    "opsgenie": "https://docs.opsgenie.com/docs/alert-api",
    "pagerduty": "https://developer.pagerduty.com/docs/events-api-v2-overview",
    "prometheus": "https://prometheus.io/docs/prometheus/latest/configuration/configuration/#alertmanager_config",
}
DOCUMENTATION: Mapping[str, str] = {**_FORMATS, **{name: tool.documentation for name, tool in TOOLS.items()}}
"""The documentation page of the vendor. Formats of the service have none."""

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
_ACKNOWLEDGE = SourceField(
    "allowSenderAcknowledge", "Acknowledge from the tool", SourceFieldType.FLAG,
    "An acknowledgement in the tool acknowledges the incident. Otherwise it is a note on its timeline.",
)  # fmt: skip
_KEEP_OPEN = SourceField(
    "keepOpenOnMissingData", "Stay open without data", SourceFieldType.FLAG,
    "An end that only says that data is missing leaves the incident open, with a note on its timeline.",
)  # fmt: skip
_INCIDENT_FOR = SourceField(
    "incidentFor", "One incident for each", SourceFieldType.CHOICE,
    "The group in which the tool sends its alerts, or each alert. Group by, of the source or of a rule, takes precedence.",
    required=True, choices=tuple(map(str, IncidentFor)),
)  # fmt: skip
_ACKNOWLEDGING = ("better_stack", "checkmk", "gcp", "icinga", "librenms", "opsgenie", "pagerduty", "prtg", "zabbix")
_FIELDS: Mapping[str, tuple[SourceField, ...]] = {
    "legacy_push": (_PRESET, _PATTERN, _QUERY),
    "mail": (_PRESET, _PATTERN),
    "custom": (_MAPPING,),
    **dict.fromkeys(_ACKNOWLEDGING, (_ACKNOWLEDGE,)),
    **{name: (_INCIDENT_FOR, _KEEP_OPEN) for name, tool in TOOLS.items() if tool.group is not None},
    "prometheus": (_KEEP_OPEN,),
}


def fields(kind: SourceKind) -> tuple[SourceField, ...]:
    """Returns the source fields that this kind uses, and the secret of a tool that signs."""
    tool, own = TOOLS.get(kind.kind), _FIELDS.get(kind.kind, ())
    if tool is None or tool.signing is None:
        return own
    place = f"It must be {tool.signing.place} in {tool.label}."
    return (
        *own,
        SourceField(
            "secret", "Signing secret", SourceFieldType.SECRET, place, FieldOwner.KEY, tool.signing.is_made_by_tool
        ),
    )


def key_kinds(kind: SourceKind) -> list[SenderKeyKind]:
    """Returns the kinds of keys that its texts use, the usual one first."""
    return list(dict.fromkeys([kind.key_kind, *(each.key_kind for each in kind.snippets if each.key_kind)]))
