"""The rows of sns in the tests of all tools."""

from __future__ import annotations

from tests.intake.snippet_requests import Sent, of_address

ALARM = ("db-cpu", "ERROR", "aws:arn:aws:cloudwatch:eu-central-1:123456789012:alarm:db-cpu")
SENT: Sent = {"sns": of_address}
