"""The rows of healthchecks in the tests of all tools."""

from __future__ import annotations

from tests.intake.snippet_requests import Sent

ALARM = ("nightly backup is down", "ERROR", "hc:7b1f0f5e-0f5e-4b8b-9c0a-6f3f3f1f2a10")
SENT: Sent = {"healthchecks": lambda fields, _: dict([fields["Request Headers"].split(": ", 1)])}
