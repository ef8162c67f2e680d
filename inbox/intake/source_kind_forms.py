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

_FORMATS: Mapping[str, str] = {
    "cloudevents": "https://cloudevents.io/",
    "opsgenie": "https://docs.opsgenie.com/docs/alert-api",
    "pagerduty": "https://developer.pagerduty.com/docs/events-api-v2-overview",
    "prometheus": "https://prometheus.io/docs/prometheus/latest/configuration/configuration/#alertmanager_config",
}
DOCUMENTATION: Mapping[str, str] = {**_FORMATS, **{name: tool.documentation for name, tool in TOOLS.items()}}
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
