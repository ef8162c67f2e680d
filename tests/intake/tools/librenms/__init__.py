"""The rows of librenms in the tests of all tools."""

from __future__ import annotations

from tests.intake.snippet_requests import Sent

ALARM = ("Alert for device sw1 - Port down", "CRITICAL", "librenms:17")
SENT: Sent = {"librenms": lambda fields, _: dict([fields["Headers"].split("=", 1)])}
