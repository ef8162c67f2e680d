"""The tools that may call `POST /v1/hooks/{tool}`, by name."""

from __future__ import annotations

from collections.abc import Mapping

from inbox.intake.base import Tool
from inbox.intake.tools import (
    alertmanager,
    azure_monitor,
    better_stack,
    checkmk,
    datadog,
    gcp,
    github,
    gitlab,
    grafana,
    healthchecks,
    home_assistant,
    icinga,
    jenkins,
    librenms,
    netdata,
    proxmox,
    prtg,
    sentry,
    sns,
    uptime_kuma,
    zabbix,
)

_MODULES = (
    alertmanager, azure_monitor, better_stack, checkmk, datadog, gcp, github, gitlab, grafana, healthchecks, home_assistant,
    icinga, jenkins, librenms, netdata, prtg, proxmox, sentry, sns, uptime_kuma, zabbix,
)  # fmt: skip

TOOLS: Mapping[str, Tool] = {module.TOOL.name: module.TOOL for module in _MODULES}

SIGNING = tuple(name for name, tool in TOOLS.items() if tool.signing is not None)
"""The tools that sign what they send."""

SYNONYMS: Mapping[str, str] = {"nagios": "icinga", "cloudwatch": "sns"}
"""Other names in the path."""


def find(name: str) -> Tool | None:
    """The tool of a name in a path. A hyphen is as good as an underscore."""
    name = name.replace("-", "_").lower()
    return TOOLS.get(SYNONYMS.get(name, name))
