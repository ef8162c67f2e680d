"""The rows of better_stack in the tests of all tools."""

from __future__ import annotations

from tests.intake.snippet_requests import Sent, of_address

ALARM = ("API: Status 503", "CRITICAL", "bs:99")
SENT: Sent = {"better_stack": of_address}
