"""The rows of datadog in the tests of all tools."""

from __future__ import annotations

import json

from tests.intake.snippet_requests import Sent

ALARM = ("CPU high on web1", "ERROR", "dd:7412")
SENT: Sent = {"datadog": lambda fields, _: json.loads(fields["Custom Headers"])}
