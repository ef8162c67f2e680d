"""The rows of gcp in the tests of all tools."""

from __future__ import annotations

from tests.intake.snippet_requests import Sent, basic

ALARM = ("db cpu: CPU", "CRITICAL", "gcp:0.mt7q2va6zdkemq")
SENT: Sent = {"gcp": lambda fields, _: basic(fields["Auth Username"], fields["Auth Password"])}
