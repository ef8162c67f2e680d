"""The rows of azure_monitor in the tests of all tools."""

from __future__ import annotations

from tests.intake.snippet_requests import Sent

ALARM = (
    "cpu on vm1",
    "ERROR",
    "az:/subscriptions/0000aaaa/providers/Microsoft.AlertsManagement/alerts/aaaa0a0a-bb1b-cc2c-dd3d-eeeeee4e4e4e",
)
LIST = ("data", "alertContext", "condition", "allOf")
SENT: Sent = {"azure_monitor": lambda fields, _: {"Authorization": fields["Authorization"]}}
