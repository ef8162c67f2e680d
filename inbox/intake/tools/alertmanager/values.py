"""The measured values of an alert of Grafana, as lines for people."""

from __future__ import annotations

import re

from inbox.intake.base import Node

MOST = 20
LONGEST = 10_000
_VALUE = re.compile(
    r"\[ (?:var|metric)='([^']{0,200})'[^{}\]]{0,300}labels=\{([^{}]{0,500})\}[^{}\]]{0,100}value=([^ \]]{1,60}) \]"
)


def numbers(alert: Node) -> dict[str, object]:
    """Returns the first values by name, as sent."""
    sent = alert.at("values").value
    named = sent.items() if isinstance(sent, dict) else ()
    return {str(name): value for name, value in [*named][:MOST] if isinstance(value, int | float | str)}


def lines(alert: Node) -> list[str]:
    """Returns a line for each value, such as `B = 97.4 (host=web-3)`, with the labels of its series."""
    found = [
        f"{name} = {value}" + (f" ({labels})" if labels else "")
        for name, labels, value in _VALUE.findall(alert.text("valueString")[:LONGEST])[:MOST]
    ]
    return found or [f"{name} = {value}" for name, value in [*alert.members("values").items()][:MOST]]
