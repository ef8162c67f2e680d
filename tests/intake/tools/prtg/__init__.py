"""The rows of prtg in the tests of all tools."""

from __future__ import annotations

from tests.intake.snippet_requests import Sent, of_address

ALARM = ("Disk Free on nas1", "CRITICAL", "prtg:2044")
SENT: Sent = {"prtg": of_address}
