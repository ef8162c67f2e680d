"""The rows of uptime_kuma in the tests of all tools."""

from __future__ import annotations

import json

from tests.intake.snippet_requests import Sent

ALARM = ("shop is down", "ERROR", "kuma:4")
LIST = ("monitor", "tags")
SENT: Sent = {"uptime_kuma": lambda fields, _: json.loads(fields["Additional Headers"])}
