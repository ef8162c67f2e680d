"""Source kinds and their snippets: complete texts with the instance's address and a placeholder for the key.

Specification 19.7.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from inbox.domain.events.time_meaning import TimeMeaning
from inbox.domain.senders.keys import SenderKeyKind
from inbox.intake import cloudevents, opsgenie, pagerduty, prometheus
from inbox.intake.registry import TOOL_FOLDERS, TOOLS
from inbox.intake.source_kind import CLOSES, GROUPS, KEY, SOURCE, TEXTS, Snippet, SourceKind

__all__ = ["KEY", "KINDS", "SOURCE", "TEXTS", "Snippet", "SourceKind"]

_EVENTS = SourceKind(
    "events",
    "Own scripts and programs",
    "Events as JSON, singly or in batches of up to 100.",
    "A command, a script or a cron job.",
    "/v1/events",
    SenderKeyKind.SOURCE_KEY,
    (
        Snippet(
            "curl", "curl", "events-curl.sh", "The answer is 202 with the id of the event, which opens an incident."
        ),
        Snippet("resolve", "curl: resolve", "events-resolve.sh", "The incident with the same dedupKey is resolved."),
        Snippet(
            "python", "Python", "events-python.py.txt", "The script prints 202. It needs the standard library alone."
        ),
        Snippet(
            "cron", "cron", "events-cron.txt", "A failed run opens an incident, and the next good run resolves it."
        ),
        Snippet(
            "systemd",
            "systemd",
            "events-systemd.txt",
            "A service that fails opens an incident. The key is in no list of processes.",
        ),
    ),
)
_LEGACY_PUSH = SourceKind(
    "legacy_push",
    "Legacy push",
    "Messages with a title and a priority, as clients of a common push server send them.",
    "The address of this instance as the server, and an alias token as the application token.",
    "/message",
    SenderKeyKind.ALIAS_TOKEN,
    (
        Snippet("curl", "curl", "legacy_push-curl.sh", "The answer is 200 with an integer id."),
        Snippet("apprise", "Apprise", "legacy_push-apprise.sh", "The message is an event, which opens an incident."),
        Snippet(
            "netdata",
            "Netdata agent",
            "legacy_push-netdata.txt",
            "An alarm opens an incident, and its end resolves it.",
        ),
    ),
    TimeMeaning.NONE,
)
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
    pagerduty.TIME,
)
PROMETHEUS = SourceKind(
    "prometheus",
    "Prometheus",
    "Alerts that Prometheus pushes itself, without an Alertmanager. Other rulers with its format do so as well.",
    "`alerting` in prometheus.yml.",
    "/v1/compat/alertmanager/api/v2/alerts",
    SenderKeyKind.SOURCE_KEY,
    (Snippet("prometheus", "Prometheus", "prometheus.yml", "Each alert opens an incident, and its end resolves it."),),
    prometheus.TIME,
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
    opsgenie.TIME,
)
CLOUDEVENTS = SourceKind(
    "cloudevents",
    "CloudEvents",
    "CloudEvents 1.0 over HTTP: structured, batched or binary.",
    "The address that events are sent to, and the key as bearer.",
    "/v1/compat/cloudevents",
    SenderKeyKind.SOURCE_KEY,
    (Snippet("curl", "curl", "cloudevents-curl.sh", "The answer is 202 with a receipt."),),
    cloudevents.TIME,
)

_NO_END = (
    "A mail opens an incident, which a person resolves. The machine needs a program that sends mails, such as msmtp or"
    " Postfix."
)
COMPATIBLE = (PAGERDUTY, PROMETHEUS, OPSGENIE, CLOUDEVENTS)
MAIL = SourceKind(
    "mail",
    "Email",
    "Mails of appliances and programs that can only mail: the subject is the title, and the text is the body.",
    "An address of the source as the recipient, and this instance as the mail server.",
    "",
    SenderKeyKind.MAIL_ADDRESS,
    (
        Snippet(
            "address",
            "Mail address",
            "mail-address.txt",
            "A mail has the default severity of the source. With ERROR it opens an incident with its subject. With INFO,"
            " which a new source has unless you choose another, it is stored and opens none.",
        ),
        Snippet("curl", "curl", "mail-curl.sh", "The mail server answers 250 when the event is stored."),
        Snippet("monit", "Monit", "mail-monit.txt", CLOSES),
        Snippet("smartd", "smartd", "mail-smartd.txt", _NO_END),
        Snippet("mdadm", "mdadm", "mail-mdadm.txt", _NO_END),
        Snippet("cron", "cron", "mail-cron.txt", _NO_END),
    ),
    TimeMeaning.NONE,
)
"""Only on instances that receive mails."""

_HEARTBEATS = SourceKind(
    "heartbeats",
    "Heartbeats by slug",
    "Pings of many jobs with one key. Each job has a slug, and its first ping creates its monitor.",
    "The line of the job, or its `ping_url`.",
    "/v1/heartbeats/{pingKey}/{slug}",
    SenderKeyKind.PING_KEY,
    (
        Snippet("curl", "curl", "heartbeats-curl.sh", "The first ping creates the monitor. The exit code decides."),
        Snippet(
            "cron", "cron", "heartbeats-cron.txt", "A failed run opens an incident, and the next good run resolves it."
        ),
        Snippet(
            "borgmatic", "borgmatic", "heartbeats-borgmatic.yml", "borgmatic reports its start, its end and its log."
        ),
    ),
)
_CUSTOM = SourceKind(
    "custom",
    "Any JSON",
    "JSON of every other sender, read by the mapping of the source.",
    "A webhook of the sender. Choose the paths in the settings of the source.",
    "/v1/hooks/custom",
    SenderKeyKind.SOURCE_KEY,
    (
        Snippet(
            "curl",
            "curl",
            "custom-curl.sh",
            "The answer is 202. Without a mapping it is 422, and the payload is kept as the last sample of the source.",
        ),
    ),
    TimeMeaning.BEGINNING,
)


def _of_tool(name: str) -> SourceKind:
    tool, folder = TOOLS[name], TOOL_FOLDERS / name
    files = [file.name for file in folder.glob(f"{name}.*")]
    if len(files) != 1:
        raise ValueError(f"inbox/intake/tools/{name}: one text {name}.txt for people was expected, found {files}")
    snippet = Snippet(name, tool.label, files[0], GROUPS if tool.group else CLOSES, folder=folder)
    texts = (snippet, *(replace(each, folder=folder) for each in tool.more))
    path = f"/v1/hooks/{name}"
    if tool.signing is None or tool.signing.is_optional:
        return SourceKind(name, tool.label, tool.summary, tool.setup, path, SenderKeyKind.SOURCE_KEY, texts, tool.time)
    path += "/{sourceId}"
    return SourceKind(name, tool.label, tool.summary, tool.setup, path, SenderKeyKind.SIGNING_SECRET, texts, tool.time)


KINDS: Mapping[str, SourceKind] = {
    each.kind: each for each in (_EVENTS, _LEGACY_PUSH, MAIL, _HEARTBEATS, *COMPATIBLE, *map(_of_tool, TOOLS), _CUSTOM)
}
