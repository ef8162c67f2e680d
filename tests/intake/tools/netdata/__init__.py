"""The rows of netdata in the tests of all tools."""

from __future__ import annotations

from tests.intake.snippet_requests import Sent

ALARM = ("disk_space on web1", "CRITICAL", "nd:Prod:disk_space._:disk_space:web1")
SENT: Sent = {"netdata": lambda fields, _: {"Authorization": f"{fields['Authentication']} {fields['Token']}"}}
