"""Macros of tools that were not replaced, such as `*UNKNOWN*` and `$HOSTNAME$`: such a text counts as missing."""

from __future__ import annotations

import re

from inbox.intake.base import Node

_UNFILLED = re.compile(
    r"\*UNKNOWN\*"  # Zabbix
    r"|\{[$#]?[A-Z][^{}]{0,100}\}"  # Zabbix: {HOST.NAME}, {$ZABBIX.URL}, {#FSNAME}
    r"|\$|\$[A-Za-z_][\w.:]{0,100}\$"  # Nagios and Icinga: $HOSTNAME$, $service.name$, and $ for a macro that is empty
    r"|\$[A-Z][A-Z_]{1,100}"  # Datadog, Healthchecks
    r"|%[a-z]{2,40}"  # PRTG
    r"|\{\{[^{}]{0,200}\}\}"  # LibreNMS, Proxmox
    r"|.{0,200} is not a valid \$alert.{0,100}"  # LibreNMS
)


def is_unfilled(text: str) -> bool:
    """Returns whether a text is nothing but a macro that the tool did not replace."""
    return len(text) <= 400 and _UNFILLED.fullmatch(text.strip()) is not None


def filled(node: Node) -> Node:
    """Returns an object without the members whose text is a macro that was not replaced."""
    if not isinstance(node.value, dict):
        return node
    kept = {name: value for name, value in node.value.items() if not (isinstance(value, str) and is_unfilled(value))}
    return Node(kept, node.pointer)
