"""Patterns of the service that find alarms and their ends in the messages of a tool (specification 19.3)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class RecoveryPreset(StrEnum):
    """A tool whose messages a built-in pattern reads."""

    UPTIME_KUMA = "uptime_kuma"
    HEALTHCHECKS = "healthchecks"
    NETDATA = "netdata"
    PROXMOX = "proxmox"
    ALERTMANAGER = "alertmanager"
    ICINGA = "icinga"
    """Also Nagios."""

    MONIT = "monit"
    ZABBIX = "zabbix"
    MDADM = "mdadm"
    SMARTD = "smartd"
    CRON = "cron"
    GENERAL = "general"
    """Words of states in the title, such as `[RESOLVED]`, `RECOVERY` or `OK:` (`inbox/intake/state_words.py`)."""


_END = r"[ \t]*(?:\n|$)"
_MONIT = r"^[^\n]*?(?:^|-- +|: )"
_MONIT_END = rf"(?P<key2>\S+){_END}(?:(?s:.*?)\n\s*Host:\s+(?P<key3>\S+))?"

PRESETS: Mapping[RecoveryPreset, tuple[str, ...]] = {
    RecoveryPreset.UPTIME_KUMA: (r"(?:^|\n)\[(?P<key>[^\n]+)\] \[(?:(?P<recovery>✅ Up)|🔴 Down)\]",),
    RecoveryPreset.HEALTHCHECKS: (r"^(?P<key>[^\n]+?) is (?:(?P<recovery>UP)|DOWN)\b",),
    RecoveryPreset.NETDATA: (r"^(?:(?P<recovery>CLEAR)|[A-Z]+), (?P<key>[^\n=]+?) = [^\n]*, on (?P<key2>\S+)",),
    RecoveryPreset.PROXMOX: (
        r"^vzdump backup status \((?P<key>[^)\n]+)\): (?:(?P<recovery>backup successful)|backup failed)",
    ),
    RecoveryPreset.ALERTMANAGER: (
        r"^[^\n]*?\[(?:(?P<recovery>RESOLVED(?::\d+)?)|FIRING:\d+(?:, RESOLVED:\d+)?)\] *(?P<key>[^\n]+?)(?: +\([^()\n]*\))?"
        + _END,
    ),
    RecoveryPreset.ICINGA: (
        r"^[^\n]*?(?:\[|\*\* ?)(?:PROBLEM|RECOVERY|(?P<notice>ACKNOWLEDGEMENT|CUSTOM|DOWNTIME[A-Z]+|FLAPPING[A-Z]+))"
        + r"(?:\]|(?: Service| Host)? Alert:) (?P<key>[^\n]+?) is (?:(?P<recovery>OK|UP)|[A-Z]+)\b",
    ),
    RecoveryPreset.MONIT: (
        _MONIT + r"(?P<key>Checksum|Connection|Content|Data access|Download bytes|Download packets|Execution|Existence"
        r"|Filesystem flags|GID|Heartbeat|ICMP|Link|PID|PPID|Permission|Ping|Resource limit|Saturation|Size|Speed|Status"
        r"|Timestamp|UID|Upload bytes|Upload packets|Uptime) "
        r"(?:(?P<recovery>succeeded|ok|up|not changed)|failed|exceeded|error|matched|down|changed) " + _MONIT_END,
        _MONIT + r"(?:(?P<recovery>Exists)|Does not exist) " + _MONIT_END,
        _MONIT + r"(?P<key>Timeout)(?P<recovery> recovery)? " + _MONIT_END,
        _MONIT + r"(?:(?P<recovery>Type succeeded)|Invalid type) " + _MONIT_END,
        _MONIT + r"(?P<notice>Monit instance (?:not )?changed|Action done) \S+" + _END,
    ),
    RecoveryPreset.ZABBIX: (
        r"^[^\n]*?(?:Problem|(?P<recovery>Resolved)(?: in [^:\n]+)?|(?P<notice>Updated problem)(?: in [^:\n]+)?): "
        + r"(?s:.*)\n\s*Original problem ID: (?P<key>\d+)",
        r"^[^\n]*?(?:P(?:roblem|ROBLEM)|(?P<recovery>Resolved|OK)(?: in [^:\n]+)?|(?P<notice>Updated problem)(?: in [^:\n]+)?): "
        + r"(?P<key>[^\n]+)\n(?s:.*?)\n\s*Host: (?P<key2>[^\n]+)",
        r"^(?P<notice>Test subject)\n\s*This is the test message from Zabbix",
    ),
    RecoveryPreset.MDADM: (
        r"^[^\n]*?\b(?:(?P<recovery>RebuildFinished|SpareActive)|(?P<notice>TestMessage|NewArray|MoveSpare|Rebuild(?:Started|\d+))"
        r"|Fail|FailSpare|DegradedArray|SparesMissing|DeviceDisappeared) event on (?P<key>/dev/[^\s:]+)(?::(?P<key2>\S+))?"
        + _END,
    ),
    RecoveryPreset.SMARTD: (
        r"^[^\n]*?SMART error \((?:(?P<notice>EmailTest)|(?P<key>\w+))\) detected on host: (?P<key2>\S+)"
        + r"(?:(?s:.*?)\n\s*Device: (?P<key3>[^\s,]+(?: \[[^\]\n]+\])*))?",
    ),
    RecoveryPreset.CRON: (
        r"^Cron <(?P<key>[^>\s]+)> (?P<key2>[^\n]+)",
        r"^Anacron job '(?P<key2>[^'\n]+)' on (?P<key>\S+)",
    ),
    RecoveryPreset.GENERAL: (),
}
"""The patterns of each tool; the first that matches counts. One matches the alarm and its end, and gives both the same keys.

The group `recovery` takes part only in a match of the end.
"""

MAIL_PRESETS = (
    RecoveryPreset.ALERTMANAGER,
    RecoveryPreset.ICINGA,
    RecoveryPreset.MONIT,
    RecoveryPreset.ZABBIX,
    RecoveryPreset.MDADM,
    RecoveryPreset.SMARTD,
    RecoveryPreset.CRON,
)
"""The tools whose mails are known without a setting. No pattern matches mails of other senders."""
